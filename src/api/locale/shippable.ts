// The countries and regions that a checkout can be shipped to, according to the shipping methods for its products.

import { type Country, listCountries, listSubdivisions, type Subdivision } from '../../geo/places.ts'
import { notFound } from '../../lib/errors.ts'
import { type CheckoutContext, readCheckout } from '../checkouts/checkout.ts'
import { needsShipping, priceCheckout, type ShippingMethod } from '../checkouts/price.ts'

export async function shippableCountries(context: CheckoutContext, tokenId: string): Promise<Country[]> {
  const methods = await methodsOf(context, tokenId)
  if (methods === 'anywhere') return listCountries()
  const codes = new Set(methods.flatMap(({ countries }) => countries))
  return listCountries().filter(({ code }) => codes.has(code))
}

/** Empty for a country without shipping. */
export async function shippableSubdivisions(
  context: CheckoutContext,
  tokenId: string,
  country: string,
): Promise<Subdivision[]> {
  const methods = await methodsOf(context, tokenId)
  const subdivisions = listSubdivisions(country)
  if (subdivisions === undefined) throw notFound('country')
  if (methods === 'anywhere') return subdivisions
  const methodsForCountry = methods.filter(({ countries }) => countries.includes(country))
  if (methodsForCountry.some(({ regions }) => regions[country] === undefined)) return subdivisions
  const codes = new Set(methodsForCountry.flatMap(({ regions }) => regions[country] ?? []))
  return subdivisions.filter(({ code }) => codes.has(code))
}

/**
 * Returns `anywhere` if nothing has to be shipped. A storefront fills its only address form from this list, and an empty list would prevent
 * every purchase. Methods from an integration are also offered everywhere.
 */
async function methodsOf(context: CheckoutContext, tokenId: string): Promise<readonly ShippingMethod[] | 'anywhere'> {
  const row = await readCheckout(context, tokenId)
  if (!needsShipping(row)) return 'anywhere'
  const { methods } = priceCheckout(row)
  return methods.some(({ isExternal }) => isExternal) ? 'anywhere' : methods
}
