// Refund amounts of items: the price paid for each line of an order, and the value of a part of its quantity.
// Pure and exact: the parts of a line add up to the line, however it is split.

import type { Minor } from '../lib/money.ts'
import { portion, splitIntoShares } from './rounding.ts'

type PaidLine = {
  readonly id: string
  readonly lineTotal: Minor
  readonly discountShare: Minor
  readonly taxAmount: Minor
}

type PaidOrder = {
  readonly lines: readonly PaidLine[]
  /** Sum of the taxable adjustments. A negative sum has lowered the lines like a discount. */
  readonly taxableAdjustment: Minor
  readonly isTaxIncluded: boolean
}

/**
 * Amount paid per line id: its price less its shares of the discount and of a negative taxable adjustment, with its tax. Without shipping.
 */
export function paidPerLine({ lines, taxableAdjustment, isTaxIncluded }: PaidOrder): ReadonlyMap<string, Minor> {
  // Sorted by age, the order in which price() shares out.
  const byAge = lines.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const worths = byAge.map(({ lineTotal, discountShare }) => lineTotal - discountShare)
  const reductions = taxableAdjustment < 0 ? splitIntoShares(-taxableAdjustment, worths) : []
  return new Map(
    byAge.map(({ id, taxAmount }, index) => [
      id,
      (worths[index] ?? 0) - (reductions[index] ?? 0) + (isTaxIncluded ? 0 : taxAmount),
    ]),
  )
}

/**
 * Refund for `quantity` more units of a line after `before` refunded units. It rounds running totals instead of single parts. Three thirds
 * of 10.00 are thus 3.33, 3.34 and 3.33, and never 9.99.
 */
export const refundForQuantity = (paid: Minor, bought: number, before: number, quantity: number): Minor =>
  portion(paid, before + quantity, bought) - portion(paid, before, bought)
