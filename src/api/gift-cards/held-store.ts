// The SQL of what captures under way hold of a gift card: its credit has left the balance, and comes back if they fail.

import { statement, type Tx } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'

/** SQL for the credit that is held of the card whose id the SQL `giftCardId` is. $1 is the merchant, $2 whether it is the sandbox. */
export const heldCreditOf = (giftCardId: string) => `(
    select coalesce(sum(attempt.gift_card_credit), 0)::bigint
    from capture_attempts attempt
    where attempt.merchant_id = $1 and attempt.gift_card_id = ${giftCardId} and attempt.is_sandbox = $2
      and attempt.state in ('charging', 'waiting')
  )`

const find = statement<{ held: Minor }>('gift_cards.find_held', `select ${heldCreditOf('$3')} as held`)

export const findHeldCredit = async (
  tx: Tx,
  { merchantId, isSandbox }: { readonly merchantId: number; readonly isSandbox: boolean },
  giftCardId: string,
): Promise<Minor> => (await tx.one(find, [merchantId, isSandbox, giftCardId])).held
