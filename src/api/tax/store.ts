// All SQL of tax zones, but for what a checkout asks (rate-store.ts).

import { type Db, statement, type Tx, violates } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'
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

/** What a merchant sets. */
export type TaxZoneDraft = Pick<TaxZoneRow, 'country' | 'region' | 'postal_prefix' | 'rates'>

const ROW = `id, country, region, postal_prefix, rates, unix_seconds(created_at) as created,
  unix_seconds(updated_at) as updated`

const find = statement<TaxZoneRow>('tax.find_zone', `select ${ROW} from tax_zones where merchant_id = $1 and id = $2`)

export const findTaxZone = (db: Db, merchantId: number, id: string) => db.maybe(find, [merchantId, id])

const list = statement<{ total: number; rows: TaxZoneRow[] }>(
  'tax.list_zones',
  `select
     (select count(*) from tax_zones where merchant_id = $1) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${ROW} from tax_zones where merchant_id = $1 order by id limit $2 offset $3
       ) page
     ), '[]') as rows`,
)

/** One page, oldest first, and the count of all, in one round trip. */
export const listTaxZones = (db: Db, merchantId: number, { limit, offset }: Page) =>
  db.one(list, [merchantId, limit, offset])

const insert = statement<TaxZoneRow>(
  'tax.insert_zone',
  `insert into tax_zones (merchant_id, id, created_at, updated_at, country, region, postal_prefix, rates)
   values ($1, $2, $3, $3, $4, $5, $6, $7)
   on conflict (merchant_id, country, region, postal_prefix) do nothing
   returning ${ROW}`,
)

/** Null when there is a zone for this place. It waits for one that is being created at the same moment. */
export const insertTaxZone = (db: Db, merchantId: number, id: string, draft: TaxZoneDraft, now: Date) =>
  db.maybe(insert, [merchantId, id, now, ...columns(draft)])

const lock = statement<TaxZoneRow>(
  'tax.lock_zone',
  `select ${ROW} from tax_zones where merchant_id = $1 and id = $2 for update`,
)

export const lockTaxZone = (tx: Tx, merchantId: number, id: string) => tx.maybe(lock, [merchantId, id])

const update = statement<TaxZoneRow>(
  'tax.update_zone',
  `update tax_zones
   set updated_at = $3, country = $4, region = $5, postal_prefix = $6, rates = $7
   where merchant_id = $1 and id = $2
   returning ${ROW}`,
)

/** Null when another zone is for this place; the transaction is then past saving. */
export async function updateTaxZoneRow(tx: Tx, merchantId: number, id: string, draft: TaxZoneDraft, now: Date) {
  try {
    return await tx.one(update, [merchantId, id, now, ...columns(draft)])
  } catch (error) {
    if (violates(error, 'tax_zones_place_unique')) return null
    throw error
  }
}

const remove = statement('tax.delete_zone', 'delete from tax_zones where merchant_id = $1 and id = $2')

/** False when there is none. */
export const deleteTaxZoneRow = async (db: Db, merchantId: number, id: string) =>
  (await db.run(remove, [merchantId, id])) === 1

const columns = ({ country, region, postal_prefix, rates }: TaxZoneDraft) => [
  country,
  region,
  postal_prefix,
  JSON.stringify(rates),
]

// What a checkout asks of tax: the rates of the one zone that a place falls into.

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
