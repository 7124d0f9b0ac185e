// The checkout: who, where to, how it is sent, how it is paid. The form's names are those of the API's fields, with dots between, so that
// what the API complains about finds its input. All sums come from the API.

import { addressFields, offerShipping } from './address.js'
import { complain, field, make, select, showProblem } from './dom.js'
import { commerce, problemsOf, sentenceOf } from './shop.js'
import { summaryOf } from './summary.js'

export async function showCheckout() {
  const cart = await commerce.cart.retrieve()
  if (cart.line_items.length === 0)
    return { title: 'Checkout', content: [make('p', {}, 'There is nothing to pay: the cart is empty.')] }
  // The token holds what is bought; everything below is said of it.
  const token = await commerce.checkout.generateToken(cart.id, { type: 'cart' })
  const summary = summaryOf(token)
  const form = formOf(token)
  summary.onTotal((total) => {
    form.querySelector('#pay').textContent = total.raw > 0 ? `Pay ${total.formatted_with_symbol}` : 'Place the order'
    form.querySelector('#payment').hidden = form.querySelector('#payment').disabled = total.raw === 0
  })
  summary.show(token.live)
  const settled = token.collects.shipping_address ? await offerShipping(form, token, summary.show) : async () => {}
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    pay(form, token, settled)
  })
  return { title: 'Checkout', content: [make('div', { className: 'checkout' }, summary.element, form)] }
}

const input = (name, properties = {}) => make('input', { name, type: 'text', required: true, ...properties })

function formOf({ collects, extra_fields: extraFields }) {
  const group = (legend, id, ...parts) => make('fieldset', { id }, make('legend', {}, legend), parts)
  return make(
    'form',
    {},
    group(
      'You',
      'contact',
      field('E-mail', input('customer.email', { type: 'email', autocomplete: 'email' })),
      field('First name', input('customer.firstname', { autocomplete: 'given-name' })),
      field('Last name', input('customer.lastname', { autocomplete: 'family-name' })),
    ),
    collects.shipping_address ? group('Where to', 'address', addressFields('shipping')) : null,
    collects.shipping_address ? group('How it is sent', 'shipping-options') : null,
    collects.billing_address ? group('Billing address', 'billing', addressFields('billing')) : null,
    extraFields.length > 0 ? group('A few details', 'extra', extraFields.map(extraField)) : null,
    group(
      'Card',
      'payment',
      make(
        'p',
        { className: 'note' },
        'No money moves here. To try it: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined.',
      ),
      field('Card number', input('payment.card.number', { inputMode: 'numeric', autocomplete: 'cc-number' })),
      field('Month', input('payment.card.expiry_month', { inputMode: 'numeric', autocomplete: 'cc-exp-month' })),
      field('Year', input('payment.card.expiry_year', { inputMode: 'numeric', autocomplete: 'cc-exp-year' })),
      field('Security code', input('payment.card.cvc', { inputMode: 'numeric', autocomplete: 'cc-csc' })),
    ),
    make('button', { id: 'pay', className: 'wide' }, 'Pay'),
  )
}

/** What a product asks of its buyer, such as a name to engrave. */
function extraField({ id, name, required, options }) {
  const common = { name: `extra_fields.${id}`, required }
  if (!options?.length) return field(name, input(common.name, common))
  return field(name, select(common, [['', 'Please choose'], ...options.map((option) => [option, option])]))
}

async function pay(form, token, settled) {
  const button = form.querySelector('#pay')
  for (const control of form.elements) if (control.hasAttribute('aria-invalid')) complain(control, null)
  showProblem(null)
  button.disabled = true
  try {
    await settled()
    await commerce.checkout.capture(token.id, bodyOf(form))
    // The SDK has begun a new cart.
    dispatchEvent(new CustomEvent('cart', { detail: { total_items: 0 } }))
    location.hash = `/order/${token.id}`
  } catch (error) {
    // A decline changes nothing: cart and token are still there, for another card.
    showComplaints(form, error)
  } finally {
    button.disabled = false
  }
}

/** `shipping.street` of the form becomes `{shipping: {street}}`. What is empty is left out. */
function bodyOf(form) {
  const body = {}
  for (const [name, value] of new FormData(form)) {
    if (value === '') continue
    const path = name.split('.')
    const last = path.pop()
    path.reduce((object, part) => (object[part] ??= {}), body)[last] = value
  }
  const { firstname, lastname } = body.customer
  for (const address of [body.shipping, body.billing]) if (address) address.name = `${firstname} ${lastname}`
  // Of a card that is charged for real only a token comes here, made in the browser by the processor's own script.
  if (body.payment) body.payment.gateway = 'test_gateway'
  return body
}

function showComplaints(form, error) {
  const controls = []
  for (const [name, sentences] of Object.entries(problemsOf(error))) {
    const control = form.elements.namedItem(name)
    if (!(control instanceof HTMLElement)) continue
    complain(control, sentences.join(' '))
    controls.push(control)
  }
  showProblem(sentenceOf(error))
  controls[0]?.focus()
}
