// A gift card on the screens, its status, and the texts of its ledger entries.

import type { Price, Tone } from '../../parts/show/values.tsx'
import { hasEnded } from '../discounts/discount.ts'

export type GiftCard = {
  readonly id: string
  readonly code: string
  readonly initial_value: Price
  readonly balance: Price
  readonly held: Price
  readonly note: string | null
  readonly expires: number | null
  readonly created: number
}

export type LedgerEntry = {
  readonly created: number
  readonly type: 'issued' | 'adjusted' | 'reserved' | 'spent' | 'returned'
  readonly amount: Price
  readonly balance: Price
  readonly order_id: string | null
  readonly customer_reference: string | null
}

export function giftCardStatus({ balance, held, expires }: GiftCard): readonly [tone: Tone, text: string] {
  if (hasEnded(expires)) return ['calm', 'Ended']
  if (balance.raw > 0) return ['good', 'Can be spent']
  return held.raw > 0 ? ['open', 'Held'] : ['calm', 'Spent']
}

/** Texts with and without the number of an order. */
export const ENTRY_WORDS: Readonly<Record<LedgerEntry['type'], readonly [withOrder: string, without: string]>> = {
  issued: ['Made for what was given back by order', 'Made'],
  adjusted: ['Set by hand, order', 'Set by hand'],
  reserved: ['Taken for order', 'Taken for a payment'],
  spent: ['Paid order', 'Paid an order'],
  returned: ['Given back by order', 'Given back: the payment did not come about'],
}

/** Last address of the list, with its filters. A gift card links back to it. */
export const giftCardListView = { address: '/dashboard/giftcards' }
