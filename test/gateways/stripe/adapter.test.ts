// Stripe as captures call it: what is sent, cards that are declined, and banks that ask the shopper.

import { describe, expect, it } from 'vitest'
import { POOR_KEY } from '../doubles/stripe.ts'
import { error, invalid } from '../doubles/stripe-books.ts'
import { leavesOpen, payOn } from '../every-provider/adapter/bench.ts'
import { by, openStripeBench, payment, VISA } from './bench.ts'

const bench = await openStripeBench()
const { stripe: double, request, asked, waiting } = bench
const adapter = bench.adapter()
const CONFIG = bench.provider.config

describe('a charge', () => {
  it('is an intent under our key, confirmed with the card (F1, F36)', async () => {
    asked()
    const call = request()
    await adapter.charge(call)
    const [create, confirm] = double.requests
    // The rest of its body: ./history.test.ts, beside that of the official SDK.
    expect(new URLSearchParams(create?.text).get('metadata[cartwright_attempt]')).toBe(call.key)
    expect(create?.headers).toMatchObject({ 'idempotency-key': call.key, 'stripe-version': '2026-08-26.dahlia' })
    expect(Object.fromEntries(new URLSearchParams(confirm?.text))).toEqual({
      payment_method: 'pm_card_visa',
      capture_method: 'automatic',
      use_stripe_sdk: 'true',
      'expand[]': 'latest_charge',
    })
    expect(asked()).toEqual(['POST payment_intents', 'POST payment_intents/pi/confirm'])
    await adapter.lookUp(call)
    expect(asked()).toEqual(['POST payment_intents', 'GET payment_intents/pi'])
  })

  it('with an older token makes a payment method of it first, once', async () => {
    asked()
    const call = request({ payment: payment({}, { token: 'tok_visa' }) })
    expect(await adapter.charge(call)).toMatchObject({ kind: 'charged', reference: '4242' })
    expect(asked()[0]).toBe('POST payment_methods')
    expect(await adapter.charge(request({ payment: payment({}, { token: 'pm_card_amex' }) }))).toMatchObject({
      source: { brand: 'American Express' },
    })
    expect(await adapter.charge(request({ payment: by('tok_mastercard') }))).toMatchObject({ reference: '4444' })
  })

  it.each([
    ['pm_card_visa_chargeDeclined', 'card_declined', 'The card was declined.'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds', 'The card has insufficient funds.'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'The card has expired.'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'The security code (CVC) of the card is wrong.'],
    [
      'pm_card_chargeDeclinedProcessingError',
      'payment_declined',
      'The card could not be charged. Try again, or pay in another way.',
    ],
  ])('%s is declined: %s, also when it is looked up or asked for again (F2)', async (method, reason, message) => {
    const call = request({ payment: by(method) })
    const declined = { kind: 'declined', reason, message }
    expect(await adapter.charge(call)).toEqual(declined)
    expect(await adapter.lookUp(call)).toEqual(declined)
    expect(await adapter.charge({ ...call, payment: VISA })).toEqual(declined)
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
  })

  const message = expect.stringContaining('Enter the card again')
  const ENTER_AGAIN = { kind: 'declined', reason: 'payment_declined', message }
  it.each([
    ['a method that Stripe does not know', by('pm_1Unknown'), null],
    ['a token that Stripe does not know', payment({}, { token: 'tok_1Unknown' }), null],
    [
      'a method that was used before',
      VISA,
      invalid(null, 'The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment.'),
    ],
    ['a used token', VISA, invalid('token_already_used', 'You cannot use a Stripe token more than once.')],
  ])('with %s has to be made with the card entered again (F28)', async (_, sent, refusal) => {
    double.settings.refusal = refusal
    expect(await adapter.charge(request({ payment: sent }))).toEqual(ENTER_AGAIN)
  })

  it.each([
    ['payment_intent_authentication_failure', 'card_declined'],
    ['amount_too_small', 'payment_declined'],
    ['invalid_cvc', 'incorrect_cvc'],
  ])('that is refused with 400 %s is declined: %s', async (code, reason) => {
    double.settings.refusal = invalid(code, 'Refused.')
    expect(await adapter.charge(request())).toMatchObject({ kind: 'declined', reason })
  })

  it('of less than Stripe takes is declined with the rule, and unknown afterwards (F27)', async () => {
    const call = request({ amount: 49 })
    const message = 'The sum is too small to be paid by card.'
    expect(await adapter.charge(call)).toEqual({ kind: 'declined', reason: 'payment_declined', message })
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
  })

  it('that is refused for another reason than the card has charged nothing, and says so to the merchant', async () => {
    double.settings.refusal = invalid('customer_required', 'sk_test_double is mentioned here.')
    const refused = { message: 'Stripe has refused a request (400, customer_required).', isNothingCharged: true }
    await expect(adapter.charge(request())).rejects.toMatchObject(refused)
  })

  it.each([
    ['sk_live_1', true, 'live mode, and this is the sandbox'],
    ['rk_test_1', false, 'test mode, and this is a live shop'],
  ])('with %s where the sandbox is %s is not sent at all', async (secret_key, is_sandbox, words) => {
    asked()
    const call = request({ config: { ...CONFIG, secret_key }, is_sandbox })
    const unsent = { message: expect.stringContaining(words), isNothingCharged: true }
    await expect(adapter.charge(call)).rejects.toMatchObject(unsent)
    await leavesOpen(adapter.lookUp({ ...call, config: {} }))
    expect(asked()).toEqual([])
  })

  it('that Stripe still looks into is open, and paid once Stripe says so', async () => {
    const call = request({ payment: by('pm_card_double_processing') })
    await leavesOpen(adapter.charge(call))
    await leavesOpen(adapter.lookUp(call))
    await leavesOpen(adapter.cancel(call))
    double.settleProcessing(double.intentOf(call.key)?.id ?? '')
    expect(await adapter.lookUp(call)).toMatchObject({ kind: 'charged' })
  })
})

describe('a bank that asks the shopper', () => {
  it('is told by the client secret; the shopper passes, and the intent is confirmed once (F3, F4)', async () => {
    const { call, outcome } = await waiting()
    expect(outcome).toEqual({
      kind: 'requires_verification',
      param: expect.stringMatching(/^pi_\w+_secret_\w+$/),
      confirmation: expect.stringMatching(/^pi_[0-9A-Za-z]+$/),
    })
    expect(await adapter.lookUp(call)).toEqual(outcome)
    expect(await adapter.lookUp({ ...call, confirmation: null })).toEqual(outcome)
    expect(await adapter.confirm({ ...call, payment: null })).toEqual(outcome)
    double.shopper.passes(outcome.confirmation)
    expect(await adapter.lookUp(call)).toEqual({ kind: 'waiting' })
    const back = payment({ payment_intent_id: outcome.param })
    expect(adapter.confirmationOf(back)).toBe(outcome.confirmation)
    const paid = await adapter.confirm({ ...call, payment: back })
    const charged = { kind: 'charged', amount: 1_234, reference: '3220', transactionId: outcome.confirmation }
    expect(paid).toMatchObject(charged)
    expect(await adapter.confirm({ ...call, payment: back })).toEqual(paid)
    expect(await adapter.lookUp(call)).toEqual(paid)
  })

  it('is confirmed once also when two ask for it at the same moment', async () => {
    const { call, outcome } = await waiting()
    double.shopper.passes(outcome.confirmation)
    asked()
    const both = await Promise.all([1, 2].map(() => adapter.confirm({ ...call, payment: null })))
    expect(both.map(({ kind }) => kind)).toEqual(['charged', 'charged'])
    expect(double.intentOf(call.key)).toMatchObject({ status: 'succeeded', received: 1_234 })
  })

  it('that the shopper fails has declined the card (F5)', async () => {
    const { call, outcome } = await waiting()
    double.shopper.fails(outcome.confirmation)
    const declined = { kind: 'declined', reason: 'card_declined', message: expect.stringContaining('The bank has not') }
    expect(await adapter.confirm({ ...call, payment: null })).toEqual(declined)
    expect(await adapter.lookUp(call)).toEqual(declined)
  })

  it('may decline after the shopper has passed', async () => {
    const { call, outcome } = await waiting(by('pm_card_authenticationRequiredChargeDeclinedInsufficientFunds'))
    double.shopper.passes(outcome.confirmation)
    expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ reason: 'insufficient_funds' })
  })

  it('waits no more once it was called off; what is confirmed too late charges nothing (F6)', async () => {
    const { call, outcome } = await waiting()
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    const cancelled = { kind: 'declined', reason: 'cancelled' }
    expect(await adapter.confirm({ ...call, payment: null })).toMatchObject(cancelled)
    expect(await adapter.lookUp(call)).toMatchObject(cancelled)
    expect(double.intents.get(outcome.confirmation)?.status).toBe('canceled')
  })

  it('is never confirmed for another charge than its own (F8)', async () => {
    const { call, outcome } = await waiting()
    double.shopper.passes(outcome.confirmation)
    const other = request({ confirmation: call.confirmation })
    await leavesOpen(adapter.confirm({ ...other, payment: null }))
    await leavesOpen(adapter.cancel(other))
    expect(double.intents.get(outcome.confirmation)?.status).toBe('requires_confirmation')
    await leavesOpen(adapter.lookUp({ ...other, confirmation: 'pi_nobody' }))
    await leavesOpen(adapter.lookUp({ ...other, confirmation: '../refunds' }))
  })
})

it('refuses a key that may not do enough: nothing was charged (F38)', async () => {
  const charge = adapter.charge(request({ config: { ...CONFIG, secret_key: POOR_KEY } }))
  const message = expect.stringContaining('has refused the secret key that is set up for it (403)')
  await expect(charge).rejects.toMatchObject({ message, isNothingCharged: true, isOutage: false })
})

it('counts a refund that is pending as made; one that fails later is told as failed (F45)', async () => {
  const { transactionId, ...charge } = await payOn(bench, { payment: by('pm_card_pendingRefund') })
  const refund = { ...charge, key: 'rfnd_4', transactionId }
  expect(await adapter.refund(refund)).toMatchObject({ kind: 'refunded' })
  bench.provider.failRefunds(transactionId)
  const failed = { kind: 'declined', message: expect.stringContaining('The bank has rejected the refund') }
  expect(await adapter.refund(refund)).toMatchObject(failed)
})

describe('what was never charged', () => {
  it('is unknown, and called off for good: a charge that comes late finds it cancelled', async () => {
    const call = request()
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    expect(await adapter.charge(call)).toMatchObject({ kind: 'declined', reason: 'cancelled' })
    expect(double.intentOf(call.key)).toMatchObject({ status: 'canceled', received: 0 })
  })
})

it('takes no sum of more than eight digits (F27)', () => {
  for (const sum of [
    { amount: 100_000_000, currency: 'USD' },
    // Two of the eight digits are the decimals that ISK does not have.
    { amount: 1_000_000, currency: 'ISK' },
  ])
    expect(Object.keys(adapter.problemsOf(VISA, sum))).toEqual(['payment.gateway'])
})

it('tells a sum that Stripe has taken otherwise than asked as it is (F25)', async () => {
  const call = request()
  await adapter.charge(call)
  Object.assign(double.intentOf(call.key) ?? {}, { received: 1_000, currency: 'eur' })
  expect(await adapter.lookUp(call)).toMatchObject({ kind: 'charged', amount: 1_000, currency: 'EUR' })
})

it('leaves open what a refusal without a body has refused: it is no word of Stripe’s', async () => {
  double.settings.refusal = { ...error(400, '', null, ''), body: undefined }
  const call = request()
  await leavesOpen(adapter.charge(call))
  expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
})
