// @unit
import { describe, expect, test } from 'vitest'
import { priceOf } from '../../src/lib/money.ts'
import { price } from '../../src/pricing/price.ts'
import { cartOf, lineOf, taxOf } from './sample.ts'

describe('an order that the vendor published', () => {
  const rates = [
    { type: 'state', rate: 60_000, digitalRate: null },
    { type: 'city', rate: 7_500, digitalRate: null },
    { type: 'county', rate: 2_500, digitalRate: null },
    { type: 'district', rate: 32_500, digitalRate: null },
  ]
  const lines = [
    lineOf('item_1', 5500, { productId: 'prod_discounted', isTaxExempt: true }),
    lineOf('item_2', 5000, { isTaxExempt: true }),
    lineOf('item_3', 10_000, { optionDeltas: [500] }),
    lineOf('item_4', 1000, { isTaxExempt: true }),
    lineOf('item_5', 5000),
    lineOf('item_6', 5000),
  ]
  const order = (productIds: string[]) =>
    price(
      cartOf(lines, {
        discount: { type: 'fixed', value: 5000, productIds },
        shipping: 8750,
        tax: { rates, isIncluded: false, isOnShipping: false },
      }),
    )

  test('is reproduced to the cent where its discount is for every product', () => {
    const totals = order([])
    expect(totals.lines.map(({ taxableAmount, taxAmount }) => [taxableAmount, taxAmount])).toEqual([
      [0, 0],
      [0, 0],
      [8859, 908],
      [0, 0],
      [4219, 433],
      [4219, 433],
    ])
    expect(totals.lines[2]?.taxParts.map(({ amount }) => amount)).toEqual([532, 66, 22, 288])
    expect(totals.tax.parts.map(({ amount }) => amount)).toEqual([1038, 130, 44, 562])
    expect(totals).toMatchObject({ subtotal: 32_000, amountSaved: 5000, total: 35_750, totalWithTax: 37_524 })
    expect(totals.tax.amount).toBe(1774)
  })

  // The vendor lowered the tax of every line for a discount on one product that is exempt.
  test('has the same total before tax, and more tax, where its discount is for the exempt product it names', () => {
    const totals = order(['prod_discounted'])
    expect(totals.lines.map(({ discountShare }) => discountShare)).toEqual([5000, 0, 0, 0, 0, 0])
    expect(totals).toMatchObject({ subtotal: 32_000, amountSaved: 5000, total: 35_750, totalWithTax: 37_854 })
    expect(totals.tax.amount).toBe(2104)
  })
})

describe('currencies', () => {
  test('P4: minor units have the decimals of ISO 4217', () => {
    const decimals = ['JPY', 'KRW', 'USD', 'KWD', 'BHD', 'CLF'].map((code) => priceOf(12_345, code).formatted)
    expect(decimals).toEqual(['12,345', '12,345', '123.45', '12.345', '12.345', '1.2345'])
  })
})

test('tax more than a price holds is not contained in it', () => {
  const rates = ['a', 'b', 'c', 'd', 'e'].map((type) => ({ type, rate: 400_000, digitalRate: null }))
  const totals = price(cartOf([lineOf('item_1', 4)], { tax: { rates, isIncluded: true, isOnShipping: false } }))
  expect(totals.lines[0]?.taxParts.map(({ amount }) => amount)).toEqual([1, 1, 1, 1, 0])
  expect(totals).toMatchObject({ total: 0, totalWithTax: 4 })
})

describe('tax that an integration sets', () => {
  const lines = [lineOf('item_1', 1000), lineOf('item_2', 500), lineOf('item_3', 700, { isTaxExempt: true })]
  const externalTax = ['item_1', 'item_3', 'item_gone'].map((lineId) => ({
    lineId,
    breakdown: [
      { type: 'Tax', rate: 81_250, amount: 83 },
      { type: 'Levy', rate: 0, amount: 5 },
    ],
  }))

  test('replaces ours on every line and on shipping, and leaves exempt lines alone', () => {
    const tax = { ...taxOf(200_000), isOnShipping: true }
    const totals = price(cartOf(lines, { shipping: 300, tax, externalTax }))
    expect(totals.lines.map(({ taxAmount }) => taxAmount)).toEqual([88, 0, 0])
    expect(totals.lines[0]?.taxParts).toEqual(externalTax[0]?.breakdown)
    expect(totals.tax).toEqual({ amount: 88, parts: externalTax[0]?.breakdown })
    expect(totals).toMatchObject({ shippingTax: 0, total: 2500, totalWithTax: 2588 })
  })

  test('is added where no zone is known, and contained where prices include tax', () => {
    expect(price(cartOf(lines, { externalTax }))).toMatchObject({ total: 2200, totalWithTax: 2288 })
    const tax = { rates: [], isIncluded: true, isOnShipping: false }
    expect(price(cartOf(lines, { tax, externalTax }))).toMatchObject({ total: 2112, totalWithTax: 2200 })
  })

  test('is at most the line where prices include tax', () => {
    const tax = { rates: [], isIncluded: true, isOnShipping: false }
    const totals = price(cartOf([lineOf('item_1', 85)], { tax, externalTax }))
    expect(totals.lines[0]?.taxParts.map(({ amount }) => amount)).toEqual([83, 2])
    expect(totals).toMatchObject({ total: 0, totalWithTax: 85 })
  })
})
