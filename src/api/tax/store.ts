// All SQL of tax zones.

import { columns } from '../../db/columns.ts'
import { addToCount, storedCountSql } from '../../db/counts.ts'
import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'
import { BY_KEY, keyOf, listSql, type RowPage, TIMES } from '../../db/records.ts'
import type { PageQuery } from '../../lib/page.ts'
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

const COLUMNS = columns<keyof TaxZoneColumns>(['country', 'region', 'postal_prefix', 'rates'], ['rates'])

const ROW = `id, ${COLUMNS.names}, ${TIMES}`

const find = statement<TaxZoneRow>('tax.find_zone', `select ${ROW} from tax_zones where ${BY_KEY}`)

export const findTaxZone = (db: Db, shop: Shop, id: string) => db.maybe(find, keyOf(shop, id))

const list = statement<RowPage<TaxZoneRow>>(
  'tax.list_zones',
  listSql({ row: ROW, from: 'tax_zones', total: storedCountSql('tax_zones') }),
)

export const listTaxZones = (db: Db, shop: Shop, page: PageQuery) => db.one(list, { ...shop, ...page })

const insert = statement<TaxZoneRow>(
  'tax.insert_zone',
  `insert into tax_zones (merchant_id, id, ${COLUMNS.names}, created_at, updated_at)
   values (:merchant_id, :id, ${COLUMNS.parameters}, :now, :now)
   on conflict (merchant_id, country, region, postal_prefix) do nothing
   returning ${ROW}`,
)

/** Null if the place already has a zone. Waits for a concurrent insert for the same place. */
export async function insertTaxZone(tx: Tx, shop: Shop, id: string, zone: TaxZoneColumns, now: Date) {
  const row = await tx.maybe(insert, { ...keyOf(shop, id), ...COLUMNS.values(zone), now })
  if (row !== null) addToCount(tx, shop, 'tax_zones', 1)
  return row
}

const lock = statement<TaxZoneRow>('tax.lock_zone', `select ${ROW} from tax_zones where ${BY_KEY} for update`)

export const lockTaxZone = (tx: Tx, shop: Shop, id: string) => tx.maybe(lock, keyOf(shop, id))

const update = statement<TaxZoneRow>(
  'tax.update_zone',
  `update tax_zones set ${COLUMNS.assignments}, updated_at = :now where ${BY_KEY} returning ${ROW}`,
)

export const updateTaxZoneRow = (tx: Tx, shop: Shop, id: string, zone: TaxZoneColumns, now: Date) =>
  tx.one(update, { ...keyOf(shop, id), ...COLUMNS.values(zone), now })

const remove = statement('tax.delete_zone', `delete from tax_zones where ${BY_KEY}`)

/** False if the zone does not exist. */
export async function deleteTaxZoneRow(tx: Tx, shop: Shop, id: string) {
  const deleted = await tx.run(remove, keyOf(shop, id))
  if (deleted > 0) addToCount(tx, shop, 'tax_zones', -deleted)
  return deleted > 0
}

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
