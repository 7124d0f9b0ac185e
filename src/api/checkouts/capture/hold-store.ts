// The SQL by which an attempt takes stock and gives it back. All items of an attempt in one statement, in the order of their ids: of two
// attempts that want the same two items, neither then waits for the other.

import { statement, type Tx } from '../../../db/db.ts'
import { restockedFrom } from '../../products/restock-store.ts'
import type { AttemptKey } from './attempt-store.ts'
import type { StockDemand } from './prepared.ts'

// The condition stands in the update itself: of two hundred captures for the last unit, each sees what the one before has left.
const take = statement<{ item_id: string }>(
  'capture.take_stock',
  `with locked as (
     select stock.item_id, wanted.quantity
     from stock
     join unnest($4::text[], $5::bigint[]) as wanted (item_id, quantity) on wanted.item_id = stock.item_id
     where stock.merchant_id = $1 and stock.is_sandbox = $3
     order by stock.item_id
     for update of stock
   ),
   taken as (
     update stock
     set available = stock.available - locked.quantity
     from locked
     where stock.merchant_id = $1 and stock.item_id = locked.item_id and stock.is_sandbox = $3
       and stock.available >= locked.quantity
     returning stock.item_id, locked.quantity
   ),
   held as (
     insert into held_stock (merchant_id, attempt_id, item_id, quantity)
     select $1, $2, taken.item_id, taken.quantity from taken
   )
   select item_id from taken`,
)

/** The items of which there was not enough. Some of the others may have been taken: then the transaction must not be committed. */
export async function takeStock(
  tx: Tx,
  { merchant_id, id }: AttemptKey,
  isSandbox: boolean,
  demands: readonly StockDemand[],
): Promise<StockDemand[]> {
  const items = demands.map(({ itemId }) => itemId)
  const quantities = demands.map(({ quantity }) => quantity)
  const rows = await tx.many(take, [merchant_id, id, isSandbox, items, quantities])
  const taken = new Set(rows.map(({ item_id }) => item_id))
  return demands.filter(({ itemId }) => !taken.has(itemId))
}

const giveBack = statement(
  'capture.give_stock_back',
  `with held as (
     delete from held_stock where merchant_id = $1 and attempt_id = $3 returning item_id, quantity
   ),
   ${restockedFrom('held')}
   select count(*) from restocked`,
)

/** What belonged to a product that has been deleted meanwhile is gone with it. */
export const giveStockBack = (tx: Tx, { merchant_id, id }: AttemptKey, isSandbox: boolean) =>
  tx.run(giveBack, [merchant_id, isSandbox, id])
