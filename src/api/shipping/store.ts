// All SQL of shipping zones and their methods, and fragments for other statements: whether a product is shipped, and which methods a
// checkout is offered.

import { columns } from '../../db/columns.ts'
import { addToCount } from '../../db/counts.ts'
import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'
import { deleteRecord, listRecords } from '../../db/record-store.ts'
import { BY_KEY, keyOf } from '../../db/records.ts'
import type { CatalogueTx } from '../catalogue/store.ts'

export type MethodRow = {
  id: string
  description: string
  /** Price in minor units, as all amounts here. */
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

/** Columns that a merchant sets. */
export type ZoneDraft = Pick<ZoneRow, 'name' | 'countries' | 'regions' | 'methods'>

const COLUMNS = columns<'name' | 'countries' | 'regions'>(['name', 'countries', 'regions'], ['regions'])

const METHOD_TYPES: Readonly<Record<keyof MethodRow, 'text' | 'bigint'>> = {
  id: 'text',
  description: 'text',
  price: 'bigint',
  on_own: 'bigint',
  with_others: 'bigint',
  min_order_value: 'bigint',
  max_order_value: 'bigint',
  min_weight: 'bigint',
  max_weight: 'bigint',
}

const METHOD_NAMES = Object.keys(METHOD_TYPES)

const METHOD_COLUMNS = METHOD_NAMES.map((name) => `method.${name}`).join(', ')

const ROW = `zone.id, zone.name, zone.countries, zone.regions, unix_seconds(zone.created_at) as created,
  unix_seconds(zone.updated_at) as updated,
  coalesce((
    select json_agg(entry order by entry.position)
    from (
      select method.position, ${METHOD_COLUMNS}
      from shipping_methods method
      where method.merchant_id = :merchant_id and method.zone_id = zone.id
    ) entry
  ), '[]') as methods`

const find = statement<ZoneRow>('shipping.find_zone', `select ${ROW} from shipping_zones zone where ${BY_KEY}`)

export const findZone = (db: Db, shop: Shop, id: string) => db.maybe(find, keyOf(shop, id))

/** Reads a zone that this transaction has just written or locked, so it must exist. */
export const readZone = (tx: Tx, shop: Shop, id: string) => tx.one(find, keyOf(shop, id))

export const listZones = listRecords<ZoneRow>('shipping.list_zones', 'shipping_zones', ROW, 'shipping_zones zone')

const insert = statement(
  'shipping.insert_zone',
  `insert into shipping_zones (merchant_id, id, ${COLUMNS.names}, created_at, updated_at)
   values (:merchant_id, :id, ${COLUMNS.parameters}, :now, :now)`,
)

export async function insertZone(tx: CatalogueTx, shop: Shop, id: string, draft: ZoneDraft, now: Date) {
  await tx.run(insert, { ...keyOf(shop, id), ...COLUMNS.values(draft), now })
  addToCount(tx, shop, 'shipping_zones', 1)
}

// `for no key update` does not block products that refer to the zone. Selects only the id: the statement may wait for a change of the
// methods, and would return other data as of its start.
const lock = statement<{ id: string }>(
  'shipping.lock_zone',
  `select id from shipping_zones where ${BY_KEY} for no key update`,
)

/**
 * Locks the zone in a separate statement before the read, which then sees the latest change. Changes of a zone and its methods run in
 * sequence.
 */
export const lockZone = async (tx: Tx, shop: Shop, id: string) =>
  (await tx.maybe(lock, keyOf(shop, id))) && readZone(tx, shop, id)

const update = statement(
  'shipping.update_zone',
  `update shipping_zones set ${COLUMNS.assignments}, updated_at = :now where ${BY_KEY}`,
)

export const updateZoneRow = (tx: Tx, shop: Shop, id: string, draft: ZoneDraft, now: Date) =>
  tx.run(update, { ...keyOf(shop, id), ...COLUMNS.values(draft), now })

const clearMethods = statement(
  'shipping.clear_methods',
  'delete from shipping_methods where merchant_id = :merchant_id and zone_id = :zone_id and id <> all(:kept_ids)',
)

const setMethods = statement(
  'shipping.set_methods',
  `insert into shipping_methods (merchant_id, zone_id, position, ${METHOD_NAMES.join(', ')})
   select :merchant_id, :zone_id, method.position, ${METHOD_COLUMNS}
   from json_to_recordset(:methods) as method (
     position integer, ${Object.entries(METHOD_TYPES)
       .map(([name, type]) => `${name} ${type}`)
       .join(', ')}
   )
   on conflict (merchant_id, id) do update set
     position = excluded.position, ${METHOD_NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}`,
)

/** The list replaces the zone's methods. Methods with an id in the list are updated. */
export async function replaceMethods(tx: Tx, shop: Shop, zoneId: string, methods: readonly MethodRow[]) {
  const zone = { ...shop, zone_id: zoneId }
  await tx.run(clearMethods, { ...zone, kept_ids: methods.map(({ id }) => id) })
  if (methods.length === 0) return
  const entries = methods.map((method, position) => ({ ...method, position }))
  await tx.run(setMethods, { ...zone, methods: JSON.stringify(entries) })
}

/** Deletes a zone together with its methods. False if it does not exist. */
export const deleteZoneRow = deleteRecord<CatalogueTx>('shipping.delete_zone', 'shipping_zones')

/** SQL condition that the shop `:merchant_id` has a shipping zone. */
export const hasZones = 'exists (select 1 from shipping_zones any_zone where any_zone.merchant_id = :merchant_id)'

/**
 * SQL condition that a product is shipped; every check uses this one. The product's own setting counts. Without a setting, it is shipped if
 * the shop has a zone and the product has no downloads. A shop without zones must not request a shipping address. `product` is an alias;
 * `:merchant_id` is the shop.
 */
export const isPhysical = (product: string) => `coalesce(
    ${product}.is_physical,
    ${hasZones} and not ${hasDownloads(product)}
  )`

/**
 * SQL condition that a product is taxed as digital: it is set to not physical, or it has no setting and has downloads. A product without
 * either is not digital, even if the shop has no zones.
 */
export const isDigital = (product: string) => `coalesce(not ${product}.is_physical, ${hasDownloads(product)})`

/** A scalar sub-select, which PostgreSQL looks up per product. For `exists` it might hash all downloads of the shop. */
const hasDownloads = (product: string) => `((
    select true from product_packages file
    where file.merchant_id = :merchant_id and file.product_id = ${product}.id
    limit 1
  ) is not null)`

/** A shipping method with the places of its zone. */
export type ShippingOfferRow = MethodRow & { zone_id: string } & Pick<ZoneRow, 'countries' | 'regions'>

const OFFER_FIELDS = [
  ...['zone_id', ...METHOD_NAMES].map((name) => `'${name}', method.${name}`),
  "'countries', zone.countries",
  "'regions', zone.regions",
].join(', ')

/**
 * All methods of the shop `:merchant_id`, for any place and any products. SQL for a JSON list of `OfferRow`, in the order of the zones' age
 * and the merchant's order of methods. `isOfferedIn` filters by place, `servesAll` by products.
 */
export const OFFERS_JSON = `coalesce((
    select json_agg(json_build_object(${OFFER_FIELDS}) order by zone.id, method.position)
    from shipping_zones zone
    join shipping_methods method on method.merchant_id = zone.merchant_id and method.zone_id = zone.id
    where zone.merchant_id = :merchant_id
  ), '[]')`

/** All zones, including those without methods. SQL for a JSON list, oldest first. */
export const ZONES_JSON = `coalesce((
    select json_agg(
      json_build_object('id', zone.id, 'name', zone.name, 'countries', zone.countries, 'regions', zone.regions) order by zone.id
    )
    from shipping_zones zone
    where zone.merchant_id = :merchant_id
  ), '[]')`
