// Tax rates, stored as integers in millionths to avoid floating-point arithmetic. 7.25 % is stored as 72500,
// sent as 0.0725, and shown as "7.25%".

import { readDecimal } from '../../lib/money.ts'
import type { Problems } from '../../lib/problems.ts'
import { MAX_TAX_RATE } from '../../pricing/rounding.ts'
import type { TaxRate } from '../../pricing/tax.ts'
import type { NewTaxZone, TaxZone } from './schema.ts'

const DECIMALS = 6
const ALL_MILLIONTHS = 10 ** DECIMALS

/** A rate as stored. If `digital_rate` is null, `rate` applies. */
export type RateRow = { type: string; rate: number; digital_rate: number | null }

/** Parses a fraction from 0 to 1, a number or a decimal string with at most six decimals, into millionths. Null if it is invalid. */
export function parseRate(value: number | string): number | null {
  const decimal = readDecimal(value)
  if (decimal === null || decimal.scale > DECIMALS) return null
  const millionths = decimal.units * 10n ** BigInt(DECIMALS - decimal.scale)
  return millionths >= 0n && millionths <= BigInt(ALL_MILLIONTHS) ? Number(millionths) : null
}

/** Parses the rates of a zone in a request body. */
export function parseRates(newRates: NewTaxZone['rates'], problems: Problems): RateRow[] {
  const parseField = (path: string, value: number | string): number => {
    const rate = parseRate(value)
    if (rate === null) problems.malformed(path, FRACTION_RULE)
    return rate ?? 0
  }
  const rates = newRates.map(({ type, rate, digital_rate = null }, index) => ({
    type,
    rate: parseField(`rates.${index}.rate`, rate),
    digital_rate: digital_rate === null ? null : parseField(`rates.${index}.digital_rate`, digital_rate),
  }))
  const physical = rates.reduce((sum, { rate }) => sum + rate, 0)
  const digital = rates.reduce((sum, { rate, digital_rate }) => sum + (digital_rate ?? rate), 0)
  if (physical > MAX_TAX_RATE) problems.refused('rates', 'must add up to at most 1')
  else if (digital > MAX_TAX_RATE) problems.refused('rates', 'must add up to at most 1 for digital products too')
  return rates
}

const FRACTION_RULE = 'must be a fraction from 0 to 1 with at most 6 decimals, such as 0.06 for 6%'

/** Dividing two integers rounds once, so the result prints as it was sent. */
export const rateNumber = (millionths: number): number => millionths / ALL_MILLIONTHS

export const ratePercentage = (millionths: number): string => `${millionths / 10_000}%`

export const viewRate = ({ type, rate, digital_rate }: RateRow): TaxZone['rates'][number] => ({
  type,
  rate: rateNumber(rate),
  rate_percentage: ratePercentage(rate),
  digital_rate: digital_rate === null ? null : rateNumber(digital_rate),
})

/** Converts rates for `price()`. */
export const taxRates = (rows: readonly RateRow[]): TaxRate[] =>
  rows.map(({ type, rate, digital_rate }) => ({ type, rate, digitalRate: digital_rate }))
