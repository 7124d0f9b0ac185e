// @unit
// What is given back for items: in whichever parts, it adds up to what was paid for them.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paidPerLine, refundForQuantity } from '../../src/pricing/give-back.ts'
import { price } from '../../src/pricing/price.ts'

const line = fc.record({
  unitPrice: fc.integer({ min: 0, max: 9_999 }),
  quantity: fc.integer({ min: 1, max: 12 }),
  isTaxExempt: fc.boolean(),
})

it('what was paid for the lines of an order is what price() has charged for them: all but shipping, fees and what is not taxed', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.nat(1_000_000),
      fc.nat(5_000),
      fc.boolean(),
      fc.nat(250_000),
      (lines, percent, reduction, isIncluded, rate) => {
        const totals = price({
          lines: lines.map((each, index) => ({
            ...each,
            id: `item_${index}`,
            productId: 'prod',
            optionDeltas: [],
            isPayWhatYouWant: false,
            isDigital: false,
          })),
          discount: { type: 'percentage', value: percent, productIds: [] },
          shipping: 0,
          tax: { rates: [{ type: 'state', rate, digitalRate: null }], isIncluded, isOnShipping: false },
          adjustments: [{ amount: -reduction, isTaxable: true }],
          giftCardBalance: null,
          customerSetPrice: null,
        })
        const paid = paidPerLine({
          lines: totals.lines,
          taxableAdjustment: totals.adjustments.taxable,
          isTaxIncluded: isIncluded,
        })
        expect([...paid.values()].reduce((sum, amount) => sum + amount, 0)).toBe(totals.totalWithTax)
        for (const { id, isTaxable, taxableAmount, taxAmount } of totals.lines)
          if (isTaxable) expect(paid.get(id)).toBe(taxableAmount + (isIncluded ? 0 : taxAmount))
      },
    ),
    { numRuns: 500 },
  )
})

describe('a piece of a line', () => {
  it('is a third of 10.00 as 3.33, 3.34 and 3.33', () => {
    expect([0, 1, 2].map((before) => refundForQuantity(1_000, 3, before, 1))).toEqual([333, 334, 333])
    expect([refundForQuantity(1_000, 3, 0, 2), refundForQuantity(1_000, 3, 2, 1)]).toEqual([667, 333])
  })

  it('is never below zero, and all of them add up to the line, in whichever parts', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000_000_000),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        (paid, parts) => {
          const bought = parts.reduce((sum, quantity) => sum + quantity, 0)
          let before = 0
          let sum = 0
          for (const quantity of parts) {
            const piece = refundForQuantity(paid, bought, before, quantity)
            expect(piece).toBeGreaterThanOrEqual(0)
            sum += piece
            before += quantity
          }
          expect(sum).toBe(paid)
        },
      ),
      { numRuns: 500 },
    )
  })
})
