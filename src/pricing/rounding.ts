// The two ways in which an amount is divided: a portion of it rounded once, and shares that add up to it.
// Both are those of lib/money.ts; here stands the short way for amounts so small that plain numbers are exact.

import { allocate, type Minor, mulDivHalfUp } from '../lib/money.ts'

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
  const given = weights.map((weight) => {
    const product = total * weight
    const share = Math.floor(product / sum)
    remainders.push(product - share * sum)
    left -= share
    return share
  })
  if (left === 0) return given
  // The sort is stable, which is what settles ties by order.
  const byRemainder = remainders
    .map((_, index) => index)
    .sort((one, other) => (remainders[other] ?? 0) - (remainders[one] ?? 0))
  for (const index of byRemainder.slice(0, left)) given[index] = (given[index] ?? 0) + 1
  return given
}
