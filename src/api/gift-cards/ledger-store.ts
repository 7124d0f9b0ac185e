// The SQL that moves what is left on gift cards. A balance changes here and nowhere else, together with the entry that says why; a card
// that is new gets its first entry as it is inserted (store.ts).

import { type Scope, statement, type Tx } from '../../db/db.ts'
import { type Shop, scopeValues, shopValues } from '../../db/records.ts'
import type { Minor } from '../../lib/money.ts'

export type Movement = {
  readonly giftCardId: string
  /** Negative when it takes from the card. Not zero. */
  readonly amount: Minor
  readonly reason: 'adjusted' | 'reserved' | 'returned'
  /** What it is for, such as the attempt to pay; null when the merchant did it. */
  readonly subjectId: string | null
}

// The condition stands in the update itself: of twenty payments at once, each sees what the one before has left.
const move = statement<{ balance: Minor }>(
  'gift_cards.move_balance',
  `with moved as (
     update gift_card_balances
     set balance = balance + :amount
     where merchant_id = :merchant_id and gift_card_id = :gift_card_id and is_sandbox = :is_sandbox
       and balance + :amount >= 0
     returning gift_card_id, is_sandbox, balance
   ),
   entered as (
     insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, subject_id, created_at)
     select :merchant_id::integer, gift_card_id, is_sandbox, :amount, :reason::text, :subject_id::text, :now::timestamptz from moved
   )
   select balance from moved`,
)

/** What is left after it. Null, and nothing is changed, when less than that is left or the card has been deleted. */
export async function moveGiftCardBalance(
  tx: Tx,
  scope: Scope,
  { giftCardId, amount, reason, subjectId }: Movement,
  now: Date,
): Promise<Minor | null> {
  const values = { gift_card_id: giftCardId, amount, reason, subject_id: subjectId, now }
  return (await tx.maybe(move, { ...scopeValues(scope), ...values }))?.balance ?? null
}

// `returning` gives what is left at this moment, after any payment that was waited for.
const close = statement(
  'gift_cards.close_balances',
  `with closed as (
     delete from gift_card_balances
     where merchant_id = :merchant_id and gift_card_id = :gift_card_id
     returning is_sandbox, balance
   ),
   entries as (
     insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, created_at)
     select :merchant_id, :gift_card_id, is_sandbox, -balance, 'deleted', :now from closed where balance > 0
   )
   select 1 from closed`,
)

/** Takes what is left in both modes, so that the ledger of a card that is gone adds up to nothing. */
export const closeGiftCardBalances = (tx: Tx, shop: Shop, giftCardId: string, now: Date) =>
  tx.run(close, { ...shopValues(shop), gift_card_id: giftCardId, now })

/**
 * SQL for the credit that captures under way hold of the card whose id the SQL `giftCardId` is: it has left the balance, and comes back
 * if they fail. `:merchant_id` and `:is_sandbox` say whose.
 */
export const heldCreditOf = (giftCardId: string) => `(
    select coalesce(sum(attempt.gift_card_credit), 0)::bigint
    from capture_attempts attempt
    where attempt.merchant_id = :merchant_id and attempt.gift_card_id = ${giftCardId} and attempt.is_sandbox = :is_sandbox
      and attempt.state in ('charging', 'waiting')
  )`

const findHeld = statement<{ held: Minor }>('gift_cards.find_held', `select ${heldCreditOf(':gift_card_id')} as held`)

export const findHeldCredit = async (tx: Tx, scope: Scope, giftCardId: string): Promise<Minor> =>
  (await tx.one(findHeld, { ...scopeValues(scope), gift_card_id: giftCardId })).held
