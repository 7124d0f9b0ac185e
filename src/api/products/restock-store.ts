// The SQL that puts stock back, for attempts to pay that came to nothing and for orders that are cancelled: all items in one statement, in
// the order of their ids. Of two that touch the same two items, neither then waits for the other.

import { statement, type Tx } from '../../db/db.ts'
import { MAX_STOCK } from './body-schema.ts'

/**
 * Adds what `source` names (`item_id`, `quantity`; each item once) to the stock of a merchant ($1) in a mode ($2). What was a variant's
 * own goes to the product's where the variant has none of its own any more: it sells from there. What belonged to a product or a variant
 * that has been deleted meanwhile is gone with it. Never more than a merchant may write. The part of a `with` is called `restocked`, and
 * says where (`item_id`) what was taken from `taken_from` went.
 */
// The product's row is locked beside the variant's own: that one may be cleared by whoever this waits for. Lists of ids, where a join would
// do: each is then looked up by its whole key, whatever the planner believes about the tables.
export const restockedFrom = (source: string) => `owners as (
     select variant.id, variant.product_id
     from variants variant
     where variant.merchant_id = $1 and variant.id = any(array(select item_id from ${source}))
   ),
   places as (
     select ${source}.item_id as taken_from, ${source}.quantity, owners.product_id
     from ${source}
     left join owners on owners.id = ${source}.item_id
   ),
   locked as (
     select stock.item_id
     from stock
     where stock.merchant_id = $1 and stock.is_sandbox = $2
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
     where stock.merchant_id = $1 and stock.item_id = any(array(select item_id from restocked)) and stock.is_sandbox = $2
       and stock.item_id = sums.item_id
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
