// POST /v1/orders/{id}/refund/preview: what it says is what the refund with the same body then does, to the cent and to the piece; it changes
// nothing, and refuses what the refund refuses, in the same words.

import { describe, expect, it } from 'vitest'
import type { GiftCard } from '../../../src/api/gift-cards/schema.ts'
import type { RefundPreview } from '../../../src/api/orders/money/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { testApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { CARD, CUSTOMER, openCaptureShop } from '../checkouts/capture-support.ts'
import { openShop, physical, runOrderJobs, UNKNOWN_ID, usd } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const sales = await openCaptureShop(app)
const { secret } = sales.keys.sandbox

const selectMails = sql<{ to: string }>`
  select recipient as "to" from mails where merchant_id = :merchant_id and kind = 'refund' order by created_at, id`

type Ask = (path: string, body: object) => Promise<{ status: number; body: unknown }>

/** Previews, refunds, and says of each thing what was foretold and what came. */
async function bothOf(order: Order, ask: Ask, read: () => Promise<Order>, body: object) {
  const before = await read()
  const { status, body: told } = await ask(`${order.id}/refund/preview`, body)
  expect([status, told]).toEqual([200, told])
  const preview = told as RefundPreview
  expect(await read()).toEqual(before)
  app.clock.advance(1)
  const after = (await ask(`${order.id}/refund`, body)).body as Order
  const parts = after.transactions.filter(
    ({ id, type }) => type === 'refund' && !before.transactions.some((each) => each.id === id),
  )
  const credit = (after.returned_credit?.amount.raw ?? 0) - (before.returned_credit?.amount.raw ?? 0)
  const foretold = {
    amount: preview.amount.raw,
    left: preview.left_after.raw,
    parts: preview.payments.map(({ id, gateway, amount }) => [id, gateway, amount.raw]),
    credit: preview.giftcard?.raw ?? 0,
    items: preview.items,
    restocked: preview.restocked,
  }
  const came = {
    amount: cents(after.order.total_refunded.raw - before.order.total_refunded.raw),
    left: after.order.total_refundable.raw,
    parts: parts.map(({ payment_id, gateway, amount }) => [payment_id, gateway, amount.raw]),
    credit: cents(credit),
    items: after.order.line_items.flatMap(({ id, quantity_refunded }) => {
      const quantity = quantity_refunded - countOf(before, id, 'quantity_refunded')
      return quantity === 0 ? [] : [{ line_item_id: id, quantity }]
    }),
    restocked: after.order.line_items.flatMap(({ id, quantity_restocked }) => {
      const quantity = quantity_restocked - countOf(before, id, 'quantity_restocked')
      return quantity === 0 ? [] : [{ line_item_id: id, quantity }]
    }),
  }
  expect(foretold).toEqual(came)
  return { preview, after }
}

const cents = (value: number) => Math.round(value * 100) / 100
const countOf = ({ order }: Order, lineId: string, what: 'quantity_refunded' | 'quantity_restocked') =>
  order.line_items.find(({ id }) => id === lineId)?.[what] ?? 0

const both = (order: Order, body: object = {}) =>
  bothOf(
    order,
    (path, sent) => shop.call('POST', `/${path}`, sent),
    () => shop.get(order.id),
    body,
  )

describe('the preview of a refund', () => {
  it('says what is then given back: some items, an amount, the rest', async () => {
    // 10.01 for three: a third is not a whole number of cents.
    const odd = physical({ id: 'item_odd', quantity: 3, line_total: 1_001 })
    const order = await shop.order({ lines: [physical(), odd] })
    expect((await both(order, { items: [{ line_item_id: 'item_odd', quantity: 1 }] })).preview).toMatchObject({
      amount: usd(334),
      payments: [
        {
          gateway: 'test_gateway',
          type: 'card',
          reference: '4242',
          payment_source: { brand: 'Visa' },
          amount: usd(334),
        },
      ],
      giftcard: null,
      mailed_to: 'jane@example.com',
    })
    await both(order, { items: [{ line_item_id: 'item_odd', quantity: 2 }] })
    await both(order, { amount: '5.25' })
    await both(order, { items: [{ line_item_id: 'item_mug', quantity: 1 }], amount: 3 })
    const rest = await both(order)
    expect(rest.preview.left_after).toEqual(usd(0))
    expect(rest.after.status_payment).toBe('refunded')
  })

  it('says what goes by the gateway and what to the gift card', async () => {
    const { body } = await app.call('POST', '/v1/giftcards', { key: shop.keys.sandbox.secret, body: { value: 5 } })
    const gift_card = { id: (body as GiftCard).id, code: 'FIVE', balance_after: 0, credit: 500 }
    const order = await shop.order({ gift_card, total_due: 1_500 })
    await both(order, { amount: 12 })
    const { preview } = await both(order)
    expect([preview.payments.map(({ amount }) => amount.raw), preview.giftcard]).toEqual([[3], usd(500)])
  })

  it('says what goes into stock: of counted things, where they still are', async () => {
    const thing = (inventory?: object) =>
      sales.product({ delivery: { physical: false }, ...(inventory === undefined ? {} : { inventory }) })
    const counted = await thing({ managed: true, available: 9 })
    const gone = await thing({ managed: true, available: 9 })
    const uncounted = await thing()
    const cart = await sales.cart([
      { id: counted.id, quantity: 3 },
      { id: gone.id, quantity: 2 },
      { id: uncounted.id, quantity: 1 },
    ])
    const order = await sales.order(await sales.ofCart(cart.id), { customer: CUSTOMER, payment: CARD })
    await sales.succeed(204, 'DELETE', `products/${gone.id}`, undefined, secret)
    const ask: Ask = (path, sent) => sales.call('POST', `orders/${path}`, sent, secret)
    const read = () => sales.succeed<Order>(200, 'GET', `orders/${order.id}`, undefined, secret)
    const line = order.order.line_items[0]?.id ?? ''
    const one = await bothOf(order, ask, read, { items: [{ line_item_id: line, quantity: 1 }], restock: true })
    expect(one.preview.restocked).toEqual([{ line_item_id: line, quantity: 1 }])
    const rest = await bothOf(order, ask, read, { restock: true })
    expect(rest.preview.items.length).toBe(3)
    expect(rest.preview.restocked).toEqual([{ line_item_id: line, quantity: 2 }])
  })

  it('says who gets a mail, and nobody where those are switched off', async () => {
    const quiet = await openShop(app, { settings: { mails: { refunds: false } } })
    for (const [one, to] of [
      [quiet, null],
      [await openShop(app), 'jane@example.com'],
    ] as const) {
      const order = await one.order()
      const preview = await one.succeed<RefundPreview>(200, 'POST', `/${order.id}/refund/preview`, { amount: 1 })
      expect(preview.mailed_to).toBe(to)
      await one.succeed(200, 'POST', `/${order.id}/refund`, { amount: 1 })
      await runOrderJobs(app, one.id)
      const mails = await app.db.many(selectMails, { merchant_id: one.id })
      expect(mails.map((mail) => mail.to)).toEqual(to === null ? [] : [to])
    }
  })

  it('refuses what the refund refuses, in the same words', async () => {
    const order = await shop.order()
    const unpaid = await shop.order({}, 'manual')
    for (const [id, body] of [
      [order.id, { amount: 99 }],
      [order.id, { amount: 'much' }],
      [order.id, { items: [{ line_item_id: 'item_mug', quantity: 3 }] }],
      [order.id, { amount: 1, restock: true }],
      [order.id, { expected_left: 1 }],
      [order.id, { transaction_id: 'trns_none' }],
      [unpaid.id, {}],
      [UNKNOWN_ID, {}],
    ] as const) {
      const preview = await shop.call('POST', `/${id}/refund/preview`, body)
      const refund = await shop.call('POST', `/${id}/refund`, body)
      expect(preview.status).toBeGreaterThanOrEqual(400)
      expect([preview.status, preview.body]).toEqual([refund.status, refund.body])
    }
    const { status, body } = await app.call('POST', `/v1/orders/${order.id}/refund/preview`, {
      key: (await openShop(app)).keys.sandbox.secret,
      body: {},
    })
    expect([status, body]).toEqual([404, (await shop.call('POST', `/${UNKNOWN_ID}/refund/preview`, {})).body])
  })
})
