// The cart: its lines, quantities and sums.

import { button, buttonLink, linePicture, make, nothing, say, showProblem, stepper } from './dom.js'
import { fewLeft, stockOf } from './price.js'
import { commerce, findProducts, listCategories, sentenceOf, tellCart } from './shop.js'
import { tiles, treeOf } from './tree.js'

export async function showCart() {
  const view = make('div', { className: 'cart' })
  // An empty cart shows ways to fill it.
  const [cart, categories] = await Promise.all([commerce.cart.retrieve(), listCategories().catch(() => [])])
  const ways = tiles(treeOf(categories).roots)
  // A line does not contain the stock, so load the products.
  products = await findProducts(cart.line_items.map((line) => line.product_id))
  fill(view, cart)
  return { title: 'Your cart', content: [view, ways && make('div', { className: 'instead' }, ways)] }
}

/** Products in the cart, by id. */
let products = new Map()

/** `undo`: message shown above the lines after one was removed. */
function fill(view, cart, undo = null) {
  const change = (call, more) => changeCart(view, call, more)
  if (cart.line_items.length === 0)
    return view.replaceChildren(
      ...[undo, nothing('Your cart is empty.', buttonLink('#/', 'Keep shopping'))].filter((part) => part !== null),
    )
  view.replaceChildren(
    make(
      'div',
      {},
      undo,
      make(
        'ul',
        { className: 'lines' },
        cart.line_items.map((line) => lineOf(line, change)),
      ),
    ),
    make(
      'aside',
      { className: 'sum', 'aria-label': 'What it comes to' },
      make(
        'p',
        { className: 'subtotal' },
        make('span', {}, 'Subtotal'),
        make('strong', { id: 'subtotal' }, cart.subtotal.formatted_with_symbol),
      ),
      make('p', { className: 'note' }, 'Shipping, taxes and discounts come at the checkout.'),
      make('a', { id: 'to-checkout', className: 'button wide', href: '#/checkout' }, 'Go to checkout'),
      make('a', { id: 'keep-shopping', className: 'wide on', href: '#/' }, 'Keep shopping'),
    ),
  )
}

/** Changes run in sequence. Otherwise a fast shopper could see an earlier response last. */
let turn = Promise.resolve()

/**
 * Sends a change and shows the new cart. The focus stays where it is, or moves to the next element if that is gone. `lineId`: the line that
 * shows an error; `undoOf`: creates the message above the lines; `spoken`: read out before the sum; `findNext`: finds the line to focus in
 * the new cart.
 */
async function changeCart(view, call, more) {
  turn = turn.then(() => sendChange(view, call, more)).catch(reportError)
  await turn
}

async function sendChange(view, call, { lineId = null, undoOf = () => null, spoken = '', findNext = () => null } = {}) {
  showProblem(null)
  let nextId = lineId
  let sentence = null
  try {
    const { cart } = await call()
    nextId = findNext(cart)?.id ?? lineId
    refill(view, cart, nextId, undoOf())
    tellCart(cart)
    say(`${spoken}${cart.total_items} in the cart, ${cart.subtotal.formatted_with_symbol}.`)
  } catch (error) {
    sentence = sentenceOf(error)
    // Show the cart as it was before the change: the typed value is not in the cart.
    const cart = await commerce.cart.retrieve().catch(() => null)
    if (cart !== null) refill(view, cart, nextId)
  }
  const complaint = sentence && document.getElementById(`quantity-${lineId}-problem`)
  if (complaint) complaint.textContent = sentence
  else showProblem(sentence)
}

/** Reads the focus now, not at the time of the change: a shopper who left a field by Tab was still in it then. */
function refill(view, cart, nextId, undo = null) {
  const focused = document.activeElement
  const isElsewhere = focused !== document.body && !view.contains(focused)
  fill(view, cart, undo)
  if (isElsewhere) return
  const next = (focused.id && document.getElementById(focused.id)) || document.getElementById(`quantity-${nextId}`)
  ;(next ?? view.querySelector('.undo button, input, a'))?.focus()
}

const nameOf = ({ name, selected_options: options }) => [name, ...options.map((one) => one.option_name)].join(', ')

function lineOf(line, change) {
  const { id, name, permalink, quantity, price, line_total: total, selected_options: options, variant } = line
  const what = nameOf(line)
  const inputId = `quantity-${id}`
  const product = products.get(line.product_id)
  const left = product ? stockOf(product, variant) : (variant?.inventory ?? null)
  const { control, input } = stepper({
    id: inputId,
    what,
    value: quantity,
    findLeft: () => left,
    // The typed value is not in the cart.
    onFault: () => {
      input.value = quantity
    },
    onChange: (next) => change(() => commerce.cart.update(id, { quantity: next }), { lineId: id }),
  })
  const remove = button(
    'Remove',
    () =>
      change(() => commerce.cart.remove(id), {
        undoOf: () => undoOf(line, change),
        spoken: `${what} is removed. `,
      }),
    {
      id: `remove-${id}`,
      className: 'plain',
      'aria-label': `Remove ${what}`,
    },
  )
  const few = fewLeft(left)
  const address = `#/products/${encodeURIComponent(permalink)}${variant ? `/${encodeURIComponent(variant.id)}` : ''}`
  return make(
    'li',
    { className: 'line' },
    linePicture(line),
    make(
      'div',
      { className: 'line-name' },
      make('a', { id: `line-${id}`, href: address }, name),
      options.map((one) => make('span', { className: 'note' }, `${one.group_name}: ${one.option_name}`)),
      quantity > 1 ? make('span', { className: 'note' }, `${price.formatted_with_symbol} each`) : null,
      line.is_valid === false
        ? make('span', { className: 'complaint' }, 'This cannot be bought any more. Please remove it.')
        : null,
      few === null ? null : make('span', { className: 'few' }, few),
    ),
    make('strong', { className: 'line-total' }, total.formatted_with_symbol),
    make('div', { className: 'line-amount' }, control, remove),
    make('p', { className: 'complaint', id: `${inputId}-problem`, role: 'alert' }),
  )
}

/** Restores the line, but at the end: for the cart it is a new line. */
function undoOf(line, change) {
  const { product_id: productId, quantity, selected_options: options } = line
  const chosen = Object.fromEntries(options.map((one) => [one.group_id, one.option_id]))
  const what = nameOf(line)
  const findNext = (cart) =>
    cart.line_items.findLast((each) => each.product_id === productId && nameOf(each) === what) ?? null
  return make(
    'p',
    { className: 'undo' },
    make('span', {}, `${what} is removed. `),
    button('Undo', () => change(() => commerce.cart.add(productId, quantity, chosen), { findNext }), {
      className: 'plain',
      'aria-label': `Undo: put ${what} back`,
    }),
  )
}
