// PUT /v1/orders/{id}, PUT …/transactions/{id} and POST …/receipt: what a merchant changes of an order by hand.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { expectUnchanged, malformedField, notValidField, replyOf, unixNow } from '../../support/shop.ts'
import { digital, openShop, orderEvent, physical, usd } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

const now = () => unixNow(app)

const lastEvent = async () => {
  app.clock.advance(1)
  return (await shop.events()).at(-1)
}

/** Sends what must be refused: the order stays as it was, and nothing is told. */
const refused = (order: Order, path: string, body: unknown) => {
  app.clock.advance(1)
  return expectUnchanged(
    async () => [await shop.get(order.id), await shop.events()],
    () => replyOf(shop.call('PUT', `/${order.id}${path}`, body)),
  )
}

describe('PUT /v1/orders/{id}', () => {
  it('changes the names and addresses that are sent, and leaves the rest', async () => {
    const order = await shop.order({ meta: { old: true } })
    app.clock.advance(60)
    const answer = await shop.call('PUT', `/${order.id}`, {
      customer: { lastname: 'Roe', email: ' roe@example.com ' },
      shipping: { street: '1 Road', country: 'CA' },
      billing: { country: 'US' },
    })
    const changed = {
      ...order,
      customer: { id: order.customer.id, email: 'roe@example.com', firstname: 'Jane', lastname: 'Roe' },
      shipping: { ...order.shipping, street: '1 Road', country: 'CA' },
      billing: { ...order.shipping, country: 'US' },
      updated: now(),
    }
    expect([answer.status, answer.body]).toEqual([200, changed])
    expect([await shop.get(order.id), await lastEvent()]).toEqual([changed, orderEvent('orders.update', changed)])
    const cleared = await shop.call('PUT', `/${order.id}`, { customer: { firstname: null }, billing: null })
    const { customer, billing } = cleared.body as Order
    expect([customer, billing]).toEqual([{ id: order.customer.id, email: 'roe@example.com', lastname: 'Roe' }, null])
  })

  const EMAIL = 'must be an e-mail address such as name@example.com.'
  const COUNTRY = 'must be the ISO 3166-1 code of a country, such as CA or US.'
  it.each([
    // As a capture reads it: no address that could pass for another.
    [{ customer: { email: 'nobody' } }, 'customer.email', EMAIL],
    [{ customer: { email: '"jane"@example.com' } }, 'customer.email', EMAIL],
    [{ shipping: { country: 'XX' } }, 'shipping.country', COUNTRY],
    [{ billing: { country: 'ca' } }, 'billing.country', COUNTRY],
  ])('refuses %j', async (body, field, rule) => {
    const order = await shop.order()
    expect(await refused(order, '', body)).toEqual(malformedField(field, rule))
  })
})

describe('PUT /v1/orders/{id}/transactions/{id}', () => {
  const complete = (order: Order, body: object, index = 0) =>
    shop.call('PUT', `/${order.id}/transactions/${order.transactions[index]?.id}`, body)

  it('completes a manual payment: the order is paid, downloads open and their time begins', async () => {
    const lines = [physical(), digital({ lifespan: { duration: 3, period: 'days', download_limit: null } })]
    const order = await shop.order({ lines }, 'manual')
    expect(order).toMatchObject({ status_payment: 'not_paid', status_fulfillment: 'not_fulfilled' })
    app.clock.advance(3_600)
    const at = now()
    const body = { status: 'complete', gateway_transaction_id: 'bank-1', notes: 'came by bank', meta: { a: 1 } }
    const answer = await complete(order, body)
    const transaction = { ...order.transactions[0], ...body, status_reason: 'complete', charge_date: at, updated: at }
    expect([answer.status, answer.body]).toEqual([200, transaction])
    const after = await shop.get(order.id)
    const [amount, ends] = [usd(3_000), at + 3 * 86_400]
    const file = { access_expires: ends, access_link: expect.stringContaining(`expires=${ends}`) }
    expect(after).toMatchObject({
      updated: at,
      status_payment: 'paid',
      status_fulfillment: 'partially_fulfilled',
      transactions: [transaction],
      payments: [{ gateway_transaction_id: 'bank-1', type: 'manual', amount, refunded: usd(0), refundable: amount }],
      order: { total_paid: amount, total_refundable: amount },
      fulfillment: { digital: { downloads: [{ lifespan: { expiry_date: ends }, packages: [file] }] } },
    })
    expect(await lastEvent()).toMatchObject({ name: 'orders.update', kind: 'order', payload: after })
    // Said twice, it changes nothing but the moment; notes can be added at any time.
    app.clock.advance(60)
    expect((await complete(order, { status: 'complete' })).body).toEqual({ ...transaction, updated: now() })
    expect((await complete(order, { notes: 'seen' })).body).toEqual({ ...transaction, notes: 'seen', updated: now() })
    expect(await shop.get(order.id)).toMatchObject({ status_payment: 'paid', transactions: [{ charge_date: at }] })
  })

  it('with a smaller amount makes the order partially paid, and what is left waits as a charge of its own', async () => {
    const order = await shop.order({}, 'manual')
    app.clock.advance(1)
    expect((await complete(order, { status: 'complete', amount: '5.00' })).body).toMatchObject({ amount: usd(500) })
    const part = await shop.get(order.id)
    // Who got no answer says it again, and nothing more is paid by it.
    expect((await complete(order, { status: 'complete', amount: 5 })).body).toMatchObject({ amount: usd(500) })
    expect(await shop.get(order.id)).toEqual(part)
    const rest = { status: 'pending', status_reason: 'awaiting_capture' }
    expect(part).toMatchObject({
      status_payment: 'partially_paid',
      order: { total_paid: usd(500) },
      transactions: [
        { id: order.transactions[0]?.id, status: 'complete', amount: usd(500) },
        { ...rest, gateway: 'manual', amount: usd(1_500), charge_date: null },
      ],
    })
    expect(part.transactions[1]?.payment_id).not.toBe(part.transactions[0]?.payment_id)
    expect((await complete(part, { status: 'complete', amount: 15 }, 1)).status).toBe(200)
    const paid = await shop.get(order.id)
    expect(paid).toMatchObject({ status_payment: 'paid', order: { total_paid: usd(2_000) } })
    expect(paid.transactions.length).toBe(2)
  })

  const TOO_FINE = 'must have at most 2 decimals, as USD has.'
  const TOO_MUCH = 'must be at most 20.00 USD, the amount of this transaction.'
  it.each([
    [{ status: 'pending' }, malformedField('status', 'must be one of complete, cancelled.')],
    [{ amount: 5 }, malformedField('amount', 'can only be sent with status complete.')],
    [{ status: 'complete', amount: 0 }, malformedField('amount', 'must be above 0.')],
    [{ status: 'complete', amount: 1.234 }, malformedField('amount', TOO_FINE)],
    [{ status: 'complete', amount: 20.01 }, notValidField('amount', TOO_MUCH)],
  ])('refuses %j', async (body, refusal) => {
    const order = await shop.order({}, 'manual')
    expect(await refused(order, `/transactions/${order.transactions[0]?.id}`, body)).toEqual(refusal)
  })

  it('refuses what has ended: another amount of a completed charge, a cancelled charge, the status of a refund', async () => {
    const paid = await shop.order()
    expect(await refused(paid, `/transactions/${paid.transactions[0]?.id}`, { status: 'complete', amount: 1 })).toEqual(
      notValidField('amount', 'cannot be changed once the transaction is complete.'),
    )
    const cancelled = await shop.order({}, 'manual')
    expect((await shop.call('POST', `/${cancelled.id}/cancel`)).status).toBe(200)
    expect(await refused(cancelled, `/transactions/${cancelled.transactions[0]?.id}`, { status: 'complete' })).toEqual(
      notValidField('status', 'is cancelled; only a pending transaction can be completed.'),
    )
    app.clock.advance(1)
    expect((await shop.call('POST', `/${paid.id}/refund`)).status).toBe(200)
    const { transactions } = await shop.get(paid.id)
    const refund = transactions.find(({ type }) => type === 'refund')
    expect(await refused(paid, `/transactions/${refund?.id}`, { status: 'complete' })).toEqual(
      notValidField('status', 'of a refund is set by the gateway and cannot be changed.'),
    )
  })

  it('refuses another id in place of the one that the gateway gave, by which it is asked to give the money back', async () => {
    const [one, other] = [await shop.order(), await shop.order()]
    const refusal = notValidField('gateway_transaction_id', 'was given by the gateway and cannot be changed.')
    const path = `/transactions/${one.transactions[0]?.id}`
    for (const id of [other.transactions[0]?.gateway_transaction_id, null])
      expect(await refused(one, path, { gateway_transaction_id: id })).toEqual(refusal)
    const same = { gateway_transaction_id: one.transactions[0]?.gateway_transaction_id, notes: 'seen' }
    expect((await shop.call('PUT', `/${one.id}${path}`, same)).status).toBe(200)
  })
})

it('POST /v1/orders/{id}/receipt tells orders.receipt.resend with the order, and changes nothing', async () => {
  const order = await shop.order()
  app.clock.advance(1)
  expect(await replyOf(shop.call('POST', `/${order.id}/receipt`))).toEqual([200, { success: true }])
  expect((await shop.events()).at(-1)).toEqual(orderEvent('orders.receipt.resend', order))
  expect(await shop.get(order.id)).toEqual(order)
})
