// @unit
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allocate, MAX_AMOUNT, MAX_TOTAL, mulDivHalfUp, priceOf } from '../../src/lib/money.ts'
import { keepValidChoice, payWhatYouWantProblem } from '../../src/pricing/pay-what-you-want.ts'
import { price } from '../../src/pricing/price.ts'
import {
  MAX_ADJUSTMENTS,
  MAX_CART_LINES,
  MAX_LINE_TAX,
  MAX_LINE_TOTAL,
  MAX_TAX_RATE,
  portion,
  splitIntoShares,
} from '../../src/pricing/rounding.ts'
import { isInBand, shippingPrice } from '../../src/pricing/shipping.ts'
import { cartOf, lineOf, taxOf } from './sample.ts'

describe('the largest purchase', () => {
  const lines = Array.from({ length: MAX_CART_LINES }, (_, index) => lineOf(`item_${1000 + index}`, MAX_LINE_TOTAL))
  const shipping = shippingPrice({ price: MAX_AMOUNT, onOwn: MAX_AMOUNT, withOthers: MAX_AMOUNT }, 300_000_000)
  const adjustments = Array.from({ length: MAX_ADJUSTMENTS }, () => ({ amount: MAX_AMOUNT, isTaxable: true }))
  const most = { shipping, adjustments, tax: { ...taxOf(MAX_TAX_RATE), isOnShipping: true } }

  test('is computed and shown to the last unit', () => {
    const totals = price(cartOf(lines, most))
    expect(totals.totalWithTax).toBe(802_000_000_000_000)
    expect(totals.totalWithTax).toBeLessThan(MAX_TOTAL)
    expect(priceOf(totals.totalWithTax - 1, 'USD').formatted).toBe('8,019,999,999,999.99')
    const breakdown = [{ type: 'Tax', rate: MAX_TAX_RATE, amount: MAX_LINE_TAX }]
    const externalTax = lines.map(({ id }) => ({ lineId: id, breakdown }))
    expect(price(cartOf(lines, { ...most, externalTax })).totalWithTax).toBeLessThan(MAX_TOTAL)
  })

  test('is discounted to the last unit', () => {
    const discount = { type: 'percentage', value: 333_333, productIds: [] } as const
    const totals = price(cartOf(lines, { discount }))
    expect(totals.amountSaved).toBe(99_999_900_000_000)
    expect(new Set(totals.lines.map(({ discountShare }) => discountShare))).toEqual(new Set([333_333_000_000]))
  })

  test('a line above the limit counts nothing, one at the limit counts', () => {
    const totals = price(
      cartOf([
        lineOf('item_1', MAX_LINE_TOTAL),
        lineOf('item_2', MAX_LINE_TOTAL, { optionDeltas: [1] }),
        lineOf('item_3', MAX_AMOUNT, { quantity: 1_000_000, optionDeltas: [MAX_AMOUNT, MAX_AMOUNT] }),
      ]),
    )
    expect(totals.lines.map(({ lineTotal, isTooLarge }) => [lineTotal, isTooLarge])).toEqual([
      [MAX_LINE_TOTAL, false],
      [0, true],
      [0, true],
    ])
    expect(totals.subtotal).toBe(MAX_LINE_TOTAL)
  })

  test.each([
    ['a fraction of a unit', cartOf([lineOf('item_1', 0.5)])],
    ['no number', cartOf([lineOf('item_1', Number.NaN)])],
    ['a negative price of shipping', cartOf([lineOf('item_1', 5)], { shipping: -1 })],
    ['a negative balance', cartOf([lineOf('item_1', 5)], { giftCardBalance: -1 })],
    ['a discount that adds', cartOf([lineOf('item_1', 5)], { discount: { type: 'fixed', value: -1, productIds: [] } })],
    ['more than can be shown', cartOf([...lines, ...lines, ...lines, ...lines])],
  ])('is not computed from %s', (_, input) => {
    expect(() => price(input)).toThrow(RangeError)
  })
})

describe('pay what you want', () => {
  const lines = [
    lineOf('item_1', 200, { isPayWhatYouWant: true }),
    lineOf('item_2', 100, { isPayWhatYouWant: true }),
    lineOf('item_3', 50),
  ]

  test('an amount below the minimum or above every limit is a mistake of the caller', () => {
    for (const customerSetPrice of [299, MAX_AMOUNT + 1])
      expect(() => price(cartOf(lines, { customerSetPrice }))).toThrow(RangeError)
    expect(price(cartOf(lines, { customerSetPrice: 300 })).subtotal).toBe(350)
    expect(price(cartOf(lines, { customerSetPrice: MAX_AMOUNT })).subtotal).toBe(MAX_AMOUNT + 50)
  })

  test.each([
    [300, 300, 2, null],
    [299, 300, 2, 'too_low'],
    [0, 0, 2, null],
    [0, null, 2, 'not_offered'],
    [1_000_000_000, 0, 0, null],
    [1_000_000_001, 0, 0, 'too_high'],
    [100_000_000_000, 0, 2, null],
    [100_000_000_001, 0, 2, 'too_high'],
    [1_000_000_000_000, 0, 3, null],
    [1_000_000_000_000, 0, 4, null],
    [1_000_000_000_001, 0, 4, 'too_high'],
  ])('%d for a minimum of %s with %d decimals: %s', (customerSetPrice, minimum, exponent, problem) => {
    expect(payWhatYouWantProblem({ customerSetPrice, minimum, exponent })).toBe(problem)
  })

  test('an amount chosen earlier counts as long as the minimum allows it', () => {
    expect(keepValidChoice(lines, 300)).toBe(300)
    expect(keepValidChoice(lines, 299)).toBeNull()
    expect(keepValidChoice(lines, null)).toBeNull()
    expect(keepValidChoice(lines.slice(2), 300)).toBeNull()
  })
})

describe('shipping', () => {
  const rate = { price: 500, onOwn: 200, withOthers: 50 }

  test.each([
    [0, 0],
    [1, 700],
    [2, 750],
    [11, 1200],
  ])('%d units cost %d', (units, cost) => {
    expect(shippingPrice(rate, units)).toBe(cost)
  })

  test('costs no more than a line may', () => {
    expect(shippingPrice({ price: 0, onOwn: 0, withOthers: MAX_AMOUNT }, 300_000_000)).toBe(MAX_LINE_TOTAL)
  })

  test.each([
    [{}, true],
    [{ minOrderValue: 1000 }, true],
    [{ minOrderValue: 1001 }, false],
    [{ maxOrderValue: 1000 }, true],
    [{ maxOrderValue: 999 }, false],
    [{ minWeight: 250, maxWeight: 250 }, true],
    [{ minWeight: 251 }, false],
    [{ maxWeight: 249 }, false],
    [{ minOrderValue: 1, maxOrderValue: 2000, minWeight: 0, maxWeight: 249 }, false],
  ])('a method with the bands %j is offered for 1000 and 250 grams: %s', (bands, isOffered) => {
    const open = { minOrderValue: null, maxOrderValue: null, minWeight: null, maxWeight: null }
    expect(isInBand({ ...open, ...bands }, { orderValue: 1000, weight: 250 })).toBe(isOffered)
  })
})

test('the short way of rounding gives what the long way gives for amounts of every size', () => {
  const any = fc.double({ min: 0, max: 1, noNaN: true }).map((part) => Math.floor(MAX_AMOUNT ** part))
  const rate = fc.integer({ min: 0, max: 1_000_000 })
  fc.assert(
    fc.property(any, rate, fc.array(any, { minLength: 1, maxLength: 8 }), (amount, rate, weights) => {
      expect(portion(amount, rate, 1_000_000 + rate)).toBe(mulDivHalfUp(amount, rate, 1_000_000 + rate))
      expect(splitIntoShares(amount, weights)).toEqual(allocate(amount, weights))
    }),
    { numRuns: 2000 },
  )
  // Just below a half, which the nearest double is not.
  expect(portion(9_007_500_001, 999_999, 1_000_000)).toBe(9_007_490_993)
  expect(splitIntoShares(0, [0, 0])).toEqual([0, 0])
  for (const weights of [[0, 0], []]) expect(() => splitIntoShares(1, weights)).toThrow(RangeError)
})

describe('the source of prices', () => {
  const files = readdirSync('src/pricing').map((name) => [name, readFileSync(`src/pricing/${name}`, 'utf8')] as const)
  const code = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '')

  test.each(files)('P1: %s holds no decimals, and divides only where rounding is', (name, text) => {
    expect(code(text).match(/\d\.\d|parseFloat|toFixed|Math\.(?!min|max|floor)\w+/g)).toBeNull()
    if (name !== 'rounding.ts') expect(code(text).match(/[/%]|Math\.floor/g)).toBeNull()
  })

  test.each(files)('P5: %s depends on no locale, time zone or process', (_, text) => {
    expect(code(text).match(/\b(Intl|toLocale\w*|localeCompare|Date|process|globalThis|random)\b/g)).toBeNull()
  })
})
