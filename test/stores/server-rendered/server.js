// A store whose pages are made on the server, by forms and without a script: the SDK runs in Node and no version is named. The cart's id is
// kept in a cookie of the shop's own.

import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const Commerce = createRequire(import.meta.url)(process.env.CHEC_SDK)

// The SDK keeps the cart's id in a cookie of the page, and there is no page here.
globalThis.document = { cookie: '' }

function commerceFor(cartId) {
  const commerce = new Commerce(process.env.CHEC_PUBLIC_KEY, false, { url: process.env.CHEC_API_URL })
  if (cartId) commerce.cart.cartId = cartId
  return commerce
}

const escapeHtml = (text) =>
  String(text).replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char])

const layout = (body, error) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>Shop</title>
<style>body { font-family: sans-serif; margin: 1rem } label, button { display: block; margin: 0.5rem 0 } input, select, img { max-width: 100% }
.products { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 1rem; padding: 0 }
.products li { list-style: none }</style>
</head><body>${error ? `<p role="alert">${escapeHtml(error)}</p>` : ''}${body}</body></html>`

const listOptions = (entries, chosen) =>
  ['<option value=""></option>']
    .concat(
      entries.map(
        ([value, text]) =>
          `<option value="${escapeHtml(value)}"${value === chosen ? ' selected' : ''}>${escapeHtml(text)}</option>`,
      ),
    )
    .join('')

async function listPage() {
  const { data: products } = await commerceFor().products.list({ limit: 50 })
  const cards = products.map(
    (
      product,
    ) => `<li><img src="${product.image.url}" alt=""><a href="/products/${product.permalink}">${escapeHtml(product.name)}</a>
      <form method="post" action="/cart/add"><input type="hidden" name="id" value="${product.id}">
      <button>Add ${escapeHtml(product.name)}</button></form></li>`,
  )
  return `<h1>Shop</h1><ul class="products">${cards.join('')}</ul>`
}

async function productPage(permalink) {
  const product = await commerceFor().products.retrieve(permalink, { type: 'permalink' })
  const groups = product.variant_groups.map(
    (group) =>
      `<label>${escapeHtml(group.name)} <select name="option:${group.id}">${listOptions(
        group.options.map((option) => [option.id, option.name]),
      )}</select></label>`,
  )
  return `<h1>${escapeHtml(product.name)}</h1><img src="${product.image.url}" alt="" width="300">
    <form method="post" action="/cart/add"><input type="hidden" name="id" value="${product.id}">${groups.join('')}
    <button>Add to cart</button></form>`
}

function cartPage(cart) {
  const lines = cart.line_items.map(
    (line) => `<li><img src="${line.image.url}" alt="" width="80"> ${escapeHtml(line.name)}
      ${line.selected_options.map((option) => escapeHtml(option.option_name)).join(', ')}
      <form method="post" action="/cart/update"><input type="hidden" name="line" value="${line.id}">
      <label>Quantity of ${escapeHtml(line.name)} <input name="quantity" value="${line.quantity}"></label><button>Update</button></form>
      <form method="post" action="/cart/remove"><input type="hidden" name="line" value="${line.id}">
      <button>Remove ${escapeHtml(line.name)}</button></form></li>`,
  )
  return `<h1>Your cart</h1><ul>${lines.join('')}</ul><p>Subtotal: <b id="subtotal">${cart.subtotal.formatted_with_symbol}</b></p>
    <form method="post" action="/checkout"><button>Checkout</button></form>`
}

const FIELDS = [
  ['email', 'E-mail'],
  ['firstname', 'First name'],
  ['lastname', 'Last name'],
  ['street', 'Street'],
  ['city', 'City'],
  ['zip', 'Postal code'],
]

async function checkoutPage(commerce, tokenId, fields) {
  const { countries } = await commerce.services.localeListShippingCountries(tokenId)
  const { country = '', region = '', shipping = '' } = fields
  const regions = country ? (await commerce.services.localeListSubdivisions(country)).subdivisions : {}
  const methods = country ? await commerce.checkout.getShippingOptions(tokenId, { country, region }) : []
  if (shipping) await commerce.checkout.checkShippingOption(tokenId, { shipping_option_id: shipping, country, region })
  const live = await commerce.checkout.getLive(tokenId)
  const saved = live.discount.code
    ? `<p>Discount ${escapeHtml(live.discount.code)}: <span id="saved">${live.discount.amount_saved.formatted_with_symbol}</span></p>`
    : ''
  const inputs = FIELDS.map(
    ([name, label]) => `<label>${label} <input name="${name}" value="${escapeHtml(fields[name] ?? '')}"></label>`,
  )
  return `<h1>Checkout</h1>${saved}<p>Shipping costs: <span id="shipping-price">${live.shipping.price.formatted_with_symbol}</span></p>
    <form method="post" action="/checkout/${tokenId}">
    <label>Discount code <input name="code"></label><button name="do" value="discount">Apply</button>
    ${inputs.join('')}
    <label>Country <select name="country">${listOptions(Object.entries(countries), country)}</select></label>
    <button name="do" value="country">Choose country</button>
    <label>Region <select name="region">${listOptions(Object.entries(regions), region)}</select></label>
    <button name="do" value="region">Choose region</button>
    <label>Shipping <select name="shipping">${listOptions(
      methods.map((method) => [method.id, method.description]),
      shipping,
    )}</select></label>
    <button name="do" value="shipping">Choose shipping</button>
    <label>Card number <input name="card"></label>
    <button name="do" value="order">Place order</button></form>`
}

async function placeOrder(commerce, tokenId, fields) {
  const live = await commerce.checkout.getLive(tokenId)
  const lines = {}
  for (const line of live.line_items) lines[line.id] = { ...line, variantGroups: line.selected_options }
  return commerce.checkout.capture(tokenId, {
    line_items: lines,
    customer: { email: fields.email, firstname: fields.firstname, lastname: fields.lastname },
    shipping: {
      name: `${fields.firstname} ${fields.lastname}`,
      street: fields.street,
      street_2: '',
      town_city: fields.city,
      county_state: fields.region,
      postal_zip_code: fields.zip,
      country: fields.country,
    },
    fulfillment: { shipping_method: fields.shipping },
    extrafields: { extr_j0YnEoqOPle7P6: '' },
    payment: {
      gateway: 'test_gateway',
      card: { number: fields.card, expiry_month: '11', expiry_year: '22', cvc: '123', postal_zip_code: fields.zip },
    },
  })
}

const receiptPage = (order) => `<h1>Thank you, ${escapeHtml(order.customer.firstname)}!</h1>
  <p>Your order: <b id="reference">${escapeHtml(order.customer_reference)}</b></p>
  <ul>${order.order.line_items
    .map(
      (line) =>
        `<li>${line.quantity} × ${escapeHtml(line.product_name)} ${line.selected_options.map((option) => escapeHtml(option.option_name))}</li>`,
    )
    .join('')}</ul>
  <p>Paid: <b id="paid">${order.order_value.formatted_with_symbol}</b></p>`

async function changeCart(commerce, change, fields) {
  if (change === 'remove') return commerce.cart.remove(fields.line)
  if (change === 'update')
    return commerce.cart.update(fields.line, { quantity: fields.quantity ? Number(fields.quantity) : null })
  const chosen = Object.entries(fields).filter(([name]) => name.startsWith('option:'))
  const options = Object.fromEntries(chosen.map(([name, option]) => [name.slice('option:'.length), option]))
  // Everything can be added from the list too, where nothing is chosen and there is no quantity.
  return commerce.cart.add(fields.id, null, chosen.length > 0 ? options : [])
}

async function readFields(request) {
  let body = ''
  for await (const chunk of request) body += chunk
  return Object.fromEntries(new URLSearchParams(body))
}

async function answer(request, response) {
  const [, page, ...rest] = request.url.split('/')
  const fields = request.method === 'POST' ? await readFields(request) : {}
  const cookie = /cart=(\w+)/.exec(request.headers.cookie ?? '')
  const commerce = commerceFor(cookie?.[1])
  if (!cookie) {
    const { id } = await commerce.cart.refresh()
    response.setHeader('Set-Cookie', `cart=${id}; Path=/`)
  }
  if (page === '') return layout(await listPage())
  if (page === 'products') return layout(await productPage(rest[0]))
  if (page === 'cart' && rest.length === 0) return layout(cartPage(await commerce.cart.retrieve()))
  if (page === 'cart') {
    try {
      const { cart } = await changeCart(commerce, rest[0], fields)
      return layout(cartPage(cart))
    } catch (error) {
      return layout(cartPage(await commerce.cart.retrieve()), error.data.error.message)
    }
  }
  if (page === 'checkout') {
    const tokenId = rest[0] ?? (await commerce.checkout.generateTokenFrom('cart', commerce.cart.id())).id
    try {
      if (fields.do === 'discount') await commerce.checkout.checkDiscount(tokenId, { code: fields.code })
      if (fields.do === 'order') return layout(receiptPage(await placeOrder(commerce, tokenId, fields)))
      return layout(await checkoutPage(commerce, tokenId, fields))
    } catch (error) {
      return layout(await checkoutPage(commerce, tokenId, fields), error.data.error.message)
    }
  }
  response.statusCode = 404
  return layout('<h1>Not found</h1>')
}

const server = createServer(async (request, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8')
  try {
    response.end(await answer(request, response))
  } catch (error) {
    response.statusCode = 500
    response.end(
      layout(`<h1>Internal Server Error</h1><pre>${escapeHtml(error.stack ?? JSON.stringify(error.data))}</pre>`),
    )
  }
})

server.listen(0, '127.0.0.1', () => process.stdout.write(`http://localhost:${server.address().port}/\n`))
