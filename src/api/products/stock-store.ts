// All SQL that writes stock. One item is a product's own, or that of a variant with stock of its own; each mode has its own figures.
// Merchants set them, captures take from them, and what comes to nothing is put back.

import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import { MAX_STOCK } from './body-schema.ts'

/** A stock item in one mode. `itemId` is the product's id, or that of a variant with stock of its own. */
export type StockItem = Scope & { readonly productId: string; readonly itemId: string }

const valuesOf = ({ merchantId, isSandbox, productId, itemId }: StockItem) => ({
  merchant_id: merchantId,
  is_sandbox: isSandbox,
  product_id: productId,
  item_id: itemId,
})

/**
 * What captures under way hold of the item whose id the SQL `itemId` is, in the mode that the SQL `isSandbox` is.
 * Added up anew each time: held_stock has the open captures alone, and a sum kept beside would be one more row that each capture has
 * to lock when it ends.
 */
export const heldOf = (itemId: string, isSandbox: string) => `(
    select coalesce(sum(held.quantity), 0)::bigint
    from held_stock held
    join capture_attempts attempt on attempt.merchant_id = :merchant_id and attempt.id = held.attempt_id
    where held.merchant_id = :merchant_id and held.item_id = ${itemId} and attempt.is_sandbox = ${isSandbox}
  )`

const open = statement(
  'products.open_stock',
  `insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
   select :merchant_id, :product_id, entry.id, mode.is_sandbox, entry.available
   from json_to_recordset(:items) as entry (id text, available bigint)
   cross join (values (true), (false)) as mode (is_sandbox)`,
)

/** What is new has the same stock in both modes. `items`: the product itself, or variants of it. */
export async function openStock(
  tx: Tx,
  { merchantId }: Shop,
  productId: string,
  items: readonly { id: string; available: number }[],
) {
  if (items.length === 0) return
  await tx.run(open, { merchant_id: merchantId, product_id: productId, items: JSON.stringify(items) })
}

const lock = statement(
  'products.lock_stock',
  `select 1 from stock
   where merchant_id = :merchant_id and item_id = :item_id and is_sandbox = :is_sandbox
   for update`,
)

/**
 * Until the transaction ends no capture takes any of it nor gives any back. What is held must be read by a later statement: this one may
 * have waited, and sees held_stock as it was before.
 */
export const lockStock = (tx: Tx, item: StockItem) => tx.run(lock, valuesOf(item))

const findHeld = statement<{ held: number }>(
  'products.find_held',
  `select ${heldOf(':item_id', ':is_sandbox')} as held`,
)

export const heldStock = async (tx: Tx, item: StockItem): Promise<number> =>
  (await tx.one(findHeld, valuesOf(item))).held

const set = statement(
  'products.set_stock',
  `insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
   values (:merchant_id, :product_id, :item_id, :is_sandbox, :available)
   on conflict (merchant_id, item_id, is_sandbox) do update set available = excluded.available`,
)

/** One mode's alone: a count that a test key sends must not change what can be sold. */
export const setStock = (tx: Tx, item: StockItem, available: number) => tx.run(set, { ...valuesOf(item), available })

// What is held is read by the statement that writes: a capture that ends in between would be taken for held and for sold at once.
const count = statement<{ held: number; is_written: boolean }>(
  'products.count_stock',
  `with held as (
     select ${heldOf(':item_id', ':is_sandbox')} as quantity
   ),
   counted as (
     insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
     select :merchant_id, :product_id, :item_id, :is_sandbox, :on_hand::bigint - held.quantity
     from held
     where held.quantity <= :on_hand
     on conflict (merchant_id, item_id, is_sandbox) do update set available = excluded.available
     returning item_id
   )
   select held.quantity as held, exists (select 1 from counted) as is_written from held`,
)

/** Whoever calls has locked the item. Where more is held than was counted, nothing is written. */
export const countStock = (tx: Tx, item: StockItem, onHand: number) =>
  tx.one(count, { ...valuesOf(item), on_hand: onHand })

const clear = statement(
  'products.clear_stock',
  'delete from stock where merchant_id = :merchant_id and item_id = :item_id and is_sandbox = :is_sandbox',
)

/** In this mode a variant sells from the product's from now on; in the other it keeps what it has. */
export const clearStock = (tx: Tx, item: StockItem) => tx.run(clear, valuesOf(item))

const remove = statement(
  'products.delete_variant_stock',
  'delete from stock where merchant_id = :merchant_id and item_id = :item_id',
)

/** With the variant, in both modes: stock refers to the product alone, so that nothing else takes it away. */
export const deleteStock = (tx: Tx, { merchantId }: Shop, itemId: string) =>
  tx.run(remove, { merchant_id: merchantId, item_id: itemId })

// Captures take stock and give it back, and so do orders that are cancelled: all items in one statement, in the order of their ids. Of two
// that touch the same two items, neither then waits for the other.

/**
 * Takes what `source` names (`item_id`, `quantity`; each item once) from the stock of `:merchant_id` in the mode `:is_sandbox`. The part of
 * a `with` is called `taken` (`item_id`, `quantity`), and lacks the items of which there is not enough: then the transaction must not be
 * committed.
 */
// The condition stands in the update itself: of two hundred captures for the last unit, each sees what the one before has left.
// The lock is in a query within the query: of a query that locks and joins, Citus loses columns on the way to the next step.
export const takenFromStock = (source: string) => `wanted_stock as (
     select item_id, quantity
     from (
       select stock.item_id, ${source}.quantity
       from stock
       join ${source} on ${source}.item_id = stock.item_id
       where stock.merchant_id = :merchant_id and stock.is_sandbox = :is_sandbox
       order by stock.item_id
       for update of stock
     ) locked
   ),
   taken as (
     update stock
     set available = stock.available - wanted_stock.quantity
     from wanted_stock
     where stock.merchant_id = :merchant_id and stock.item_id = wanted_stock.item_id and stock.is_sandbox = :is_sandbox
       and stock.available >= wanted_stock.quantity
     returning stock.item_id, wanted_stock.quantity
   )`

/**
 * Adds what `source` names (`item_id`, `quantity`; each item once) to the stock of `:merchant_id` in the mode `:is_sandbox`. What was a variant's
 * own goes to the product's where the variant has none of its own any more: it sells from there. What belonged to a product or a variant
 * that has been deleted meanwhile is gone with it. Never more than a merchant may write. The part of a `with` is called `restocked`, and
 * says where (`item_id`) what was taken from `taken_from` went.
 */
// The product's row is locked beside the variant's own: that one may be cleared by whoever this waits for. Lists of ids, where a join would
// do: each is then looked up by its whole key, whatever the planner believes about the tables.
export const restockedFrom = (source: string) => `${placesOf(source, 'for update of stock')},
   increased as (
     update stock
     set available = least(stock.available + sums.quantity, ${MAX_STOCK})
     from (select item_id, sum(quantity)::bigint as quantity from restocked group by item_id) sums
     where stock.merchant_id = :merchant_id and stock.item_id = any(array(select item_id from restocked))
       and stock.is_sandbox = :is_sandbox and stock.item_id = sums.item_id
   )`

/** Where it would go, and nothing more, unless the rows are locked to write it. */
const placesOf = (source: string, lock: 'for update of stock' | '') => `owners as (
     select variant.id, variant.product_id
     from ${source}
     cross join lateral (
       select variants.id, variants.product_id
       from variants
       where variants.merchant_id = :merchant_id and variants.id = ${source}.item_id
       offset 0
     ) variant
   ),
   places as (
     select ${source}.item_id as taken_from, ${source}.quantity, owners.product_id
     from ${source}
     left join owners on owners.id = ${source}.item_id
   ),
   locked as (
     select stock.item_id
     from stock
     where stock.merchant_id = :merchant_id and stock.is_sandbox = :is_sandbox
       and stock.item_id = any(array(select taken_from from places union all select product_id from places))
     order by stock.item_id
     ${lock}
   ),
   restocked as (
     select places.taken_from, coalesce(own.item_id, shared.item_id) as item_id, places.quantity
     from places
     left join locked own on own.item_id = places.taken_from
     left join locked shared on shared.item_id = places.product_id
     where own.item_id is not null or shared.item_id is not null
   )`

const SOLD = `sold as (
     select sold.item_id, sold.quantity from unnest(:item_ids::text[], :quantities::bigint[]) as sold (item_id, quantity)
   )`

type Place = { taken_from: string; item_id: string }

const restock = statement<Place>(
  'stock.restock',
  `with ${SOLD},
   ${restockedFrom('sold')}
   select taken_from, item_id from restocked`,
)

const findPlaces = statement<Place>(
  'stock.find_restock_places',
  `with ${SOLD},
   ${placesOf('sold', '')}
   select taken_from, item_id from restocked`,
)

const placesIn = (
  db: Db,
  places: typeof restock,
  { merchantId, isSandbox }: Scope,
  quantities: ReadonlyMap<string, number>,
) =>
  db.many(places, {
    merchant_id: merchantId,
    is_sandbox: isSandbox,
    item_ids: [...quantities.keys()],
    quantities: [...quantities.values()],
  })

const byOrigin = (rows: readonly Place[]): ReadonlyMap<string, string> =>
  new Map(rows.map(({ taken_from, item_id }) => [taken_from, item_id]))

/** By each item whose goods are back, the item that has them now: itself, or the product of a variant without stock of its own. */
export const restockItems = async (
  tx: Tx,
  scope: Scope,
  quantities: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, string>> =>
  quantities.size === 0 ? new Map() : byOrigin(await placesIn(tx, restock, scope, quantities))

/** The same, if they came back now. */
export const findRestockPlaces = async (
  db: Db,
  scope: Scope,
  quantities: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, string>> =>
  quantities.size === 0 ? new Map() : byOrigin(await placesIn(db, findPlaces, scope, quantities))
