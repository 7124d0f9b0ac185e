// Amounts that an integration adds to a checkout or takes off it.

import type { Minor } from '../lib/money.ts'
import { type Line, sumOfWorth, takeFrom } from './lines.ts'

export type AdjustmentInput = { amount: Minor; isTaxable: boolean }

/** As applied, which may be less than was asked for: nothing falls below zero. */
export type Adjustments = { taxable: Minor; untaxable: Minor; total: Minor }

export const sumOfAdjustments = (adjustments: readonly AdjustmentInput[], isTaxable: boolean): Minor =>
  adjustments.reduce((sum, one) => (one.isTaxable === isTaxable ? sum + one.amount : sum), 0)

/**
 * Applies the sum of the taxable ones, before tax. Above zero it is a fee, taxed on its own. Below zero it lowers the lines
 * like a discount, and with them their tax; it takes no more than they are worth, and nothing off shipping.
 */
export function applyTaxable(lines: readonly Line[], sum: Minor): Minor {
  if (sum >= 0) return sum
  const taken = Math.min(-sum, sumOfWorth(lines))
  if (taken > 0) takeFrom(lines, taken)
  return taken === 0 ? 0 : -taken
}

/** The sum of the untaxable ones, applied after tax: it takes no more than the total without tax, and leaves tax alone. */
export const applicableUntaxable = (sum: Minor, total: Minor): Minor =>
  sum < -total ? (total === 0 ? 0 : -total) : sum
