// Says whether figures are right by whole-number comparisons with the exact fraction, never by computing them the way src does.

import type { LineInput } from '../../src/pricing/price.ts'

/** What a line costs by the catalogue; null when that is more than a line may be worth. */
export function catalogueTotal({ unitPrice, optionDeltas, quantity }: LineInput): bigint | null {
  const unit = [unitPrice, ...optionDeltas].reduce((sum, amount) => sum + BigInt(amount), 0n)
  const total = unit < 0n ? 0n : unit * BigInt(quantity)
  return total > 10n ** 12n ? null : total
}

/** The least that may be paid for the lines whose price the shopper chooses; null when there are none. */
export function chosenMinimum(lines: readonly LineInput[]): number | null {
  const totals = lines
    .filter(({ isPayWhatYouWant }) => isPayWhatYouWant)
    .map(catalogueTotal)
    .filter((total) => total !== null)
  return totals.length === 0 ? null : Number(totals.reduce((sum, total) => sum + total, 0n))
}

/** Whether `result` is numerator / denominator rounded half up: no more than a half above it, and less than a half below. */
export function isHalfUp(result: number, numerator: bigint, denominator: bigint): boolean {
  const above = 2n * (BigInt(result) * denominator - numerator)
  return above <= denominator && above > -denominator
}

export type Share = { id: string; share: number; weight: number }

/** What is wrong with shares by largest remainder; null when nothing is. */
export function shareProblem(total: number, given: readonly Share[]): string | null {
  const whole = given.reduce((sum, { weight }) => sum + BigInt(weight), 0n)
  const sum = given.reduce((before, { share }) => before + share, 0)
  if (sum !== total) return `the shares add up to ${sum}, not ${total}`
  let lastRaised: { id: string; remainder: bigint } | null = null
  let firstLeft: { id: string; remainder: bigint } | null = null
  for (const { id, share, weight } of given) {
    // How far the share is from its quota, in parts of `whole`.
    const off = BigInt(share) * whole - BigInt(total) * BigInt(weight)
    if (total > 0 && (off >= whole || off <= -whole)) return `${id} is a unit or more from its quota`
    if (off > 0n) {
      const one = { id, remainder: whole - off }
      if (lastRaised === null || comesBefore(lastRaised, one)) lastRaised = one
    } else {
      const one = { id, remainder: -off }
      if (off < 0n && (firstLeft === null || comesBefore(one, firstLeft))) firstLeft = one
    }
  }
  return lastRaised !== null && firstLeft !== null && comesBefore(firstLeft, lastRaised)
    ? `${lastRaised.id} was given what ${firstLeft.id} should have`
    : null
}

/** The larger remainder; of equal ones that of the older line. */
const comesBefore = (one: { id: string; remainder: bigint }, other: { id: string; remainder: bigint }): boolean =>
  one.remainder === other.remainder ? one.id < other.id : one.remainder > other.remainder
