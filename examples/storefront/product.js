// A product page: description, options, and the button that adds it to the cart.

import { cardsOf } from './catalogue.js'
import { choicesOf, firstChoice, isSoldOut, picturesOf, variantOf } from './choice.js'
import { breadcrumbs, button, buttonLink, complain, make, nothing, picture, stepper, textOf } from './dom.js'
import { fewLeft, money, stockOf, unitPrice } from './price.js'
import { commerce, findProducts, isMissing, listCategories, sentenceOf, tellCart } from './shop.js'
import { categoryHref, pathOf, tiles, treeOf } from './tree.js'

/** `variantId`: the variant to select first, if a cart line links here. */
export async function showProduct(permalink, variantId = null) {
  // Without categories the page only lacks its breadcrumbs.
  const categories = listCategories().catch(() => [])
  let product
  try {
    product = await commerce.products.retrieve(permalink, { type: 'permalink' })
  } catch (error) {
    if (!isMissing(error)) throw error
    return {
      title: 'Product not found',
      content: [
        nothing('It may have been sold or removed.', buttonLink('#/', 'See all products')),
        tiles(treeOf(await categories).roots),
      ],
    }
  }
  const named = product.related_products ?? []
  const [variants, found] = await Promise.all([
    product.variant_groups.length > 0 ? listVariants(product.id) : [],
    // A related product comes without its options, but its list price depends on them.
    findProducts(named.map(({ id }) => id)),
  ])
  const gallery = galleryOf(product)
  const form = buyForm(product, variants, variantId, gallery.show)
  const related = named.map((one) => found.get(one.id) ?? one)
  return {
    title: product.name,
    before: crumbsOf(product, treeOf(await categories)),
    content: (heading) => [
      make(
        'div',
        { className: 'product' },
        gallery.element,
        make('div', { className: 'about' }, heading, form, descriptionOf(product)),
      ),
      related.length > 0
        ? make(
            'section',
            { className: 'related' },
            make('h2', {}, 'Goes well with it'),
            make('ul', { className: 'shelf' }, cardsOf(related)),
          )
        : null,
    ],
  }
}

async function listVariants(id) {
  const all = []
  for (let page = 1; ; page += 1) {
    const { data = [], meta } = await commerce.products.getVariants(id, { limit: 200, page })
    all.push(...data)
    if (page >= (meta?.pagination?.total_pages ?? 1)) return all
  }
}

/** Uses the deepest category: the others are mostly its parents. */
function crumbsOf({ name, categories = [] }, tree) {
  const paths = categories.map(({ slug }) => pathOf(tree.find(slug)))
  const path = paths.reduce((longest, each) => (each.length > longest.length ? each : longest), [])
  return breadcrumbs([
    ['All products', '#/'],
    ...path.map((category) => [category.name, categoryHref(category)]),
    [name],
  ])
}

/** A large picture, and thumbnails if the options have no pictures. */
function galleryOf({ name, image, assets, variant_groups: groups }) {
  const large = picture(image, 'product-picture', image?.description || name, 'eager')
  const show = (asset) => {
    if (!asset || large.src === asset.url) return
    large.src = asset.url
    large.alt = asset.description || name
    for (const [id, thumb] of thumbs) thumb.setAttribute('aria-pressed', String(id === asset.id))
  }
  const ofOptions = new Set(groups.flatMap(({ options }) => options.flatMap((option) => option.assets ?? [])))
  const images = assets.filter((asset) => asset.is_image)
  const isNeeded = images.length > 1 && images.some(({ id }) => !ofOptions.has(id))
  const thumbs = new Map(
    (isNeeded ? images : []).map((asset, index) => [
      asset.id,
      button(picture(asset, 'thumb-picture'), () => show(asset), {
        className: 'thumb',
        'aria-label': `Picture ${index + 1} of ${images.length}${asset.description ? `: ${asset.description}` : ''}`,
        'aria-pressed': String(asset.id === image?.id),
      }),
    ]),
  )
  const row = thumbs.size > 0 ? make('div', { className: 'thumbs' }, [...thumbs.values()]) : null
  return { element: make('div', { className: 'gallery' }, make('div', { className: 'frame' }, large), row), show }
}

function buyForm(product, variants, variantId, showPicture) {
  const { id, name, variant_groups: groups, price: base, is } = product
  const price = make('p', { className: 'price large', 'aria-live': 'polite' })
  const stock = make('p', { className: 'stock' })
  let left = null
  const amount = stepper({ id: 'quantity', what: name, value: 1, findLeft: () => left })
  const add = make('button', { className: 'add' }, 'Add to cart')
  const done = make('p', { className: 'done', role: 'status' })
  const problem = make('p', { className: 'complaint', role: 'alert', id: 'quantity-problem' })
  const choices = choicesOf(product, variants, firstChoice(product, variants, variantId))
  const form = make(
    'form',
    { className: 'buy', noValidate: true },
    price,
    is.pay_what_you_want
      ? make(
          'p',
          { className: 'note' },
          base.raw > 0 ? 'Pay this or more: the checkout asks how much.' : 'The checkout asks how much.',
        )
      : null,
    choices.elements,
    stock,
    make('div', { className: 'buy-bar' }, problem, make('div', { className: 'buy-row' }, amount.control, add), done),
  )

  const chosen = () => Object.fromEntries(groups.map((group) => [group.id, new FormData(form).get(group.id)]))
  const optionsOf = (ids) => groups.flatMap((group) => group.options.filter((option) => option.id === ids[group.id]))
  const look = () => {
    const ids = chosen()
    const variant = variantOf(product, variants, ids)
    left = stockOf(product, variant)
    const isGone = isSoldOut(product, variant)
    const unit = unitPrice(product, optionsOf(ids), variant)
    price.textContent = priceText(product, unit)
    // Downloads cannot run out, unless their stock is managed.
    stock.hidden = left === null && !isGone && product.has?.digital_delivery === true
    stock.textContent = isGone ? 'Sold out' : (fewLeft(left) ?? 'In stock')
    stock.className = `stock ${isGone ? 'gone' : fewLeft(left) ? 'few' : 'enough'}`
    add.textContent = isGone ? 'Sold out' : 'Add to cart'
    add.disabled = isGone
    amount.control.hidden = isGone
    choices.mark(ids)
    showPicture(picturesOf(product, variant, ids)[0])
  }

  let isAdding = false
  form.addEventListener('change', ({ target }) => {
    done.textContent = ''
    if (target.type !== 'radio') return
    complain(amount.input, null)
    look()
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isAdding || add.disabled) return
    done.textContent = ''
    if (!amount.check()) return amount.input.focus()
    isAdding = true
    add.setAttribute('aria-busy', 'true')
    try {
      const ids = chosen()
      const quantity = Number(amount.input.value)
      // Old and new API versions both return the whole cart as `cart`.
      const { cart } = await commerce.cart.add(id, quantity, ids)
      tellCart(cart)
      const what = [name, ...optionsOf(ids).map((option) => option.name)].join(', ')
      done.replaceChildren(`In the cart: ${quantity} × ${what}. `, buttonLink('#/cart', 'See the cart', ''))
      amount.input.value = 1
    } catch (error) {
      complain(amount.input, sentenceOf(error))
    } finally {
      isAdding = false
      add.removeAttribute('aria-busy')
    }
  })
  look()
  return form
}

function priceText({ price, is }, unit) {
  const text = money(unit, price)
  if (is.pay_what_you_want) return unit > 0 ? `From ${text}` : 'Pay what you want'
  return unit > 0 ? text : 'Free'
}

function descriptionOf(product) {
  const { description, has, extra_fields: questions = [] } = product
  const asked = questions.map((one) => (one.required ? one.name : `${one.name} (optional)`))
  return [
    make('p', { className: 'description' }, textOf(description)),
    has?.digital_delivery
      ? make('p', { className: 'note' }, 'Comes as a file: you can load it as soon as it is paid.')
      : null,
    asked.length > 0 ? make('p', { className: 'note' }, `The checkout asks for: ${asked.join(', ')}.`) : null,
    attributesOf(product),
  ]
}

function attributesOf({ attributes = [] }) {
  const rows = attributes.map(({ name, value }) => [name, valueText(value)]).filter(([, text]) => text !== '')
  if (rows.length === 0) return null
  return [
    make('h2', {}, 'Details'),
    make(
      'dl',
      { className: 'details' },
      rows.map(([name, text]) => make('div', {}, make('dt', {}, name), make('dd', {}, text))),
    ),
  ]
}

/** Formats an attribute value: a list of options, yes or no, a number or a text. */
function valueText(value) {
  if (Array.isArray(value)) return value.map((one) => one?.label ?? one).join(', ')
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return String(value ?? '')
}
