// Gives back what a gift card paid for an order: to the card, or to a new one where the card pays nothing any more. What a shopper has
// paid is never returned to nowhere.

import type { Tx } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'
import { newCode } from '../discounts/code.ts'
import { type Issuer, issueGiftCard } from './gift-card.ts'
import { moveGiftCardBalance } from './ledger-store.ts'
import { lockGiftCardUsability } from './store.ts'

/** Where the credit went: `replaced` says why it is another card than the one that paid, and is null where it is the same. */
export type ReturnedCredit = {
  readonly gift_card_id: string
  readonly amount: Minor
  readonly replaced: 'card_deleted' | 'card_expired' | null
}

export type Credit = { readonly giftCardId: string; readonly amount: Minor; readonly orderId: string }

/** In the mode of `issuer`. A new card has its value in that mode alone: what the sandbox gives back is worth nothing live. */
export async function returnCredit(
  tx: Tx,
  issuer: Issuer,
  { giftCardId, amount, orderId }: Credit,
  now: Date,
): Promise<ReturnedCredit> {
  const { merchantId, isSandbox } = issuer
  const isUsable = await lockGiftCardUsability(tx, merchantId, giftCardId, now)
  if (isUsable) {
    const movement = { merchantId, giftCardId, isSandbox, amount, reason: 'returned', subjectId: orderId } as const
    if ((await moveGiftCardBalance(tx, movement, now)) === null)
      throw new Error(`The gift card ${giftCardId} has no balance although its row was locked.`)
    return { gift_card_id: giftCardId, amount, replaced: null }
  }
  const replaced = isUsable === null ? 'card_deleted' : 'card_expired'
  const why = isUsable === null ? 'had been deleted' : 'had expired'
  const columns = {
    code: newCode(),
    note: `Credit that the order ${orderId} gave back: ${giftCardId}, which had paid it, ${why}.`,
    meta: null,
    expires: null,
  }
  const card = await issueGiftCard(tx, issuer, amount, columns, { onlyIn: isSandbox, subjectId: orderId }, now)
  return { gift_card_id: card.id, amount, replaced }
}
