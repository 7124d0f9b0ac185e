// Catalogue price of each line, the processing order of lines, and each line's saving from a discount.

import type { Minor } from '../lib/money.ts'
import { MAX_LINE_TOTAL, portion, splitIntoShares } from './rounding.ts'

export type LineInput = {
  id: string
  productId: string
  quantity: number
  /** Price of the product, or of the variant if it has its own. */
  unitPrice: Minor
  /** Empty if the variant has its own price. */
  optionDeltas: readonly Minor[]
  isPayWhatYouWant: boolean
  isTaxExempt: boolean
  /** Taxed at the digital rate. */
  isDigital: boolean
}

/** `rate` in millionths: 7.25 % is 72500. */
export type LineTaxPart = { type: string; rate: number; amount: Minor }

export type PricedLine = {
  id: string
  /** Price of one unit with its options. */
  unitPrice: Minor
  lineTotal: Minor
  discountShare: Minor
  /** Base of the tax: the line less its shares of the discount and of a negative taxable adjustment. 0 if exempt. */
  taxableAmount: Minor
  isTaxable: boolean
  taxAmount: Minor
  taxParts: readonly LineTaxPart[]
  /** True if the total exceeds MAX_LINE_TOTAL. The line then counts as 0 and cannot be bought. */
  isTooLarge: boolean
}

const NO_PARTS: readonly LineTaxPart[] = Object.freeze([])

/**
 * A line while it is being priced; each step fills in its figures.
 * It is a class for speed. V8 moves an object literal to another hidden class whenever a small integer becomes a double. That made a cart
 * with a discount eight times as slow.
 */
export class PricingLine {
  readonly input: LineInput
  readonly unitPrice: Minor
  readonly isTooLarge: boolean
  lineTotal: Minor
  /** Amount still to be paid for the line, in shown prices; at first its total. */
  worth: Minor
  discountShare: Minor
  taxParts: readonly LineTaxPart[]

  constructor(input: LineInput) {
    let unitPrice = input.unitPrice
    for (const delta of input.optionDeltas) unitPrice += delta
    // Negative deltas may exceed the price, but a shop never pays a shopper.
    if (unitPrice < 0) unitPrice = 0
    // Above 2^53 the total is inexact, but it is far above the limit anyway.
    const lineTotal = unitPrice * input.quantity
    this.input = input
    this.unitPrice = unitPrice
    this.isTooLarge = lineTotal > MAX_LINE_TOTAL
    this.lineTotal = this.isTooLarge ? 0 : lineTotal
    this.worth = this.lineTotal
    this.discountShare = 0
    this.taxParts = NO_PARTS
  }
}

export function pricedLine(line: PricingLine): PricedLine {
  const { input, unitPrice, lineTotal, discountShare, worth, taxParts, isTooLarge } = line
  let taxAmount = 0
  for (const { amount } of taxParts) taxAmount += amount
  return {
    id: input.id,
    unitPrice,
    lineTotal,
    discountShare,
    taxableAmount: input.isTaxExempt ? 0 : worth,
    isTaxable: !input.isTaxExempt,
    taxAmount,
    taxParts,
    isTooLarge,
  }
}

/**
 * Sorts the lines by age, which is the order of their ids. If two lines are equal, a spare cent goes to the earlier
 * one. Rows come from the database in any order, so without sorting the cent would move between reads.
 */
export function sortByAge(lines: PricingLine[]): PricingLine[] {
  let previousLine: PricingLine | undefined
  for (const line of lines) {
    if (previousLine !== undefined && previousLine.input.id > line.input.id) return lines.toSorted(compareByAge)
    previousLine = line
  }
  return lines
}

const compareByAge = (one: PricingLine, other: PricingLine): number => (one.input.id < other.input.id ? -1 : 1)

/** Takes `amount` off these lines in proportion to their worth, and passes each line's share to `take`. */
export function reduceProportionally(
  lines: readonly PricingLine[],
  amount: Minor,
  take?: (line: PricingLine, share: Minor) => void,
): void {
  const reductions = splitIntoShares(
    amount,
    lines.map(({ worth }) => worth),
  )
  for (const [index, line] of lines.entries()) {
    const share = reductions[index] ?? 0
    line.worth -= share
    take?.(line, share)
  }
}

export function sumOfWorth(lines: readonly PricingLine[]): Minor {
  let sum = 0
  for (const { worth } of lines) sum += worth
  return sum
}

// Savings of a discount, in total and per line.

export type DiscountInput = {
  type: 'percentage' | 'fixed'
  /** Fixed: minor units. Percentage: ten-thousandths of a percent, so that 12.5 % is 125000. */
  value: number
  /** Empty: every product. */
  productIds: readonly string[]
}

const HUNDRED_PERCENT = 1_000_000

/**
 * Returns the amount saved. A percentage is rounded once over all eligible lines. Rounding each of many cheap lines
 * would save too much, or nothing.
 */
export function applyDiscount(lines: readonly PricingLine[], discount: DiscountInput): Minor {
  const { type, value, productIds } = discount
  const eligible = productIds.length === 0 ? lines : linesOfProducts(lines, new Set(productIds))
  const worth = sumOfWorth(eligible)
  const amountSaved = Math.min(type === 'fixed' ? value : portion(worth, value, HUNDRED_PERCENT), worth)
  if (amountSaved > 0)
    reduceProportionally(eligible, amountSaved, (line, share) => {
      line.discountShare = share
    })
  return amountSaved
}

const linesOfProducts = (lines: readonly PricingLine[], products: ReadonlySet<string>): PricingLine[] =>
  lines.filter(({ input }) => products.has(input.productId))
