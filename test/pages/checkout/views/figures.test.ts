// @unit
// No figure is on a page that price() has not given.

import { describe, expect, it } from 'vitest'
import type { Html } from '../../../../src/lib/html/html.ts'
import { refusal } from '../../../../src/lib/words/refusals.ts'
import { LANGUAGES } from '../../../../src/pages/checkout/model.ts'
import { payPage } from '../../../../src/pages/checkout/views/pay.ts'
import { receiptPage } from '../../../../src/pages/checkout/views/receipt.ts'
import { sumFormatterFor } from '../../../../src/pages/checkout/views/sums.ts'
import { liveOf, orderOf, payModel, receiptModel, typed } from './samples.ts'

const live = liveOf({ discount: 1_000, giftCard: 2_500, tax: 1_103, isTaxIncluded: false })
const before = liveOf({ shipping: 333 })

/** Every `raw` of it, which is that of a price. */
function rawsIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => (key === 'raw' ? [Math.abs(each as number)] : rawsIn(each)))
}

/** What looks like a sum of money in the text of a page. */
const figuresIn = ({ text }: Html): number[] =>
  [...text.replace(/<[^>]+>/g, ' ').matchAll(/€\s?(\d[\d,]*\.\d\d)/g)].map(([, digits = '']) =>
    Number(digits.replaceAll(',', '')),
  )

describe('figures', () => {
  it('of the pay page are those of the live totals', () => {
    const notice = { tone: 'changed', shopperMessage: refusal('gift_card_changed'), before } as const
    const page = payPage(payModel({ live, typed: typed({ 'shipping[country]': 'DE' }), notice }))
    const figures = figuresIn(page)
    const known = new Set([...rawsIn(live), ...rawsIn(before.total_due)])
    expect(figures.length).toBeGreaterThan(10)
    expect(figures.filter((figure) => !known.has(figure))).toEqual([])
    for (const shown of [live.total_due, live.subtotal, live.tax.amount, before.total_due])
      expect(figures).toContain(shown.raw)
  })

  it('of the receipt are those of the order', () => {
    const order = orderOf({ live, payment: 'partially_refunded' })
    const known = new Set(rawsIn(order))
    const figures = figuresIn(receiptPage(receiptModel({ order })))
    expect(figures.length).toBeGreaterThan(8)
    expect(figures.filter((figure) => !known.has(figure))).toEqual([])
  })

  it('are what the form expects to pay, and what a script is told', () => {
    const { text } = payPage(payModel({ live }))
    expect(text).toContain('name="expected_total" value="60.93"')
    expect(text).toContain('data-amount="60.93" data-minor="6093" data-currency="EUR"')
    const yen = payPage(payModel({ live: liveOf({ currency: 'JPY' }) })).text
    expect(yen).toContain('data-amount="8490" data-minor="8490" data-currency="JPY"')
  })

  it('say no price for sending what nobody knows yet', () => {
    const unknown = payPage(payModel({ live: liveOf({ shipping: null }), typed: typed({}) })).text
    expect(unknown).toContain('<dt>Shipping</dt><dd>Depends on the address</dd>')
  })

  it('have as many decimals as the currency has with us, in every language', () => {
    for (const language of LANGUAGES)
      for (const [currency, decimals] of [
        ['EUR', 2],
        ['JPY', 0],
        ['KWD', 3],
        ['HUF', 2],
      ] as const) {
        const digits = sumFormatterFor(language, currency).sum({ raw: 1 }).replace(/\D/g, '')
        expect([language, currency, digits.length]).toEqual([language, currency, decimals + 1])
      }
  })

  it('of a gift card show the end of its code alone', () => {
    const { text } = receiptPage(receiptModel({ order: orderOf({ live }) }))
    expect(text).toContain('Gift card ending in 99QD')
    expect(text).not.toContain('GIFT-7F3K')
  })
})
