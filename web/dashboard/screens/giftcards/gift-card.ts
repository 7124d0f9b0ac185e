// The status of a gift card, and the texts of its ledger entries.

import type { GiftCard, GiftCardEntry } from '../../../../src/api/gift-cards/schema.ts'
import type { Tone } from '../../parts/show/values.tsx'
import { hasEnded } from '../discounts/discount.ts'

export function giftCardStatus({ balance, held, expires }: GiftCard): readonly [tone: Tone, text: string] {
  if (hasEnded(expires)) return ['calm', 'Ended']
  if (balance.raw > 0) return ['good', 'Can be spent']
  return held.raw > 0 ? ['open', 'Held'] : ['calm', 'Spent']
}

/** Texts with and without the number of an order. */
export const ENTRY_WORDS: Readonly<Record<GiftCardEntry['type'], readonly [withOrder: string, without: string]>> = {
  issued: ['Made for what was given back by order', 'Made'],
  adjusted: ['Set by hand, order', 'Set by hand'],
  reserved: ['Taken for order', 'Taken for a payment'],
  spent: ['Paid order', 'Paid an order'],
  returned: ['Given back by order', 'Given back: the payment did not come about'],
}
