// The only place that adds up money: everything that shows or charges an amount calls price(). docs/pricing.md explains the rules.
// Below it: adjustments by integrations, and payment by gift card.

import { MAX_TOTAL, type Minor } from '../lib/money.ts'
import {
  applyDiscount,
  type DiscountInput,
  type LineInput,
  type LineTaxPart,
  type PricedLine,
  PricingLine,
  pricedLine,
  reduceProportionally,
  sortByAge,
  sumOfWorth,
} from './lines.ts'
import { applyPayWhatYouWant, type PayWhatYouWant } from './pay-what-you-want.ts'
import {
  addTaxParts,
  type ExternalTax,
  setExternalTax,
  sumTaxParts,
  type TaxInput,
  type TaxRate,
  taxForAmount,
  taxLines,
} from './tax.ts'

export type { DiscountInput, ExternalTax, LineInput, LineTaxPart, PricedLine, TaxInput, TaxRate }

export type PriceInput = {
  lines: readonly LineInput[]
  discount: DiscountInput | null
  /** Price of the chosen method, 0 if none. */
  shipping: Minor
  tax: TaxInput | null
  /** Null if no integration has set it. An empty list means no tax at all. */
  externalTax?: readonly ExternalTax[] | null
  adjustments?: readonly AdjustmentInput[]
  giftCardBalance: Minor | null
  /** Throws if it is below the minimum. Call keepValidChoice() first for a saved amount, and payWhatYouWantProblem() for a new one. */
  customerSetPrice: Minor | null
}

export type PriceTotals = {
  /** In the order of the input. */
  lines: readonly PricedLine[]
  subtotal: Minor
  amountSaved: Minor
  shipping: Minor
  shippingTax: Minor
  adjustments: Adjustments
  /** Summed per type and rate, in the order of first appearance: lines by age, then shipping, then fees. */
  tax: { amount: Minor; parts: readonly LineTaxPart[] }
  total: Minor
  totalWithTax: Minor
  giftCardCredit: Minor
  giftCardBalanceAfter: Minor | null
  totalDue: Minor
  payWhatYouWant: PayWhatYouWant
}

/** Pure: the same input gives the same figures, in any order of the lines. */
export function price(input: PriceInput): PriceTotals {
  const { discount, shipping, tax, externalTax = null, adjustments = [] } = input
  const inputOrderLines = input.lines.map((line) => new PricingLine(line))
  const lines = sortByAge(inputOrderLines)

  const payWhatYouWant = applyPayWhatYouWant(lines, input.customerSetPrice)
  const subtotal = sumOfWorth(lines)
  const amountSaved = discount === null ? 0 : applyDiscount(lines, discount)
  const taxable = applyTaxable(lines, sumOfAdjustments(adjustments, true))

  const isIncluded = tax?.isIncluded ?? false
  const parts: LineTaxPart[] = []
  let shippingTax = 0
  if (externalTax !== null) setExternalTax(lines, externalTax, isIncluded)
  else if (tax !== null) taxLines(lines, tax)
  for (const { taxParts } of lines) addTaxParts(parts, taxParts)
  if (externalTax === null && tax !== null) {
    const shippingParts = tax.isOnShipping ? taxForAmount(shipping, tax) : []
    shippingTax = sumTaxParts(shippingParts)
    addTaxParts(parts, shippingParts)
    if (taxable > 0) addTaxParts(parts, taxForAmount(taxable, tax))
  }
  const taxAmount = sumTaxParts(parts)

  const totalAsShown = subtotal - amountSaved + shipping + taxable
  const beforeUntaxable = isIncluded ? totalAsShown - taxAmount : totalAsShown
  const untaxable = applicableUntaxable(sumOfAdjustments(adjustments, false), beforeUntaxable)
  const total = beforeUntaxable + untaxable
  const totalWithTax = total + taxAmount
  const areAmounts = isAmount(shipping) && isAmount(amountSaved) && isAmount(beforeUntaxable) && isAmount(totalWithTax)
  if (!areAmounts || !isAmount(input.giftCardBalance ?? 0))
    throw new RangeError('Prices, quantities and amounts must be whole, and within their limits.')

  return {
    lines: inputOrderLines.map(pricedLine),
    subtotal,
    amountSaved,
    shipping,
    shippingTax,
    adjustments: { taxable, untaxable, total: taxable + untaxable },
    tax: { amount: taxAmount, parts },
    total,
    totalWithTax,
    ...payByGiftCard(totalWithTax, input.giftCardBalance),
    payWhatYouWant,
  }
}

/** An invalid figure can only come from unchecked input; it must not be shown or charged. */
const isAmount = (amount: Minor): boolean => Number.isInteger(amount) && amount >= 0 && amount <= MAX_TOTAL

// Amounts that an integration adds to a checkout or takes off.

type AdjustmentInput = { amount: Minor; isTaxable: boolean }

/** Applied amounts. They may be smaller than the requested ones, because nothing falls below zero. */
type Adjustments = { taxable: Minor; untaxable: Minor; total: Minor }

const sumOfAdjustments = (adjustments: readonly AdjustmentInput[], isTaxable: boolean): Minor =>
  adjustments.reduce((sum, one) => (one.isTaxable === isTaxable ? sum + one.amount : sum), 0)

/**
 * Applies the sum of the taxable adjustments, before tax. A positive sum is a fee with its own tax.
 * A negative sum lowers the lines like a discount, and with them their tax. It takes no more than they are worth, and nothing off shipping.
 */
function applyTaxable(lines: readonly PricingLine[], sum: Minor): Minor {
  if (sum >= 0) return sum
  const reduction = Math.min(-sum, sumOfWorth(lines))
  if (reduction > 0) reduceProportionally(lines, reduction)
  return reduction === 0 ? 0 : -reduction
}

/**
 * Limits the sum of the untaxable adjustments, applied after tax. It takes no more than the total without tax, and leaves tax unchanged.
 */
const applicableUntaxable = (sum: Minor, total: Minor): Minor => (sum < -total ? (total === 0 ? 0 : -total) : sum)

// Payment by gift card. It counts like money: the total and the tax stay the same.

type GiftCardPayment = { giftCardCredit: Minor; giftCardBalanceAfter: Minor | null; totalDue: Minor }

/** `balance` is null if there is no card. */
function payByGiftCard(totalWithTax: Minor, balance: Minor | null): GiftCardPayment {
  const giftCardCredit = balance === null ? 0 : Math.min(balance, totalWithTax)
  return {
    giftCardCredit,
    giftCardBalanceAfter: balance === null ? null : balance - giftCardCredit,
    totalDue: totalWithTax - giftCardCredit,
  }
}
