// What each line costs by the catalogue, the order in which lines are looked at, and what a discount saves on each.

import type { Minor } from '../lib/money.ts'
import { MAX_LINE_TOTAL, portion, shares } from './rounding.ts'

export type LineInput = {
  id: string
  productId: string
  quantity: number
  /** The product's, or the variant's own. */
  unitPrice: Minor
  /** Empty when the variant has its own price. */
  optionDeltas: readonly Minor[]
  isPayWhatYouWant: boolean
  isTaxExempt: boolean
  /** Taxed by the digital rate. */
  isDigital: boolean
}

/** `rate` in millionths: 7.25 % is 72500. */
export type TaxPart = { type: string; rate: number; amount: Minor }

export type PricedLine = {
  id: string
  /** Of one, with its options. */
  unitPrice: Minor
  lineTotal: Minor
  discountShare: Minor
  /** What tax is computed on: the line less its shares of the discount and of a negative taxable adjustment; 0 when exempt. */
  taxableAmount: Minor
  isTaxable: boolean
  taxAmount: Minor
  taxParts: readonly TaxPart[]
  /** Worth more than MAX_LINE_TOTAL: it counts nothing and cannot be bought. */
  isTooLarge: boolean
}

const NO_PARTS: readonly TaxPart[] = Object.freeze([])

/**
 * A line while it is being priced: each step fills in its figures. A class, because V8 moves an object literal to another
 * hidden class each time one of its small integers becomes a double, which made a cart with a discount cost eight times as much.
 */
export class Line {
  readonly input: LineInput
  readonly unitPrice: Minor
  readonly isTooLarge: boolean
  lineTotal: Minor
  /** What is left to pay for it, by the prices as shown: at first its total. */
  worth: Minor
  discountShare: Minor
  taxParts: readonly TaxPart[]

  constructor(input: LineInput) {
    let unitPrice = input.unitPrice
    for (const delta of input.optionDeltas) unitPrice += delta
    // Deltas may take more than there is; a shop never pays a shopper.
    if (unitPrice < 0) unitPrice = 0
    // Past 2^53 the product is not exact, but by then it is far above the limit.
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

export function pricedLine(line: Line): PricedLine {
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
 * The lines by age, which is the order of their ids. What is shared out favours the earlier of two equal lines; going by
 * the order in which a statement happened to give them would move a cent from one line to another between two reads.
 */
export function byAge(lines: Line[]): Line[] {
  let before: Line | undefined
  for (const line of lines) {
    if (before !== undefined && before.input.id > line.input.id) return lines.toSorted(older)
    before = line
  }
  return lines
}

const older = (one: Line, other: Line): number => (one.input.id < other.input.id ? -1 : 1)

/** Takes `amount` off these lines in proportion to their worth, and gives each line's share to `take`. */
export function takeFrom(lines: readonly Line[], amount: Minor, take?: (line: Line, share: Minor) => void): void {
  const reductions = shares(
    amount,
    lines.map(({ worth }) => worth),
  )
  for (const [index, line] of lines.entries()) {
    const share = reductions[index] ?? 0
    line.worth -= share
    take?.(line, share)
  }
}

export function sumOfWorth(lines: readonly Line[]): Minor {
  let sum = 0
  for (const { worth } of lines) sum += worth
  return sum
}

// How much a discount saves, and which line saves how much of it.

export type DiscountInput = {
  type: 'percentage' | 'fixed'
  /** Fixed: minor units. Percentage: ten-thousandths of a percent, so that 12.5 % is 125000. */
  value: number
  /** Empty: every product. */
  productIds: readonly string[]
}

const HUNDRED_PERCENT = 1_000_000

/** Gives `amountSaved`. A percentage is rounded once, over all it applies to: per line, many cheap lines would save too much or nothing. */
export function applyDiscount(lines: readonly Line[], discount: DiscountInput): Minor {
  const { type, value, productIds } = discount
  const eligible = productIds.length === 0 ? lines : linesOf(lines, new Set(productIds))
  const worth = sumOfWorth(eligible)
  const saved = Math.min(type === 'fixed' ? value : portion(worth, value, HUNDRED_PERCENT), worth)
  if (saved > 0)
    takeFrom(eligible, saved, (line, share) => {
      line.discountShare = share
    })
  return saved
}

const linesOf = (lines: readonly Line[], products: ReadonlySet<string>): Line[] =>
  lines.filter(({ input }) => products.has(input.productId))
