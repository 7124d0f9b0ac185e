// The addresses of a capture, as storefronts send them → as an order keeps them, and the place that one of them names.

import { countryName } from '../../../geo/places.ts'
import type { Problems } from '../../../lib/errors.ts'
import { given } from '../../../lib/json.ts'
import { readPlace } from '../../checkouts/price.ts'
import type { PostalAddress } from '../../customers/postal-address.ts'
import type { Place } from '../../shipping/methods.ts'
import type { SentAddress } from './schema.ts'

export type ReadAddress = {
  /** Null when nothing of it was given. */
  readonly address: PostalAddress | null
  /** Null while the country is not known. */
  readonly place: Place | null
}

export const COUNTRY_RULE = 'must be an ISO 3166-1 alpha-2 code of a country, such as US'

export function readAddress(
  whose: 'shipping' | 'billing',
  sent: SentAddress | null | undefined,
  problems: Problems,
): ReadAddress {
  if (sent === undefined || sent === null) return { address: null, place: null }
  const country = given(sent.country)?.trim().toUpperCase() ?? null
  if (country !== null && countryName(country) === undefined) problems.malformed(`${whose}.country`, COUNTRY_RULE)
  const address: PostalAddress = {
    name: given(sent.name) ?? given([given(sent.firstname), given(sent.lastname)].filter(Boolean).join(' ')),
    street: given(sent.street),
    street_2: given(sent.street_2),
    town_city: given(sent.town_city),
    county_state: given(sent.county_state) ?? given(sent.region),
    postal_zip_code: given(sent.postal_zip_code),
    country,
    delivery_instructions: given(sent.delivery_instructions),
    meta: sent.meta ?? null,
  }
  return {
    address: Object.values(address).some((value) => value !== null) ? address : null,
    place: country === null ? null : readPlace({ country, region: address.county_state ?? undefined }),
  }
}
