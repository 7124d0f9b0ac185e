// The SQL that puts stock back, for attempts to pay that came to nothing and for orders that are cancelled: all items in one statement, in
// the order of their ids. Of two that touch the same two items, neither then waits for the other.

import { statement, type Tx } from '../../db/db.ts'

/**
 * Adds what `source` names (`item_id`, `quantity`; each item once) to the stock of a merchant ($1) in a mode ($2). The part of a `with`
 * is called `restocked`. What belonged to a product or a variant that has been deleted meanwhile is gone with it.
 */
export const restockedFrom = (source: string) => `locked as (
     select stock.item_id, ${source}.quantity
     from stock
     join ${source} on ${source}.item_id = stock.item_id
     where stock.merchant_id = $1 and stock.is_sandbox = $2
     order by stock.item_id
     for update of stock
   ),
   restocked as (
     update stock
     set available = stock.available + locked.quantity
     from locked
     where stock.merchant_id = $1 and stock.item_id = locked.item_id and stock.is_sandbox = $2
     returning stock.item_id
   )`

const restock = statement<{ item_id: string }>(
  'stock.restock',
  `with sold as (
     select sold.item_id, sold.quantity from unnest($3::text[], $4::bigint[]) as sold (item_id, quantity)
   ),
   ${restockedFrom('sold')}
   select item_id from restocked`,
)

/** The items whose stock has it back: those of them that still have a stock of their own in this mode. */
export async function restockItems(
  tx: Tx,
  { merchantId, isSandbox }: { readonly merchantId: number; readonly isSandbox: boolean },
  quantities: ReadonlyMap<string, number>,
): Promise<ReadonlySet<string>> {
  if (quantities.size === 0) return new Set()
  const rows = await tx.many(restock, [merchantId, isSandbox, [...quantities.keys()], [...quantities.values()]])
  return new Set(rows.map(({ item_id }) => item_id))
}
