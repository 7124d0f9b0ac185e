// All SQL of shipping zones and their methods, but for what a checkout asks (offer-store.ts).

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'

export type MethodRow = {
  id: string
  description: string
  /** Minor units, as are all amounts here. */
  price: number
  on_own: number
  with_others: number
  min_order_value: number | null
  max_order_value: number | null
  min_weight: number | null
  max_weight: number | null
}

export type ZoneRow = {
  id: string
  name: string
  countries: string[]
  regions: Record<string, string[]>
  created: number
  updated: number
  /** In the merchant's order. */
  methods: MethodRow[]
}

/** What a merchant sets. */
export type ZoneDraft = Pick<ZoneRow, 'name' | 'countries' | 'regions' | 'methods'>

const ROW = `zone.id, zone.name, zone.countries, zone.regions, unix_seconds(zone.created_at) as created,
  unix_seconds(zone.updated_at) as updated,
  coalesce((
    select json_agg(entry order by entry.position)
    from (
      select method.id, method.position, method.description, method.price, method.on_own, method.with_others,
        method.min_order_value, method.max_order_value, method.min_weight, method.max_weight
      from shipping_methods method
      where method.merchant_id = $1 and method.zone_id = zone.id
    ) entry
  ), '[]') as methods`

const find = statement<ZoneRow>(
  'shipping.find_zone',
  `select ${ROW} from shipping_zones zone where zone.merchant_id = $1 and zone.id = $2`,
)

export const findZone = (db: Db, merchantId: number, id: string) => db.maybe(find, [merchantId, id])

/** Where it is certain: just written, or locked, in this transaction. */
export const readZone = (tx: Tx, merchantId: number, id: string) => tx.one(find, [merchantId, id])

const list = statement<{ total: number; rows: ZoneRow[] }>(
  'shipping.list_zones',
  `select
     (select count(*) from shipping_zones where merchant_id = $1) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${ROW} from shipping_zones zone where zone.merchant_id = $1 order by zone.id limit $2 offset $3
       ) page
     ), '[]') as rows`,
)

/** One page, oldest first, and the count of all, in one round trip. */
export const listZones = (db: Db, merchantId: number, { limit, offset }: Page) =>
  db.one(list, [merchantId, limit, offset])

const insert = statement(
  'shipping.insert_zone',
  `insert into shipping_zones (merchant_id, id, name, countries, regions, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $6)`,
)

export const insertZone = (tx: Tx, merchantId: number, id: string, draft: ZoneDraft, now: Date) =>
  tx.run(insert, [merchantId, id, draft.name, draft.countries, JSON.stringify(draft.regions), now])

// Not `for update`: that would also hold up a product that only names the zone. And the id alone: what else a statement reads
// is as old as the statement, which may have waited here for a change of the methods.
const lock = statement<{ id: string }>(
  'shipping.lock_zone',
  'select id from shipping_zones where merchant_id = $1 and id = $2 for no key update',
)

/** False when there is none. Changes of one zone and of its methods come after one another. */
export const lockZone = async (tx: Tx, merchantId: number, id: string) =>
  (await tx.maybe(lock, [merchantId, id])) !== null

const update = statement(
  'shipping.update_zone',
  `update shipping_zones
   set name = $3, countries = $4, regions = $5, updated_at = $6
   where merchant_id = $1 and id = $2`,
)

export const updateZoneRow = (tx: Tx, merchantId: number, id: string, draft: ZoneDraft, now: Date) =>
  tx.run(update, [merchantId, id, draft.name, draft.countries, JSON.stringify(draft.regions), now])

const clearMethods = statement(
  'shipping.clear_methods',
  'delete from shipping_methods where merchant_id = $1 and zone_id = $2 and id <> all($3)',
)

const setMethods = statement(
  'shipping.set_methods',
  `insert into shipping_methods (
     merchant_id, zone_id, id, position, description, price, on_own, with_others, min_order_value, max_order_value,
     min_weight, max_weight
   )
   select $1, $2, method.id, method.position, method.description, method.price, method.on_own, method.with_others,
     method.min_order_value, method.max_order_value, method.min_weight, method.max_weight
   from json_to_recordset($3) as method (
     id text, position integer, description text, price bigint, on_own bigint, with_others bigint,
     min_order_value bigint, max_order_value bigint, min_weight bigint, max_weight bigint
   )
   on conflict (merchant_id, id) do update set
     position = excluded.position, description = excluded.description, price = excluded.price,
     on_own = excluded.on_own, with_others = excluded.with_others, min_order_value = excluded.min_order_value,
     max_order_value = excluded.max_order_value, min_weight = excluded.min_weight, max_weight = excluded.max_weight`,
)

/** The list replaces the zone's methods; those whose id stands in it are kept. */
export async function replaceMethods(tx: Tx, merchantId: number, zoneId: string, methods: readonly MethodRow[]) {
  await tx.run(clearMethods, [merchantId, zoneId, methods.map(({ id }) => id)])
  if (methods.length === 0) return
  const entries = methods.map((method, position) => ({ ...method, position }))
  await tx.run(setMethods, [merchantId, zoneId, JSON.stringify(entries)])
}

const remove = statement('shipping.delete_zone', 'delete from shipping_zones where merchant_id = $1 and id = $2')

/** Its methods go with it. False when there is none. */
export const deleteZoneRow = async (db: Db, merchantId: number, id: string) =>
  (await db.run(remove, [merchantId, id])) === 1

// What a checkout asks of shipping: the methods whose zone serves everything that is to be shipped, wherever to.
// offer.ts picks those for a place.

/** A method with the places that its zone covers. */
export type OfferRow = MethodRow & { zone_id: string } & Pick<ZoneRow, 'countries' | 'regions'>

const SHOWN: Record<keyof OfferRow, string> = {
  id: 'method.id',
  zone_id: 'method.zone_id',
  description: 'method.description',
  price: 'method.price',
  on_own: 'method.on_own',
  with_others: 'method.with_others',
  min_order_value: 'method.min_order_value',
  max_order_value: 'method.max_order_value',
  min_weight: 'method.min_weight',
  max_weight: 'method.max_weight',
  countries: 'zone.countries',
  regions: 'zone.regions',
}

/**
 * SQL for a list of `OfferRow` as JSON: zones by age, methods in the merchant's order. `productIds` is SQL for a text[] of what is
 * bought; $1 is the merchant. A zone serves a physical product that names it, or that names none; one zone must serve them all,
 * as an order is shipped by one method. Where nothing physical is bought every zone serves: whether to ship is not asked here.
 */
export const offersJson = (productIds: string) => `coalesce((
    select json_agg(
      json_build_object(${Object.entries(SHOWN)
        .map(([name, sql]) => `'${name}', ${sql}`)
        .join(', ')})
      order by zone.id, method.position
    )
    from shipping_zones zone
    join shipping_methods method on method.merchant_id = $1 and method.zone_id = zone.id
    where zone.merchant_id = $1 and not exists (
      select from products shipped
      where shipped.merchant_id = $1 and shipped.id = any(${productIds}) and shipped.is_physical
        and zone.id <> all(shipped.shipping_zone_ids)
    )
  ), '[]')`
