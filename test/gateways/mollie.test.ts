// Mollie against a server that plays it: every outcome, every fault at every step, its messages, and a whole shop that is paid by it.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/api/orders/schema.ts'
import { sweepDeletedMethods } from '../../src/api/payment-methods/store.ts'
import { sweepUndecidedPayments } from '../../src/api/provider-messages/look.ts'
import { statement } from '../../src/db/db.ts'
import type { ChargeRequest, GatewayAdapter, PaymentInput } from '../../src/gateways/gateway.ts'
import { chargingWith } from '../../src/gateways/index.ts'
import type { ProviderStory } from '../../src/gateways/provider/story.ts'
import { onCheckpoint } from '../../src/lib/checkpoint.ts'
import { digitalBody } from '../api/checkouts/capture-support.ts'
import { chargeRequest, NO_PAYMENT } from '../support/gateways.ts'
import { BREAKS, type Fault, timesToBreak } from './doubles/double.ts'
import { CONFIG, checkoutOf, LIVE_CONFIG, OTHER_CONFIG, openMollie } from './doubles/mollie.ts'
import { openProviderApp, openProviderShop } from './provider-shop.ts'
import { DECIMALS } from './specifications/mollie.ts'

const opened = await openProviderApp(openMollie, { publicUrl: 'https://shop.example' })
const { app, double: mollie, ports, complete } = opened
const adapter = chargingWith(ports)('mollie', false) as GatewayAdapter & { story: ProviderStory }

const countMessages = statement<{ count: number }>(
  'test.count_messages',
  'select count(*)::integer as count from provider_messages where merchant_id = :merchant_id',
)

const findLaterJob = statement<{ id: string }>(
  'test.find_later_job',
  'select id from jobs where merchant_id = :merchant_id and key = :key and due_at > :now',
)

const request = (more: Partial<ChargeRequest> = {}) => chargeRequest(7, app.clock.now(), { config: CONFIG, ...more })

/** A charge that waits for its shopper. */
async function begun(more: Partial<ChargeRequest> = {}) {
  const asked = request(more)
  const outcome = await adapter.charge(asked)
  if (outcome.kind !== 'redirect') throw new Error(`It is ${outcome.kind}.`)
  return { call: { ...asked, confirmation: outcome.confirmation }, id: outcome.confirmation, outcome }
}

async function paid(more: Partial<ChargeRequest> = {}) {
  const charge = await begun(more)
  const payment = mollie.become(charge.id, 'paid')
  return { ...charge, payment, refund: { ...charge.call, key: `${charge.call.key}_refund`, transactionId: charge.id } }
}

describe('a charge', () => {
  it('makes a payment and sends the shopper there', async () => {
    const { call, id, outcome } = await begun({ messageUrl: 'https://shop.example/hooks' })
    const url = checkoutOf({ id })
    expect(outcome).toEqual({ kind: 'redirect', payKey: id, url, confirmation: id })
    expect(mollie.paymentOf(id)).toMatchObject({
      amount: { currency: 'USD', value: '12.34' },
      description: call.description,
      metadata: { key: call.key },
      redirectUrl: call.returnUrl,
      webhookUrl: 'https://shop.example/hooks',
    })
    expect(await adapter.lookUp(call)).toEqual(outcome)
  })

  it('under the same key is the same payment', async () => {
    const asked = request()
    expect(await adapter.charge(asked)).toEqual(await adapter.charge(asked))
    expect(mollie.paymentsOfKey(asked.key)).toHaveLength(1)
  })

  it('leads back to the page of the storefront where there is one, and names no address that Mollie cannot reach', async () => {
    const config = { ...CONFIG, return_url: 'https://store.example/back' }
    const { id } = await begun({ config, messageUrl: 'http://localhost:3000/hooks' })
    expect(mollie.paymentOf(id)).toMatchObject({ redirectUrl: 'https://store.example/back' })
    expect(mollie.paymentOf(id).webhookUrl).toBeUndefined()
  })

  it('whose answer nobody has written down is found by its key', async () => {
    const { call, outcome } = await begun()
    await begun()
    expect(await adapter.lookUp({ ...call, confirmation: null })).toEqual(outcome)
    expect(await adapter.lookUp(request())).toEqual({ kind: 'unknown' })
  })

  const source = { type: 'ideal', brand: null, country: null, zip: null }
  const payment = (id: string) => ({ amount: 1_234, currency: 'USD', transactionId: id, reference: null, source })
  const pending = (id: string) => ({ kind: 'pending', reason: 'awaiting_capture', payment: payment(id) })
  const declined = (reason: string) => () => ({ kind: 'declined', reason, message: expect.stringMatching(/\.$/) })
  const card = { method: 'creditcard', countryCode: 'NL', details: { cardNumber: '4444', cardLabel: 'Mastercard' } }
  const failed = (failureReason: string) => ({ method: 'creditcard', details: { failureReason } })

  it.each<[string, string, object, (id: string) => object]>([
    ['paid', 'paid', {}, (id) => ({ kind: 'charged', ...payment(id) })],
    [
      'paid by card',
      'paid',
      card,
      (id) => ({
        kind: 'charged',
        ...payment(id),
        reference: '4444',
        source: { type: 'creditcard', brand: 'Mastercard', country: 'NL', zip: null },
      }),
    ],
    ['pending', 'pending', {}, pending],
    ['authorized', 'authorized', {}, pending],
    [
      'open, by bank transfer',
      'open',
      { method: 'banktransfer' },
      (id) => ({ ...pending(id), payment: { ...payment(id), source: { ...source, type: 'banktransfer' } } }),
    ],
    ['cancelled by the shopper', 'canceled', {}, declined('cancelled')],
    ['expired', 'expired', {}, declined('payment_declined')],
    ['failed', 'failed', {}, declined('payment_declined')],
    ['failed: no funds', 'failed', failed('insufficient_funds'), declined('insufficient_funds')],
    ['failed: declined', 'failed', failed('card_declined'), declined('card_declined')],
    ['failed: expired', 'failed', failed('card_expired'), declined('expired_card')],
    ['failed: security code', 'failed', failed('invalid_cvv'), declined('incorrect_cvc')],
    ['failed: something new', 'failed', failed('possible_fraud'), declined('payment_declined')],
  ])('that is %s', async (_, status, more, expected) => {
    const { call, id } = await begun()
    mollie.become(id, status, more)
    expect(await adapter.lookUp(call)).toEqual(expected(id))
  })

  it('is refused with a sentence for the sum alone; what else Mollie refuses is for the merchant', async () => {
    mollie.refuse('POST /v2/payments', 422, 'The amount is lower than the minimum', 'amount')
    expect(await adapter.charge(request())).toMatchObject({ kind: 'declined', reason: 'payment_declined' })
    mollie.refuse('POST /v2/payments', 422, 'The webhook URL is invalid', 'webhookUrl')
    const refusal = { isNothingCharged: true, message: 'Mollie has not made the payment: 422 (webhookUrl).' }
    await expect(adapter.charge(request())).rejects.toMatchObject(refusal)
    mollie.refuse('POST /v2/payments', 401, 'Missing authentication')
    const hint = /Look at the API key of the gateway \(sandbox\)/
    await expect(adapter.charge(request())).rejects.toMatchObject({ message: expect.stringMatching(hint) })
  })

  it('with a key of the other mode asks nothing of Mollie', async () => {
    const before = mollie.requests.length
    for (const [config, isSandbox] of [
      [LIVE_CONFIG, true],
      [CONFIG, false],
    ] as const)
      await expect(adapter.charge(request({ config, isSandbox }))).rejects.toMatchObject({ isNothingCharged: true })
    expect(mollie.requests).toHaveLength(before)
  })

  const cancelled = { kind: 'cancelled' }
  it.each<[string, string, object, (id: string) => object]>([
    ['open and cancelable', 'open', { isCancelable: true, method: 'banktransfer' }, () => cancelled],
    [
      'open',
      'open',
      { method: null },
      () => ({ ...cancelled, payableUntil: new Date(app.clock.now().getTime() + 15 * 60_000) }),
    ],
    ['paid', 'paid', {}, (id) => ({ kind: 'charged', ...payment(id) })],
    ['pending', 'pending', {}, pending],
    ['expired', 'expired', {}, () => cancelled],
    ['failed', 'failed', {}, () => cancelled],
  ])('that is %s is called off, or told', async (_, status, more, expected) => {
    const { call, id } = await begun()
    mollie.become(id, status, more)
    expect(await adapter.cancel(call)).toEqual(expected(id))
    if ('isCancelable' in more) expect(mollie.paymentOf(id).status).toBe('canceled')
  })

  it('that nobody knows of is called off; one that can be cancelled no more in the last moment is told', async () => {
    expect(await adapter.cancel(request())).toEqual(cancelled)
    const { call, id } = await begun()
    mollie.become(id, 'open', { isCancelable: true })
    mollie.refuse('DELETE /v2/payments/{id}', 422, 'The payment cannot be cancelled')
    expect(await adapter.cancel(call)).toMatchObject({ kind: 'cancelled', payableUntil: expect.any(Date) })
  })
})

describe('a refund', () => {
  it('is made whole, and in parts until nothing is left, each once under its key', async () => {
    const { payment, refund } = await paid()
    const part = { ...refund, amount: 1_000 }
    const first = await adapter.refund(part)
    expect(first).toEqual({ kind: 'refunded', transactionId: payment.refunds[0]?.id })
    expect(await adapter.refund(part)).toEqual(first)
    expect(await adapter.refund({ ...refund, key: `${refund.key}2`, amount: 234 })).toMatchObject({ kind: 'refunded' })
    expect(payment.refunds.map(({ amount }) => amount.value)).toEqual(['10.00', '2.34'])
    const more = await adapter.refund({ ...refund, key: `${refund.key}3`, amount: 1 })
    expect(more).toEqual({ kind: 'declined', message: expect.stringContaining('more than Mollie has left') })
  })

  it('that is asked for again when Mollie has forgotten its key is still one', async () => {
    const { payment, refund } = await paid()
    await adapter.refund(refund)
    app.clock.advance(3 * 3_600)
    expect(await adapter.refund(refund)).toMatchObject({ kind: 'refunded' })
    expect(payment.refunds).toHaveLength(1)
  })

  it('that looks like another of a moment ago is asked for again later', async () => {
    const { payment, refund } = await paid()
    mollie.refuse('POST /v2/payments/{id}/refunds', 409, 'A duplicate refund has been detected')
    await expect(adapter.refund(refund)).rejects.toMatchObject({ name: 'GatewayUnavailable', isNothingCharged: false })
    expect(await adapter.refund(refund)).toMatchObject({ kind: 'refunded' })
    expect(payment.refunds).toHaveLength(1)
  })

  it('is declined with a sentence where Mollie will not, does not know the payment, or has failed', async () => {
    const { payment, refund } = await paid()
    const declined = (message: string) => ({ kind: 'declined', message: expect.stringContaining(message) })
    mollie.refuse('POST /v2/payments/{id}/refunds', 422, 'The payment method does not support refunds')
    expect(await adapter.refund(refund)).toEqual(declined('Look at the payment in its dashboard'))
    expect(await adapter.refund({ ...refund, transactionId: 'tr_unknown' })).toEqual(declined('does not know'))
    await adapter.refund(refund)
    Object.assign(payment.refunds[0] ?? {}, { status: 'failed' })
    expect(await adapter.refund(refund)).toEqual(declined('could not'))
  })
})

describe('whatever goes wrong between Mollie and us', () => {
  const spoil = (fault: Fault, on: RegExp) => mollie.trouble(fault, { on, times: timesToBreak(fault) })
  const unavailable = { name: 'GatewayUnavailable' }

  it.each(BREAKS)('%s, when the payment is made: it is found, or nothing was charged', async (_, fault, isDone) => {
    const asked = request()
    spoil(fault, /^POST/)
    if (isDone) expect(await adapter.charge(asked)).toMatchObject({ kind: 'redirect' })
    else await expect(adapter.charge(asked)).rejects.toMatchObject({ ...unavailable, isNothingCharged: true })
    expect(await adapter.charge(asked)).toMatchObject({ kind: 'redirect' })
    expect(mollie.paymentsOfKey(asked.key)).toHaveLength(1)
  })

  it.each(BREAKS)(
    '%s, when it is looked up, or looked for: nobody knows, and the next answer counts',
    async (_, fault) => {
      const { call } = await paid()
      for (const each of [call, { ...call, confirmation: null }]) {
        spoil(fault, /^GET/)
        await expect(adapter.lookUp(each)).rejects.toMatchObject(unavailable)
        expect(await adapter.lookUp(each)).toMatchObject({ kind: 'charged' })
      }
    },
  )

  it.each(BREAKS)('%s, when it is called off: asked again, it is', async (_, fault) => {
    const { call, id } = await begun()
    mollie.become(id, 'open', { isCancelable: true })
    for (const on of [/^GET/, /^DELETE/]) {
      spoil(fault, on)
      await expect(adapter.cancel(call)).rejects.toMatchObject(unavailable)
    }
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
  })

  it.each(BREAKS)('%s, when it is given back: once under one key', async (_, fault, isDone) => {
    const { payment, refund } = await paid()
    spoil(fault, /^GET/)
    await expect(adapter.refund(refund)).rejects.toMatchObject(unavailable)
    spoil(fault, /^POST/)
    await expect(adapter.refund(refund)).rejects.toMatchObject(unavailable)
    expect(payment.refunds).toHaveLength(isDone ? 1 : 0)
    expect(await adapter.refund(refund)).toEqual({ kind: 'refunded', transactionId: payment.refunds[0]?.id })
    expect(payment.refunds).toHaveLength(1)
  })

  it.each(BREAKS)(
    '%s, when it is asked how a payment stands, or for the credentials: nobody knows',
    async (_, fault) => {
      const { call, id } = await paid()
      spoil(fault, /^GET/)
      await expect(adapter.story.standingOf({ ...call, transactionId: id })).rejects.toMatchObject(unavailable)
      spoil(fault, /^GET/)
      await expect(adapter.story.checkCredentials(call)).rejects.toMatchObject(unavailable)
    },
  )

  it('what arrives twice is done once', async () => {
    mollie.trouble('twice', { times: 10 })
    const { call, refund, payment } = await paid()
    await adapter.refund(refund)
    expect([mollie.paymentsOfKey(call.key).length, payment.refunds.length]).toEqual([1, 1])
  })

  it('what hangs is given up with the signal, and a Mollie that is down is an outage', async () => {
    mollie.trouble({ slowMs: 30_000 }, { on: /^POST/ })
    const outage = { isNothingCharged: true, isOutage: true }
    await expect(adapter.charge(request({ signal: AbortSignal.timeout(200) }))).rejects.toMatchObject(outage)
    await mollie.goDown()
    await expect(adapter.charge(request())).rejects.toMatchObject(outage)
    await mollie.comeBack()
  })
})

it('writes the sums of each currency with its decimals, and reads them so', async () => {
  for (const [currency, decimals] of Object.entries(DECIMALS)) {
    expect(adapter.problemsOf(NO_PAYMENT, { amount: 1_234, currency })).toEqual({})
    const { call, id } = await begun({ currency })
    expect(mollie.paymentOf(id).amount).toEqual({ currency, value: decimals === 0 ? '1234' : '12.34' })
    mollie.become(id, 'paid')
    expect(await adapter.lookUp(call)).toMatchObject({ kind: 'charged', amount: 1_234, currency })
  }
})

it('is simulated in a sandbox without an account, on a page of ours', async () => {
  const { id: merchantId } = await app.merchant()
  const simulated = chargingWith(ports)('mollie', true) as GatewayAdapter
  const asked = chargeRequest(merchantId, app.clock.now())
  expect(simulated.problemsOf(NO_PAYMENT, asked)).toEqual({})
  const url = `/test-gateway/${merchantId}/${asked.key}`
  expect(await simulated.charge(asked)).toMatchObject({ kind: 'redirect', url })
  expect((await app.call('GET', url)).text).toContain("This page stands in for Mollie's.")
  expect((await app.call('POST', `${url}/decline`)).status).toBe(303)
  expect(await simulated.lookUp(asked)).toMatchObject({ kind: 'declined' })
})

it('refuses other currencies, and the number of a card, before anything is asked', () => {
  for (const currency of ['INR', 'KWD', 'BGN'])
    expect(adapter.problemsOf(NO_PAYMENT, { amount: 1_000, currency })).toEqual({
      'payment.gateway': [`Mollie takes no payments in ${currency}. Choose another way to pay.`],
    })
  const card = { number: '4242', cvc: null, expiryMonth: null, expiryYear: null, postalZipCode: null }
  const sent: PaymentInput = { ...NO_PAYMENT, card: { ...card, token: null, nonce: null } }
  expect(Object.keys(adapter.problemsOf(sent, { amount: 1_000, currency: 'EUR' }))).toEqual(['payment.card.number'])
})

it.each([
  ['test', CONFIG, true, true, /^Mollie knows this API key \(sandbox\)\.$/],
  ['live', LIVE_CONFIG, false, true, /^Mollie knows this API key \(live\)\.$/],
  ['live, in the sandbox', LIVE_CONFIG, true, false, /^This is a live API key of Mollie, and this is the sandbox/],
  ['test, in a live shop', CONFIG, false, false, /^This is a test API key of Mollie, and this is a live shop/],
  ['unknown', { api_key: 'test_revoked' }, true, false, /^Mollie does not know this API key/],
])('says of a key that is %s whether it works', async (_, config, isSandbox, isUsable, message) => {
  const check = await adapter.story.checkCredentials({ ...request({ config, isSandbox }) })
  expect(check).toEqual({ isUsable, message: expect.stringMatching(message) })
})

it('tells how a payment stands, with what was refunded and charged back', async () => {
  const { call, id, refund } = await paid()
  const ask = () => adapter.story.standingOf({ ...call, transactionId: id })
  const sum = { amount: 1_234, currency: 'USD' }
  expect(await ask()).toEqual({ charge: 'complete', ...sum, refunds: [], disputes: [] })
  await adapter.refund({ ...refund, amount: 200 })
  const outside = mollie.refund(id, '3.00')
  const chargeback = mollie.chargeBack(id)
  const dispute = { id: chargeback.id, amount: 1_234, reason: 'AC01' }
  expect(await ask()).toMatchObject({
    refunds: [
      { key: refund.key, amount: 200, status: 'accepted' },
      { id: outside.id, key: null, amount: 300, status: 'accepted' },
    ],
    disputes: [{ ...dispute, status: 'lost' }],
  })
  outside.status = 'failed'
  chargeback.reversedAt = '2026-01-05T00:00:00+00:00'
  expect(await ask()).toMatchObject({ refunds: [{}, { status: 'failed' }], disputes: [{ ...dispute, status: 'won' }] })
  for (const [status, charge] of [
    ['open', 'pending'],
    ['authorized', 'pending'],
    ['expired', 'failed'],
    ['failed', 'failed'],
  ] as const) {
    mollie.become(id, status)
    expect(await ask()).toMatchObject({ charge })
  }
  await expect(adapter.story.standingOf({ ...call, transactionId: 'tr_unknown' })).rejects.toThrow(
    'how the payment stands',
  )
})

describe('a shop', async () => {
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
    expect(redirect).toEqual({
      payment_redirect: true,
      gateway: 'mollie',
      payment_id: payment.id,
      paykey: payment.id,
      redirect_url: checkoutOf(payment),
    })
    expect(payment).toMatchObject({
      amount: { currency: 'USD', value: '10.00' },
      webhookUrl: `https://shop.example${gateway.webhook_path}`,
    })
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

  /** What has become of it, that it cost nothing, and what can be done. */
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

  it.each([
    ['another amount', (value: unknown) => (value === '10.00' ? '9.99' : value)],
    ['another currency', (value: unknown) => (value === 'USD' ? 'EUR' : value)],
  ])('confirms %s: 504, and one order once that is mended', async (_, change) => {
    const { token, payment } = await left()
    mollie.become(payment.id, 'paid')
    mollie.distort(change)
    expect((await shop.capture(token, BODY)).status).toBe(504)
    await complete(3_600)
    expect(await receiptOf(token)).toBe(404)
    mollie.calm()
    expect(await shop.order(token, BODY)).toMatchObject({ status_payment: 'paid' })
  })

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

  it('a message of an unknown payment is taken and does nothing; what is none is refused; one while Mollie is out comes again', async () => {
    const messages = () => app.db.maybe(countMessages, { merchant_id: shop.id })
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
          // What a pause has made fail is tried again. So little that a job which is under way keeps its lease.
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

  it('pays once with another gateway meanwhile: what is then paid at Mollie is given back, without a message', async () => {
    const { token, payment } = await left()
    expect(await shop.order(token, digitalBody())).toMatchObject({ status_payment: 'paid' })
    mollie.become(payment.id, 'paid')
    app.clock.advance(16 * 60)
    const worker = app.startJobs()
    try {
      await expect.poll(() => payment.refunds.length).toBe(1)
    } finally {
      await worker.stop()
    }
    expect(payment.refunds).toMatchObject([{ amount: payment.amount }])
  })

  it('gives up after its time what nobody has paid, and looks again as long as it can be paid', async () => {
    const before = await available()
    const { token, payment, back } = await left()
    expect(await available()).toBe(before - 1)
    await complete(16 * 60)
    expect((await app.call('GET', back)).text).toMatch(/you have not been charged/i)
    expect([await receiptOf(token), await available()]).toEqual([404, before])
    const { key } = payment.metadata as { key: string }
    const looksLater = async () =>
      (await app.db.maybe(findLaterJob, { merchant_id: shop.id, key, now: app.clock.now() })) !== null
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

  it('gives nothing up while only pages with 404 come in the place of Mollie, and makes the order of what was paid', async () => {
    const before = await available()
    const { token, payment } = await left()
    mollie.become(payment.id, 'paid')
    mollie.trouble('html_404', { times: 1_000 })
    for (const seconds of [16 * 60, 3_600]) {
      await complete(seconds)
      expect([await receiptOf(token), await available()]).toEqual([404, before - 1])
    }
    mollie.calm()
    await complete(60)
    await expect.poll(() => receiptOf(token)).toBe(200)
    expect([await available(), payment.refunds]).toEqual([before - 1, []])
  })

  it('finishes a payment whose answer was lost with the process that had asked: it is found by its key', async () => {
    const token = await shop.token()
    const count = mollie.payments.length
    onCheckpoint(async (name) => {
      if (name === 'capture.charged') throw new Error('The process dies here.')
    })
    expect((await shop.capture(token, BODY)).status).toBe(500)
    onCheckpoint(null)
    await complete(31)
    const redirect = (await shop.capture(token, BODY)).body as { paykey: string }
    mollie.become(redirect.paykey, 'paid')
    expect(await shop.order(token, BODY)).toMatchObject({ status_payment: 'paid' })
    expect(mollie.payments).toHaveLength(count + 1)
  })

  it('says by one request whether its credentials work', async () => {
    const answer = await shop.call('POST', `gateways/${gateway.id}/test`, {}, secret)
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Mollie knows this API key (sandbox).')])
    mollie.switchOffMethods()
    expect((await shop.call('POST', `gateways/${gateway.id}/test`, {}, secret)).text).toContain('no way to pay')
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
    try {
      const unknown = {
        status: 'pending',
        status_reason: 'gateway_failure',
        notes: expect.stringContaining(payment.id),
      }
      await expect.poll(charge).toMatchObject(unknown)
    } finally {
      await worker.stop()
    }
    expect([await complete(), (await shop.read(order)).status_payment]).toEqual([200, 'paid'])
    expect(mollie.requests).toHaveLength(asked)
  })
})
