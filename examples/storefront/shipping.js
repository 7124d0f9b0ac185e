// Shipping: the methods that the shop offers for the entered address, and their effect on the sums.

import { make } from './dom.js'
import { commerce } from './shop.js'

/**
 * `address`: from address.js. `onLive` receives new sums, `onProblem` receives errors. `settle` waits until the shop has received the last
 * change. Otherwise a fast shopper would pay for a different method than the chosen one.
 */
export function shippingPart(token, address, { onLive, onProblem }) {
  const problem = make('p', { id: 'sending-problem', className: 'complaint' })
  const note = make('p', { className: 'note intro', hidden: true }, 'Choose one to see the total.')
  const ways = make('div', { className: 'sending' })
  const element = make(
    'fieldset',
    { id: 'shipping-options' },
    make('legend', {}, 'Shipping method'),
    note,
    ways,
    problem,
  )
  const place = () => ({ country: address.country.value, region: address.region.value || undefined })
  const chosen = () => element.querySelector('input:checked')?.value

  async function listWays() {
    if (address.country.value === '') {
      note.hidden = true
      ways.replaceChildren(make('p', { className: 'note' }, 'Choose a country to see how we can send it.'))
      return
    }
    const options = await commerce.checkout.getShippingOptions(token.id, place())
    const before = chosen()
    // The shopper chooses between prices and delivery times; a single method needs no choice.
    const kept = options.find(({ id }) => id === before) ?? (options.length === 1 ? options[0] : null)
    // A shopper who was faster than the response keeps the focus.
    const hadFocus = ways.contains(document.activeElement)
    // An error about the old list does not apply to the new one.
    ways.querySelector('input')?.dispatchEvent(new Event('input', { bubbles: true }))
    note.hidden = kept !== null || options.length === 0
    ways.replaceChildren(
      ...options.map((option) => wayOf(option, option === kept)),
      ...(options.length > 0 ? [] : [make('p', { role: 'status' }, 'We are sorry: we do not send this there.')]),
    )
    if (hadFocus) (ways.querySelector('input:checked') ?? ways.querySelector('input'))?.focus()
  }

  /** Saves address and method with the token. Each response contains the new sums. */
  async function choose() {
    if (address.country.value === '') return
    const taxed = await commerce.checkout.setTaxZone(token.id, {
      ...place(),
      postal_zip_code: address.postal.value.trim() || undefined,
    })
    const way = chosen()
    if (!way) return onLive(taxed.live)
    const sent = await commerce.checkout.checkShippingOption(token.id, { shipping_option_id: way, ...place() })
    onLive(sent.live)
  }

  // In sequence: the response to an earlier change must not arrive after that of a later one.
  let told = Promise.resolve()
  const tell = (...steps) => {
    for (const step of steps) told = told.then(step).catch(onProblem)
    return told
  }

  address.element.addEventListener('change', ({ target }) => {
    if (target === address.country) tell(() => address.showRegions())
    if ([address.country, address.region].includes(target)) tell(listWays, choose)
    if (target === address.postal) tell(choose)
  })
  ways.addEventListener('change', () => {
    note.hidden = true
    tell(choose)
  })

  return {
    element,
    begin: () => tell(listWays, choose),
    settle: () => told,
    isChosen: () => chosen() !== undefined,
    hasWays: () => ways.querySelector('input') !== null,
  }
}

const wayOf = ({ id, description, price }, isChosen) =>
  make(
    'label',
    { className: 'way' },
    make('input', {
      type: 'radio',
      name: 'fulfillment.shipping_method',
      value: id,
      checked: isChosen,
      required: true,
      'aria-describedby': 'sending-problem',
      'data-missing': 'Choose how we send it.',
      'data-wrong': 'Choose another way to send it.',
    }),
    make('span', {}, description),
    make('span', { className: 'amount' }, price.raw > 0 ? price.formatted_with_symbol : 'Free'),
  )
