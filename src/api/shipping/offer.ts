// Which methods are offered in a place, and a method as the pricing functions know it.

import type { ShippingBands, ShippingRate } from '../../pricing/shipping.ts'
import type { OfferRow } from './offer-store.ts'

/**
 * Where it goes. The region is the code that `normalizeRegion` gives: null when the address names none that is known, and then no
 * method for certain regions is offered; undefined while only the country has been chosen, and then all for a part of it are.
 */
export type Place = { readonly country: string; readonly region: string | null | undefined }

export function isOfferedIn(offer: Pick<OfferRow, 'countries' | 'regions'>, { country, region }: Place): boolean {
  if (!offer.countries.includes(country)) return false
  const only = offer.regions[country]
  if (only === undefined || region === undefined) return true
  return region !== null && only.includes(region)
}

/** For `shippingPrice` and `isInBand`. */
export const rateOf = (method: Omit<OfferRow, 'zone_id' | 'countries' | 'regions'>): ShippingRate & ShippingBands => ({
  price: method.price,
  onOwn: method.on_own,
  withOthers: method.with_others,
  minOrderValue: method.min_order_value,
  maxOrderValue: method.max_order_value,
  minWeight: method.min_weight,
  maxWeight: method.max_weight,
})
