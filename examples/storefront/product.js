// One product: what it is, what can be chosen of it, and into the cart with it.

import { cardsOf } from './catalogue.js'
import { field, make, picture, say, showProblem, textOf } from './dom.js'
import { commerce, sentenceOf } from './shop.js'

export async function showProduct(permalink) {
  const product = await commerce.products.retrieve(permalink, { type: 'permalink' })
  const { id, name, description, variant_groups: groups, related_products: related } = product
  // A variant is one option of each group, with a price and a stock of its own.
  const variants = groups.length > 0 ? (await commerce.products.getVariants(id)).data : []
  const image = picture(product.image, 'product-picture', name)
  const form = addForm(product, variants, image)
  return {
    title: name,
    content: [
      make(
        'div',
        { className: 'product' },
        image,
        make('div', {}, form, make('p', { className: 'description' }, textOf(description))),
      ),
      related.length > 0 ? make('h2', {}, 'Goes with it') : null,
      related.length > 0 ? make('ul', { className: 'shelf' }, cardsOf(related)) : null,
    ].filter((part) => part !== null),
  }
}

function addForm(product, variants, image) {
  const { id, name, variant_groups: groups } = product
  const price = make('p', { className: 'price large', role: 'status' })
  const quantity = make('input', { type: 'number', name: 'quantity', min: 1, max: 99, value: 1, required: true })
  const button = make('button', {}, 'Add to cart')
  const form = make('form', {}, price, groups.map(choice), field('Quantity', quantity), button)

  const chosen = () => Object.fromEntries(groups.map((group) => [group.id, new FormData(form).get(group.id)]))
  const look = () => {
    const options = chosen()
    const variant = variants.find((one) => groups.every((group) => one.options[group.id] === options[group.id]))
    const isSoldOut = product.is.sold_out || (product.inventory.managed && variant?.inventory === 0)
    price.textContent = isSoldOut ? 'Sold out' : priceOf(product, variant, options)
    button.disabled = isSoldOut
    showOption(image, product, options)
  }
  form.addEventListener('change', look)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    showProblem(null)
    button.disabled = true
    try {
      // Old and new versions of the API both give the whole cart as `cart`.
      const { cart } = await commerce.cart.add(id, Number(quantity.value), chosen())
      dispatchEvent(new CustomEvent('cart', { detail: cart }))
      button.textContent = 'Added'
      say(`${name} is in the cart.`)
      setTimeout(() => {
        button.textContent = 'Add to cart'
      }, 1_500)
    } catch (error) {
      showProblem(sentenceOf(error))
    } finally {
      button.disabled = false
    }
  })
  look()
  return form
}

/** The options of one group; the first is chosen to begin with. */
const choice = ({ id, name, options }) =>
  make(
    'fieldset',
    { className: 'choice' },
    make('legend', {}, name),
    options.map((option, index) =>
      make(
        'label',
        {},
        make('input', { type: 'radio', name: id, value: option.id, checked: index === 0 }),
        make('span', {}, option.name, option.price.raw > 0 ? ` +${option.price.formatted_with_symbol}` : ''),
      ),
    ),
  )

/** A variant's own price, else the product's with what its options add. Only shown: what is paid, the API computes. */
function priceOf({ price, variant_groups: groups }, variant, chosen) {
  if (variant?.price) return variant.price.formatted_with_symbol
  const added = groups.flatMap(({ id, options }) => options.filter((option) => option.id === chosen[id]))
  const sum = added.reduce((total, option) => total + option.price.raw, price.raw)
  return sum === price.raw
    ? price.formatted_with_symbol
    : price.formatted_with_symbol.replace(price.formatted, sum.toFixed(price.formatted.split('.')[1]?.length ?? 0))
}

/** An option may have a picture of its own. */
function showOption(image, { assets, image: lead, variant_groups: groups }, chosen) {
  const pictured = groups
    .flatMap(({ options }) => options)
    .find((option) => Object.values(chosen).includes(option.id) && option.assets?.length > 0)
  const asset = assets.find(({ id }) => id === pictured?.assets[0]) ?? lead
  if (asset && image.src !== asset.url) image.src = asset.url
}
