// Lines whose price the shopper chooses: the least that is accepted, the most, and who gets which part of the amount.

import { MAX_AMOUNT, type Minor } from '../lib/money.ts'
import { Line, type LineInput, sumOfWorth } from './lines.ts'
import { shares } from './rounding.ts'

export type PayWhatYouWant = { isEnabled: boolean; minimum: Minor | null; customerSetPrice: Minor | null }

/** The largest amount that may be chosen, in whole units of the currency. */
const MOST_UNITS = 1_000_000_000

export type PayWhatYouWantProblem = 'not_offered' | 'too_low' | 'too_high'

/**
 * Why an amount may not be chosen, or null when it may. At most 10^9 units of the currency and 10^12 minor units.
 * Lines that cost more than that by the catalogue are bought for just that, with no amount chosen.
 */
export function payWhatYouWantProblem(choice: {
  customerSetPrice: Minor
  /** As price() told it: null when no line is pay-what-you-want. */
  minimum: Minor | null
  /** Decimals of the currency's minor unit. */
  exponent: number
}): PayWhatYouWantProblem | null {
  if (choice.minimum === null) return 'not_offered'
  if (choice.customerSetPrice < choice.minimum) return 'too_low'
  if (choice.customerSetPrice > Math.min(MOST_UNITS * 10 ** choice.exponent, MAX_AMOUNT)) return 'too_high'
  return null
}

/**
 * An amount that was chosen earlier, as long as today's lines still allow it; else null, and the catalogue's total counts.
 * For amounts that were saved: a price raised since then, or a larger quantity, may have lifted the minimum above them.
 */
export function stillChosen(lines: readonly LineInput[], customerSetPrice: Minor | null): Minor | null {
  if (customerSetPrice === null) return null
  const choosable = choosableOf(
    lines.filter(({ isPayWhatYouWant }) => isPayWhatYouWant).map((input) => new Line(input)),
  )
  return choosable.length > 0 && customerSetPrice >= sumOfWorth(choosable) ? customerSetPrice : null
}

/** Replaces the catalogue's total of those lines by the chosen amount. */
export function applyPayWhatYouWant(lines: readonly Line[], customerSetPrice: Minor | null): PayWhatYouWant {
  const choosable = choosableOf(lines)
  if (choosable.length === 0) return NOT_OFFERED
  const minimum = sumOfWorth(choosable)
  if (customerSetPrice === null) return { isEnabled: true, minimum, customerSetPrice }
  if (customerSetPrice < minimum || customerSetPrice > MAX_AMOUNT)
    throw new RangeError('A chosen amount must be checked against its limits before prices are computed with it.')

  // Where everything is free by the catalogue there is no proportion to keep.
  const weights = choosable.map(({ worth, input }) => (minimum === 0 ? input.quantity : worth))
  const parts = shares(customerSetPrice, weights)
  for (const [index, line] of choosable.entries()) {
    line.worth = parts[index] ?? 0
    line.lineTotal = line.worth
  }
  return { isEnabled: true, minimum, customerSetPrice }
}

// Frozen, because every cart without such lines shows this very object.
const NOT_OFFERED: PayWhatYouWant = Object.freeze({ isEnabled: false, minimum: null, customerSetPrice: null })

const choosableOf = (lines: readonly Line[]): Line[] =>
  lines.filter(({ input, isTooLarge }) => input.isPayWhatYouWant && !isTooLarge)
