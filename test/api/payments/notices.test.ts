// What a provider tells by itself: refunds that fail after days, refunds made in its own dashboard, and disputes. Each is recorded once,
// however often and beside whatever else it is told.

import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { type ReportedDispute, recordDispute } from '../../../src/api/payments/notices/disputes.ts'
import { recordOutsideRefund, recordRefundFailure } from '../../../src/api/payments/notices/refunds.ts'
import type { GatewayAdapter } from '../../../src/gateways/gateway.ts'
import { testGateway } from '../../../src/gateways/sandbox/test-gateway.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { testApp } from '../../support/app.ts'
import { gatewayPorts } from '../../support/gateways.ts'
import { sql } from '../../support/rows.ts'
import { atOnce } from '../../support/shop.ts'
import { openShop, orderEvent, physical, runOrderJobs, UNKNOWN_ID, usd } from '../orders/support.ts'

let refund: GatewayAdapter['refund'] | null = null
afterEach(() => {
  refund = null
})
const app = await testApp({
  trustProxy: () => true,
  findAdapter: (code) => {
    const usual = code === 'test_gateway' ? testGateway.createAdapter?.(gatewayPorts(app)) : undefined
    return usual && { ...usual, refund: (request) => (refund ?? usual.refund)(request) }
  },
})
const shop = await openShop(app)
// Not what the books of the gateway say: what is told here happened nowhere.
afterAll(async () =>
  expect(
    (await brokenOracles(app.db, { now: app.clock.now() })).filter((each) => !/gateway has charged/.test(each)),
  ).toEqual([]),
)

const now = () => Math.floor(app.clock.now().getTime() / 1_000)
const gateway = 'test_gateway'
const chargeId = (order: Order) => order.transactions[0]?.gateway_transaction_id ?? ''
const giveBack = async (order: Order, body: object = {}) => {
  app.clock.advance(1)
  const answer = await shop.call('POST', `/${order.id}/refund`, body)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body as Order
}
const told = async (order: Order) => (await shop.events(order)).map(({ name }) => name)

describe('a refund that fails after days', () => {
  const fail = (order: Order, refundId: string) => {
    app.clock.advance(1)
    return recordRefundFailure(app, shop.owner, order.id, { gateway, refundId, reason: 'The account is closed.' })
  }

  it('is failed then, with its reason; what it was for is paid again and can be refunded again', async () => {
    const order = await shop.order()
    const items = [{ line_item_id: 'item_mug', quantity: 1 }]
    const refunded = await giveBack(order, { items })
    const refundId = refunded.refunds[0]?.gateway_transaction_id ?? ''
    expect(await fail(order, refundId)).toBe('recorded')
    const [charge, failed] = refunded.transactions
    const after = await shop.get(order.id)
    expect(after).toEqual({
      ...order,
      updated: now(),
      transactions: [
        charge,
        {
          ...failed,
          status: 'failed',
          status_reason: 'gateway_failure',
          notes: 'The account is closed.',
          updated: now(),
        },
      ],
    })
    expect((await shop.events(order)).at(-1)).toMatchObject({ name: 'orders.update', payload: after })
    expect(await fail(order, refundId)).toBe('known')
    expect((await told(order)).filter((name) => name === 'orders.update')).toHaveLength(1)
  })

  it('leaves the other parts as they are, and one that is told by many at once is told once', async () => {
    const order = await shop.order()
    await giveBack(order, { amount: 5 })
    const both = await giveBack(order, { amount: 15 })
    expect(both.status_payment).toBe('refunded')
    const notes = await atOnce(8, () => fail(order, both.refunds[1]?.gateway_transaction_id ?? ''))
    expect(notes.toSorted()).toEqual([...Array(7).fill('known'), 'recorded'])
    expect(await shop.get(order.id)).toMatchObject({
      status_payment: 'partially_refunded',
      order: { total_refunded: usd(500), total_refundable: usd(1_500) },
      refunds: [{ amount: usd(500) }],
    })
  })

  it('that we know nothing of is unknown; it may be one that is on its way', async () => {
    const order = await shop.order()
    expect(await fail(order, 'test_other')).toBe('unknown')
    refund = () => Promise.reject(new Error('down'))
    expect((await shop.call('POST', `/${order.id}/refund`, { amount: 5 })).status).toBe(504)
    expect(await fail(order, 'test_other')).toBe('later')
    refund = null
    await runOrderJobs(app, shop.id)
    expect(await fail(order, 'test_other')).toBe('unknown')
    await expect(fail({ ...order, id: UNKNOWN_ID }, 'x')).rejects.toMatchObject({ status: 404 })
  })

  it('of an order that was cancelled with it shows the money, and is given back by another refund', async () => {
    const order = await shop.order()
    const cancelled = (await shop.call('POST', `/${order.id}/cancel`, { refund: true })).body as Order
    expect(await fail(order, cancelled.refunds[0]?.gateway_transaction_id ?? '')).toBe('recorded')
    expect(await shop.get(order.id)).toMatchObject({ status: 'cancelled', status_payment: 'paid', refunds: [] })
    // The books of the test gateway know nothing of the failure.
    refund = async ({ key }) => ({ kind: 'refunded', transactionId: `test_${key}` })
    expect(await giveBack(order)).toMatchObject({ status: 'cancelled', status_payment: 'refunded' })
  })

  it('has put its goods into stock, and does so no second time', async () => {
    const key = shop.keys.sandbox.secret
    const body = { name: 'Mug', price: 10, inventory: { managed: true, available: 5 } }
    const { id } = (await app.call('POST', '/v1/products', { key, body })).body as { id: string }
    const order = await shop.order({ lines: [physical({ product_id: id, stock_item_id: id })] })
    const items = [{ line_item_id: 'item_mug', quantity: 2 }]
    const refunded = await giveBack(order, { items, restock: true })
    await fail(order, refunded.refunds[0]?.gateway_transaction_id ?? '')
    expect((await shop.get(order.id)).order.line_items).toMatchObject([{ quantity_refunded: 0, quantity_restocked: 2 }])
    refund = async ({ key: of }) => ({ kind: 'refunded', transactionId: `test_${of}` })
    const again = await giveBack(order, { items, restock: true })
    expect(again.order.line_items).toMatchObject([{ quantity_refunded: 2, quantity_restocked: 2 }])
    const product = (await app.call('GET', `/v1/products/${id}`, { key })).body as { inventory: { available: number } }
    expect(product.inventory.available).toBe(7)
  })
})

describe('a refund that was made in the dashboard of the provider', () => {
  const note = (order: Order, refundId: string, amount: number, more: object = {}) => {
    app.clock.advance(1)
    const of = { gateway, chargeId: chargeId(order), refundId, amount, currency: 'USD', reason: 'duplicate' }
    return recordOutsideRefund(app, shop.owner, order.id, { ...of, ...more })
  }

  it('is a refund of the order from then on, for no items, and is told', async () => {
    const order = await shop.order()
    expect(await note(order, 're_1', 500)).toBe('recorded')
    const after = await shop.get(order.id)
    expect(after).toMatchObject({
      status_payment: 'partially_refunded',
      order: { total_refunded: usd(500), total_refundable: usd(1_500), line_items: [{ quantity_refunded: 0 }] },
      refunds: [
        { type: 'partial', amount: usd(500), gateway_transaction_id: 're_1', reason: 'duplicate', created: now() },
      ],
    })
    expect((await shop.events(order)).at(-1)).toMatchObject({ name: 'orders.refund', payload: after })
    expect(await note(order, 're_1', 500)).toBe('known')
    expect(await note(order, 're_2', 1_500)).toBe('recorded')
    expect(await shop.get(order.id)).toMatchObject({ status_payment: 'refunded' })
    expect((await shop.call('POST', `/${order.id}/refund`)).status).toBe(422)
  })

  it('is noted once by many at once, and not beside one of ours', async () => {
    const order = await shop.order()
    expect((await atOnce(8, () => note(order, 're_1', 500))).toSorted()).toEqual([
      ...Array(7).fill('known'),
      'recorded',
    ])
    const ours = await giveBack(order, { amount: 5 })
    expect(await note(order, ours.refunds[1]?.gateway_transaction_id ?? '', 500)).toBe('known')
    expect((await shop.get(order.id)).refunds).toHaveLength(2)
  })

  it('waits for one of ours that is on its way: it may be that one', async () => {
    const order = await shop.order()
    refund = () => Promise.reject(new Error('down'))
    expect((await shop.call('POST', `/${order.id}/refund`, { amount: 5 })).status).toBe(504)
    expect(await note(order, 're_1', 500)).toBe('later')
    refund = async () => ({ kind: 'refunded', transactionId: 're_1' })
    await runOrderJobs(app, shop.id)
    expect(await note(order, 're_1', 500)).toBe('known')
    expect((await shop.get(order.id)).order.total_refunded).toEqual(usd(500))
  })

  it('of more than is left, in another currency or of another charge is not noted', async () => {
    const order = await shop.order()
    await expect(note(order, 're_1', 2_001)).rejects.toThrow('The gateway has refunded 2001 USD')
    await expect(note(order, 're_1', 0)).rejects.toThrow('The gateway has refunded 0 USD')
    await expect(note(order, 're_1', 500, { currency: 'EUR' })).rejects.toThrow('500 EUR')
    expect(await note(order, 're_1', 500, { chargeId: 'test_other' })).toBe('unknown')
    expect(await note(order, 're_1', 500, { gateway: 'stripe' })).toBe('unknown')
    expect(await note(await shop.order({}, 'authorized'), 're_1', 500)).toBe('later')
    expect(await shop.get(order.id)).toEqual(order)
  })

  it('can fail, too', async () => {
    const order = await shop.order()
    await note(order, 're_1', 500)
    expect(await recordRefundFailure(app, shop.owner, order.id, { gateway, refundId: 're_1', reason: 'x' })).toBe(
      'recorded',
    )
    expect(await shop.get(order.id)).toMatchObject({ status_payment: 'paid', order: { total_refundable: usd(2_000) } })
  })
})

it('the database refuses refunds above their charge, and the same one twice, whoever forgets the lock', async () => {
  const order = await shop.order()
  await giveBack(order, { amount: 15 })
  const values = { merchant_id: shop.id, order_id: order.id }
  await expect(app.db.run(countTooMuch, { ...values, amount: 501 })).rejects.toThrow(
    'order_transactions_refunded_check',
  )
  await expect(app.db.run(copyRefund, values)).rejects.toThrow('order_refunds_told_once')
})

const countTooMuch = sql`
  update order_transactions set refunded = refunded + :amount
  where merchant_id = :merchant_id and order_id = :order_id and type = 'charge'`
const copyRefund = sql`
  insert into order_transactions (
    merchant_id, order_id, id, payment_id, type, status, status_reason, amount, gateway, gateway_key, gateway_transaction_id,
    refunds_id, created_at, updated_at
  )
  select merchant_id, order_id, id || 'x', payment_id, type, 'failed', status_reason, amount, gateway, gateway_key,
    gateway_transaction_id, refunds_id, created_at, updated_at
  from order_transactions where merchant_id = :merchant_id and order_id = :order_id and type = 'refund'`

describe('a dispute', () => {
  const dispute = (order: Order, more: Partial<ReportedDispute> = {}) => {
    app.clock.advance(1)
    const of = {
      gateway,
      chargeId: chargeId(order),
      disputeId: 'dp_1',
      status: 'open',
      reason: 'fraudulent',
      amount: 2_000,
    } as const
    return recordDispute(app, shop.owner, order.id, { ...of, ...more })
  }

  it('is shown by its order as it stands, and each state is told', async () => {
    const order = await shop.order()
    expect(order.disputes).toEqual([])
    expect(await dispute(order)).toBe('recorded')
    const shown = {
      id: expect.stringMatching(/^dspt_\w{26}$/),
      gateway_dispute_id: 'dp_1',
      payment_id: order.payments[0]?.id,
      gateway,
      status: 'open',
      reason: 'fraudulent',
      amount: usd(2_000),
      created: now(),
      updated: now(),
    }
    const first = await shop.get(order.id)
    expect(first).toEqual({ ...order, updated: now(), disputes: [shown] })
    expect((await shop.events(order)).at(-1)).toEqual(orderEvent('orders.dispute', first))
    expect(await dispute(order)).toBe('known')
    expect(await dispute(order, { status: 'under_review' })).toBe('recorded')
    expect(await dispute(order, { status: 'lost' })).toBe('recorded')
    expect((await shop.get(order.id)).disputes).toEqual([{ ...first.disputes[0], status: 'lost', updated: now() }])
    expect((await told(order)).filter((name) => name === 'orders.dispute')).toHaveLength(3)
  })

  it('that has ended is not opened again by a message that comes late', async () => {
    const order = await shop.order()
    expect(await dispute(order, { status: 'won' })).toBe('recorded')
    for (const status of ['open', 'under_review', 'won'] as const)
      expect(await dispute(order, { status })).toBe('known')
    expect((await shop.get(order.id)).disputes).toMatchObject([{ status: 'won' }])
  })

  it('is noted once by many at once, and beside others', async () => {
    const order = await shop.order()
    const notes = await atOnce(12, (index) => dispute(order, { disputeId: `dp_${index % 2}` }))
    expect(notes.filter((each) => each === 'recorded')).toHaveLength(2)
    expect((await shop.get(order.id)).disputes).toHaveLength(2)
  })

  it('of another charge is unknown', async () => {
    const order = await shop.order()
    expect(await dispute(order, { chargeId: 'test_other' })).toBe('unknown')
    expect(await shop.get(order.id)).toEqual(order)
  })
})
