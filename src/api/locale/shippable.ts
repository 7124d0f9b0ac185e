// The countries and regions that a checkout can be shipped to, by the methods there are for what is bought.

import { type Country, listCountries, listSubdivisions, type Subdivision } from '../../geo/places.ts'
import { notFound } from '../../lib/errors.ts'
import { type CheckoutContext, readCheckout } from '../checkouts/checkout.ts'
import { hasToBeShipped, priceCheckout, type ShippingMethod } from '../checkouts/price.ts'

export async function shippableCountries(context: CheckoutContext, tokenId: string): Promise<Country[]> {
  const methods = await methodsOf(context, tokenId)
  if (methods === 'anywhere') return listCountries()
  const codes = new Set(methods.flatMap(({ countries }) => countries))
  return listCountries().filter(({ code }) => codes.has(code))
}

/** None of a country that it cannot be shipped to. */
export async function shippableSubdivisions(
  context: CheckoutContext,
  tokenId: string,
  country: string,
): Promise<Subdivision[]> {
  const methods = await methodsOf(context, tokenId)
  const all = listSubdivisions(country)
  if (all === undefined) throw notFound('country')
  if (methods === 'anywhere') return all
  const serving = methods.filter(({ countries }) => countries.includes(country))
  if (serving.some(({ regions }) => regions[country] === undefined)) return all
  const codes = new Set(serving.flatMap(({ regions }) => regions[country] ?? []))
  return all.filter(({ code }) => codes.has(code))
}

/**
 * `anywhere` when nothing is to be shipped: a storefront fills the one address form it has with this, and an empty list would keep
 * everyone from buying. A method of an integration is offered in every place, too.
 */
async function methodsOf(context: CheckoutContext, tokenId: string): Promise<readonly ShippingMethod[] | 'anywhere'> {
  const row = await readCheckout(context, tokenId)
  if (!hasToBeShipped(row)) return 'anywhere'
  const { methods } = priceCheckout(row)
  return methods.some(({ isExternal }) => isExternal) ? 'anywhere' : methods
}
