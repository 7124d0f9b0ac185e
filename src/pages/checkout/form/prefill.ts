// Fills the form in advance, never with card data. It uses the known facts about the checkout, or the input from before an unfinished
// payment at a provider.

import { needsShipping, priceCheckout } from '../../../api/checkouts/price.ts'
import type { CheckoutRow } from '../../../api/checkouts/read-store.ts'
import type { PostalAddress } from '../../../api/customers/postal-address.ts'
import type { OrderDraft } from '../../../api/orders/make.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { decimalText } from '../../../lib/money.ts'
import type { TypedInputs } from '../model.ts'
import { shippingCountriesOf } from './pay-model.ts'

type Inputs = Map<string, string>

/** Preselects the country: the storefront's choice, the only possible country, or the shopper's location. */
export function firstInputs(
  { geo, clientAddress }: Pick<Context, 'geo' | 'clientAddress'>,
  token: CheckoutRow,
): TypedInputs {
  const inputs: Inputs = new Map([['billing_same', '1']])
  if (!needsShipping(token)) return inputs
  const countries = shippingCountriesOf(token, priceCheckout(token))
  const locatedCountry = geo.locate(clientAddress)?.country_code ?? null
  const [onlyCountry] = countries.length === 1 ? countries : []
  const country = token.shipping_country ?? token.taxed_in.country ?? onlyCountry ?? locatedCountry
  if (country !== null && countries.includes(country)) {
    inputs.set('shipping[country]', country)
    if (token.shipping_country === country && token.shipping_region)
      inputs.set('shipping[county_state]', token.shipping_region)
  }
  return inputs
}

const ADDRESS_FIELDS = [
  ...(['name', 'street', 'street_2', 'town_city', 'county_state', 'postal_zip_code', 'country'] as const),
  'delivery_instructions' as const,
]

/** Restores the inputs of the form that led to this order draft. Line items of the token that the draft lacks were left out. */
export function draftInputs(
  { customer, shipping_address, billing_address, content, currency }: OrderDraft,
  { lines }: Pick<CheckoutRow, 'lines'>,
): TypedInputs {
  const inputs: Inputs = new Map()
  const setInput = (name: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined && value !== '') inputs.set(name, value)
  }
  setInput('customer[email]', customer.email)
  for (const name of ['firstname', 'lastname', 'phone'] as const) setInput(`customer[${name}]`, customer[name])
  for (const name of ADDRESS_FIELDS) {
    setInput(`shipping[${name}]`, shipping_address?.[name])
    setInput(`billing[${name}]`, billing_address?.[name])
  }
  if (isSameAddress(shipping_address, billing_address)) inputs.set('billing_same', '1')
  setInput('fulfillment[shipping_method]', content.shipping.id)
  for (const { id, value } of content.extra_fields) setInput(`extrafields[${id}]`, value)
  setInput('discount_code', content.discount?.code)
  setInput('giftcard_code', content.gift_card?.code)
  const { customer_set_price: amount } = content.pay_what_you_want
  if (amount !== null) setInput('pay_what_you_want', decimalText(amount, currency))
  for (const { id } of lines) setInput(`line_items[${id}][quantity]`, '0')
  for (const { id, quantity, selected_options: options } of content.lines) {
    setInput(`line_items[${id}][quantity]`, String(quantity))
    for (const { group_id, option_id } of options) setInput(`line_items[${id}][variants][${group_id}]`, option_id)
  }
  return inputs
}

const isSameAddress = (shipping: PostalAddress | null, billing: PostalAddress | null): boolean =>
  billing === null || (shipping !== null && ADDRESS_FIELDS.every((name) => shipping[name] === billing[name]))
