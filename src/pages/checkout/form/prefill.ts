// What a form begins with: what is known of the checkout before anybody has typed, or what was typed before the shopper went to a provider and
// came back without having paid. Never anything of a card.

import { hasToBeShipped, priceCheckout } from '../../../api/checkouts/price.ts'
import type { CheckoutRow } from '../../../api/checkouts/read-store.ts'
import type { PostalAddress } from '../../../api/customers/postal-address.ts'
import type { OrderDraft } from '../../../api/orders/make.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { decimalText } from '../../../lib/money.ts'
import type { Typed } from '../model.ts'
import { countriesOf } from './pay-model.ts'

type Inputs = Map<string, string>

/** The country is that which a storefront has chosen, the only one, or the one in which the shopper seems to be. */
export function firstInputs({ geo, clientAddress }: Pick<Context, 'geo' | 'clientAddress'>, token: CheckoutRow): Typed {
  const inputs: Inputs = new Map([['billing_same', '1']])
  if (!hasToBeShipped(token)) return inputs
  const countries = countriesOf(token, priceCheckout(token))
  const located = geo.locate(clientAddress)?.country_code ?? null
  const [only] = countries.length === 1 ? countries : []
  const country = token.shipping_country ?? token.taxed_in.country ?? only ?? located
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

/** The inputs that a form must have had for this order to be made of it. Lines of the token that are not in it were left out. */
export function inputsOf(
  { customer, shipping_address, billing_address, content, currency }: OrderDraft,
  { lines }: Pick<CheckoutRow, 'lines'>,
): Typed {
  const inputs: Inputs = new Map()
  const put = (name: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined && value !== '') inputs.set(name, value)
  }
  put('customer[email]', customer.email)
  for (const name of ['firstname', 'lastname', 'phone'] as const) put(`customer[${name}]`, customer[name])
  for (const name of ADDRESS_FIELDS) {
    put(`shipping[${name}]`, shipping_address?.[name])
    put(`billing[${name}]`, billing_address?.[name])
  }
  if (isSame(shipping_address, billing_address)) inputs.set('billing_same', '1')
  put('fulfillment[shipping_method]', content.shipping.id)
  for (const { id, value } of content.extra_fields) put(`extrafields[${id}]`, value)
  put('discount_code', content.discount?.code)
  put('giftcard_code', content.gift_card?.code)
  const { customer_set_price: amount } = content.pay_what_you_want
  if (amount !== null) put('pay_what_you_want', decimalText(amount, currency))
  for (const { id } of lines) put(`line_items[${id}][quantity]`, '0')
  for (const { id, quantity, selected_options: options } of content.lines) {
    put(`line_items[${id}][quantity]`, String(quantity))
    for (const { group_id, option_id } of options) put(`line_items[${id}][variants][${group_id}]`, option_id)
  }
  return inputs
}

const isSame = (shipping: PostalAddress | null, billing: PostalAddress | null): boolean =>
  billing === null || (shipping !== null && ADDRESS_FIELDS.every((name) => shipping[name] === billing[name]))
