// The cart: how many of what, and what that comes to.

import { button, buttonLink, linePicture, make, nothing, say, showProblem, stepper } from './dom.js'
import { fewLeft } from './price.js'
import { commerce, listCategories, sentenceOf, tellCart } from './shop.js'
import { tiles, treeOf } from './tree.js'

export async function showCart() {
  const view = make('div', { className: 'cart' })
  // For an empty cart: ways to fill it.
  const [cart, categories] = await Promise.all([commerce.cart.retrieve(), listCategories().catch(() => [])])
  const ways = tiles(treeOf(categories).roots)
  fill(view, cart)
  return { title: 'Your cart', content: [view, ways && make('div', { className: 'instead' }, ways)] }
}

/** `undo`: what stands above the lines, after one was removed. */
function fill(view, cart, undo = null) {
  const change = (call, more) => changeCart(view, call, more)
  if (cart.line_items.length === 0)
    return view.replaceChildren(
      ...[undo, nothing('Your cart is empty.', buttonLink('#/', 'Look around'))].filter((part) => part !== null),
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
      buttonLink('#/checkout', 'Go to checkout', 'button wide'),
      buttonLink('#/', 'Go on looking', 'wide on'),
    ),
  )
}

/** One after the other: who steps faster than the shop answers must not see an earlier answer last. */
let turn = Promise.resolve()

/**
 * Sends a change, shows the cart as it then is, and keeps the focus where it was, or on what comes next when that is gone. `lineId`: the line
 * that a refusal is told at; `undoOf`: makes what stands above the lines afterwards; `spoken`: read out before the sum.
 */
async function changeCart(view, call, more) {
  turn = turn.then(() => sendChange(view, call, more)).catch(reportError)
  await turn
}

async function sendChange(view, call, { lineId = null, undoOf = () => null, spoken = '' } = {}) {
  showProblem(null)
  const focused = document.activeElement?.id
  let sentence = null
  try {
    const { cart } = await call()
    fill(view, cart, undoOf())
    tellCart(cart)
    say(`${spoken}${cart.total_items} in the cart, ${cart.subtotal.formatted_with_symbol}.`)
  } catch (error) {
    sentence = sentenceOf(error)
    // As before the change: what was typed is not what is in the cart.
    const cart = await commerce.cart.retrieve().catch(() => null)
    if (cart !== null) fill(view, cart)
  }
  const complaint = sentence && document.getElementById(`quantity-${lineId}-problem`)
  if (complaint) complaint.textContent = sentence
  else showProblem(sentence)
  const next = document.getElementById(focused) ?? view.querySelector('.undo button, input, a')
  next?.focus()
}

const nameOf = ({ name, selected_options: options }) => [name, ...options.map((one) => one.option_name)].join(', ')

function lineOf(line, change) {
  const { id, name, permalink, quantity, price, line_total: total, selected_options: options, variant } = line
  const what = nameOf(line)
  const inputId = `quantity-${id}`
  const { control } = stepper({
    id: inputId,
    what,
    value: quantity,
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
  const few = fewLeft(variant?.inventory ?? null)
  const address = `#/products/${encodeURIComponent(permalink)}${variant ? `/${encodeURIComponent(variant.id)}` : ''}`
  return make(
    'li',
    { className: 'line' },
    linePicture(line),
    make(
      'div',
      { className: 'line-name' },
      make('a', { href: address }, name),
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

/** Puts it back as it was, but last: for the cart it is a new line. */
function undoOf(line, change) {
  const { product_id: productId, quantity, selected_options: options } = line
  const chosen = Object.fromEntries(options.map((one) => [one.group_id, one.option_id]))
  const what = nameOf(line)
  return make(
    'p',
    { className: 'undo' },
    make('span', {}, `${what} is removed. `),
    button('Undo', () => change(() => commerce.cart.add(productId, quantity, chosen)), {
      className: 'plain',
      'aria-label': `Undo: put ${what} back`,
    }),
  )
}
