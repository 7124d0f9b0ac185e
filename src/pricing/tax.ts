// Tax on lines, shipping and fees, by our rates or by an integration's figures. It is added to prices or contained in them.
// Each amount is rounded half up once, per line and rate. Rates add and never compound.

import type { Minor } from '../lib/money.ts'
import type { LineTaxPart, PricingLine } from './lines.ts'
import { portion } from './rounding.ts'

export type TaxRate = {
  type: string
  /** Millionths: 7.25 % is 72500. */
  rate: number
  /** Rate for digital delivery; null: the same. */
  digitalRate: number | null
}

/** `rates` is empty if the place is unknown. `isIncluded` still applies to an integration's figures. */
export type TaxInput = { rates: readonly TaxRate[]; isIncluded: boolean; isOnShipping: boolean }

/** An integration's tax for a line. It replaces all of our own tax, on every line, shipping and fees. */
export type ExternalTax = { lineId: string; breakdown: readonly LineTaxPart[] }

const ALL_MILLIONTHS = 1_000_000

export function taxLines(lines: readonly PricingLine[], tax: TaxInput): void {
  for (const line of lines) if (isTaxed(line)) line.taxParts = computeParts(line.worth, tax, line.input.isDigital)
}

/** Tax on an amount that is no line: shipping, or a fee. Uses the rates for physical goods. */
export const taxForAmount = (amount: Minor, tax: TaxInput): LineTaxPart[] => computeParts(amount, tax, false)

/** Sets each line's tax from an integration. Exempt lines have none, whatever the integration says. */
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

/** Adds parts to `sums`, which holds one entry per type and rate, in the order in which they first appear. */
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
  // Rates above 100 % in total could round up to more than a small price. The limit keeps the net price from falling below zero.
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
