// Tax: of each line, of shipping and of fees, added to prices or contained in them, by our rates or by an integration's figures.
// Each amount is rounded half up once, per line and rate; rates add and never compound.

import type { Minor } from '../lib/money.ts'
import type { Line, TaxPart } from './lines.ts'
import { portion } from './rounding.ts'

export type TaxRate = {
  type: string
  /** Millionths: 7.25 % is 72500. */
  rate: number
  /** For what is delivered digitally; null: the same. */
  digitalRate: number | null
}

/** With no rates where the place is unknown: an integration's figures need to know whether prices include them. */
export type TaxInput = { rates: readonly TaxRate[]; isIncluded: boolean; isOnShipping: boolean }

/** What an integration says of a line; it replaces all of our own tax, on every line, shipping and fees. */
export type ExternalTax = { lineId: string; breakdown: readonly TaxPart[] }

const WHOLE = 1_000_000

/** Sets the tax of each line. */
export function taxLines(lines: readonly Line[], tax: TaxInput): void {
  for (const line of lines) if (isTaxed(line)) line.taxParts = partsOf(line.worth, tax, line.input.isDigital)
}

/** The tax on an amount that is no line: shipping, or a fee. It goes by the rates for physical goods. */
export const taxOn = (amount: Minor, tax: TaxInput): TaxPart[] => partsOf(amount, tax, false)

/** Sets each line's tax to what an integration says. Exempt lines have none, whoever computes it. */
export function setExternalTax(lines: readonly Line[], external: readonly ExternalTax[], isIncluded: boolean): void {
  const byLine = new Map(external.map(({ lineId, breakdown }) => [lineId, breakdown]))
  for (const line of lines) {
    const breakdown = byLine.get(line.input.id)
    if (breakdown === undefined || !isTaxed(line)) continue
    let left = isIncluded ? line.worth : Number.POSITIVE_INFINITY
    line.taxParts = breakdown.map(({ type, rate, amount }) => {
      const within = Math.min(amount, left)
      left -= within
      return { type, rate, amount: within }
    })
  }
}

const isTaxed = ({ input, isTooLarge }: Line): boolean => !input.isTaxExempt && !isTooLarge

/** Adds parts to `sums`, which holds one entry per type and rate, in the order in which they first appear. */
export function addParts(sums: TaxPart[], parts: readonly TaxPart[]): void {
  for (const { type, rate, amount } of parts) {
    const known = sums.find((sum) => sum.type === type && sum.rate === rate)
    if (known === undefined) sums.push({ type, rate, amount })
    else known.amount += amount
  }
}

export function sumOf(parts: readonly TaxPart[]): Minor {
  let sum = 0
  for (const { amount } of parts) sum += amount
  return sum
}

function partsOf(amount: Minor, { rates, isIncluded }: TaxInput, isDigital: boolean): TaxPart[] {
  let whole = WHOLE
  if (isIncluded) for (const rate of rates) whole += rateFor(rate, isDigital)
  // Rates of more than 100 % together could round up to more than a price of a few cents holds, and leave a net price below zero.
  let left = isIncluded ? amount : Number.POSITIVE_INFINITY
  return rates.map((each) => {
    const rate = rateFor(each, isDigital)
    const part = Math.min(portion(amount, rate, whole), left)
    left -= part
    return { type: each.type, rate, amount: part }
  })
}

const rateFor = ({ rate, digitalRate }: TaxRate, isDigital: boolean): number =>
  isDigital && digitalRate !== null ? digitalRate : rate
