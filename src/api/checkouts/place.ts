// Where a checkout goes: a place as a shopper names it, as a token keeps it, and whether anything is sent there at all.

import { countryName, listSubdivisions, normalizeRegion, regionRule } from '../../lib/places.ts'
import type { Place } from '../shipping/offer.ts'
import type { CheckoutRow } from './read-store.ts'

/** A place as a shopper names it. */
export type NamedPlace = { readonly country: string; readonly region?: string | undefined }

/** Null when there is no such country. An empty region is what a form sends that nobody has filled in. */
export function readPlace({ country, region = '' }: NamedPlace): Place | null {
  const code = country.toUpperCase()
  if (countryName(code) === undefined) return null
  return { country: code, region: region === '' ? undefined : normalizeRegion(code, region) }
}

export const NO_SUCH_COUNTRY = 'There is no such country: country must be an ISO 3166-1 alpha-2 code, such as US.'

/** What a region that was named must be, as the end of a sentence; null when it is one, or the country lists none to choose from. */
export const wrongRegion = ({ country, region }: Place): string | null =>
  region === null && (listSubdivisions(country) ?? []).length > 0 ? regionRule(country) : null

/** Where it is sent, as far as it is known. */
export const placeOf = ({
  shipping_country: country,
  shipping_region: region,
}: Pick<CheckoutRow, 'shipping_country' | 'shipping_region'>): Place | null =>
  country === null ? null : { country, region: region === '' ? null : (region ?? undefined) }

/** Whether anything of it is sent. */
export const hasToBeShipped = ({ deliveries }: Pick<CheckoutRow, 'deliveries'>): boolean =>
  Object.values(deliveries).some(({ is_physical }) => is_physical)
