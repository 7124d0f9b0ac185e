// How much a discount saves, and which line saves how much of it.

import type { Minor } from '../lib/money.ts'
import { type Line, sumOfWorth, takeFrom } from './lines.ts'
import { portion } from './rounding.ts'

export type DiscountInput = {
  type: 'percentage' | 'fixed'
  /** Fixed: minor units. Percentage: ten-thousandths of a percent, so that 12.5 % is 125000. */
  value: number
  /** Empty: every product. */
  productIds: readonly string[]
}

const HUNDRED_PERCENT = 1_000_000

/** Gives `amountSaved`. A percentage is rounded once, over all it applies to: per line, many cheap lines would save too much or nothing. */
export function applyDiscount(lines: readonly Line[], discount: DiscountInput): Minor {
  const { type, value, productIds } = discount
  const eligible = productIds.length === 0 ? lines : linesOf(lines, new Set(productIds))
  const worth = sumOfWorth(eligible)
  const saved = Math.min(type === 'fixed' ? value : portion(worth, value, HUNDRED_PERCENT), worth)
  if (saved > 0)
    takeFrom(eligible, saved, (line, share) => {
      line.discountShare = share
    })
  return saved
}

const linesOf = (lines: readonly Line[], products: ReadonlySet<string>): Line[] =>
  lines.filter(({ input }) => products.has(input.productId))
