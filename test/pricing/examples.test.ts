// @unit
import { describe, expect, test } from 'vitest'
import { parseAmount, priceOf } from '../../src/lib/money.ts'
import { price } from '../../src/pricing/price.ts'
import { cartOf, lineOf, taxOf } from './sample.ts'

const minor = (amount: string, currency: string): number => {
  const parsed = parseAmount(amount, currency)
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.minor
}

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

describe('amounts that went wrong elsewhere', () => {
  test('24.99 at 10.75 % is 2.69 of tax, and 27.68 is charged', () => {
    const totals = price(cartOf([lineOf('item_1', 2499)], { tax: taxOf(107_500) }))
    expect(totals).toMatchObject({ total: 2499, totalWithTax: 2768, totalDue: 2768 })
  })

  test('24.99 and shipping of 8.00 at 10.75 % have no more decimals than the currency', () => {
    const tax = { ...taxOf(107_500), isOnShipping: true }
    const totals = price(cartOf([lineOf('item_1', 2499)], { shipping: 800, tax }))
    expect(totals).toMatchObject({ shippingTax: 86, totalWithTax: 3654, totalDue: 3654 })
    expect(priceOf(totals.totalDue, 'USD').raw).toBe(36.54)
  })

  test('0.1 and 0.2 are 0.3, and ten times 0.1 is 1', () => {
    const two = price(cartOf([lineOf('item_1', minor('0.10', 'USD')), lineOf('item_2', minor('0.20', 'USD'))]))
    expect(priceOf(two.total, 'USD').raw).toBe(0.3)
    const ten = price(cartOf([lineOf('item_1', minor('0.10', 'USD'), { quantity: 10 })]))
    expect(priceOf(ten.total, 'USD').raw).toBe(1)
  })

  test('1.005 at three decimals less 50 % is 0.503', () => {
    const discount = { type: 'percentage', value: 500_000, productIds: [] } as const
    const totals = price(cartOf([lineOf('item_1', minor('1.005', 'KWD'))], { discount }))
    expect(priceOf(totals.amountSaved, 'KWD').formatted).toBe('0.503')
    expect(priceOf(totals.total, 'KWD').formatted).toBe('0.502')
  })

  test('a third of a cent off each of three lines is one cent off the oldest', () => {
    const lines = ['item_c', 'item_a', 'item_b'].map((id) => lineOf(id, 100))
    const totals = price(cartOf(lines, { discount: { type: 'fixed', value: 1, productIds: [] } }))
    expect(totals.lines.map(({ id, discountShare }) => [id, discountShare])).toEqual([
      ['item_c', 0],
      ['item_a', 1],
      ['item_b', 0],
    ])
  })

  test('a discount of 12.3457 % is rounded once for the whole cart', () => {
    const lines = Array.from({ length: 10 }, (_, index) => lineOf(`item_${index}`, 4))
    const totals = price(cartOf(lines, { discount: { type: 'percentage', value: 123_457, productIds: [] } }))
    // Line by line 4 × 12.3457 % is 0.49…, which would save nothing.
    expect(totals.amountSaved).toBe(5)
  })
})

describe('currencies', () => {
  test('yen have no decimals: 8 % of 1999 is 160, contained 8 % is 148', () => {
    const lines = [lineOf('item_1', minor('1999', 'JPY'))]
    expect(price(cartOf(lines, { tax: taxOf(80_000) }))).toMatchObject({ total: 1999, totalWithTax: 2159 })
    expect(price(cartOf(lines, { tax: taxOf(80_000, true) }))).toMatchObject({ total: 1851, totalWithTax: 1999 })
  })

  test('dinars have three decimals: 5 % of 12.345 is 0.617', () => {
    const totals = price(cartOf([lineOf('item_1', minor('12.345', 'KWD'))], { tax: taxOf(50_000) }))
    expect(priceOf(totals.tax.amount, 'KWD').formatted).toBe('0.617')
    expect(priceOf(totals.totalDue, 'KWD').raw).toBe(12.962)
  })

  test('P4: minor units have the decimals of ISO 4217', () => {
    const decimals = ['JPY', 'KRW', 'USD', 'KWD', 'BHD', 'CLF'].map((code) => priceOf(12_345, code).formatted)
    expect(decimals).toEqual(['12,345', '12,345', '123.45', '12.345', '12.345', '1.2345'])
  })
})

describe('tax', () => {
  test('that a price of 20.00 includes at 20 % is 3.33', () => {
    const totals = price(cartOf([lineOf('item_1', 2000)], { tax: taxOf(200_000, true) }))
    expect(totals).toMatchObject({ total: 1667, totalWithTax: 2000 })
    expect(totals.tax).toEqual({ amount: 333, parts: [{ type: 'vat', rate: 200_000, amount: 333 }] })
  })

  test('of several included rates is each rate’s part of one and all rates', () => {
    const rates = [
      { type: 'federal', rate: 50_000, digitalRate: null },
      { type: 'province', rate: 99_750, digitalRate: null },
    ]
    const totals = price(cartOf([lineOf('item_1', 11_498)], { tax: { rates, isIncluded: true, isOnShipping: false } }))
    expect(totals.tax.parts.map(({ amount }) => amount)).toEqual([500, 998])
    expect(totals).toMatchObject({ total: 10_000, totalWithTax: 11_498 })
  })

  test('of a digital line goes by the digital rate, and shipping by the other', () => {
    const rates = [{ type: 'vat', rate: 200_000, digitalRate: 70_000 }]
    const lines = [lineOf('item_1', 1000, { isDigital: true }), lineOf('item_2', 1000)]
    const totals = price(cartOf(lines, { shipping: 500, tax: { rates, isIncluded: false, isOnShipping: true } }))
    expect(totals.lines.map(({ taxAmount }) => taxAmount)).toEqual([70, 200])
    expect(totals.shippingTax).toBe(100)
    expect(totals.tax.parts).toEqual([
      { type: 'vat', rate: 70_000, amount: 70 },
      { type: 'vat', rate: 200_000, amount: 300 },
    ])
  })

  test('a line worth nothing, or too much, is taxed nothing', () => {
    const lines = [lineOf('item_1', 0), lineOf('item_2', 1_000_000_000, { quantity: 1001 }), lineOf('item_3', 100)]
    const totals = price(cartOf(lines, { tax: taxOf(200_000) }))
    expect(totals.lines.map(({ taxAmount, isTooLarge }) => [taxAmount, isTooLarge])).toEqual([
      [0, false],
      [0, true],
      [20, false],
    ])
    expect(totals).toMatchObject({ subtotal: 100, totalWithTax: 120 })
  })

  test('more than a price holds is not contained in it', () => {
    const rates = ['a', 'b', 'c', 'd', 'e'].map((type) => ({ type, rate: 400_000, digitalRate: null }))
    const totals = price(cartOf([lineOf('item_1', 4)], { tax: { rates, isIncluded: true, isOnShipping: false } }))
    expect(totals.lines[0]?.taxParts.map(({ amount }) => amount)).toEqual([1, 1, 1, 1, 0])
    expect(totals).toMatchObject({ total: 0, totalWithTax: 4 })
  })
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

describe('adjustments', () => {
  const lines = [lineOf('item_1', 600), lineOf('item_2', 400, { isTaxExempt: true })]
  const priced = (isIncluded: boolean, ...adjustments: [amount: number, isTaxable: boolean][]) => {
    const { tax, total, totalWithTax, ...rest } = price(
      cartOf(lines, {
        shipping: 100,
        tax: taxOf(200_000, isIncluded),
        adjustments: adjustments.map(([amount, isTaxable]) => ({ amount, isTaxable })),
      }),
    )
    const { taxable, untaxable, total: applied } = rest.adjustments
    expect(applied).toBe(taxable + untaxable)
    return [taxable, untaxable, tax.amount, total, totalWithTax]
  }

  test.each([
    [false, [], [0, 0, 120, 1100, 1220]],
    [false, [[50, true]], [50, 0, 130, 1150, 1280]],
    [false, [[50, false]], [0, 50, 120, 1150, 1270]],
    [false, [[-100, true]], [-100, 0, 108, 1000, 1108]],
    [false, [[-100, false]], [0, -100, 120, 1000, 1120]],
    [false, [[-1500, true]], [-1000, 0, 0, 100, 100]],
    [false, [[-1500, false]], [0, -1100, 120, 0, 120]],
    [
      false,
      [
        [-1500, true],
        [-500, false],
      ],
      [-1000, -100, 0, 0, 0],
    ],
    [
      false,
      [
        [-300, true],
        [350, true],
        [-50, false],
      ],
      [50, -50, 130, 1100, 1230],
    ],
    [true, [], [0, 0, 100, 1000, 1100]],
    [true, [[60, true]], [60, 0, 110, 1050, 1160]],
    [true, [[-100, true]], [-100, 0, 90, 910, 1000]],
    [true, [[-1500, true]], [-1000, 0, 0, 100, 100]],
    [true, [[-1500, false]], [0, -1000, 100, 0, 100]],
  ] as [boolean, [number, boolean][], number[]][])(
    'are applied while nothing falls below zero, tax included %s: %j',
    (isIncluded, sent, figures) => {
      expect(priced(isIncluded, ...sent)).toEqual(figures)
    },
  )
})

describe('a gift card', () => {
  test.each([
    [500, { giftCardCredit: 500, giftCardBalanceAfter: 0, totalDue: 700, total: 1000, totalWithTax: 1200 }],
    [5000, { giftCardCredit: 1200, giftCardBalanceAfter: 3800, totalDue: 0, total: 1000, totalWithTax: 1200 }],
    [0, { giftCardCredit: 0, giftCardBalanceAfter: 0, totalDue: 1200 }],
    [null, { giftCardCredit: 0, giftCardBalanceAfter: null, totalDue: 1200 }],
  ])('with a balance of %s pays and does not discount', (giftCardBalance, figures) => {
    const totals = price(cartOf([lineOf('item_1', 1000)], { tax: taxOf(200_000), giftCardBalance }))
    expect(totals).toMatchObject(figures)
  })
})

test('an empty cart costs nothing', () => {
  expect(price(cartOf([], { discount: { type: 'fixed', value: 100, productIds: [] }, tax: taxOf(1) }))).toEqual({
    lines: [],
    subtotal: 0,
    amountSaved: 0,
    shipping: 0,
    shippingTax: 0,
    adjustments: { taxable: 0, untaxable: 0, total: 0 },
    tax: { amount: 0, parts: [] },
    total: 0,
    totalWithTax: 0,
    giftCardCredit: 0,
    giftCardBalanceAfter: null,
    totalDue: 0,
    payWhatYouWant: { isEnabled: false, minimum: null, customerSetPrice: null },
  })
})

test('options that take more than the price make a line free, never a refund', () => {
  const totals = price(cartOf([lineOf('item_1', 500, { optionDeltas: [100, -700], quantity: 3 })]))
  expect(totals.lines[0]).toMatchObject({ unitPrice: 0, lineTotal: 0 })
})
