// The SQL that moves what is left on gift cards. A balance changes here and nowhere else, together with the entry that says why.

import { statement, type Tx } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'

export type Movement = {
  readonly merchantId: number
  readonly giftCardId: string
  readonly isSandbox: boolean
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
     set balance = balance + $4
     where merchant_id = $1 and gift_card_id = $2 and is_sandbox = $3 and balance + $4 >= 0
     returning merchant_id, gift_card_id, is_sandbox, balance
   )
   insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, subject_id, created_at)
   select merchant_id, gift_card_id, is_sandbox, $4, $5::text, $6::text, $7::timestamptz from moved
   returning (select balance from moved)`,
)

/** What is left after it. Null, and nothing is changed, when less than that is left or the card has been deleted. */
export async function moveGiftCardBalance(tx: Tx, movement: Movement, now: Date): Promise<Minor | null> {
  const { merchantId, giftCardId, isSandbox, amount, reason, subjectId } = movement
  const moved = await tx.maybe(move, [merchantId, giftCardId, isSandbox, amount, reason, subjectId, now])
  return moved?.balance ?? null
}

// `returning` gives what is left at this moment, after any payment that was waited for.
const close = statement(
  'gift_cards.close_balances',
  `with closed as (
     delete from gift_card_balances
     where merchant_id = $1 and gift_card_id = $2
     returning merchant_id, gift_card_id, is_sandbox, balance
   )
   insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, created_at)
   select merchant_id, gift_card_id, is_sandbox, -balance, 'deleted', $3 from closed where balance > 0`,
)

/** Takes what is left in both modes, so that the ledger of a card that is gone adds up to nothing. */
export const closeGiftCardBalances = (tx: Tx, merchantId: number, giftCardId: string, now: Date) =>
  tx.run(close, [merchantId, giftCardId, now])
