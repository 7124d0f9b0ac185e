// The one place where money is added up: everything that shows or charges an amount calls price(). docs/pricing.md tells the rules.
// Below it: what an integration adds or takes off, and what a gift card pays.

import { MAX_TOTAL, type Minor } from '../lib/money.ts'
import {
  applyDiscount,
  byAge,
  type DiscountInput,
  Line,
  type LineInput,
  type PricedLine,
  pricedLine,
  sumOfWorth,
  type TaxPart,
  takeFrom,
} from './lines.ts'
import { applyPayWhatYouWant, type PayWhatYouWant } from './pay-what-you-want.ts'
import {
  addParts,
  type ExternalTax,
  setExternalTax,
  sumOf,
  type TaxInput,
  type TaxRate,
  taxLines,
  taxOn,
} from './tax.ts'

export type { DiscountInput, ExternalTax, LineInput, PricedLine, TaxInput, TaxPart, TaxRate }

export type PriceInput = {
  lines: readonly LineInput[]
  discount: DiscountInput | null
  /** Price of the chosen method, 0 when none. */
  shipping: Minor
  tax: TaxInput | null
  /** Null when no integration has set it; an empty list says that nothing is taxed. */
  externalTax?: readonly ExternalTax[] | null
  adjustments?: readonly AdjustmentInput[]
  giftCardBalance: Minor | null
  /** Throws when it is below the minimum: a saved one goes through stillChosen() first, a new one through payWhatYouWantProblem(). */
  customerSetPrice: Minor | null
}

export type Totals = {
  /** In the order of the input. */
  lines: readonly PricedLine[]
  subtotal: Minor
  amountSaved: Minor
  shipping: Minor
  shippingTax: Minor
  adjustments: Adjustments
  /** Summed per type and rate, in the order of first appearance: lines by age, then shipping, then fees. */
  tax: { amount: Minor; parts: readonly TaxPart[] }
  total: Minor
  totalWithTax: Minor
  giftCardCredit: Minor
  giftCardBalanceAfter: Minor | null
  totalDue: Minor
  payWhatYouWant: PayWhatYouWant
}

/** Pure: the same input gives the same figures, in whichever order the lines come. */
export function price(input: PriceInput): Totals {
  const { discount, shipping, tax, externalTax = null, adjustments = [] } = input
  const inOrder = input.lines.map((line) => new Line(line))
  const lines = byAge(inOrder)

  const payWhatYouWant = applyPayWhatYouWant(lines, input.customerSetPrice)
  const subtotal = sumOfWorth(lines)
  const amountSaved = discount === null ? 0 : applyDiscount(lines, discount)
  const taxable = applyTaxable(lines, sumOfAdjustments(adjustments, true))

  const isIncluded = tax?.isIncluded ?? false
  const parts: TaxPart[] = []
  let shippingTax = 0
  if (externalTax !== null) setExternalTax(lines, externalTax, isIncluded)
  else if (tax !== null) taxLines(lines, tax)
  for (const { taxParts } of lines) addParts(parts, taxParts)
  if (externalTax === null && tax !== null) {
    const onShipping = tax.isOnShipping ? taxOn(shipping, tax) : []
    shippingTax = sumOf(onShipping)
    addParts(parts, onShipping)
    if (taxable > 0) addParts(parts, taxOn(taxable, tax))
  }
  const taxAmount = sumOf(parts)

  const asShown = subtotal - amountSaved + shipping + taxable
  const beforeUntaxable = isIncluded ? asShown - taxAmount : asShown
  const untaxable = applicableUntaxable(sumOfAdjustments(adjustments, false), beforeUntaxable)
  const total = beforeUntaxable + untaxable
  const totalWithTax = total + taxAmount
  const areAmounts = isAmount(shipping) && isAmount(amountSaved) && isAmount(beforeUntaxable) && isAmount(totalWithTax)
  if (!areAmounts || !isAmount(input.giftCardBalance ?? 0))
    throw new RangeError('Prices, quantities and amounts must be whole, and within their limits.')

  return {
    lines: inOrder.map(pricedLine),
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

/** A figure that is not one can only come from input that was never checked; it must not be shown, nor charged. */
const isAmount = (amount: Minor): boolean => Number.isInteger(amount) && amount >= 0 && amount <= MAX_TOTAL

// Amounts that an integration adds to a checkout or takes off it.

type AdjustmentInput = { amount: Minor; isTaxable: boolean }

/** As applied, which may be less than was asked for: nothing falls below zero. */
type Adjustments = { taxable: Minor; untaxable: Minor; total: Minor }

const sumOfAdjustments = (adjustments: readonly AdjustmentInput[], isTaxable: boolean): Minor =>
  adjustments.reduce((sum, one) => (one.isTaxable === isTaxable ? sum + one.amount : sum), 0)

/**
 * Applies the sum of the taxable ones, before tax. Above zero it is a fee, taxed on its own. Below zero it lowers the lines
 * like a discount, and with them their tax; it takes no more than they are worth, and nothing off shipping.
 */
function applyTaxable(lines: readonly Line[], sum: Minor): Minor {
  if (sum >= 0) return sum
  const reduction = Math.min(-sum, sumOfWorth(lines))
  if (reduction > 0) takeFrom(lines, reduction)
  return reduction === 0 ? 0 : -reduction
}

/** The sum of the untaxable ones, applied after tax: it takes no more than the total without tax, and leaves tax alone. */
const applicableUntaxable = (sum: Minor, total: Minor): Minor => (sum < -total ? (total === 0 ? 0 : -total) : sum)

// How much of a purchase a gift card pays. It pays like money: the total and the tax stay as they are.

type GiftCardPayment = { giftCardCredit: Minor; giftCardBalanceAfter: Minor | null; totalDue: Minor }

/** `balance` is null when there is no card. */
function payByGiftCard(totalWithTax: Minor, balance: Minor | null): GiftCardPayment {
  const giftCardCredit = balance === null ? 0 : Math.min(balance, totalWithTax)
  return {
    giftCardCredit,
    giftCardBalanceAfter: balance === null ? null : balance - giftCardCredit,
    totalDue: totalWithTax - giftCardCredit,
  }
}
