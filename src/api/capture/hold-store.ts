// The SQL of what an attempt holds: the stock that it takes and gives back, and all that one that waits will give back. What it holds is kept
// in held_stock; the stock itself is written by parts that its owner exports.

import { type Db, statement, type Tx } from '../../db/db.ts'
import { APPLIED_DISCOUNT_JSON, type AppliedDiscountRow, usableDiscount } from '../discounts/store.ts'
import { type AppliedGiftCardRow, appliedGiftCardJson } from '../gift-cards/store.ts'
import type { ItemDemand } from '../lines/line.ts'
import { restockedFrom, takenFromStock } from '../products/stock-store.ts'
import { HAS_SLOTS, type SlotDemand, slotValues, takenSlots, tokenDeclines } from './declines/store.ts'
import {
  type AttemptKey,
  type AttemptRow,
  attemptValues,
  INSERT_ATTEMPT,
  isDivisionByZero,
  type NewAttempt,
} from './store.ts'

/** What is taken from one stock item. */
export type StockDemand = Omit<ItemDemand, 'available'>

const wantedIf = (condition: string) => `wanted as (
     select wanted.item_id, wanted.quantity
     from unnest(:item_ids::text[], :quantities::bigint[]) as wanted (item_id, quantity)
     where ${condition}
   )`

const HELD = `held as (
     insert into held_stock (merchant_id, attempt_id, item_id, quantity)
     select :merchant_id, :id, taken.item_id, taken.quantity from taken
   )`

const take = statement<{ item_id: string }>(
  'capture.take_stock',
  `with ${wantedIf('true')},
   ${takenFromStock('wanted')},
   ${HELD}
   select item_id from taken`,
)

/** The items that ran short. Others may have been taken, so the transaction must not commit. */
export async function takeStock(
  tx: Tx,
  { merchant_id, id, is_sandbox }: Pick<AttemptRow, 'merchant_id' | 'id' | 'is_sandbox'>,
  demands: readonly StockDemand[],
): Promise<StockDemand[]> {
  const rows = await tx.many(take, { merchant_id, id, is_sandbox, ...demandValues(demands) })
  return shortOf(
    demands,
    rows.map(({ item_id }) => item_id),
  )
}

const demandValues = (demands: readonly StockDemand[]) => ({
  item_ids: demands.map(({ itemId }) => itemId),
  quantities: demands.map(({ quantity }) => quantity),
})

function shortOf(demands: readonly StockDemand[], takenIds: readonly string[]): StockDemand[] {
  const taken = new Set(takenIds)
  return demands.filter(({ itemId }) => !taken.has(itemId))
}

// The attempt first, and stock only where there is one: `wanted` is empty until it has been inserted. Nothing but an error takes back what a
// statement has written, and a division by zero is one that every SQL can make.
const beginWhole = statement<{ is_begun: boolean }>(
  'capture.begin_whole_attempt',
  `with begun as (
     ${INSERT_ATTEMPT}
     returning id
   ),
   ${wantedIf('exists (select 1 from begun)')},
   ${takenFromStock('wanted')},
   ${HELD},
   ${tokenDeclines('exists (select 1 from begun)')},
   ${takenSlots('exists (select 1 from begun) and (select count(*) from taken) = (select count(*) from wanted)')}
   select exists (select 1 from begun) as is_begun,
     1 / (case when (select count(*) from taken) = (select count(*) from wanted)
       and (not exists (select 1 from begun) or ${HAS_SLOTS}) then 1 else 0 end) as is_whole`,
)

/**
 * The attempt with all the stock and slots that it needs, in one statement that needs no transaction. `short`: there is not enough of
 * something, and nothing was written. `not_begun`: the token has an attempt already that was not released; one that is being written is waited for.
 */
export async function beginWholeAttempt(
  db: Db,
  attempt: NewAttempt,
  demands: readonly StockDemand[],
  slots: SlotDemand,
  now: Date,
): Promise<'begun' | 'not_begun' | 'short'> {
  try {
    const values = { ...attemptValues(attempt), ...demandValues(demands), ...slotValues(slots, now), now }
    // Together with nothing else: deadlocks run it again.
    const [{ is_begun: isBegun }] = await db.together((all) => [all.one(beginWhole, values)])
    return isBegun ? 'begun' : 'not_begun'
  } catch (error) {
    if (isDivisionByZero(error)) return 'short'
    throw error
  }
}

const begin = statement<{ id: string }>(
  'capture.begin_attempt',
  `${INSERT_ATTEMPT}
   returning id`,
)

/** The attempt alone. False when it was not begun. */
export const beginAttempt = async (tx: Tx, attempt: NewAttempt, now: Date): Promise<boolean> =>
  (await tx.maybe(begin, { ...attemptValues(attempt), now })) !== null

const bind = statement<{ reference: string }>(
  'capture.bind_payment',
  `insert into payment_references (merchant_id, is_sandbox, gateway, reference, attempt_id, created_at)
   values (:merchant_id, :is_sandbox, :gateway, :reference, :id, :now)
   on conflict (merchant_id, is_sandbox, gateway, reference) do nothing
   returning reference`,
)

/**
 * The shopper's payment pays for this attempt and no other. False when it is another's; one that is being bound in this moment is waited
 * for.
 */
export const bindPayment = async (tx: Tx, attempt: BoundAttempt, now: Date): Promise<boolean> =>
  (await tx.maybe(bind, { ...referenceOf(attempt), now })) !== null

/** What names the payment of an attempt. */
type BoundAttempt = AttemptKey & Pick<AttemptRow, 'is_sandbox' | 'gateway' | 'payment_reference'>

const referenceOf = ({ merchant_id, id, is_sandbox, gateway, payment_reference: reference }: BoundAttempt) => ({
  merchant_id,
  id,
  is_sandbox,
  gateway,
  reference,
})

const unbind = statement(
  'capture.unbind_payment',
  `delete from payment_references
   where merchant_id = :merchant_id and is_sandbox = :is_sandbox and gateway = :gateway and reference = :reference
     and attempt_id = :id`,
)

/** Of an attempt that came to nothing: the payment may be tried once more. */
export const unbindPayment = (tx: Tx, attempt: BoundAttempt) => tx.run(unbind, referenceOf(attempt))

const giveBack = statement(
  'capture.give_stock_back',
  `with held as (
     delete from held_stock where merchant_id = :merchant_id and attempt_id = :id returning item_id, quantity
   ),
   ${restockedFrom('held')}
   select count(*) from restocked`,
)

/** Stock of a product deleted meanwhile is gone with it. */
export const giveStockBack = (
  tx: Tx,
  { merchant_id, id, is_sandbox }: Pick<AttemptRow, 'merchant_id' | 'id' | 'is_sandbox'>,
) => tx.run(giveBack, { merchant_id, id, is_sandbox })

/** What an attempt that waits for the shopper holds, as it will be after giving everything back. */
export type WaitingHold = {
  /** The code that it uses and the card that it pays with, if they can be used then. */
  discount: AppliedDiscountRow | null
  gift_card: AppliedGiftCardRow | null
  /** Whether they are those of the token, and not of its body alone. */
  is_discount_applied: boolean
  is_gift_card_applied: boolean
  /** How much of each stock item. */
  stock: Record<string, number>
}

const findHeld = statement<WaitingHold>(
  'capture.find_held',
  `select
     (
       select ${APPLIED_DISCOUNT_JSON('discount')}
       from discounts discount
       where discount.merchant_id = :merchant_id and discount.id = attempt.discount_id
         and ${usableDiscount('discount', { now: ':now', isSandbox: 'attempt.is_sandbox', without: '1' })}
     ) as discount,
     ${appliedGiftCardJson({
       merchantId: ':merchant_id',
       isSandbox: 'attempt.is_sandbox',
       now: ':now',
       giftCardId: 'attempt.gift_card_id',
       returned: 'attempt.gift_card_credit',
     })} as gift_card,
     coalesce(checkout.discount_id = attempt.discount_id, false) as is_discount_applied,
     coalesce(checkout.gift_card_id = attempt.gift_card_id, false) as is_gift_card_applied,
     coalesce((
       select json_object_agg(held.item_id, held.quantity)
       from held_stock held
       where held.merchant_id = :merchant_id and held.attempt_id = attempt.id
     ), '{}') as stock
   from capture_attempts attempt
   join checkouts checkout on checkout.merchant_id = attempt.merchant_id and checkout.id = attempt.checkout_id
   where attempt.merchant_id = :merchant_id and attempt.id = :id
     and (attempt.state = 'waiting') is true`,
)

/** Null when it does not wait any more. */
export const findWaitingHold = (db: Db, { merchant_id, id }: AttemptKey, now: Date) =>
  db.maybe(findHeld, { merchant_id, id, now })
