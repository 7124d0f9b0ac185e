// Two ways to divide an amount: a portion that is rounded once, and shares that add up to it.
// Both give the same results as lib/money.ts. This file has the fast path for amounts that plain numbers express exactly, and the limits
// that ensure it.

import { allocate, type Minor, mulDivHalfUp } from '../lib/money.ts'

// Limits of a purchase. They keep every figure a number that JSON shows exactly.

/**
 * Maximum worth of one line, and maximum price of shipping.
 * With the limits below no result of price() passes MAX_TOTAL (just under 1000 × 10^12).
 * 300 lines, shipping and 100 adjustments are at most 401 × 10^12, and tax at most doubles that: 802 × 10^12.
 * A line above the limit can only come from a catalogue price raised after the add. It counts nothing and is shown as invalid, so that the
 * cart can still be read.
 */
export const MAX_LINE_TOTAL: Minor = 1_000_000_000_000

/** Maximum number of lines of a cart or a checkout. */
export const MAX_CART_LINES = 300

/**
 * Maximum size of the product data that the lines of one cart show, in bytes: descriptions, choices and the merchant's own data.
 * With three hundred lines each may have 28 KB. That is more than a hundred options and a long description.
 */
export const MAX_SHOWN_BYTES = 8_388_608

/** Maximum number of adjustments of a checkout, each at most MAX_AMOUNT in size. */
export const MAX_ADJUSTMENTS = 100

/** Maximum sum of the rates of one tax zone, in millionths: 100 %. Up to there a price also holds all tax it contains. */
export const MAX_TAX_RATE = 1_000_000

/** Maximum tax that an integration may set on one line, the same as our own rates can reach. */
export const MAX_LINE_TAX: Minor = MAX_LINE_TOTAL

/** amount × rate / whole, rounded half up once; none of them negative. */
export function portion(amount: Minor, rate: number, whole: number): Minor {
  const product = amount * rate
  // Past 2^53 the product may have been rounded already. Below it, a quotient that is not whole is never rounded up to the next whole one.
  if (!Number.isSafeInteger(product) || product < 0) return mulDivHalfUp(amount, rate, whole)
  const floor = Math.floor(product / whole)
  const remainder = product - floor * whole
  return remainder >= whole - remainder ? floor + 1 : floor
}

/** Same result as allocate(): largest remainder first, and the earlier one of equal remainders. */
export function splitIntoShares(total: Minor, weights: readonly number[]): Minor[] {
  let sum = 0
  let largest = 0
  for (const weight of weights) {
    sum += weight
    if (weight > largest) largest = weight
  }
  if (total === sum) return [...weights]
  if (!Number.isSafeInteger(sum) || !Number.isSafeInteger(total * largest)) return allocate(total, weights)
  if (sum === 0) throw new RangeError('An amount can only be split if a weight is above zero.')

  let remaining = total
  const remainders: number[] = []
  const portions = weights.map((weight) => {
    const product = total * weight
    const share = Math.floor(product / sum)
    remainders.push(product - share * sum)
    remaining -= share
    return share
  })
  if (remaining === 0) return portions
  // The sort is stable, so ties keep their order.
  const byRemainder = remainders
    .map((_, index) => index)
    .sort((one, other) => (remainders[other] ?? 0) - (remainders[one] ?? 0))
  for (const index of byRemainder.slice(0, remaining)) portions[index] = (portions[index] ?? 0) + 1
  return portions
}
