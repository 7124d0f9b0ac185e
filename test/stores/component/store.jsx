// A store as tutorials of 2020 built them: components around the SDK, no version named, and the fields that answers had then.

import Commerce from '@chec/commerce.js'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

const commerce = new Commerce(process.env.REACT_APP_CHEC_PUBLIC_KEY, false, { url: process.env.REACT_APP_CHEC_URL })

function ProductList({ products, onOpen }) {
  return (
    <>
      <h1>Store</h1>
      <ul className="products">
        {products.map((product) => (
          <li key={product.id}>
            <img src={product.media.source} alt="" />
            <a href={`#${product.permalink}`} onClick={() => onOpen(product)}>
              {product.name}
            </a>
            <p>{product.price.formatted_with_symbol}</p>
          </li>
        ))}
      </ul>
    </>
  )
}

function Product({ product, onAdd }) {
  const submit = (event) => {
    event.preventDefault()
    const form = event.target
    const chosen = {}
    for (const variant of product.variants) chosen[variant.id] = form[variant.id].value
    onAdd(product.id, form.quantity.value, chosen)
  }
  return (
    <form onSubmit={submit}>
      <h1>{product.name}</h1>
      <img src={product.media.source} alt={product.name} width="300" />
      {product.variants.map((variant) => (
        <label key={variant.id}>
          {variant.name}{' '}
          <select name={variant.id}>
            {variant.options.map((option) => (
              <option key={option.id} value={option.id}>
                {option.name}
              </option>
            ))}
          </select>
        </label>
      ))}
      <label>
        Quantity <input name="quantity" defaultValue="1" />
      </label>
      <button type="submit">Add to cart</button>
    </form>
  )
}

function CartLine({ line, onUpdate }) {
  const [quantity, setQuantity] = useState(line.quantity)
  useEffect(() => setQuantity(line.quantity), [line])
  return (
    <li>
      <img src={line.media.source} alt="" width="80" /> {line.name}{' '}
      {line.variants.map((variant) => `${variant.variant_name}: ${variant.option_name}`).join(', ')}
      <label>
        Quantity of {line.name} <input value={quantity} onChange={(event) => setQuantity(event.target.value)} />
      </label>
      <button type="button" onClick={() => onUpdate(line.id, quantity)}>
        Update
      </button>
    </li>
  )
}

function Cart({ cart, onUpdate, onCheckout }) {
  return (
    <>
      <h1>Your cart</h1>
      <ul>
        {cart.line_items.map((line) => (
          <CartLine key={line.id} line={line} onUpdate={onUpdate} />
        ))}
      </ul>
      <p>
        Subtotal: <b id="subtotal">{cart.subtotal.formatted_with_symbol}</b>
      </p>
      <button type="button" onClick={onCheckout}>
        Checkout
      </button>
    </>
  )
}

const EMPTY = {
  email: '',
  firstname: '',
  lastname: '',
  street: '',
  city: '',
  zip: '',
  country: '',
  region: '',
  card: '',
}

function Checkout({ token, onOrder, onError }) {
  const [fields, setFields] = useState({ ...EMPTY, shipping: '', code: '' })
  const [live, setLive] = useState(token.live)
  const [countries, setCountries] = useState({})
  const [regions, setRegions] = useState({})
  const [methods, setMethods] = useState([])

  useEffect(() => {
    commerce.services.localeListShippingCountries(token.id).then((answer) => setCountries(answer.countries))
  }, [token.id])
  useEffect(() => {
    if (!fields.country) return
    commerce.services.localeListSubdivisions(fields.country).then((answer) => setRegions(answer.subdivisions))
  }, [fields.country])
  useEffect(() => {
    if (!fields.region) return
    commerce.checkout
      .getShippingOptions(token.id, { country: fields.country, region: fields.region })
      .then((answer) => setMethods(answer))
  }, [token.id, fields.country, fields.region])
  useEffect(() => {
    if (!fields.shipping) return
    commerce.checkout
      .checkShippingOption(token.id, {
        shipping_option_id: fields.shipping,
        country: fields.country,
        region: fields.region,
      })
      .then((answer) => setLive(answer.live))
  }, [token.id, fields.shipping, fields.country, fields.region])

  const change = (event) => setFields({ ...fields, [event.target.name]: event.target.value })
  const input = (name, label) => (
    <label>
      {label} <input name={name} value={fields[name]} onChange={change} />
    </label>
  )
  const select = (name, label, entries) => (
    <label>
      {label}{' '}
      <select name={name} value={fields[name]} onChange={change}>
        <option value="" />
        {entries.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )

  const applyCode = async () => {
    const answer = await commerce.checkout.checkDiscount(token.id, { code: fields.code })
    if (answer.valid) setLive(answer.live)
  }

  const placeOrder = async () => {
    const lines = {}
    for (const line of live.line_items) {
      const variants = {}
      for (const variant of line.variants) variants[variant.variant_id] = variant.option_id
      lines[line.id] = { quantity: line.quantity, variants }
    }
    try {
      const order = await commerce.checkout.capture(token.id, {
        line_items: lines,
        discount_code: live.discount.code,
        customer: { email: fields.email, firstname: fields.firstname, lastname: fields.lastname },
        shipping: {
          name: `${fields.firstname} ${fields.lastname}`,
          street: fields.street,
          town_city: fields.city,
          county_state: fields.region,
          postal_zip_code: fields.zip,
          country: fields.country,
        },
        fulfillment: { shipping_method: fields.shipping },
        payment: {
          gateway: 'test_gateway',
          card: { number: fields.card, expiry_month: '01', expiry_year: '2023', cvc: '123', postal_zip_code: '94103' },
        },
      })
      onOrder(order)
    } catch (error) {
      onError(error)
    }
  }

  return (
    <>
      <h1>Checkout</h1>
      {live.discount.code && (
        <p>
          Discount {live.discount.code}: <span id="saved">{live.discount.amount_saved.formatted_with_symbol}</span>
        </p>
      )}
      <p>
        Shipping costs: <span id="shipping-price">{live.shipping.price.formatted_with_symbol}</span>
      </p>
      {input('code', 'Discount code')}
      <button type="button" onClick={applyCode}>
        Apply
      </button>
      {input('email', 'E-mail')}
      {input('firstname', 'First name')}
      {input('lastname', 'Last name')}
      {input('street', 'Street')}
      {input('city', 'City')}
      {input('zip', 'Postal code')}
      {select('country', 'Country', Object.entries(countries))}
      {select('region', 'Region', Object.entries(regions))}
      {select(
        'shipping',
        'Shipping',
        methods.map((method) => [method.id, method.description]),
      )}
      {input('card', 'Card number')}
      <button type="button" onClick={placeOrder}>
        Place order
      </button>
    </>
  )
}

function Receipt({ order }) {
  return (
    <>
      <h1>Thank you, {order.customer.firstname}!</h1>
      <p>
        Your order: <b id="reference">{order.customer_reference}</b>
      </p>
      <ul>
        {order.order.line_items.map((line) => (
          <li key={line.id}>
            {line.quantity} × {line.product_name} {line.variants[0].option_name}
          </li>
        ))}
      </ul>
      <p>
        Paid: <b id="paid">{order.order_value.formatted_with_symbol}</b>
      </p>
    </>
  )
}

function App() {
  const [products, setProducts] = useState([])
  const [view, setView] = useState({ name: 'list' })
  const [error, setError] = useState('')

  useEffect(() => {
    commerce.products.list({ limit: 50 }).then((answer) => setProducts(answer.data))
  }, [])

  const open = (next) => {
    setError('')
    setView(next)
  }
  const fail = (failure) => setError(failure.data.error.message)
  const showCart = (answer) => open({ name: 'cart', cart: answer.cart })
  const openProduct = async (product) =>
    open({ name: 'product', product: await commerce.products.retrieve(product.id) })
  const add = (id, quantity, chosen) => commerce.cart.add(id, quantity, chosen).then(showCart, fail)
  const update = (id, quantity) => commerce.cart.update(id, { quantity }).then(showCart, fail)
  const checkOut = async () =>
    open({ name: 'checkout', token: await commerce.checkout.generateTokenFrom('cart', view.cart.id) })

  return (
    <main>
      {error && <p role="alert">{error}</p>}
      {view.name === 'list' && <ProductList products={products} onOpen={openProduct} />}
      {view.name === 'product' && <Product product={view.product} onAdd={add} />}
      {view.name === 'cart' && <Cart cart={view.cart} onUpdate={update} onCheckout={checkOut} />}
      {view.name === 'checkout' && (
        <Checkout token={view.token} onOrder={(order) => open({ name: 'receipt', order })} onError={fail} />
      )}
      {view.name === 'receipt' && <Receipt order={view.order} />}
    </main>
  )
}

createRoot(document.getElementById('root')).render(<App />)
