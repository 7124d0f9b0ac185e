// POST /v1/orders/{id}/cancel of an order that has been paid for: marked and its refund begun at once, ended when the gateway has said what
// it gave back. Meanwhile nothing of it is shipped or paid. What comes back into stock is in restock.test.ts.

import { afterEach, describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sweepOpenCancels } from '../../../src/api/payments/cancel.ts'
import { GatewayUnavailable } from '../../../src/gateways/call.ts'
import type { Services } from '../../../src/http/endpoint/endpoint.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { gate } from '../../http/harness.ts'
import { changeRows, sql } from '../../support/rows.ts'
import { bodyOf } from '../../support/shop.ts'
import { appWithRefunds, giveUp, openShop, physical, runOrderJobs, usd, waitingJobs } from './support.ts'

const { app, gateways } = await appWithRefunds()
afterEach(async () => {
  gateways.refund = null
  expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([])
})

const shop = await openShop(app)
const runJobs = () => runOrderJobs(app, shop.id)

const cancel = (order: Order, body: object = { refund: true }) => shop.call('POST', `/${order.id}/cancel`, body)
const eventsOf = async (order: Order) => (await shop.told(order)).sort()

const BEING_CANCELLED = {
  error: { type: 'conflict', message: 'The order is being cancelled and refunded. Try again in a moment.' },
  status_code: 409,
}
const down = () => Promise.reject(new GatewayUnavailable('down', { isNothingCharged: false }))

const marks = sql<{ cancelling_at: Date | null; cancel_reason: string | null }>`
  select cancelling_at, cancel_reason from orders where merchant_id = :merchant_id and id = :id`
const markOf = async (order: Order) => {
  const { cancelling_at, cancel_reason } = await app.db.one(marks, { merchant_id: shop.id, id: order.id })
  return [cancelling_at !== null, cancel_reason]
}

describe('cancelling an order that is paid', () => {
  it('refuses shipments, items, payments and a second cancel while the gateway is asked, and is not shown as cancelled', async () => {
    // 5 of 20 have come, and 15 are still to come.
    const order = await shop.order({}, 'manual')
    expect((await shop.complete(order, { amount: 5 })).status).toBe(200)
    const before = await shop.get(order.id)
    const [asked, end] = [gate(), gate()]
    gateways.refund = async (usual, request) => {
      asked.open()
      await end.opened
      return usual(request)
    }
    const answer = cancel(order, { refund: true, reason: 'No clay' })
    await asked.opened
    const open = { status: 'open', cancel_reason: null, status_payment: 'partially_paid' }
    expect(await shop.get(order.id)).toMatchObject(open)
    const item = order.fulfillment.physical.items[0]?.id
    const rest = before.transactions.find(({ status }) => status === 'pending')?.id
    for (const refused of [
      await shop.ship(order),
      await shop.call('PUT', `/${order.id}/fulfillments/physical/items/${item}`, { status: 'fulfilled' }),
      await shop.complete(order, {}, rest),
      await cancel(order),
      await cancel(order, {}),
      await shop.call('POST', `/${order.id}/refund`),
    ])
      expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([409, BEING_CANCELLED, '1'])
    // What has nothing to do with it can still be changed.
    expect((await shop.call('PUT', `/${order.id}`, { meta: { a: 1 } })).status).toBe(200)
    end.open()
    const done = bodyOf(200, await answer) as Order
    expect(done).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'No clay',
      status_payment: 'refunded',
      refunds: [{ amount: usd(500), reason: 'No clay' }],
      order: { total_paid: usd(0) },
    })
    const ended = { status: 'cancelled', status_reason: 'order_cancelled' }
    expect(done.transactions.find(({ id }) => id === rest)).toMatchObject(ended)
    expect(await shop.get(order.id)).toEqual(done)
    expect(await markOf(order)).toEqual([false, 'No clay'])
    const told = (await shop.events(order)).filter(({ name }) => name === 'orders.cancel')
    expect(told).toMatchObject([{ payload: done }])
    for (const refused of [await shop.ship(order), await cancel(order)]) expect(refused.status).toBe(422)
  })

  it('whose gateway does not answer stays marked, and is cancelled by the job', async () => {
    const order = await shop.order()
    gateways.refund = down
    const answer = await cancel(order, { refund: true, reason: 'late' })
    expect([answer.status, answer.body]).toMatchObject([504, { error: { type: 'gateway_timeout' } }])
    expect(await markOf(order)).toEqual([true, 'late'])
    expect((await shop.ship(order)).status).toBe(409)
    gateways.refund = null
    await runJobs()
    const after = await shop.get(order.id)
    expect(after).toMatchObject({ status: 'cancelled', cancel_reason: 'late', status_payment: 'refunded' })
    expect(await eventsOf(order)).toEqual(['orders.cancel', 'orders.create', 'orders.paid', 'orders.refund'])
    expect((await shop.ship(order)).status).toBe(422)
  })

  it('whose refund is declined stays open, without a mark, and can be shipped', async () => {
    const order = await shop.order()
    gateways.refund = async () => ({ kind: 'declined', message: 'No.' })
    expect((await cancel(order, { refund: true, reason: 'late' })).status).toBe(402)
    expect(await markOf(order)).toEqual([false, null])
    expect(await shop.get(order.id)).toMatchObject({ status: 'open', cancel_reason: null, status_payment: 'paid' })
    expect(await eventsOf(order)).toEqual(['orders.create', 'orders.paid', 'orders.update'])
    expect((await shop.ship(order)).status).toBe(201)
  })

  it('by two charges is cancelled only when both are given back', async () => {
    const order = await shop.order({}, 'manual')
    expect((await shop.complete(order, { amount: 5 })).status).toBe(200)
    const rest = (await shop.get(order.id)).transactions.find(({ status }) => status === 'pending')
    app.clock.advance(1)
    expect((await shop.complete(order, {}, rest?.id)).status).toBe(200)
    // Of the first nobody knows; the second is given back.
    gateways.refund = async (usual, request) => (request.amount === 500 ? down() : usual(request))
    expect((await cancel(order)).status).toBe(504)
    expect(await shop.get(order.id)).toMatchObject({ status: 'open', status_payment: 'partially_refunded' })
    expect((await shop.ship(order)).status).toBe(409)
    // And then it is refused: what could not be given back is still there, and so is the order.
    gateways.refund = async () => ({ kind: 'declined', message: 'No.' })
    await runJobs()
    expect(await shop.get(order.id)).toMatchObject({ status: 'open', status_payment: 'partially_refunded' })
    expect(await markOf(order)).toEqual([false, null])
    // Once more: only the one that is left.
    gateways.refund = null
    app.clock.advance(1)
    expect((await cancel(order)).body).toMatchObject({ status: 'cancelled', status_payment: 'refunded' })
  })

  it('by a gift card alone is refunded and cancelled in one go', async () => {
    const key = shop.keys.sandbox.secret
    const { id } = (await app.call('POST', '/v1/giftcards', { key, body: { value: 5 } })).body as { id: string }
    const giftCard = { id, code: 'CARD', balance_after: 0, credit: 500 }
    const order = await shop.order({ lines: [physical({ line_total: 500 })], gift_card: giftCard, total_due: 0 })
    gateways.refund = () => Promise.reject(new Error('No gateway is asked.'))
    const answer = await cancel(order)
    expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled', status_payment: 'refunded' } })
    expect(await shop.get(order.id)).toEqual(answer.body)
    expect(await eventsOf(order)).toEqual(['orders.cancel', 'orders.create', 'orders.paid', 'orders.refund'])
    const card = (await app.call('GET', `/v1/giftcards/${id}`, { key })).body as { balance: { raw: number } }
    expect(card.balance.raw).toBe(10)
  })

  it('whose job has given up is taken up again by whoever asks', async () => {
    const order = await shop.order()
    gateways.refund = down
    expect((await cancel(order)).status).toBe(504)
    await giveUp(app, shop.id)
    gateways.refund = null
    expect([(await cancel(order)).status, await waitingJobs(app, shop.id)]).toEqual([409, 0])
    app.clock.advance(30)
    expect([(await cancel(order)).status, await waitingJobs(app, shop.id)]).toEqual([409, 1])
    await runJobs()
    expect(await shop.get(order.id)).toMatchObject({ status: 'cancelled', status_payment: 'refunded' })
  })

  it('whose job has given up is taken up again by the worker, without anybody asking', async () => {
    const order = await shop.order()
    gateways.refund = down
    expect((await cancel(order)).status).toBe(504)
    await giveUp(app, shop.id)
    gateways.refund = null
    const services = { signingSecret: signingSecrets(app.db, app.clock) } as Services
    const { signal } = new AbortController()
    const sweep = () => sweepOpenCancels(services).run({ db: app.db, clock: app.clock, signal })
    app.clock.advance(3_599)
    expect([await sweep(), await waitingJobs(app, shop.id)]).toEqual([0, 0])
    app.clock.advance(1)
    // Once more does no harm: one job waits for each order.
    expect([await sweep(), await sweep(), await waitingJobs(app, shop.id)]).toEqual([1, 1, 1])
    await runJobs()
    expect(await shop.get(order.id)).toMatchObject({ status: 'cancelled', status_payment: 'refunded' })
    expect([await sweep(), (await shop.ship(order)).status]).toEqual([0, 422])
  })

  it.each([
    ['is cancelled where all of it came back', 'cancelled', false],
    ['stays where something was shipped meanwhile', 'open', true],
  ])('whose refund was recorded by a release that knew no marks %s', async (_, status, isShipped) => {
    const order = await shop.order()
    gateways.refund = down
    expect((await cancel(order)).status).toBe(504)
    // As that release did: the refund is complete, and nobody looks at the mark.
    await app.db.run(recordRefund, { merchant_id: shop.id, order_id: order.id, completed_at: app.clock.now() })
    if (isShipped) await app.db.run(shipItems, { merchant_id: shop.id, order_id: order.id })
    gateways.refund = () => Promise.reject(new Error('No gateway is asked.'))
    await runJobs()
    expect(await shop.get(order.id)).toMatchObject({ status, status_payment: 'refunded' })
    expect((await markOf(order))[0]).toBe(false)
    // The books of the test gateway do not know of it: it was never asked.
    await changeRows(app.db, "update test_charges set state = 'refunded'", {
      merchant_id: shop.id,
      key: order.transactions[0]?.gateway_transaction_id?.replace('test_', ''),
    })
  })
})

const recordRefund = sql`
  with refunded as (
    update order_transactions set status = 'complete', status_reason = 'complete', completed_at = :completed_at
    where merchant_id = :merchant_id and order_id = :order_id and type = 'refund'
  )
  update orders set status_payment = 'refunded' where merchant_id = :merchant_id and id = :order_id`
const shipItems = sql`
  update order_items set quantity_fulfilled = quantity where merchant_id = :merchant_id and order_id = :order_id`
