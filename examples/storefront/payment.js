// Payment: by card through the test gateway, or manually, for example by bank transfer. A real card would be replaced by a token, which the
// processor's own script makes in the browser.

import { config } from './config.js'
import { field, make } from './dom.js'

const isSandbox = config.publicKey.startsWith('pk_test_')

const CARDS = [
  ['Fill in a card that pays', '4242 4242 4242 4242'],
  ['Fill in one that is declined', '4000 0000 0000 0002'],
]

export function paymentPart({ gateways }) {
  const ways = [
    ...(gateways.available.test_gateway ? [{ id: 'card', name: 'Card', part: cardFields() }] : []),
    ...(gateways.available.manual ? gateways.manual.settings : []).map(({ id, name, details }) => ({
      id,
      name,
      part: details ? make('p', { className: 'note' }, details) : make('span', {}),
    })),
  ]
  const radios = ways.map(({ id }, at) =>
    make('input', { type: 'radio', name: 'way-to-pay', value: id, checked: at === 0 }),
  )
  const parts = ways.map(({ name, part }) =>
    make('fieldset', { className: 'way-part' }, make('legend', { className: 'unseen' }, name), part),
  )
  const show = () =>
    parts.forEach((part, at) => {
      // A disabled fieldset requires nothing and sends nothing.
      part.hidden = part.disabled = !radios[at].checked
    })
  const element = make(
    'fieldset',
    { id: 'payment' },
    make('legend', {}, 'Payment'),
    isSandbox ? sandboxNote() : null,
    ways.length === 0
      ? make('p', {}, 'This shop has no way to pay that this page knows.')
      : ways.map(({ name }, at) => [
          ways.length === 1 ? null : make('label', { className: 'way' }, radios[at], make('span', {}, name)),
          parts[at],
        ]),
  )
  element.addEventListener('change', show)
  for (const [name, number] of isSandbox && gateways.available.test_gateway ? CARDS : []) {
    const button = make('button', { type: 'button', className: 'second small' }, name)
    button.addEventListener('click', () => fillIn(element, radios[0], number))
    element.querySelector('.sandbox .buttons').append(button)
  }
  show()
  const chosen = () => radios.find((radio) => radio.checked)?.value
  return {
    element,
    number: () => element.querySelector('[name="payment.card.number"]'),
    /** Parts of the capture's body that no form field contains. */
    body: () => (chosen() === 'card' ? { gateway: 'test_gateway' } : { gateway: 'manual', manual: { id: chosen() } }),
    isByCard: () => chosen() === 'card',
  }
}

const sandboxNote = () =>
  make(
    'div',
    { className: 'sandbox' },
    make('p', {}, make('strong', {}, 'This is a sandbox.'), ' No money moves, and no real card belongs here.'),
    make('p', { className: 'buttons' }),
  )

function fillIn(element, radio, number) {
  const set = (name, value) => {
    const control = element.querySelector(`[name="payment.card.${name}"]`)
    control.value = value
    control.dispatchEvent(new Event('input', { bubbles: true }))
  }
  radio.checked = true
  radio.dispatchEvent(new Event('change', { bubbles: true }))
  set('number', number)
  set('expires', '01/30')
  set('cvc', '123')
}

function cardFields() {
  const input = (name, autocomplete, properties) =>
    make('input', {
      name: `payment.card.${name}`,
      type: 'text',
      required: true,
      inputMode: 'numeric',
      autocomplete,
      spellcheck: false,
      ...properties,
    })
  return make(
    'div',
    { className: 'fields card-fields' },
    field(
      'Card number',
      input('number', 'cc-number', {
        maxLength: 30,
        placeholder: isSandbox ? '4242 4242 4242 4242' : '',
        'data-missing': 'Enter the number of a card.',
        'data-wrong': 'This is no card number. Please check its digits.',
      }),
    ),
    field(
      'Expiry date',
      input('expires', 'cc-exp', {
        maxLength: 7,
        placeholder: 'MM/YY',
        pattern: '\\s*(0?[1-9]|1[0-2])\\s*/?\\s*(\\d{2}|\\d{4})\\s*',
        'data-missing': 'Enter when the card expires.',
        'data-wrong': 'Enter the expiry date as month and year, such as 01/30.',
      }),
    ),
    field(
      'Security code',
      input('cvc', 'cc-csc', {
        maxLength: 4,
        pattern: '\\d{3,4}',
        'data-missing': 'Enter the security code of the card.',
        'data-wrong': 'The security code has three or four digits.',
      }),
    ),
  )
}
