// @sampled: what takes hours or days is a proof.
// A whole shop that is paid by Mollie: there and back, left, messages that nobody signs, payments that take days.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sweepDeletedMethods } from '../../../src/api/payment-methods/store.ts'
import { sweepUndecidedPayments } from '../../../src/api/provider-messages/poll.ts'
import type { GatewayAdapter } from '../../../src/gateways/gateway.ts'
import { createAdapters } from '../../../src/gateways/index.ts'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { chargeRequest, NO_PAYMENT } from '../../support/gateways.ts'
import { isProof } from '../../support/proof.ts'
import { countRows, selectRows } from '../../support/rows.ts'
import { CONFIG, checkoutOf, OTHER_CONFIG, openMollie } from '../doubles/mollie.ts'
import { openProviderApp, openProviderShop } from '../provider-shop.ts'

const opened = await openProviderApp(openMollie, { publicUrl: 'https://shop.example' })
const { app, double: mollie, ports, complete } = opened

const shop = await openProviderShop(app, { code: 'mollie', config: CONFIG, available: 100 })
const { secret, gateway, available } = shop
const BODY = digitalBody({ payment: { gateway: 'mollie' } })

const send = async (payload: string) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return (await app.server.inject({ method: 'POST', url: gateway.webhook_path ?? '', headers, payload })).statusCode
}
const receiptOf = async (token: { id: string }) => (await shop.receipt(token)).status

/** A checkout whose shopper is at Mollie. */
async function left() {
  const token = await shop.token()
  const answer = await shop.capture(token, BODY)
  const redirect = answer.body as { payment_redirect: boolean; gateway: string; paykey: string; redirect_url: string }
  expect([answer.status, redirect.payment_redirect]).toEqual([200, true])
  const payment = mollie.paymentOf(redirect.paykey)
  return { token, redirect, payment, back: payment.redirectUrl.replace('https://shop.example', '') }
}

it('sends the shopper to Mollie, and makes one order when the shopper is back', async () => {
  const { token, redirect, payment, back } = await left()
  const ids = { payment_id: payment.id, paykey: payment.id }
  const redirect_url = checkoutOf(payment)
  expect(redirect).toEqual({ payment_redirect: true, gateway: 'mollie', ...ids, redirect_url })
  const webhookUrl = `https://shop.example${gateway.webhook_path}`
  expect(payment).toMatchObject({ amount: { currency: 'USD', value: '10.00' }, webhookUrl })
  expect((await app.call('GET', back)).text).toContain(`href="${checkoutOf(payment)}"`)
  mollie.become(payment.id, 'paid')
  for (const _ of ['first', 'again']) expect((await app.call('GET', back)).text).toContain('Thank you for your order')
  const order = await shop.order(token, BODY)
  expect(order).toMatchObject({ status_payment: 'paid', sandbox: true })
  expect(order.transactions).toMatchObject([
    { gateway: 'mollie', status: 'complete', gateway_transaction_id: payment.id, payment_source_type: 'ideal' },
  ])
  const refunded = await shop.call('POST', `orders/${order.id}/refund`, { amount: 4 }, secret)
  expect([refunded.status, payment.refunds.map(({ amount }) => amount.value)]).toEqual([200, ['4.00']])
})

/** The sentence names the result, says that it cost nothing, and says what to do. */
const SAID = {
  canceled: /The payment was cancelled, and nothing was paid\. You have not been charged\./,
  failed: /The payment has failed\. Try again, or pay in another way\. You have not been charged\./,
  expired: /The payment was not completed in time, and nothing was paid\. You have not been charged\./,
}

it.each(['canceled', 'failed', 'expired'] as const)(
  'tells a shopper whose payment is %s, who then pays anew',
  async (status) => {
    const { token, payment, back } = await left()
    mollie.become(payment.id, status)
    expect((await app.call('GET', back)).text).toMatch(SAID[status])
    const again = (await shop.capture(token, BODY)).body as { paykey: string }
    expect(again.paykey).not.toBe(payment.id)
    mollie.become(again.paykey, 'paid')
    expect(await shop.order(token, BODY)).toMatchObject({ status_payment: 'paid' })
  },
)

it('a message makes the order of a shopper who never comes back: once, however often it comes', async () => {
  const { token, payment } = await left()
  // Before anything has happened, and of one that has not: it only makes us ask.
  expect(await send(mollie.message(payment.id))).toBe(200)
  await complete(1)
  expect(await receiptOf(token)).toBe(404)
  mollie.become(payment.id, 'paid')
  expect(await Promise.all([1, 2, 3].map(() => send(mollie.message(payment.id))))).toEqual([200, 200, 200])
  expect(await receiptOf(token)).toBe(404)
  await complete(1)
  expect(await receiptOf(token)).toBe(200)
  expect(await send(mollie.message(payment.id))).toBe(200)
  expect(await complete(16)).toBe(0)
})

it('a message of an unknown payment is taken and does nothing; what is none is refused; one while Mollie is out comes again', async () => {
  const messages = () => countRows(app.db, 'provider_messages', { merchant_id: shop.id })
  const before = await messages()
  expect(await send(mollie.message('tr_unknown'))).toBe(200)
  for (const body of ['', 'id=', 'id=ord_1', 'id=tr_1/refunds', '{"id":"tr_1"}']) expect(await send(body)).toBe(400)
  expect(await messages()).toEqual(before)
  const { token, payment } = await left()
  mollie.become(payment.id, 'paid')
  mollie.trouble('broken_before')
  expect(await send(mollie.message(payment.id))).toBe(503)
  expect(await send(mollie.message(payment.id))).toBe(200)
  await complete(1)
  expect(await receiptOf(token)).toBe(200)
})

it('refunds and chargebacks at Mollie, and money that comes in days, show up in the order', async () => {
  const { token, payment, back } = await left()
  mollie.become(payment.id, 'open', { method: 'banktransfer' })
  expect((await app.call('GET', back)).text).toContain('Your payment is being checked. You need not pay again')
  const order = await shop.order(token, BODY)
  expect(order).toMatchObject({ status_payment: 'not_paid', transactions: [{ status: 'pending' }] })
  const worker = app.startJobs()
  try {
    const told = async (look: (order: Order) => unknown, expected: unknown) => {
      expect(await send(mollie.message(payment.id))).toBe(200)
      const seen = async () => {
        // A job that failed because of a pause is retried. The step is so short that a running job keeps its lease.
        app.clock.advance(2)
        return look(await shop.read(order))
      }
      await expect.poll(seen).toEqual(expected)
    }
    mollie.become(payment.id, 'paid', { method: 'banktransfer' })
    await told(({ status_payment }) => status_payment, 'paid')
    mollie.refund(payment.id, '3.00')
    await told(({ status_payment }) => status_payment, 'partially_refunded')
    const chargeback = mollie.chargeBack(payment.id)
    await told(({ disputes }) => disputes.map(({ status }) => status), ['lost'])
    chargeback.reversedAt = '2026-01-05T00:00:00+00:00'
    await told(({ disputes }) => disputes.map(({ status }) => status), ['won'])
  } finally {
    await worker.stop()
  }
})

it('says by one request whether its credentials work', async () => {
  const answer = await shop.call('POST', `gateways/${gateway.id}/test`, {}, secret)
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Mollie knows this API key (sandbox).')])
  mollie.switchOffMethods()
  expect((await shop.call('POST', `gateways/${gateway.id}/test`, {}, secret)).text).toContain('no way to pay')
})

it('is simulated in a sandbox without an account, on a page of ours', async () => {
  const { id: merchant_id } = await app.merchant()
  const simulated = createAdapters(ports)('mollie', true) as GatewayAdapter
  const asked = chargeRequest(merchant_id, app.clock.now())
  expect(simulated.problemsOf(NO_PAYMENT, asked)).toEqual({})
  const url = `/test-gateway/${merchant_id}/${asked.key}`
  expect(await simulated.charge(asked)).toMatchObject({ kind: 'redirect', url })
  expect((await app.call('GET', url)).text).toContain("This page stands in for Mollie's.")
  expect((await app.call('POST', `${url}/decline`)).status).toBe(303)
  expect(await simulated.lookUp(asked)).toMatchObject({ kind: 'declined' })
})

describe.runIf(isProof)('what takes hours or days', () => {
  it('many messages for one payment in one moment cost a look or two, and the last sees what is true after all of them', async () => {
    const { token, payment } = await left()
    const before = mollie.requests.length
    const first = Array.from({ length: 10 }, () => send(mollie.message(payment.id)))
    mollie.become(payment.id, 'paid')
    const others = Array.from({ length: 10 }, () => send(mollie.message(payment.id)))
    expect(new Set(await Promise.all([...first, ...others]))).toEqual(new Set([200]))
    // Two, and some more where the machine takes longer than the moment for twenty requests.
    expect(mollie.requests.length - before).toBeLessThan(8)
    await complete(1)
    expect(await receiptOf(token)).toBe(200)
  })

  it('gives up after its time what nobody has paid, and looks again as long as it can be paid', async () => {
    const before = await available()
    const { token, payment, back } = await left()
    expect(await available()).toBe(before - 1)
    await complete(16 * 60)
    expect((await app.call('GET', back)).text).toMatch(/you have not been charged/i)
    expect([await receiptOf(token), await available()]).toEqual([404, before])
    const { key } = payment.metadata as { key: string }
    const looksLater = async () => {
      const jobs = await selectRows<{ due_at: Date }>(app.db, 'due_at from jobs', { merchant_id: shop.id, key })
      return jobs.some(({ due_at }) => due_at > app.clock.now())
    }
    const worker = app.startJobs()
    try {
      // Still open, longer than Mollie had said; and by far not the latest any more.
      const others = Array.from({ length: 120 }, (_, index) => ({ ...payment, id: `tr_other${index}`, metadata: null }))
      mollie.payments.unshift(...others)
      await expect.poll(looksLater).toBe(true)
      mollie.become(payment.id, 'paid')
      expect((await app.call('GET', back)).text).toContain('You get the money back')
      app.clock.advance(3_601)
      await expect.poll(() => payment.refunds.length).toBe(1)
    } finally {
      await worker.stop()
    }
    expect(await receiptOf(token)).toBe(404)
  })

  it('a payment that another account does not know, which was set up since, is not called off: it may be paid at the former', async () => {
    const { token, payment } = await left()
    mollie.become(payment.id, 'paid')
    const setUp = (config: object) => shop.succeed(200, 'PUT', `gateways/${gateway.id}`, { config }, secret)
    await setUp(OTHER_CONFIG)
    const before = await available()
    await complete(86_400)
    expect((await shop.capture(token, BODY)).body).toMatchObject({ paykey: payment.id })
    expect([await available(), await receiptOf(token)]).toEqual([before, 404])
    await setUp(CONFIG)
    await complete(86_400)
    expect(await shop.order(token, BODY)).toMatchObject({ status_payment: 'paid' })
  })

  // The last: its gateway is gone then.
  it('a payment that Mollie had not decided about when its gateway went is for the merchant to decide, and asked about no more', async () => {
    const { token, payment } = await left()
    mollie.become(payment.id, 'open', { method: 'banktransfer' })
    const order = await shop.order(token, BODY)
    const path = `orders/${order.id}/transactions/${order.transactions[0]?.id}`
    const complete = async () => (await shop.call('PUT', path, { status: 'complete' }, secret)).status
    expect(await complete()).toBe(409)
    expect((await shop.call('DELETE', `gateways/${gateway.id}`, undefined, secret)).status).toBe(204)
    const monthLater = { now: () => new Date(app.clock.now().getTime() + 31 * 86_400_000) }
    await sweepDeletedMethods.run({ ...app, clock: monthLater, signal: new AbortController().signal })
    app.clock.advance(3_601)
    const asked = mollie.requests.length
    await sweepUndecidedPayments.run({ ...app, signal: new AbortController().signal })
    const worker = app.startJobs()
    const charge = async () => (await shop.read(order)).transactions[0]
    const unknown = { status: 'pending', status_reason: 'gateway_failure', notes: expect.stringContaining(payment.id) }
    await expect.poll(charge).toMatchObject(unknown).finally(worker.stop)
    expect([await complete(), (await shop.read(order)).status_payment]).toEqual([200, 'paid'])
    expect(mollie.requests).toHaveLength(asked)
  })
})
