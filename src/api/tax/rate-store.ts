// What a checkout asks of tax: the rates of the one zone that a place falls into.

import { MAX_POSTAL_PREFIX } from './schema.ts'
import type { TaxZoneRow } from './store.ts'

export type ApplicableZone = Pick<TaxZoneRow, 'id' | 'country' | 'region' | 'postal_prefix' | 'rates'>

/** SQL expressions of type text. The region is the code that `normalizeRegion` gives; the postal code may be as people type it. */
export type PlaceSql = { readonly country: string; readonly region: string; readonly postalCode: string }

/** As a zone stores its prefix, whose characters are A to Z and 0 to 9. */
const compact = (postalCode: string) => `upper(regexp_replace(coalesce(${postalCode}, ''), '[^A-Za-z0-9]', '', 'g'))`

/**
 * SQL for the `ApplicableZone` of a place as JSON, null where there is none; $1 is the merchant. Only the most specific zone
 * counts: the one with the longest prefix of the postal code, among those the one for the region, else the one for the country.
 * Every prefix is looked up by itself, in the index: a merchant may have a zone for each of forty thousand postal codes.
 */
export const taxZoneJson = ({ country, region, postalCode }: PlaceSql) => `(
    select json_build_object(
      'id', zone.id, 'country', zone.country, 'region', zone.region, 'postal_prefix', zone.postal_prefix,
      'rates', zone.rates
    )
    from tax_zones zone
    where zone.merchant_id = $1 and zone.country = ${country} and zone.region in ('', ${region})
      and zone.postal_prefix = any(array(
        select left(${compact(postalCode)}, size) from generate_series(0, ${MAX_POSTAL_PREFIX}) size
      ))
    order by length(zone.postal_prefix) desc, zone.region <> '' desc
    limit 1
  )`

/** SQL for whether the tax of a country depends on the region; $1 is the merchant. */
export const isTaxedByRegion = (country: string) => `exists (
    select from tax_zones zone
    where zone.merchant_id = $1 and zone.country = ${country} and zone.region <> ''
  )`
