// POST /v1/orders/{id}/refund: all that was paid is given back, once, whatever dies or hangs on the way. In parts: partial-refund.test.ts.

import { describe, expect, it } from 'vitest'
import type { GiftCard } from '../../../src/api/gift-cards/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { refundOrder } from '../../../src/api/payments/refund/refund.ts'
import type { GatewayAdapter } from '../../../src/gateways/gateway.ts'
import { openBreaker } from '../../../src/gateways/provider/breaker.ts'
import { changeRows } from '../../support/rows.ts'
import { bodyOf, callsOf, errorReply, notValid, notValidField, replyOf, unixNow } from '../../support/shop.ts'
import {
  appWithRefunds,
  digital,
  giveUp,
  openShop,
  orderEvent,
  physical,
  runOrderJobs,
  usd,
  waitingJobs,
} from './support.ts'

const { app, gateways } = await appWithRefunds()
const shop = await openShop(app)

const now = () => unixNow(app)
const refundOf = (order: Order) => order.transactions.find(({ type }) => type === 'refund')

const { call: cards } = callsOf(app, 'giftcards', shop.keys.sandbox.secret)

const runJobs = () => runOrderJobs(app, shop.id)

describe('POST /v1/orders/{id}/refund', () => {
  it('gives back what was charged through the gateway, and tells it', async () => {
    const order = await shop.order({ lines: [physical(), digital()] })
    app.clock.advance(60)
    const answer = await shop.call('POST', `/${order.id}/refund`, { reason: 'broken' })
    const refunded = answer.body as Order
    const [all, none] = [usd(3_000), usd(0)]
    const moved = { gateway: 'test_gateway', amount: all, reason: 'broken', created: now() }
    // The golden body of the refund has the other fields.
    expect([answer.status, refunded]).toMatchObject([
      200,
      {
        updated: now(),
        status_payment: 'refunded',
        order: {
          line_items: order.order.line_items.map(({ quantity }) => ({ quantity_refunded: quantity })),
          total_paid: none,
          total_refunded: all,
          total_refundable: none,
        },
        payments: [{ is_refunded: true, refund_date: now(), refunded: all, refundable: none }],
        refunds: [{ ...moved, type: 'full', payment_id: order.payments[0]?.id }],
        transactions: [order.transactions[0], { ...moved, type: 'refund', status: 'complete', charge_date: null }],
      },
    ])
    expect(await shop.get(order.id)).toEqual(refunded)
    expect((await shop.books(order)).state).toBe('refunded')
    expect((await shop.events(order)).at(-1)).toEqual(orderEvent('orders.refund', refunded))
    expect(bodyOf(422, await shop.call('POST', `/${order.id}/refund`))).toEqual(
      notValid({ status_payment: ['The order has been refunded already.'] }),
    )
  })

  it('refuses where nothing was paid', async () => {
    for (const order of [
      await shop.order({}, 'manual'),
      await shop.order({}, 'authorized'),
      await shop.order({ lines: [physical({ line_total: 0, unit_price: 0 })] }),
    ]) {
      expect(bodyOf(422, await shop.call('POST', `/${order.id}/refund`))).toEqual(
        notValid({ status_payment: ['The order has no payment that can be refunded.'] }),
      )
      expect(await shop.get(order.id)).toEqual(order)
    }
  })

  it.each([
    ['card_deleted', (id: string) => cards('DELETE', `/${id}`), 'had been deleted'],
    ['card_expired', (id: string) => cards('PUT', `/${id}`, { expires: now() }), 'had expired'],
  ] as const)(
    'issues a new card for the credit (%s), worth it in the mode of the order alone',
    async (reason, end, why) => {
      const { id } = await issueCard()
      const order = await byCard(id)
      await end(id)
      app.clock.advance(1)
      const back = await shop.call('POST', `/${order.id}/refund`)
      const refunded = back.body as Order
      const cardId = refunded.returned_credit?.gift_card_id ?? ''
      expect([back.status, refunded.status_payment]).toEqual([200, 'refunded'])
      expect(refunded.returned_credit).toEqual({ gift_card_id: cardId, amount: usd(500), is_new_card: true, reason })
      const card = (await cards('GET', `/${cardId}`)).body as GiftCard
      expect(card).toMatchObject({
        id: expect.not.stringMatching(id),
        code: expect.stringMatching(/^[\w-]{14}$/),
        initial_value: usd(500),
        balance: usd(500),
        note: `Credit that the order ${order.id} gave back: ${id}, which had paid it, ${why}.`,
        expires: null,
      })
      const live = (await cards('GET', `/${cardId}`, undefined, shop.keys.live.secret)).body as GiftCard
      expect(live.balance).toEqual(usd(0))
      // Whoever reads the order is not told the code.
      expect(back.text).not.toContain(card.code)
      const told = (await shop.events()).filter(({ name }) => name === 'giftcards.create' || name === 'orders.refund')
      expect(told.slice(-2).map(({ name, payload }) => [name, payload])).toEqual([
        ['giftcards.create', card],
        ['orders.refund', refunded],
      ])
      expect((await shop.call('POST', `/${order.id}/refund`)).status).toBe(422)
      if (reason === 'card_expired') expect(((await cards('GET', `/${id}`)).body as GiftCard).balance).toEqual(usd(500))
    },
  )

  const issueCard = async () => (await cards('POST', '', { value: 5 })).body as GiftCard
  /** An order that the card alone has paid for. */
  const byCard = (id: string) =>
    shop.order({
      lines: [physical({ line_total: 500 })],
      gift_card: { id, code: 'FIVE', balance_after: 0, credit: 500 },
      total_due: 0,
    })

  it('that the gateway declines fails with its words, and may be tried again', async () => {
    const order = await shop.order()
    gateways.refund = async () => ({ kind: 'declined', message: 'The account is closed.' })
    app.clock.advance(1)
    expect(await replyOf(shop.call('POST', `/${order.id}/refund`))).toEqual(
      errorReply(402, { type: 'gateway_error', message: 'The account is closed.' }),
    )
    const after = await shop.get(order.id)
    expect(after).toMatchObject({ status_payment: 'paid', refunds: [], payments: [{ is_refunded: false }] })
    const failed = { status: 'failed', status_reason: 'gateway_failure', notes: 'The account is closed.' }
    expect(refundOf(after)).toMatchObject(failed)
    expect((await shop.events(order)).at(-1)).toMatchObject({ name: 'orders.update', payload: after })
    gateways.refund = null
    app.clock.advance(1)
    expect((await shop.call('POST', `/${order.id}/refund`)).body).toMatchObject({ status_payment: 'refunded' })
  })

  it('whose gateway hangs, and does not look at the signal, ends in time all the same', async () => {
    const order = await shop.order()
    const hanging = { refund: () => new Promise(() => undefined) } as unknown as GatewayAdapter
    const payments = { findAdapter: () => hanging, settleAfterMs: 60, breaker: openBreaker() }
    await expect(refundOrder({ ...shop.request(payments), idempotencyKey: null }, order.id, {})).rejects.toMatchObject({
      status: 504,
      cause: { message: 'The gateway has not answered in time.' },
    })
    await runJobs()
    expect((await shop.books(order)).state).toBe('refunded')
  })

  it('whose job has given up is begun again by the next request for it', async () => {
    const order = await shop.order()
    gateways.refund = () => Promise.reject(new Error('down for days'))
    expect((await shop.call('POST', `/${order.id}/refund`)).status).toBe(504)
    gateways.refund = null
    await giveUp(app, shop.id)
    // Too early: the first request may still be at it.
    expect((await shop.call('POST', `/${order.id}/refund`)).status).toBe(409)
    expect(await waitingJobs(app, shop.id)).toBe(0)
    app.clock.advance(30)
    expect((await shop.call('POST', `/${order.id}/refund`)).status).toBe(409)
    expect(await waitingJobs(app, shop.id)).toBe(1)
    await runJobs()
    expect(await shop.get(order.id)).toMatchObject({ status_payment: 'refunded' })
    expect((await shop.books(order)).state).toBe('refunded')
  })

  it('of a gateway that is not known here is refused', async () => {
    const order = await shop.order()
    const where = { merchant_id: shop.id, order_id: order.id }
    await changeRows(app.db, "update order_transactions set gateway = 'newpay'", where)
    expect(bodyOf(422, await shop.call('POST', `/${order.id}/refund`))).toEqual(
      notValid({ gateway: ['Payments by newpay cannot be refunded here.'] }),
    )
  })
})

describe('POST /v1/orders/{id}/cancel', () => {
  it('cancels an order that is not paid, with its pending charges, and tells it', async () => {
    const order = await shop.order({ lines: [physical(), digital()] }, 'manual')
    app.clock.advance(60)
    const answer = await shop.call('POST', `/${order.id}/cancel`, { reason: 'no stock' })
    const ended = { status: 'cancelled', updated: now() }
    const transactions = [{ ...order.transactions[0], ...ended, status_reason: 'order_cancelled' }]
    const cancelled = { ...order, ...ended, cancel_reason: 'no stock', transactions }
    expect([answer.status, answer.body]).toEqual([200, cancelled])
    expect(await shop.get(order.id)).toEqual(cancelled)
    expect((await shop.events(order)).at(-1)).toEqual(orderEvent('orders.cancel', cancelled))
    const refusal = notValid({ status: ['The order has been cancelled already.'] })
    expect(await replyOf(shop.call('POST', `/${order.id}/cancel`))).toEqual([422, refusal])
  })

  it('of a paid order needs refund: true, and then gives back what was paid', async () => {
    const order = await shop.order()
    for (const body of [{}, { refund: false }])
      expect(await replyOf(shop.call('POST', `/${order.id}/cancel`, body))).toEqual(
        notValidField('refund', 'must be true to cancel a paid order: the payment is then refunded.'),
      )
    app.clock.advance(1)
    expect((await shop.call('POST', `/${order.id}/cancel`, { refund: true, reason: 'late' })).body).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'late',
      status_payment: 'refunded',
      refunds: [{ reason: 'late', amount: usd(2_000) }],
    })
    expect((await shop.books(order)).state).toBe('refunded')
    expect((await shop.events(order)).map(({ name }) => name).slice(-2)).toEqual(['orders.cancel', 'orders.refund'])
  })

  it('of an order of which something was shipped is refused, and nothing is given back', async () => {
    const order = await shop.order()
    expect((await shop.ship(order)).status).toBe(201)
    expect(bodyOf(422, await shop.call('POST', `/${order.id}/cancel`, { refund: true }))).toEqual(
      notValid({ status_fulfillment: ['The order cannot be cancelled, because some of its items have been shipped.'] }),
    )
    expect(await shop.get(order.id)).toMatchObject({ status_payment: 'paid', refunds: [] })
  })
})
