// Tax on lines, shipping and fees, from our rates or from an integration. Prices include the tax, or it is added.
// Each amount is rounded half up once, per line and rate. Every rate applies to the price, never to other taxes.

import type { Minor } from '../lib/money.ts'
import type { LineTaxPart, PricingLine } from './lines.ts'
import { portion } from './rounding.ts'

export type TaxRate = {
  type: string
  /** Rate in millionths: 7.25 % is 72500. */
  rate: number
  /** Rate for digital delivery; null if it is the same. */
  digitalRate: number | null
}

/** `rates` is empty if the place is unknown. `isIncluded` also applies to tax from an integration. */
export type TaxInput = { rates: readonly TaxRate[]; isIncluded: boolean; isOnShipping: boolean }

/** Tax of a line from an integration. We then compute no tax of our own for any line, shipping or fee. */
export type ExternalTax = { lineId: string; breakdown: readonly LineTaxPart[] }

const ALL_MILLIONTHS = 1_000_000

export function taxLines(lines: readonly PricingLine[], tax: TaxInput): void {
  for (const line of lines) if (isTaxed(line)) line.taxParts = computeParts(line.worth, tax, line.input.isDigital)
}

/** Tax on shipping or on a fee. Uses the rates for physical goods. */
export const taxForAmount = (amount: Minor, tax: TaxInput): LineTaxPart[] => computeParts(amount, tax, false)

/** Sets each line's tax from an integration. Ignores its tax for exempt lines. */
export function setExternalTax(
  lines: readonly PricingLine[],
  external: readonly ExternalTax[],
  isIncluded: boolean,
): void {
  const byLine = new Map(external.map(({ lineId, breakdown }) => [lineId, breakdown]))
  for (const line of lines) {
    const breakdown = byLine.get(line.input.id)
    if (breakdown === undefined || !isTaxed(line)) continue
    let remaining = isIncluded ? line.worth : Number.POSITIVE_INFINITY
    line.taxParts = breakdown.map(({ type, rate, amount }) => {
      const taxAmount = Math.min(amount, remaining)
      remaining -= taxAmount
      return { type, rate, amount: taxAmount }
    })
  }
}

const isTaxed = ({ input, isTooLarge }: PricingLine): boolean => !input.isTaxExempt && !isTooLarge

/** Adds parts to `sums`, which has one entry per type and rate, in the order of their first appearance. */
export function addTaxParts(sums: LineTaxPart[], parts: readonly LineTaxPart[]): void {
  for (const { type, rate, amount } of parts) {
    const existingSum = sums.find((sum) => sum.type === type && sum.rate === rate)
    if (existingSum === undefined) sums.push({ type, rate, amount })
    else existingSum.amount += amount
  }
}

export function sumTaxParts(parts: readonly LineTaxPart[]): Minor {
  let sum = 0
  for (const { amount } of parts) sum += amount
  return sum
}

function computeParts(amount: Minor, { rates, isIncluded }: TaxInput, isDigital: boolean): LineTaxPart[] {
  let whole = ALL_MILLIONTHS
  if (isIncluded) for (const rate of rates) whole += rateFor(rate, isDigital)
  // If the rates exceed 100 % in total, rounding could give more tax than a small price. The limit prevents that.
  let remaining = isIncluded ? amount : Number.POSITIVE_INFINITY
  return rates.map((each) => {
    const rate = rateFor(each, isDigital)
    const part = Math.min(portion(amount, rate, whole), remaining)
    remaining -= part
    return { type: each.type, rate, amount: part }
  })
}

const rateFor = ({ rate, digitalRate }: TaxRate, isDigital: boolean): number =>
  isDigital && digitalRate !== null ? digitalRate : rate
