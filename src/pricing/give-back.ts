// What was paid for each line of an order, and what of that a part of its quantity is worth: the figures by which items are refunded.
// Pure, and exact: the parts of a line add up to the line, in whichever parts and order they go back.

import type { Minor } from '../lib/money.ts'
import { portion, shares } from './rounding.ts'

type PaidLine = {
  readonly id: string
  readonly lineTotal: Minor
  readonly discountShare: Minor
  readonly taxAmount: Minor
}

type PaidOrder = {
  readonly lines: readonly PaidLine[]
  /** The sum of the taxable adjustments, as applied: below zero it has lowered the lines like a discount. */
  readonly taxableAdjustment: Minor
  readonly isTaxIncluded: boolean
}

/** By the id of each line: its price less its shares of the discount and of a negative taxable adjustment, with its tax. No shipping. */
export function paidForLines({ lines, taxableAdjustment, isTaxIncluded }: PaidOrder): ReadonlyMap<string, Minor> {
  // In the order in which price() shares out: by age.
  const byAge = lines.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const worths = byAge.map(({ lineTotal, discountShare }) => lineTotal - discountShare)
  const reductions = taxableAdjustment < 0 ? shares(-taxableAdjustment, worths) : []
  return new Map(
    byAge.map(({ id, taxAmount }, index) => [
      id,
      (worths[index] ?? 0) - (reductions[index] ?? 0) + (isTaxIncluded ? 0 : taxAmount),
    ]),
  )
}

/**
 * What `quantity` more of a line gives back, where `before` have gone back already. Each sum from the first on is rounded, and not each
 * part: three thirds of 10.00 are 3.33, 3.34 and 3.33, and never 9.99.
 */
export const pieceOf = (paid: Minor, bought: number, before: number, quantity: number): Minor =>
  portion(paid, before + quantity, bought) - portion(paid, before, bought)
