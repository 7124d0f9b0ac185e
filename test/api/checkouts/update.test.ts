// PUT /v1/checkouts/{token}: what an integration sets.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { expectUnchanged, malformedFields, matching, notValidFields, price, replyOf } from '../../support/shop.ts'
import { amounts, openCheckoutShop } from './support.ts'

const app = await sharedApp()
const shop = await openCheckoutShop(app)
const secret = shop.keys.sandbox.secret
const product = await shop.product({ price: 100 })
const exempt = await shop.product({ price: 50, tax_exempt: true })

const put = (id: string, body: unknown, key = secret) => shop.call('PUT', `checkouts/${id}`, body, key)

describe('an integration', () => {
  it('sets shipping methods, which are offered beside those of the zones and everywhere', async () => {
    await shop.zone({ countries: ['CA'] })
    const token = await shop.token({ id: product.id })
    app.clock.advance(1)
    const sent = [
      { id: 'express', description: 'Express', price: '12.50', provider: 'ignored' },
      { description: 'Slow', price: 0 },
    ]
    const changed = await shop.set(token, { shipping_methods: sent })
    const express = { id: 'express', description: 'Express', provider: 'custom', price: price(12.5, '12.50') }
    const slow = { id: matching('ship_'), description: 'Slow', provider: 'custom', price: price(0, '0.00') }
    const [post, ...own] = changed.shipping_methods
    expect(own).toEqual([express, slow].map((method) => ({ ...method, countries: [], regions: {} })))
    expect([post?.description, changed.live.shipping.available_options]).toEqual(['Post', changed.shipping_methods])
    expect(changed.updated - token.updated).toBe(1)

    await shop.choose.shipping(token, 'US', 'NY', 'express')
    const live = await shop.live(token)
    expect(live.shipping).toEqual({ available_options: own, ...express })
    expect(amounts(live).total).toBe(112.5)

    const cleared = await shop.set(token, { shipping_methods: null })
    expect([cleared.shipping.id, cleared.live.shipping.available_options]).toEqual([null, []])
    expect(amounts(cleared.live).total).toBe(100)
  })

  it('replaces a method of the zones by one with the same id', async () => {
    const own = await openCheckoutShop(app)
    const zone = await own.zone()
    const token = await own.token({ id: (await own.product()).id })
    const id = zone.methods[0]?.id
    const { shipping_methods } = await own.set(token, { shipping_methods: [{ id, description: 'Ours', price: 1 }] })
    expect(shipping_methods.map((method) => [method.id, method.description])).toEqual([[id, 'Ours']])
  })

  it('sets the tax of lines, which replaces ours until it is cleared', async () => {
    const own = await openCheckoutShop(app)
    await own.taxZone({ country: 'US', rates: [{ type: 'state', rate: 0.06 }] })
    const [taxed, free] = [await own.product({ price: 100 }), await own.product({ price: 50, tax_exempt: true })]
    const token = await own.token({ id: taxed.id }, { id: free.id })
    await own.choose.tax(token, { country: 'US' })
    const [one, two] = token.products.map(({ id }) => id)
    expect(amounts(await own.live(token)).tax).toBe(6)
    const breakdown = [
      { amount: 7.25, rate: 0.0725, type: 'state' },
      { amount: '1.00', rate: '0.01', type: 'county' },
    ]
    const line_items = [one, two].map((id) => ({ id, breakdown }))
    const { live } = await own.set(token, { tax: { line_items } })
    const shown = [
      { amount: price(7.25, '7.25'), rate: 0.0725, rate_percentage: '7.25%', type: 'state' },
      { amount: price(1, '1.00'), rate: 0.01, rate_percentage: '1%', type: 'county' },
    ]
    expect(live.tax).toEqual({
      amount: price(8.25, '8.25'),
      included_in_price: false,
      provider: 'custom',
      provider_type: 'external',
      breakdown: shown,
      zone: { country: 'US', region: null, postal_zip_code: null, ip_address: null },
    })
    expect(live.line_items.map((line) => [line.tax.amount.raw, line.tax.breakdown])).toEqual([
      [8.25, shown],
      [0, null],
    ])
    // One field of an object at a time.
    const named = await own.set(token, { tax: { provider: 'acme' } })
    expect([named.live.tax.provider, named.live.tax.amount.raw]).toEqual(['acme', 8.25])
    const none = await own.set(token, { tax: { line_items: [] } })
    expect(none.live.tax).toMatchObject({ provider: 'acme', provider_type: 'external', amount: { raw: 0 } })
    const cleared = await own.set(token, { tax: null })
    expect(cleared.live.tax).toMatchObject({ provider: 'chec', provider_type: 'native', amount: { raw: 6 } })
  })

  it('sets adjustments, which add to the total or take from it, and never below zero', async () => {
    const token = await shop.token({ id: product.id })
    const adjusted = async (adjustments: unknown) => {
      const { live } = await shop.set(token, { adjustments })
      const { adjusted: sum, total, due } = amounts(live)
      return [live.adjustments.taxable.raw, live.adjustments.untaxable.raw, sum, total, due]
    }
    expect(await adjusted([{ amount: 2 }, { amount: '3.50', taxable: true, description: 'Fee' }])).toEqual([
      3.5, 2, 5.5, 105.5, 105.5,
    ])
    expect(await adjusted([{ amount: -120 }])).toEqual([0, -100, -100, 0, 0])
    expect(await adjusted([{ amount: -30, taxable: true }])).toEqual([-30, 0, -30, 70, 70])
    expect(await adjusted(null)).toEqual([0, 0, 0, 100, 100])
  })

  it('sets the meta, and leaves what it does not send as it was', async () => {
    const token = await shop.token({ id: product.id })
    const first = await shop.set(token, { meta: { b: 1, a: { c: [] } }, adjustments: [{ amount: 1 }] })
    expect([JSON.stringify(first.meta), first.live.adjustments.total.raw]).toEqual(['{"b":1,"a":{"c":[]}}', 1])
    expect((await shop.set(token, { meta: { d: 2 }, unknown: 1 })).meta).toEqual({ d: 2 })
    const untouched = await shop.set(token, {})
    expect([untouched.meta, untouched.live.adjustments.total.raw]).toEqual([{ d: 2 }, 1])
    expect((await shop.set(token, { meta: null })).meta).toBe(null)
  })

  it('keeps what another sets at the same moment', async () => {
    const token = await shop.token({ id: product.id })
    await Promise.all([
      shop.set(token, { adjustments: [{ amount: 1 }] }),
      shop.set(token, { shipping_methods: [{ id: 'a', description: 'A', price: 1 }] }),
      shop.set(token, { meta: { kept: true } }),
    ])
    const { meta, shipping_methods, adjustments } = await shop.get(token)
    expect([meta, shipping_methods.at(-1)?.id, adjustments.total.raw]).toEqual([{ kept: true }, 'a', 1])
  })
})

describe('an update is refused', async () => {
  const token = await shop.token({ id: product.id }, { id: exempt.id })
  const [one, two] = token.products.map(({ id }) => id)
  const part = { amount: 1, rate: 0.1, type: 'state' }
  const tax = (...lines: unknown[]) => ({ tax: { line_items: lines } })
  const PART = 'tax.line_items.0.breakdown.0'
  const FRACTION = 'must be a fraction from 0 to 1 with at most 6 decimals; 0.06 is 6%.'
  const LINE = 'must be the id of a line item of this checkout, and may be listed only once.'
  const ABSENT = 'is required: no tax has been set on this checkout yet.'
  const BROKEN = { [`${PART}.rate`]: FRACTION, [`${PART}.amount`]: 'must not be negative.' }
  const SAME = 'must differ from the ids of the other methods.'
  const MOST = 'must add up to 10,000,000,000.00 USD or less.'
  const unknown = { id: `item_${'0'.repeat(26)}`, breakdown: [part] }
  const tooMuch = [10_000_000_000, 0.01].map((amount) => ({ ...part, amount }))
  const twice = ['a', 'a'].map((id) => ({ id, description: 'A', price: 1 }))

  it.each<['malformed' | 'not valid', object, Record<string, string>]>([
    ['malformed', { tax: { provider: 'acme' } }, { 'tax.line_items': ABSENT }],
    ['malformed', tax({ id: one, breakdown: [{ ...part, amount: -1, rate: 1.1 }] }), BROKEN],
    ['malformed', { meta: { a: 'x'.repeat(16_377) } }, { meta: 'must be at most 16 KB (16384 bytes) as JSON text.' }],
    ['not valid', { shipping_methods: twice }, { 'shipping_methods.1.id': SAME }],
    ['not valid', tax({ id: two, breakdown: [part] }, unknown), { 'tax.line_items.1.id': LINE }],
    ['not valid', tax({ id: one, breakdown: [part] }, { id: one, breakdown: [] }), { 'tax.line_items.1.id': LINE }],
    ['not valid', tax({ id: one, breakdown: tooMuch }), { 'tax.line_items.0.breakdown': MOST }],
  ])('as %s: %j', async (kind, body, rules) => {
    const sent = { meta: { changed: true }, ...body }
    const reply = await expectUnchanged(
      () => shop.get(token),
      () => replyOf(put(token.id, sent)),
    )
    expect(reply).toEqual(kind === 'malformed' ? malformedFields(rules) : notValidFields(rules))
  })
})
