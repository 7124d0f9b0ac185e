// Rates of tax: millionths inside, read and shown without ever computing with fractions. 7.25 % is 72500, 0.0725 and "7.25%".

import { readDecimal } from '../../lib/money.ts'
import type { TaxRate } from '../../pricing/tax.ts'

const DECIMALS = 6
const WHOLE = 10 ** DECIMALS

/** A rate as it is stored. `digital_rate` is null where it is the same as `rate`. */
export type RateRow = { type: string; rate: number; digital_rate: number | null }

/** Millionths of a fraction from 0 to 1, given as a number or a decimal string with at most six decimals; else null. */
export function readRate(value: number | string): number | null {
  const decimal = readDecimal(value)
  if (decimal === null || decimal.scale > DECIMALS) return null
  const millionths = decimal.units * 10n ** BigInt(DECIMALS - decimal.scale)
  return millionths >= 0n && millionths <= BigInt(WHOLE) ? Number(millionths) : null
}

/** One correctly rounded division of integers: it prints as the very decimal that was sent. */
export const rateNumber = (millionths: number): number => millionths / WHOLE

export const ratePercentage = (millionths: number): string => `${millionths / 10_000}%`

/** For `price()`. */
export const taxRates = (rows: readonly RateRow[]): TaxRate[] =>
  rows.map(({ type, rate, digital_rate }) => ({ type, rate, digitalRate: digital_rate }))
