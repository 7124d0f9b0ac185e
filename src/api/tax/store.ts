// All SQL of tax zones.

import { columns } from '../../db/columns.ts'
import { recordStore } from '../../db/record-store.ts'
import type { RateRow } from './rate.ts'
import { MAX_POSTAL_PREFIX } from './schema.ts'

export type TaxZoneRow = {
  id: string
  country: string
  /** Empty for the whole country. */
  region: string
  /** Empty for every postal code. */
  postal_prefix: string
  rates: RateRow[]
  created: number
  updated: number
}

/** Columns that a merchant sets. */
export type TaxZoneColumns = Pick<TaxZoneRow, 'country' | 'region' | 'postal_prefix' | 'rates'>

export const taxZoneStore = recordStore<TaxZoneRow, keyof TaxZoneColumns>()({
  table: 'tax_zones',
  name: (verb) => (verb === 'list' ? 'tax.list_zones' : `tax.${verb}_zone`),
  columns: columns<keyof TaxZoneColumns>(['country', 'region', 'postal_prefix', 'rates'], ['rates']),
  unique: 'merchant_id, country, region, postal_prefix',
})

/** The zone that applies to a place. */
export type ApplicableZone = Omit<TaxZoneRow, 'created' | 'updated'>

/** SQL expressions of type text. The region is a code from `normalizeRegion`; the postal code may be in any spelling. */
type PlaceSql = { readonly country: string; readonly region: string; readonly postalCode: string }

/** Normalizes a postal code like the prefix of a zone: only A to Z and 0 to 9. */
const compact = (postalCode: string) => `upper(regexp_replace(coalesce(${postalCode}, ''), '[^A-Za-z0-9]', '', 'g'))`

/**
 * SQL for the `ApplicableZone` of a place as JSON; `:merchant_id` is the shop. Null if there is none. The most specific zone wins: the
 * longest postal prefix, then a zone of the region before one of the country. Looks up each prefix in the index, because a merchant may
 * have zones for forty thousand postal codes.
 */
export const taxZoneJson = ({ country, region, postalCode }: PlaceSql) => `(
    select json_build_object(
      'id', zone.id, 'country', zone.country, 'region', zone.region, 'postal_prefix', zone.postal_prefix,
      'rates', zone.rates
    )
    from tax_zones zone
    where zone.merchant_id = :merchant_id and zone.country = ${country} and zone.region in ('', ${region})
      and zone.postal_prefix = any(array(
        select left(${compact(postalCode)}, size) from generate_series(0, ${MAX_POSTAL_PREFIX}) size
      ))
    order by length(zone.postal_prefix) desc, zone.region <> '' desc
    limit 1
  )`

/**
 * SQL condition that the tax of a country depends on the region; `:merchant_id` is the shop. Uses `> ''`, because `<> ''` would scan all
 * zones without a region, perhaps one per postal code.
 */
export const isTaxedByRegion = (country: string) => `exists (
    select 1 from tax_zones zone
    where zone.merchant_id = :merchant_id and zone.country = ${country} and zone.region > ''
  )`
