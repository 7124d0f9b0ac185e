// The cart: how many of what, and what that comes to.

import { linePicture, make, say, showProblem } from './dom.js'
import { commerce, sentenceOf } from './shop.js'

export async function showCart() {
  const view = make('div', { className: 'cart' })
  fill(view, await commerce.cart.retrieve())
  return { title: 'Your cart', content: [view] }
}

function fill(view, cart) {
  if (cart.line_items.length === 0)
    return view.replaceChildren(make('p', {}, 'It is empty. ', make('a', { href: '#/' }, 'Look around'), '.'))
  view.replaceChildren(
    make(
      'ul',
      { className: 'lines' },
      cart.line_items.map((line) => lineOf(line, (call) => change(view, call))),
    ),
    make(
      'div',
      { className: 'sum' },
      make(
        'p',
        { role: 'status' },
        'Subtotal ',
        make('strong', { id: 'subtotal' }, cart.subtotal.formatted_with_symbol),
      ),
      make('p', { className: 'note' }, 'Shipping, taxes and discounts come at the checkout.'),
      make('a', { className: 'button', href: '#/checkout' }, 'Go to checkout'),
    ),
  )
}

/** Sends a change, shows the cart as it then is, and keeps the focus where it was, or on the next line when that one is gone. */
async function change(view, call) {
  showProblem(null)
  const focused = document.activeElement?.id
  try {
    const { cart } = await call()
    fill(view, cart)
    dispatchEvent(new CustomEvent('cart', { detail: cart }))
  } catch (error) {
    showProblem(sentenceOf(error))
    // As before the change: what was typed is not what is in the cart.
    fill(view, await commerce.cart.retrieve())
  }
  const next = document.getElementById(focused) ?? view.querySelector('input, a')
  next?.focus()
}

function lineOf(line, onChange) {
  const { id, name, permalink, quantity, line_total: total, selected_options: options } = line
  const amount = make('input', {
    id: `quantity-${id}`,
    type: 'number',
    min: 1,
    max: 99,
    value: quantity,
    required: true,
  })
  amount.addEventListener('change', () => {
    if (amount.reportValidity()) onChange(() => commerce.cart.update(id, { quantity: Number(amount.value) }))
  })
  const remove = make('button', { type: 'button', className: 'plain', 'aria-label': `Remove ${name}` }, 'Remove')
  remove.addEventListener('click', () =>
    onChange(() => commerce.cart.remove(id)).then(() => say(`${name} is removed.`)),
  )
  return make(
    'li',
    { className: 'line' },
    linePicture(line),
    make(
      'div',
      { className: 'line-name' },
      make('a', { href: `#/products/${encodeURIComponent(permalink)}` }, name),
      make('span', { className: 'note' }, options.map((one) => `${one.group_name}: ${one.option_name}`).join(', ')),
    ),
    make('div', {}, make('label', { className: 'unseen', htmlFor: amount.id }, `Quantity of ${name}`), amount),
    remove,
    make('strong', { className: 'line-total' }, total.formatted_with_symbol),
  )
}
