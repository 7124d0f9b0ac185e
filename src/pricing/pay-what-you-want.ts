// Lines whose price the shopper chooses: the minimum, the maximum, and the split of the amount among them.

import { MAX_AMOUNT, type Minor } from '../lib/money.ts'
import { type LineInput, PricingLine, sumOfWorth } from './lines.ts'
import { splitIntoShares } from './rounding.ts'

export type PayWhatYouWant = { isEnabled: boolean; minimum: Minor | null; customerSetPrice: Minor | null }

/** Largest amount that may be chosen, in whole units of the currency. */
const MAX_UNITS = 1_000_000_000

export type PayWhatYouWantProblem = 'not_offered' | 'too_low' | 'too_high'

/**
 * Reason why an amount may not be chosen; null if it may. The maximum is 10^9 units of the currency and 10^12 minor units.
 * Lines with a higher catalogue price are sold at that price, with no chosen amount.
 */
export function payWhatYouWantProblem(choice: {
  customerSetPrice: Minor
  /** Minimum from price(); null if no line is pay-what-you-want. */
  minimum: Minor | null
  /** Decimals of the currency's minor unit. */
  exponent: number
}): PayWhatYouWantProblem | null {
  if (choice.minimum === null) return 'not_offered'
  if (choice.customerSetPrice < choice.minimum) return 'too_low'
  if (choice.customerSetPrice > Math.min(MAX_UNITS * 10 ** choice.exponent, MAX_AMOUNT)) return 'too_high'
  return null
}

/**
 * Returns an earlier chosen amount if today's lines still allow it. Otherwise null, and the catalogue's total counts.
 * For saved amounts: a higher price or a larger quantity may have raised the minimum above them.
 */
export function keepValidChoice(lines: readonly LineInput[], customerSetPrice: Minor | null): Minor | null {
  if (customerSetPrice === null) return null
  const choosableLines = findChoosableLines(
    lines.filter(({ isPayWhatYouWant }) => isPayWhatYouWant).map((input) => new PricingLine(input)),
  )
  return choosableLines.length > 0 && customerSetPrice >= sumOfWorth(choosableLines) ? customerSetPrice : null
}

/** Replaces the catalogue's total of those lines by the chosen amount. */
export function applyPayWhatYouWant(lines: readonly PricingLine[], customerSetPrice: Minor | null): PayWhatYouWant {
  const choosableLines = findChoosableLines(lines)
  if (choosableLines.length === 0) return NOT_OFFERED
  const minimum = sumOfWorth(choosableLines)
  if (customerSetPrice === null) return { isEnabled: true, minimum, customerSetPrice }
  if (customerSetPrice < minimum || customerSetPrice > MAX_AMOUNT)
    throw new RangeError('A chosen amount must be checked against its limits before prices are computed with it.')

  // If everything is free in the catalogue, there is no proportion to keep.
  const weights = choosableLines.map(({ worth, input }) => (minimum === 0 ? input.quantity : worth))
  const parts = splitIntoShares(customerSetPrice, weights)
  for (const [index, line] of choosableLines.entries()) {
    line.worth = parts[index] ?? 0
    line.lineTotal = line.worth
  }
  return { isEnabled: true, minimum, customerSetPrice }
}

// Frozen, because every cart without such lines shares this object.
const NOT_OFFERED: PayWhatYouWant = Object.freeze({ isEnabled: false, minimum: null, customerSetPrice: null })

const findChoosableLines = (lines: readonly PricingLine[]): PricingLine[] =>
  lines.filter(({ input, isTooLarge }) => input.isPayWhatYouWant && !isTooLarge)
