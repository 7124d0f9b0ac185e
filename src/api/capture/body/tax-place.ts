// Where a capture is taxed. Where something is sent: there. Where nothing is: as the token says, else as the body says for the tax, else
// by the billing address. Who names only a country does not get around the tax of its parts: what the next of these says of the same
// country counts too, though live totals cannot show it yet. Not where the client seems to be: live totals do not go by that either.

import { isIP } from 'node:net'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import type { Problems } from '../../../lib/errors.ts'
import { given } from '../../../lib/json.ts'
import { readPlace, wrongRegion } from '../../checkouts/price.ts'
import type { TaxedInRow } from '../../checkouts/read-store.ts'
import type { CaptureBody } from './schema.ts'
import { COUNTRY_RULE, type ReadAddress } from './shopper.ts'

/** A place that something tells. The region is undefined where it does not say. */
type Told = {
  readonly country: string
  readonly region: string | null | undefined
  readonly postal_code: string | null
  readonly ip_address: string | null
}

const NOWHERE: TaxedInRow = { country: null, region: null, postal_code: null, ip_address: null }

/** What a capture knows of where it may be taxed. */
export type TaxSources = {
  /** What live totals show. */
  readonly token: TaxedInRow
  readonly sent: CaptureBody['tax']
  readonly shipping: ReadAddress
  readonly billing: ReadAddress
  /** Whether anything of it is sent. */
  readonly isShipped: boolean
}

export function taxPlace(sources: TaxSources, { geo }: Pick<Context, 'geo'>, problems: Problems): TaxedInRow {
  const { token, sent, shipping, billing, isShipped } = sources
  const bySender = bySent(sent, geo, problems)
  if (!isShipped && bySender !== null) refuseRegion(bySender, problems)
  // As it was shown, and nothing added to it.
  if (!isShipped && token.region !== null) return token
  const told = isShipped
    ? [byAddress(shipping), bySender, byToken(token)]
    : // Where nothing is sent a shipping address is only the last to be asked; but many storefronts send no other.
      [byToken(token), bySender, byAddress(billing), byAddress(shipping)]
  const [first, ...others] = told.filter((each) => each !== null)
  if (first === undefined) return NOWHERE
  const place = others.reduce(moreOf, first)
  return { ...place, region: place.region ?? null }
}

/** The address that can say more of the place: of a state, say, where only the country is known. */
export const taxAddress = (
  { token, billing, isShipped }: TaxSources,
  { country }: Pick<TaxedInRow, 'country'>,
): 'shipping' | 'billing' =>
  !isShipped && token.region === null && country !== null && billing.place?.country === country ? 'billing' : 'shipping'

/** One that nobody knows would be a way around the tax that goes by the region. */
function refuseRegion(place: Told, problems: Problems) {
  if (place.region === undefined) return
  const wrong = wrongRegion({ country: place.country, region: place.region })
  if (wrong !== null) problems.refusedAs('tax.region', `tax.region ${wrong}`)
}

/**
 * The same place told twice, unless the other names another region: a method is chosen by country and region, and rates may go by the
 * postal code. TAXED_IN of ../read-store.ts does the same with what a token has.
 */
function moreOf(place: Told, other: Told): Told {
  if (other.country !== place.country) return place
  const region = place.region === undefined ? other.region : place.region
  if ((other.region ?? null) !== null && other.region !== region) return place
  return {
    country: place.country,
    region,
    postal_code: place.postal_code ?? other.postal_code,
    ip_address: place.ip_address ?? other.ip_address,
  }
}

const byAddress = ({ address, place }: ReadAddress): Told | null =>
  place && { ...place, postal_code: address?.postal_zip_code ?? null, ip_address: null }

function bySent(sent: CaptureBody['tax'], geo: Context['geo'], problems: Problems): Told | null {
  const country = given(sent?.country)
  const ip = given(sent?.ip_address)
  if (ip !== null && isIP(ip) === 0) problems.malformed('tax.ip_address', 'must be an IPv4 or IPv6 address')
  if (country === null) return ip === null ? null : byNetwork(ip, geo)
  const place = readPlace({ country: country.trim(), region: given(sent?.region) ?? undefined })
  if (place === null) problems.malformed('tax.country', COUNTRY_RULE)
  return place && { ...place, postal_code: given(sent?.postal_zip_code), ip_address: ip }
}

const byToken = ({ country, region, ...rest }: TaxedInRow): Told | null =>
  country === null ? null : { ...rest, country, region: region ?? undefined }

function byNetwork(address: string, geo: Context['geo']): Told | null {
  const located = geo.locate(address)
  const place = readPlace({ country: located?.country_code ?? '', region: located?.region_code ?? undefined })
  // A region that the network is said to be in and that is not known says nothing, and nobody can be asked to mend it.
  const region = place?.region ?? undefined
  return place && { ...place, region, postal_code: located?.postal_zip_code ?? null, ip_address: address }
}
