// The SQL by which an attempt takes stock and gives it back, and that tells what one holds. All items of an attempt in one statement, in the order of their ids: of two
// attempts that want the same two items, neither then waits for the other.

import { type Db, statement, type Tx } from '../../db/db.ts'
import { APPLIED_DISCOUNT_JSON, type AppliedDiscountRow, usableDiscount } from '../discounts/store.ts'
import { type AppliedGiftCardRow, appliedGiftCardJson } from '../gift-cards/store.ts'
import { restockedFrom } from '../products/stock-store.ts'
import type { StockDemand } from './prepared.ts'
import type { AttemptKey } from './store.ts'

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

/** What an attempt that waits for the shopper holds, as it will be once it has given all of it back. */
export type HeldByWaiting = {
  /** The code that it uses and the card that it pays with, if they can be used then. */
  discount: AppliedDiscountRow | null
  gift_card: AppliedGiftCardRow | null
  /** Whether they are those of the token, and not of its body alone. */
  is_discount_applied: boolean
  is_gift_card_applied: boolean
  /** How much of each stock item. */
  stock: Record<string, number>
}

const findHeld = statement<HeldByWaiting>(
  'capture.find_held',
  `select
     (
       select ${APPLIED_DISCOUNT_JSON('discount')}
       from discounts discount
       where discount.merchant_id = $1 and discount.id = attempt.discount_id
         and ${usableDiscount('discount', { now: '$3', isSandbox: 'attempt.is_sandbox', without: '1' })}
     ) as discount,
     ${appliedGiftCardJson({
       merchantId: '$1',
       isSandbox: 'attempt.is_sandbox',
       now: '$3',
       giftCardId: 'attempt.gift_card_id',
       returned: 'attempt.gift_card_credit',
     })} as gift_card,
     coalesce(checkout.discount_id = attempt.discount_id, false) as is_discount_applied,
     coalesce(checkout.gift_card_id = attempt.gift_card_id, false) as is_gift_card_applied,
     coalesce((
       select json_object_agg(held.item_id, held.quantity)
       from held_stock held
       where held.merchant_id = $1 and held.attempt_id = attempt.id
     ), '{}') as stock
   from capture_attempts attempt
   join checkouts checkout on checkout.merchant_id = attempt.merchant_id and checkout.id = attempt.checkout_id
   where attempt.merchant_id = $1 and attempt.id = $2 and attempt.state = 'waiting'`,
)

/** Null when it does not wait any more. */
export const findHeldByWaiting = (db: Db, { merchant_id, id }: AttemptKey, now: Date) =>
  db.maybe(findHeld, [merchant_id, id, now])
