// The SQL of one stock item, a product's own or that of a variant: what captures under way hold of it, and writing it.

import { statement, type Tx } from '../../db/db.ts'
import { MAX_STOCK } from './body-schema.ts'

/** A stock item in one mode. `itemId` is the product's id, or that of a variant with stock of its own. */
export type StockItem = {
  readonly merchantId: number
  readonly isSandbox: boolean
  readonly productId: string
  readonly itemId: string
}

/**
 * SQL for what captures under way hold of the item whose id the SQL `itemId` is. $1 is the merchant, `isSandbox` SQL for the mode.
 * Added up anew each time: held_stock has the open captures alone, and a sum kept beside would be one more row that each capture has
 * to lock when it ends.
 */
export const heldOf = (itemId: string, isSandbox: string) => `(
    select coalesce(sum(held.quantity), 0)::bigint
    from held_stock held
    join capture_attempts attempt on attempt.merchant_id = $1 and attempt.id = held.attempt_id
    where held.merchant_id = $1 and held.item_id = ${itemId} and attempt.is_sandbox = ${isSandbox}
  )`

const lock = statement(
  'products.lock_stock',
  `select from stock
   where merchant_id = $1 and item_id = $2 and is_sandbox = $3
   for update`,
)

/**
 * Until the transaction ends no capture takes any of it nor gives any back. What is held must be read by a later statement: this one may
 * have waited, and sees held_stock as it was before.
 */
export const lockStock = (tx: Tx, { merchantId, itemId, isSandbox }: StockItem) =>
  tx.run(lock, [merchantId, itemId, isSandbox])

const findHeld = statement<{ held: number }>('products.find_held', `select ${heldOf('$2', '$3')} as held`)

export const heldStock = async (tx: Tx, { merchantId, itemId, isSandbox }: StockItem): Promise<number> =>
  (await tx.one(findHeld, [merchantId, itemId, isSandbox])).held

const set = statement(
  'products.set_stock',
  `insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
   values ($1, $2, $3, $4, $5)
   on conflict (merchant_id, item_id, is_sandbox) do update set available = excluded.available`,
)

/** One mode's alone: a count that a test key sends must not change what can be sold. */
export const setStock = (tx: Tx, { merchantId, productId, itemId, isSandbox }: StockItem, available: number) =>
  tx.run(set, [merchantId, productId, itemId, isSandbox, available])

// What is held is read by the statement that writes: a capture that ends in between would be taken for held and for sold at once.
const count = statement<{ held: number; is_written: boolean }>(
  'products.count_stock',
  `with held as (
     select ${heldOf('$3', '$4')} as quantity
   ),
   counted as (
     insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
     select $1, $2, $3, $4, $5::bigint - held.quantity
     from held
     where held.quantity <= $5
     on conflict (merchant_id, item_id, is_sandbox) do update set available = excluded.available
     returning item_id
   )
   select held.quantity as held, exists (select from counted) as is_written from held`,
)

/** Whoever calls has locked the item. Where more is held than was counted, nothing is written. */
export const countStock = (tx: Tx, { merchantId, productId, itemId, isSandbox }: StockItem, onHand: number) =>
  tx.one(count, [merchantId, productId, itemId, isSandbox, onHand])

const clear = statement(
  'products.clear_stock',
  'delete from stock where merchant_id = $1 and item_id = $2 and is_sandbox = $3',
)

/** In this mode a variant sells from the product's from now on; in the other it keeps what it has. */
export const clearStock = (tx: Tx, { merchantId, itemId, isSandbox }: StockItem) =>
  tx.run(clear, [merchantId, itemId, isSandbox])

// The SQL that puts stock back, for attempts to pay that came to nothing and for orders that are cancelled: all items in one statement, in
// the order of their ids. Of two that touch the same two items, neither then waits for the other.

/**
 * Takes what `source` names (`item_id`, `quantity`; each item once) from the stock of `:merchant_id` in the mode `:is_sandbox`. The part of
 * a `with` is called `taken` (`item_id`, `quantity`), and lacks the items of which there is not enough: then the transaction must not be
 * committed.
 */
// The condition stands in the update itself: of two hundred captures for the last unit, each sees what the one before has left.
export const takenFromStock = (source: string) => `wanted_stock as (
     select stock.item_id, ${source}.quantity
     from stock
     join ${source} on ${source}.item_id = stock.item_id
     where stock.merchant_id = :merchant_id and stock.is_sandbox = :is_sandbox
     order by stock.item_id
     for update of stock
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
export const restockedFrom = (source: string) => `owners as (
     select variant.id, variant.product_id
     from variants variant
     where variant.merchant_id = :merchant_id and variant.id = any(array(select item_id from ${source}))
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
     for update of stock
   ),
   restocked as (
     select places.taken_from, coalesce(own.item_id, shared.item_id) as item_id, places.quantity
     from places
     left join locked own on own.item_id = places.taken_from
     left join locked shared on shared.item_id = places.product_id
     where own.item_id is not null or shared.item_id is not null
   ),
   increased as (
     update stock
     set available = least(stock.available + sums.quantity, ${MAX_STOCK})
     from (select item_id, sum(quantity)::bigint as quantity from restocked group by item_id) sums
     where stock.merchant_id = :merchant_id and stock.item_id = any(array(select item_id from restocked))
       and stock.is_sandbox = :is_sandbox and stock.item_id = sums.item_id
   )`

const restock = statement<{ taken_from: string; item_id: string }>(
  'stock.restock',
  `with sold as (
     select sold.item_id, sold.quantity from unnest($3::text[], $4::bigint[]) as sold (item_id, quantity)
   ),
   ${restockedFrom('sold')}
   select taken_from, item_id from restocked`,
)

/** By each item whose goods are back, the item that has them now: itself, or the product of a variant without stock of its own. */
export async function restockItems(
  tx: Tx,
  { merchantId, isSandbox }: { readonly merchantId: number; readonly isSandbox: boolean },
  quantities: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, string>> {
  if (quantities.size === 0) return new Map()
  const rows = await tx.many(restock, [merchantId, isSandbox, [...quantities.keys()], [...quantities.values()]])
  return new Map(rows.map(({ taken_from, item_id }) => [taken_from, item_id]))
}
