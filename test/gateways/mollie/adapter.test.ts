// Outcomes of payments on Mollie's page, refusals, and lost answers. The rest: ../every-provider/adapter.

import { describe, expect, it } from 'vitest'
import { BREAKS, timesToBreak } from '../doubles/double.ts'
import { CONFIG, checkoutOf, LIVE_CONFIG } from '../doubles/mollie.ts'
import { payOn, refundKey } from '../every-provider/adapter/bench.ts'
import { openMollieBench } from './bench.ts'

const bench = await openMollieBench()
const { mollie, request, begun, clock } = bench
const adapter = bench.adapter()

async function paid() {
  const charge = await payOn(bench)
  return { charge, payment: mollie.paymentOf(charge.transactionId), refund: { ...charge, key: refundKey(charge) } }
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
  const byTransfer = (id: string) => ({ ...payment(id), source: { ...source, type: 'banktransfer' } })
  const cardSource = { type: 'creditcard', brand: 'Mastercard', country: 'NL', zip: null }
  const byCard = (id: string) => ({ kind: 'charged', ...payment(id), reference: '4444', source: cardSource })
  const declined = (reason: string) => () => ({ kind: 'declined', reason, message: expect.stringMatching(/\.$/) })
  const card = { method: 'creditcard', countryCode: 'NL', details: { cardNumber: '4444', cardLabel: 'Mastercard' } }
  const failed = (failureReason: string) => ({ method: 'creditcard', details: { failureReason } })

  it.each<[string, string, object, (id: string) => object]>([
    ['paid', 'paid', {}, (id) => ({ kind: 'charged', ...payment(id) })],
    ['paid by card', 'paid', card, byCard],
    ['pending', 'pending', {}, pending],
    ['authorized', 'authorized', {}, pending],
    ['open, by transfer', 'open', { method: 'banktransfer' }, (id) => ({ ...pending(id), payment: byTransfer(id) })],
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
    const charge = status === 'paid' ? 'complete' : /open|pending|authorized/.test(status) ? 'pending' : 'failed'
    expect(await adapter.history.getPaymentState({ ...call, transactionId: id })).toMatchObject({ charge })
  })

  it('is refused with a sentence for the sum alone; what else Mollie refuses is for the merchant', async () => {
    mollie.refuse('POST /v2/payments', 422, 'The amount is lower than the minimum', 'amount')
    expect(await adapter.charge(request())).toMatchObject({ kind: 'declined', reason: 'payment_declined' })
    mollie.refuse('POST /v2/payments', 422, 'The webhook URL is invalid', 'webhookUrl')
    const refusal = { isNothingCharged: true, message: 'Mollie has not made the payment: 422 (webhookUrl).' }
    await expect(adapter.charge(request())).rejects.toMatchObject(refusal)
    mollie.refuse('POST /v2/payments', 401, 'Missing authentication')
    const hint = /Check the API key of the gateway \(sandbox\)/
    await expect(adapter.charge(request())).rejects.toMatchObject({ message: expect.stringMatching(hint) })
  })

  it('with a key of the other mode asks nothing of Mollie', async () => {
    const before = mollie.requests.length
    for (const [config, is_sandbox] of [
      [LIVE_CONFIG, true],
      [CONFIG, false],
    ] as const)
      await expect(adapter.charge(request({ config, is_sandbox }))).rejects.toMatchObject({ isNothingCharged: true })
    expect(mollie.requests).toHaveLength(before)
  })

  const cancelled = { kind: 'cancelled' }
  const payable = () => ({ ...cancelled, payableUntil: new Date(clock.now().getTime() + 15 * 60_000) })
  it.each<[string, string, object, (id: string) => object]>([
    ['open and cancelable', 'open', { isCancelable: true, method: 'banktransfer' }, () => cancelled],
    ['open', 'open', { method: null }, payable],
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
  it('that looks like another of a moment ago is asked for again later', async () => {
    const { payment, refund } = await paid()
    mollie.refuse('POST /v2/payments/{id}/refunds', 409, 'A duplicate refund has been detected')
    await expect(adapter.refund(refund)).rejects.toMatchObject({ name: 'GatewayUnavailable', isNothingCharged: false })
    expect(await adapter.refund(refund)).toMatchObject({ kind: 'refunded' })
    expect(payment.refunds).toHaveLength(1)
  })

  it('is declined with a sentence where Mollie will not, or has failed', async () => {
    const { payment, refund } = await paid()
    const declined = (message: string) => ({ kind: 'declined', message: expect.stringContaining(message) })
    mollie.refuse('POST /v2/payments/{id}/refunds', 422, 'The payment method does not support refunds')
    expect(await adapter.refund(refund)).toEqual(declined('Check the payment in the dashboard of Mollie'))
    await adapter.refund(refund)
    Object.assign(payment.refunds[0] ?? {}, { status: 'failed' })
    expect(await adapter.refund(refund)).toEqual(declined('could not'))
  })
})

it.each(BREAKS)('%s, when the payment is made: it is found, or nothing was charged', async (_, fault, isDone) => {
  const asked = request()
  mollie.trouble(fault, { on: /^POST/, times: timesToBreak(fault) })
  if (isDone) expect(await adapter.charge(asked)).toMatchObject({ kind: 'redirect' })
  else await expect(adapter.charge(asked)).rejects.toMatchObject({ isNothingCharged: true })
  expect(await adapter.charge(asked)).toMatchObject({ kind: 'redirect' })
  expect(mollie.paymentsOfKey(asked.key)).toHaveLength(1)
})
