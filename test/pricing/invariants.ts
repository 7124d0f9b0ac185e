// The invariants of money that price() must keep, each under its name. Each throws a sentence when the cart breaks it.
// A1 is ours, for what integrations add or take off. P17, P21 and P24 are about orders, requests and versions, not about price();
// nor is P19, about refunds: test/api/orders/status.test.ts tries any sequence of charges and full refunds.

import { sizeOf } from '../../src/api/lines/line.ts'
import { priceOf } from '../../src/lib/money.ts'
import { keepValidChoice, payWhatYouWantProblem } from '../../src/pricing/pay-what-you-want.ts'
import {
  type LineInput,
  type LineTaxPart,
  type PricedLine,
  type PriceInput,
  type PriceTotals,
  price,
} from '../../src/pricing/price.ts'
import type { Cart } from './carts.ts'
import { catalogueTotal, chosenMinimum, isHalfUp, shareProblem } from './exact.ts'

export type Invariant = (cart: Cart, totals: PriceTotals) => void

const must = (isKept: boolean, sentence: string): void => {
  if (!isKept) throw new Error(sentence)
}

/** Each line of the input with its figures. */
function pairs(cart: Cart, totals: PriceTotals): [LineInput, PricedLine][] {
  return cart.input.lines.map((line, index) => {
    const priced = totals.lines[index]
    if (priced === undefined) throw new Error(`there are no figures for ${line.id}`)
    return [line, priced]
  })
}

const sum = (amounts: readonly number[]): number => amounts.reduce((before, amount) => before + amount, 0)

const isIncluded = ({ input }: Cart): boolean => input.tax?.isIncluded ?? false

/** The figures as text, the lines by id. Two invariants ask for it of the same cart, and it is the dearest thing here. */
const written = new WeakMap<PriceTotals, string>()
function bytes(totals: PriceTotals): string {
  const known = written.get(totals)
  if (known !== undefined) return known
  const lines = totals.lines.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const text = JSON.stringify({ ...totals, lines })
  written.set(totals, text)
  return text
}

const exponents: Record<string, number> = { JPY: 0, KRW: 0, USD: 2, EUR: 2, KWD: 3, BHD: 3, CLF: 4, UYW: 4 }

const isWhole = (amount: number): boolean => Number.isSafeInteger(amount) && !Object.is(amount, -0)

function mustBeAmounts(...amounts: number[]): void {
  for (const amount of amounts) if (!isWhole(amount) || amount < 0) throw new Error(`there is an amount of ${amount}`)
}

export const invariants = {
  P1: (_, totals) => {
    for (const line of totals.lines) {
      mustBeAmounts(line.unitPrice, line.lineTotal, line.discountShare, line.taxableAmount, line.taxAmount)
      for (const { amount } of line.taxParts) mustBeAmounts(amount)
    }
    for (const { amount } of totals.tax.parts) mustBeAmounts(amount)
    mustBeAmounts(totals.subtotal, totals.amountSaved, totals.shipping, totals.shippingTax, totals.tax.amount)
    mustBeAmounts(totals.total, totals.totalWithTax, totals.giftCardCredit, totals.totalDue)
    const { minimum, customerSetPrice } = totals.payWhatYouWant
    mustBeAmounts(totals.giftCardBalanceAfter ?? 0, minimum ?? 0, customerSetPrice ?? 0)
    const { taxable, untaxable, total } = totals.adjustments
    must(isWhole(taxable) && isWhole(untaxable) && total === taxable + untaxable, 'the adjustments do not add up')
  },

  P2: ({ currency }, totals) => {
    const exponent = exponents[currency] ?? Number.NaN
    for (const minor of [totals.subtotal, totals.total, totals.tax.amount, totals.totalDue]) {
      const { raw, formatted } = priceOf(minor, currency)
      const [whole = '', fraction = ''] = String(raw).split('.')
      must(BigInt(whole + fraction.padEnd(exponent, '0')) === BigInt(minor), `${minor} ${currency} has raw ${raw}`)
      must((formatted.split('.')[1] ?? '').length === exponent, `${minor} ${currency} is ${formatted}`)
    }
  },

  P3: ({ currency }, totals) => {
    const { formatted, formatted_with_code, formatted_with_symbol } = priceOf(totals.totalWithTax, currency)
    must(formatted_with_code === `${formatted} ${currency}`, `${formatted_with_code} is not ${formatted}`)
    must(formatted_with_symbol.endsWith(formatted), `${formatted_with_symbol} is not ${formatted}`)
    must(/^\D*$/.test(formatted_with_symbol.slice(0, -formatted.length)), `${formatted_with_symbol} has more digits`)
  },

  P5: ({ input }, totals) => {
    const { discount, externalTax, adjustments = [] } = input
    const turned = price({
      ...input,
      lines: input.lines.toReversed(),
      discount: discount && { ...discount, productIds: discount.productIds.toReversed() },
      externalTax: externalTax?.toReversed(),
      adjustments: adjustments.toReversed(),
    })
    must(bytes(turned) === bytes(totals), `turned round it is ${bytes(turned)}`)
  },

  P6: (_, totals) => {
    must(totals.totalDue === totals.totalWithTax - totals.giftCardCredit, `${totals.totalDue} is due`)
  },

  P7: (cart, totals) => {
    for (const [line, priced] of pairs(cart, totals)) {
      const exact = catalogueTotal(line)
      must(priced.isTooLarge === (exact === null), `${line.id} is too large: ${priced.isTooLarge}`)
      if (exact === null) must(priced.lineTotal === 0, `${line.id} counts though it is too large`)
      else if (!line.isPayWhatYouWant) must(BigInt(priced.lineTotal) === exact, `${line.id} is not ${exact}`)
      if (exact !== null) must(BigInt(priced.unitPrice) * BigInt(line.quantity) === exact, `one of ${line.id} is wrong`)
    }
  },

  P8: (_, totals) => {
    must(totals.subtotal === sum(totals.lines.map(({ lineTotal }) => lineTotal)), `the subtotal is ${totals.subtotal}`)
  },

  P9: (cart, totals) => {
    const { discount } = cart.input
    must(sum(totals.lines.map(({ discountShare }) => discountShare)) === totals.amountSaved, 'the shares do not add up')
    for (const [{ productId }, { id, discountShare, lineTotal }] of pairs(cart, totals)) {
      must(discountShare >= 0 && discountShare <= lineTotal, `${id} saves ${discountShare} of ${lineTotal}`)
      const isMeant = discount !== null && (discount.productIds.length === 0 || discount.productIds.includes(productId))
      must(isMeant || discountShare === 0, `${id} saves though it is not meant`)
    }
  },

  P10: (cart, totals) => {
    const ids = cart.input.discount?.productIds ?? []
    const eligible = pairs(cart, totals).filter(([line]) => ids.length === 0 || ids.includes(line.productId))
    const shares = eligible.map(([, line]) => ({ id: line.id, share: line.discountShare, weight: line.lineTotal }))
    const problem = shareProblem(totals.amountSaved, shares)
    must(problem === null, String(problem))
    const { discount } = cart.input
    const worth = sum(shares.map(({ weight }) => weight))
    if (discount?.type === 'fixed') must(totals.amountSaved === Math.min(discount.value, worth), 'it saves another sum')
    if (discount?.type === 'percentage')
      must(isHalfUp(totals.amountSaved, BigInt(worth) * BigInt(discount.value), 10n ** 6n), 'it is another percentage')
  },

  P11: ({ input, factor }, totals) => {
    if (input.discount?.type !== 'percentage' || totals.lines.some(({ isTooLarge }) => isTooLarge)) return
    const lines = input.lines.map((line) => ({ ...line, quantity: line.quantity * factor }))
    const more = price({ ...input, lines, customerSetPrice: null })
    if (more.lines.some(({ isTooLarge }) => isTooLarge)) return
    const { amountSaved } = input.customerSetPrice === null ? totals : price({ ...input, customerSetPrice: null })
    const drift = Math.abs(more.amountSaved - factor * amountSaved)
    must(2 * drift <= factor + 2, `${factor} times as many save ${more.amountSaved}, one time ${amountSaved}`)
  },

  P12: ({ input, factor }, totals) => {
    const all = factor % 2 === 0 ? ('percentage' as const) : ('fixed' as const)
    const value = all === 'percentage' ? 1_000_000 : totals.subtotal + factor
    const free = price({ ...input, discount: { type: all, value, productIds: [] }, externalTax: null, adjustments: [] })
    must(free.amountSaved === free.subtotal, `${free.subtotal - free.amountSaved} is left`)
    must(free.totalWithTax - free.shippingTax === free.total, 'nothing is taxed')
    must((isIncludedIn(input) ? free.totalWithTax : free.total) === input.shipping, `the total is ${free.total}`)
  },

  P13: (cart, totals) => {
    const { tax, externalTax } = cart.input
    for (const [{ isDigital }, line] of pairs(cart, totals)) {
      must(line.taxAmount === sum(line.taxParts.map(({ amount }) => amount)), `the tax of ${line.id} does not add up`)
      if (tax === null || externalTax || !line.isTaxable || line.isTooLarge) continue
      const rates = tax.rates.map(({ rate, digitalRate }) => (isDigital ? (digitalRate ?? rate) : rate))
      mustBeTaxed(line.id, line.taxableAmount, rates, tax.isIncluded, line.taxParts)
    }
    const onLines = sum(totals.lines.map(({ taxAmount }) => taxAmount))
    const onFees = totals.tax.amount - onLines - totals.shippingTax
    let rest = 0
    for (const [index, { type, rate, amount }] of totals.tax.parts.entries()) {
      const isSame = (part: LineTaxPart): boolean => part.type === type && part.rate === rate
      must(totals.tax.parts.findIndex(isSame) === index, `${type} ${rate} stands twice`)
      rest += amount
      for (const { taxParts } of totals.lines) for (const part of taxParts) if (isSame(part)) rest -= part.amount
    }
    must(sum(totals.tax.parts.map(({ amount }) => amount)) === totals.tax.amount, 'the breakdown does not add up')
    must(rest === onFees + totals.shippingTax, 'the breakdown is not that of the lines, shipping and fees')
    const rates = tax === null || externalTax ? [] : tax.rates.map(({ rate }) => rate)
    mustBeNear('shipping', totals.shippingTax, tax?.isOnShipping ? totals.shipping : 0, rates, isIncluded(cart))
    mustBeNear('the fee', onFees, Math.max(0, totals.adjustments.taxable), rates, isIncluded(cart))
  },

  P14: (cart, totals) => {
    must(totals.total + totals.tax.amount === totals.totalWithTax, 'total and tax are not the total with tax')
    const shown = totals.subtotal - totals.amountSaved + totals.shipping + totals.adjustments.total
    if (isIncluded(cart))
      must(totals.totalWithTax === shown, `${totals.totalWithTax} is not the ${shown} of the prices`)
    else must(totals.total === shown, `${totals.total} is not the ${shown} of the prices`)
  },

  // The design allows one unit per line, and these carts have at most three rates. Each rate is rounded on its own (P13), there and
  // back, so that what is off is the number of rates that round the other way on the way back. Those must be fewer than half: the
  // errors of the others have to outweigh theirs. So one or two rates come back exactly, three or four within a unit, and a zone
  // of ten may be four off. To round their sum once instead would break P13.
  P15: ({ input }, totals) => {
    if (input.tax === null || input.tax.isIncluded || input.externalTax) return
    const plain = { ...input, discount: null, shipping: 0, adjustments: [], customerSetPrice: null }
    const gross = input.lines.map((line, index) => {
      const { taxableAmount = 0, taxAmount = 0 } = totals.lines[index] ?? {}
      return { ...line, quantity: 1, unitPrice: taxableAmount + taxAmount, optionDeltas: [] }
    })
    const back = price({ ...plain, lines: gross, tax: { ...input.tax, isIncluded: true } })
    for (const [index, { id, isTooLarge, taxableAmount, taxAmount }] of back.lines.entries()) {
      const off = Math.abs(taxableAmount - taxAmount - (totals.lines[index]?.taxableAmount ?? 0))
      must(isTooLarge || off === 0 || 2 * off < input.tax.rates.length, `${id} comes back ${off} off`)
    }
  },

  P16: (cart, totals) => {
    for (const [{ isTaxExempt }, line] of pairs(cart, totals)) {
      must(line.isTaxable === !isTaxExempt, `${line.id} is taxable: ${line.isTaxable}`)
      if (!isTaxExempt) continue
      must(line.taxAmount === 0 && line.taxableAmount === 0 && line.taxParts.length === 0, `${line.id} is taxed`)
    }
  },

  P18: ({ input }, totals) => {
    const { giftCardCredit, giftCardBalanceAfter, totalWithTax } = totals
    must(giftCardCredit === Math.min(input.giftCardBalance ?? 0, totalWithTax), `it pays ${giftCardCredit}`)
    const left = input.giftCardBalance === null ? null : input.giftCardBalance - giftCardCredit
    must(giftCardBalanceAfter === left, `it holds ${giftCardBalanceAfter} afterwards`)
  },

  P20: (cart, totals) => {
    const { customerSetPrice, lines } = cart.input
    const { isEnabled, minimum, customerSetPrice: shown } = totals.payWhatYouWant
    must(minimum === chosenMinimum(lines), `the minimum is ${minimum}`)
    must(isEnabled === (minimum !== null) && shown === customerSetPrice, 'it shows another choice')
    if (minimum === null) return
    const chosen = pairs(cart, totals).filter(([line, { isTooLarge }]) => line.isPayWhatYouWant && !isTooLarge)
    const shares = chosen.map(([line, { id, lineTotal }]) => {
      const weight = minimum === 0 ? line.quantity : Number(catalogueTotal(line))
      return { id, share: lineTotal, weight }
    })
    const problem = shareProblem(customerSetPrice ?? minimum, shares)
    must(problem === null, String(problem))
    if (customerSetPrice === null) return
    const exponent = exponents[cart.currency] ?? Number.NaN
    const isRefused = payWhatYouWantProblem({ customerSetPrice, minimum, exponent }) !== null
    must(isRefused === customerSetPrice > Math.min(10 ** (9 + exponent), 10 ** 12), 'it is refused')
    must(keepValidChoice(lines, customerSetPrice) === customerSetPrice, 'it is forgotten')
    // An error gathers its stack, which is slow: one cart in eight.
    if (minimum === 0 || cart.factor !== 2) return
    must(payWhatYouWantProblem({ customerSetPrice: minimum - 1, minimum, exponent }) === 'too_low', 'less is accepted')
    must(keepValidChoice(lines, minimum - 1) === null, 'less is still chosen')
    must(
      throwsRangeError(() => price({ ...cart.input, customerSetPrice: minimum - 1 })),
      'less is priced',
    )
  },

  P22: ({ input }, totals) => {
    must(totals.lines.map(({ id }) => id).join() === input.lines.map(({ id }) => id).join(), 'the lines are others')
    const { total_items: items, total_unique_items: unique } = sizeOf(input.lines)
    let left = BigInt(items)
    for (const { quantity } of input.lines) left -= BigInt(quantity)
    must(left === 0n && unique === totals.lines.length, `it counts ${items} of ${unique} lines`)
  },

  P23: ({ input, extra }, totals) => {
    const before = input.customerSetPrice === null ? totals : price({ ...input, customerSetPrice: null })
    const added = [extra, ...input.lines]
    const [more, ...others] = price({ ...input, lines: added, customerSetPrice: null }).lines
    must(more?.id === extra.id, 'the line was not added')
    for (const [index, { id, unitPrice, lineTotal, isTooLarge }] of others.entries()) {
      const own = before.lines[index]
      const isSame = id === own?.id && unitPrice === own.unitPrice && isTooLarge === own.isTooLarge
      must(isSame && lineTotal === own.lineTotal, `${id} costs something else beside another line`)
    }
    const left = price({ ...input, lines: added.filter(({ id }) => id !== extra.id) })
    must(bytes(totals) === bytes(left), `without the line again it is ${bytes(left)}`)
  },

  A1: (cart, totals) => {
    const { adjustments = [] } = cart.input
    const asked = (isTaxable: boolean): number =>
      sum(adjustments.map((one) => (one.isTaxable === isTaxable ? one.amount : 0)))
    const { taxable, untaxable } = totals.adjustments
    const goods = totals.subtotal - totals.amountSaved
    must(taxable === Math.max(asked(true), goods === 0 ? 0 : -goods), `of ${asked(true)} taxable ${taxable} is applied`)
    const isCut = untaxable > asked(false)
    must(isCut ? totals.total === 0 && untaxable <= 0 : untaxable === asked(false), `untaxable ${untaxable} is applied`)
    for (const { id, isTaxable, lineTotal, discountShare, taxableAmount } of totals.lines) {
      const left = lineTotal - discountShare
      // What the line lost to a negative adjustment is within a unit of its part of it.
      const off = BigInt(left - taxableAmount) * BigInt(goods) - BigInt(Math.max(0, -taxable)) * BigInt(left)
      const isRight = goods === 0 ? left === taxableAmount : off < BigInt(goods) && off > -BigInt(goods)
      must(!isTaxable || isRight, `${taxableAmount} of ${id} is taxable`)
      must(!isTaxable || taxable < 0 || taxableAmount === left, `${id} is taxed on ${taxableAmount}`)
    }
  },
} satisfies Record<string, Invariant>

export type InvariantName = keyof typeof invariants

const isIncludedIn = (input: PriceInput): boolean => input.tax?.isIncluded ?? false

function mustBeTaxed(
  id: string,
  amount: number,
  rates: readonly number[],
  isIncluded: boolean,
  parts: readonly { rate: number; amount: number }[],
): void {
  must(parts.length === rates.length, `${id} has ${parts.length} taxes`)
  const whole = 1_000_000 + (isIncluded ? sum(rates) : 0)
  for (const [index, rate] of rates.entries()) {
    must(parts[index]?.rate === rate, `${id} is taxed by another rate`)
    const tax = parts[index]?.amount ?? Number.NaN
    must(
      isHalfUp(tax, BigInt(amount) * BigInt(rate), BigInt(whole)),
      `${tax} is not ${rate} millionths of ${amount} (${id})`,
    )
  }
}

/** The sum of several roundings: within half a unit for each rate. */
function mustBeNear(what: string, tax: number, amount: number, rates: readonly number[], isIncluded: boolean): void {
  const whole = BigInt(1_000_000 + (isIncluded ? sum(rates) : 0))
  const off = 2n * (BigInt(tax) * whole - BigInt(amount) * BigInt(sum(rates)))
  const most = BigInt(rates.length) * whole
  must(off <= most && (off > -most || off === 0n), `${what} is taxed ${tax}`)
}

function throwsRangeError(work: () => unknown): boolean {
  try {
    work()
    return false
  } catch (error) {
    return error instanceof RangeError
  }
}
