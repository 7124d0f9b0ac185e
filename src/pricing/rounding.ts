// The two ways in which an amount is divided: a portion of it rounded once, and shares that add up to it.
// Both are those of lib/money.ts; here stands the short way for amounts so small that plain numbers are exact,
// and the largest purchase for which they are.

import { allocate, type Minor, mulDivHalfUp } from '../lib/money.ts'

// How large a purchase may be, so that every figure of it stays a number that JSON shows exactly.

/**
 * The largest worth of one line, and the largest price of shipping.
 *
 * With the limits below nothing that price() gives passes MAX_TOTAL (just under 1000 × 10^12):
 * 300 lines, shipping and 100 adjustments are at most 401 × 10^12, and tax at most doubles that: 802 × 10^12.
 * A line above it can only come from a catalogue price raised after the add; it then counts nothing and is shown as not valid,
 * so that reading the cart still works.
 */
export const MAX_LINE_TOTAL: Minor = 1_000_000_000_000

/** The most lines of a cart or a checkout. */
export const MAX_LINES = 300

/**
 * The most that the lines of one cart may show of their products, in bytes: descriptions, choices, data of the merchant's own. At three
 * hundred lines these are 28 KB for each, which is more than a hundred options and a long description.
 */
export const MAX_SHOWN_BYTES = 8_388_608

/** The most adjustments of a checkout, each at most MAX_AMOUNT in size. */
export const MAX_ADJUSTMENTS = 100

/** The most that the rates of one tax zone may add up to, in millionths: 100 %. Up to there a price also holds all tax it contains. */
export const MAX_TAX_RATE = 1_000_000

/** The most tax that an integration may set on one line: as much as our own rates could. */
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

/** As allocate(): largest remainder, and of equal remainders the earlier one first. */
export function shares(total: Minor, weights: readonly number[]): Minor[] {
  let sum = 0
  let largest = 0
  for (const weight of weights) {
    sum += weight
    if (weight > largest) largest = weight
  }
  if (total === sum) return [...weights]
  if (!Number.isSafeInteger(sum) || !Number.isSafeInteger(total * largest)) return allocate(total, weights)
  if (sum === 0) throw new RangeError('There is nothing to share the amount among.')

  let left = total
  const remainders: number[] = []
  const portions = weights.map((weight) => {
    const product = total * weight
    const share = Math.floor(product / sum)
    remainders.push(product - share * sum)
    left -= share
    return share
  })
  if (left === 0) return portions
  // The sort is stable, which is what settles ties by order.
  const byRemainder = remainders
    .map((_, index) => index)
    .sort((one, other) => (remainders[other] ?? 0) - (remainders[one] ?? 0))
  for (const index of byRemainder.slice(0, left)) portions[index] = (portions[index] ?? 0) + 1
  return portions
}
