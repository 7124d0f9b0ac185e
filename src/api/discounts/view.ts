// A row → the discount in its newest form, and the same as applied, field by field.

import { type Minor, priceOf } from '../../lib/money.ts'
import type { AppliedDiscountRow } from './applied-store.ts'
import type { AppliedDiscount, Discount } from './schema.ts'
import type { DiscountRow } from './store.ts'

export const viewDiscount = (row: DiscountRow, currency: string): Discount => ({
  id: row.id,
  code: row.code,
  type: row.type,
  value: shownValue(row, currency),
  product_ids: [...row.product_ids],
  limit: row.usage_limit,
  used: row.used,
  expires: row.expires,
  description: row.description,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
})

export const viewAppliedDiscount = (
  row: AppliedDiscountRow,
  amountSaved: Minor,
  currency: string,
): AppliedDiscount => ({
  type: row.type,
  code: row.code,
  value: shownValue(row, currency),
  amount_saved: priceOf(amountSaved, currency),
  product_ids: [...row.product_ids],
})

/** Percent or a decimal amount. One division of whole numbers within 15 digits prints as the decimal that was sent. */
export const shownValue = ({ type, value }: Pick<AppliedDiscountRow, 'type' | 'value'>, currency: string): number =>
  type === 'percentage' ? value / 10_000 : priceOf(value, currency).raw
