// Lists the places where a capture may be taxed, in order of priority. `taxationPlaceSql` of checkouts/read-store.ts
// combines them into one place. Shipped goods are taxed at the shipping address. For other goods, the order is: token's
// place, body's tax place, billing address, shipping address.
// The client's own network address is ignored, because live totals do not use it either.

import { isIP } from 'node:net'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { textOrNull } from '../../../lib/json.ts'
import type { Problems } from '../../../lib/problems.ts'
import { findRegionProblem, readPlace } from '../../checkouts/price.ts'
import type { NamedTaxPlace, TaxationPlaceRow } from '../../checkouts/read-store.ts'
import type { ShippingDestination } from '../../shipping/methods.ts'
import type { CaptureBody } from './schema.ts'
import { COUNTRY_RULE, type ReadAddress } from './shopper.ts'

type TaxSources = {
  /** Place for which the live totals were calculated. */
  readonly token: TaxationPlaceRow
  readonly sent: CaptureBody['tax']
  readonly shipping: ReadAddress
  readonly billing: ReadAddress
  /** True if something is shipped. */
  readonly isShipped: boolean
}

export function listTaxPlaces(sources: TaxSources, { geo }: Pick<Context, 'geo'>, problems: Problems): NamedTaxPlace[] {
  const { token, sent, shipping, billing, isShipped } = sources
  const ofBody = placeOfBody(sent, geo, problems)
  if (!isShipped && ofBody !== null) refuseRegion(ofBody, problems)
  const ofToken = placeOfToken(token)
  const places = isShipped
    ? [placeOfAddress(shipping), ofBody, ofToken]
    : token.region !== null
      ? // The totals that the shopper saw were for this place.
        [ofToken]
      : // Many storefronts send only a shipping address, so it still counts, after all others.
        [ofToken, ofBody, placeOfAddress(billing), placeOfAddress(shipping)]
  return places.filter((place) => place !== null)
}

/** Chooses the address that can complete the place of taxation, for example by the state of a known country. */
export const chooseTaxAddress = (
  { token, billing, isShipped }: TaxSources,
  { country }: Pick<TaxationPlaceRow, 'country'>,
): 'shipping' | 'billing' =>
  !isShipped && token.region === null && country !== null && billing.place?.country === country ? 'billing' : 'shipping'

/** Refuses an unknown region in a country that taxes by region. It would avoid the tax of the region. */
function refuseRegion({ country, region }: NamedTaxPlace, problems: Problems) {
  const wrong = region === '' ? findRegionProblem({ country, region: null }) : null
  if (wrong !== null) problems.refusedAs('tax.region', `tax.region ${wrong}`)
}

const toTaxPlace = (
  { country, region }: ShippingDestination,
  more: { readonly postal_code: string | null; readonly ip_address: string | null },
): NamedTaxPlace => ({ country, region: region === null ? '' : (region ?? null), ...more })

const placeOfAddress = ({ address, place }: ReadAddress): NamedTaxPlace | null =>
  place && toTaxPlace(place, { postal_code: address?.postal_zip_code ?? null, ip_address: null })

const placeOfToken = ({ country, ...more }: TaxationPlaceRow): NamedTaxPlace | null =>
  country === null ? null : { country, ...more }

function placeOfBody(sent: CaptureBody['tax'], geo: Context['geo'], problems: Problems): NamedTaxPlace | null {
  const country = textOrNull(sent?.country)
  const ip = textOrNull(sent?.ip_address)
  if (ip !== null && isIP(ip) === 0) problems.malformed('tax.ip_address', 'must be an IPv4 or IPv6 address')
  if (country === null) return ip === null ? null : placeOfNetwork(ip, geo)
  const place = readPlace({ country: country.trim(), region: textOrNull(sent?.region) ?? undefined })
  if (place === null) problems.malformed('tax.country', COUNTRY_RULE)
  return place && toTaxPlace(place, { postal_code: textOrNull(sent?.postal_zip_code), ip_address: ip })
}

function placeOfNetwork(address: string, geo: Context['geo']): NamedTaxPlace | null {
  const located = geo.locate(address)
  const place = readPlace({ country: located?.country_code ?? '', region: located?.region_code ?? undefined })
  // Ignore the network's region if it is unknown, because the shopper cannot correct it.
  const region = place?.region ?? undefined
  return (
    place && toTaxPlace({ ...place, region }, { postal_code: located?.postal_zip_code ?? null, ip_address: address })
  )
}
