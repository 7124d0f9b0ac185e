// A row → the gift card in its newest form, field by field.

import { type Minor, priceOf } from '../../lib/money.ts'
import type { AppliedGiftCard, GiftCard } from './schema.ts'
import type { GiftCardRow } from './store.ts'

export const viewGiftCard = (row: GiftCardRow, currency: string): GiftCard => ({
  id: row.id,
  code: row.code,
  initial_value: priceOf(row.initial_value, currency),
  balance: priceOf(row.balance, currency),
  held: priceOf(row.held, currency),
  note: row.note,
  expires: row.expires,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
})

/** What a card pays, and what is then left on it: the same in live totals, where it is a promise, and in the order that keeps it. */
export const viewAppliedGiftCard = (
  { id, code }: { readonly id: string; readonly code: string },
  credit: Minor,
  balanceAfter: Minor,
  currency: string,
): AppliedGiftCard => ({
  id,
  code,
  balance: priceOf(balanceAfter, currency).raw,
  credit: priceOf(credit, currency),
})
