// Where it goes: the fields of an address, the places and the ways that the shop sends to, and what both do to the sums.

import { field, make, select, showProblem } from './dom.js'
import { commerce, sentenceOf } from './shop.js'

export function addressFields(which) {
  const input = (name, autocomplete, properties) =>
    make('input', {
      name: `${which}.${name}`,
      type: 'text',
      required: true,
      autocomplete: `${which} ${autocomplete}`,
      ...properties,
    })
  return [
    field('Street', input('street', 'address-line1')),
    field('Flat, floor', input('street_2', 'address-line2', { required: false })),
    field('City', input('town_city', 'address-level2')),
    field('Postal code', input('postal_zip_code', 'postal-code')),
    // Of the shipping address these two become lists, of what the shop sends to.
    field('Country', input('country', 'country', { maxLength: 2, placeholder: 'CA' })),
    field('State or province', input('county_state', 'address-level1', { required: false })),
  ]
}

/**
 * `onLive` is handed the new sums whenever they change. Gives a function that waits until the last change has been told to the shop: a
 * shopper who pays faster than that would pay for another way than the one that is chosen.
 */
export async function offerShipping(form, token, onLive) {
  const ways = form.querySelector('#shipping-options')
  const value = (name) => form.elements.namedItem(`shipping.${name}`).value || undefined
  const place = () => ({ country: value('country'), region: value('county_state') })

  async function listRegions() {
    const { subdivisions } = await commerce.services.localeListShippingSubdivisions(token.id, value('country'))
    const region = becomeList(form.elements.namedItem('shipping.county_state'), subdivisions)
    region.closest('.field').hidden = region.options.length === 0
  }

  async function listWays() {
    const options = await commerce.checkout.getShippingOptions(token.id, place())
    const before = new FormData(form).get('fulfillment.shipping_method')
    const kept = options.find(({ id }) => id === before) ?? options[0]
    ways.replaceChildren(
      ways.querySelector('legend'),
      ...options.map((option) => wayOf(option, option === kept)),
      ...(kept ? [] : [make('p', { role: 'status' }, 'We do not send this there.')]),
    )
  }

  /** Saves place and way with the token. Each answer holds the sums as they are from then on. */
  async function choose() {
    const taxed = await commerce.checkout.setTaxZone(token.id, {
      ...place(),
      postal_zip_code: value('postal_zip_code'),
    })
    const way = new FormData(form).get('fulfillment.shipping_method')
    if (!way) return onLive(taxed.live)
    const sent = await commerce.checkout.checkShippingOption(token.id, { shipping_option_id: way, ...place() })
    onLive(sent.live)
  }

  // One after the other: an answer to an earlier change must not arrive after that to a later one.
  let told = Promise.resolve()
  const tell = (...steps) => {
    for (const step of steps) told = told.then(step).catch((error) => showProblem(sentenceOf(error)))
  }
  form.querySelector('#address').addEventListener('change', ({ target }) => {
    if (target.name === 'shipping.country') tell(listRegions)
    tell(listWays, choose)
  })
  ways.addEventListener('change', () => tell(choose))

  const [{ countries }, { country }] = await Promise.all([
    commerce.services.localeListShippingCountries(token.id),
    commerce.merchants.about(),
  ])
  becomeList(form.elements.namedItem('shipping.country'), countries, country)
  tell(listRegions, listWays, choose)
  await told
  return () => told
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
    }),
    make('span', {}, description),
    make('span', {}, price.raw > 0 ? price.formatted_with_symbol : 'Free'),
  )

/** Puts a select of the same name in the place of an input, or of an earlier select. */
function becomeList(control, texts, chosen) {
  const { id, name, autocomplete } = control
  const options = Object.entries(texts)
  const list = select({ id, name, autocomplete, required: options.length > 0 }, options, chosen)
  list.setAttribute('aria-describedby', control.getAttribute('aria-describedby'))
  control.closest('.field').querySelector('.optional')?.remove()
  control.replaceWith(list)
  return list
}
