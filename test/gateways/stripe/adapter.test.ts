// Stripe as captures call it: every outcome and refusal, the sums, and what is sent.

import { describe, expect, it } from 'vitest'
import type { PaymentInput } from '../../../src/gateways/gateway.ts'
import { RULES } from '../../../src/gateways/stripe/sums.ts'
import { currencyOf } from '../../../src/lib/currencies.ts'
import { POOR_KEY } from '../doubles/stripe.ts'
import { error, invalid } from '../doubles/stripe-books.ts'
import { by, CONFIG, openAdapter, payment, VERIFY, VISA } from './support.ts'

const { adapter, double, request, asked } = await openAdapter()
const MANUAL = { ...CONFIG, capture: 'manual' }

const waitingFor = async (sent: PaymentInput = VERIFY) => {
  const call = request({ payment: sent })
  const outcome = await adapter.charge(call)
  if (outcome.kind !== 'requires_verification') throw new Error('The bank asks.')
  return { call: { ...call, confirmation: outcome.confirmation }, outcome }
}

describe('a charge', () => {
  it('is an intent under our key, confirmed with the card; asked again and looked up it is the same (F1)', async () => {
    asked()
    const call = request()
    const outcome = await adapter.charge(call)
    expect(outcome).toEqual({
      kind: 'charged',
      amount: 1_234,
      currency: 'USD',
      transactionId: expect.stringMatching(/^pi_/),
      reference: '4242',
      source: { type: 'card', brand: 'Visa', country: 'US', zip: '94107' },
    })
    const [create, confirm] = double.requests
    expect(Object.fromEntries(new URLSearchParams(create?.text))).toEqual({
      amount: '1234',
      currency: 'usd',
      confirmation_method: 'manual',
      'payment_method_types[]': 'card',
      description: `Payment ${call.key}`,
      'metadata[cartwright_attempt]': call.key,
    })
    expect(create?.headers).toMatchObject({ 'idempotency-key': call.key, 'stripe-version': '2026-08-26.dahlia' })
    expect(Object.fromEntries(new URLSearchParams(confirm?.text))).toEqual({
      payment_method: 'pm_card_visa',
      capture_method: 'automatic',
      use_stripe_sdk: 'true',
      'expand[]': 'latest_charge',
    })
    expect(asked()).toEqual(['POST payment_intents', 'POST payment_intents/pi/confirm'])
    expect(await adapter.lookUp(call)).toEqual(outcome)
    expect(asked()).toEqual(['POST payment_intents', 'GET payment_intents/pi'])
    expect(await adapter.charge(call)).toEqual(outcome)
    expect(double.paid()).toHaveLength(1)
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

  const ENTER_AGAIN = {
    kind: 'declined',
    reason: 'payment_declined',
    message: expect.stringContaining('Enter the card again'),
  }
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
    expect(await adapter.charge(call)).toEqual({
      kind: 'declined',
      reason: 'payment_declined',
      message: 'The sum is too small to be paid by card.',
    })
    expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
  })

  it('that is refused for another reason than the card has charged nothing, and says so to the merchant', async () => {
    double.settings.refusal = invalid('customer_required', 'sk_test_double is mentioned here.')
    await expect(adapter.charge(request())).rejects.toMatchObject({
      message: 'Stripe has refused a request (400, customer_required).',
      isNothingCharged: true,
    })
  })

  it.each([
    ['sk_test_wrong', 401],
    [POOR_KEY, 403],
  ])('with the key %s charges nothing and names the gateway, not the key (F38)', async (secret_key, status) => {
    const call = request({ config: { ...CONFIG, secret_key } })
    const message = `Stripe has refused the secret key that is set up for it (${status}): enter one that is valid and may take payments.`
    await expect(adapter.charge(call)).rejects.toMatchObject({ message, isNothingCharged: true, isOutage: false })
    await expect(adapter.lookUp(call)).rejects.toMatchObject({ message, isNothingCharged: false })
    await expect(adapter.cancel(call)).rejects.toMatchObject({ isNothingCharged: false })
    expect(message).not.toContain(secret_key)
  })

  it.each([
    ['sk_live_1', true, 'live mode, and this is the sandbox'],
    ['rk_test_1', false, 'test mode, and this is a live shop'],
  ])('with %s where the sandbox is %s is not sent at all', async (secret_key, isSandbox, words) => {
    asked()
    const call = request({ config: { ...CONFIG, secret_key }, isSandbox })
    await expect(adapter.charge(call)).rejects.toMatchObject({
      message: expect.stringContaining(words),
      isNothingCharged: true,
    })
    await expect(adapter.lookUp({ ...call, config: {} })).rejects.toMatchObject({ isNothingCharged: false })
    expect(asked()).toEqual([])
  })

  it('that Stripe still looks into is open, and paid once Stripe says so', async () => {
    const call = request({ payment: by('pm_card_double_processing') })
    await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false })
    await expect(adapter.lookUp(call)).rejects.toMatchObject({ isNothingCharged: false })
    await expect(adapter.cancel(call)).rejects.toMatchObject({ isNothingCharged: false })
    double.settleProcessing(double.intentOf(call.key)?.id ?? '')
    expect(await adapter.lookUp(call)).toMatchObject({ kind: 'charged' })
  })
})

describe('a bank that asks the shopper', () => {
  it('is told by the client secret; the shopper passes, and the intent is confirmed once (F3, F4)', async () => {
    const { call, outcome } = await waitingFor()
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
    expect(paid).toMatchObject({
      kind: 'charged',
      amount: 1_234,
      reference: '3220',
      transactionId: outcome.confirmation,
    })
    expect(await adapter.confirm({ ...call, payment: back })).toEqual(paid)
    expect(await adapter.lookUp(call)).toEqual(paid)
  })

  it('is confirmed once also when two ask for it at the same moment', async () => {
    const { call, outcome } = await waitingFor()
    double.shopper.passes(outcome.confirmation)
    asked()
    const both = await Promise.all([1, 2].map(() => adapter.confirm({ ...call, payment: null })))
    expect(both.map(({ kind }) => kind)).toEqual(['charged', 'charged'])
    expect(
      double.events.filter(({ type, body }) => type.endsWith('.succeeded') && body.includes(call.key)),
    ).toHaveLength(1)
  })

  it('that the shopper fails has declined the card (F5)', async () => {
    const { call, outcome } = await waitingFor()
    double.shopper.fails(outcome.confirmation)
    const declined = { kind: 'declined', reason: 'card_declined', message: expect.stringContaining('The bank has not') }
    expect(await adapter.confirm({ ...call, payment: null })).toEqual(declined)
    expect(await adapter.lookUp(call)).toEqual(declined)
  })

  it('may decline after the shopper has passed', async () => {
    const { call, outcome } = await waitingFor(by('pm_card_authenticationRequiredChargeDeclinedInsufficientFunds'))
    double.shopper.passes(outcome.confirmation)
    expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ reason: 'insufficient_funds' })
  })

  it('waits no more once it was called off; what is confirmed too late charges nothing (F6)', async () => {
    const { call, outcome } = await waitingFor()
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
    const cancelled = { kind: 'declined', reason: 'cancelled' }
    expect(await adapter.confirm({ ...call, payment: null })).toMatchObject(cancelled)
    expect(await adapter.lookUp(call)).toMatchObject(cancelled)
    expect(double.intents.get(outcome.confirmation)?.status).toBe('canceled')
  })

  it('is never confirmed for another charge than its own (F8)', async () => {
    const { call, outcome } = await waitingFor()
    double.shopper.passes(outcome.confirmation)
    const other = request({ confirmation: call.confirmation })
    await expect(adapter.confirm({ ...other, payment: null })).rejects.toMatchObject({ isNothingCharged: false })
    await expect(adapter.cancel(other)).rejects.toMatchObject({ isNothingCharged: false })
    expect(double.intents.get(outcome.confirmation)?.status).toBe('requires_confirmation')
    await expect(adapter.lookUp({ ...other, confirmation: 'pi_nobody' })).rejects.toMatchObject({
      isNothingCharged: false,
    })
    await expect(adapter.lookUp({ ...other, confirmation: '../refunds' })).rejects.toMatchObject({
      isNothingCharged: false,
    })
  })
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

describe('money that is only held', () => {
  const hold = async (more = {}) => {
    const call = request({ config: MANUAL, ...more })
    const outcome = await adapter.charge(call)
    if (outcome.kind !== 'authorized') throw new Error('It is held.')
    return { call: { ...call, transactionId: outcome.transactionId }, outcome }
  }

  it('is taken once, and told as taken then (F40)', async () => {
    const { call, outcome } = await hold()
    expect(outcome).toMatchObject({ kind: 'authorized', amount: 1_234, reference: '4242' })
    expect(await adapter.lookUp(call)).toEqual(outcome)
    // Held for an order: not let go of by calling off.
    expect(await adapter.cancel(call)).toEqual(outcome)
    expect(await adapter.take(call)).toEqual({ ...outcome, kind: 'charged' })
    expect(await adapter.take(call)).toEqual({ ...outcome, kind: 'charged' })
    expect(await adapter.release(call)).toMatchObject({ kind: 'declined' })
  })

  it('is taken in part; more than is held is not (F42)', async () => {
    const { call } = await hold()
    expect(await adapter.take({ ...call, amount: 9_999 })).toEqual({
      kind: 'declined',
      message: 'More was to be taken than is held.',
    })
    expect(await adapter.take({ ...call, amount: 1_000 })).toMatchObject({ kind: 'charged', amount: 1_000 })
    // What was taken in the meantime, whatever is asked for.
    expect(await adapter.take(call)).toMatchObject({ kind: 'charged', amount: 1_000 })
  })

  it('is let go of, and cannot be taken any more', async () => {
    const { call } = await hold()
    expect(await adapter.release(call)).toEqual({ kind: 'released' })
    expect(await adapter.release(call)).toEqual({ kind: 'released' })
    expect(await adapter.take(call)).toMatchObject({ kind: 'declined', message: expect.stringContaining('not held') })
  })

  it('is gone when its time is over (F41)', async () => {
    const { call } = await hold()
    double.expireHold(call.transactionId)
    expect(await adapter.take(call)).toMatchObject({ kind: 'declined', message: expect.stringContaining('not held') })
    expect(await adapter.release(call)).toEqual({ kind: 'released' })
  })
})

describe('a refund', () => {
  const pay = async (method = 'pm_card_visa') => {
    const outcome = await adapter.charge(request({ payment: by(method) }))
    if (outcome.kind !== 'charged') throw new Error('It is paid.')
    return outcome.transactionId
  }
  const refundOf = (transactionId: string, amount: number, key: string) => ({
    ...request({ amount, key }),
    transactionId,
  })

  it('of a part, and of the rest; each once under its key, also after a day (F43)', async () => {
    const id = await pay()
    const part = refundOf(id, 234, 'rfnd_1')
    const refunded = await adapter.refund(part)
    expect(refunded).toEqual({ kind: 'refunded', transactionId: expect.stringMatching(/^re_/) })
    expect(await adapter.refund(part)).toEqual(refunded)
    double.forgetKeys()
    expect(await adapter.refund(part)).toEqual(refunded)
    expect(await adapter.refund(refundOf(id, 1_000, 'rfnd_2'))).toMatchObject({ kind: 'refunded' })
    expect(double.refunds.filter(({ intent }) => intent === id).map(({ amount }) => amount)).toEqual([234, 1_000])
    // What was paid stays what it was.
    const key = double.intents.get(id)?.metadata.cartwright_attempt ?? ''
    const found = await adapter.lookUp(request({ key, confirmation: id }))
    expect(found).toMatchObject({ kind: 'charged', amount: 1_234 })
  })

  it('is declined where the payment was given back at Stripe itself, or more is asked for than is left (F44)', async () => {
    const id = await pay()
    double.refundByHand(id, 1_000)
    expect(await adapter.refund(refundOf(id, 1_000, 'rfnd_3'))).toMatchObject({ kind: 'declined' })
    double.refundByHand(id, 234)
    expect(await adapter.refund(refundOf(id, 1_000, 'rfnd_3'))).toEqual({
      kind: 'declined',
      message: 'The payment has been refunded already, at Stripe itself.',
    })
  })

  it('that is pending counts as made; one that fails later is told as failed (F45)', async () => {
    const id = await pay('pm_card_pendingRefund')
    const asking = refundOf(id, 1_234, 'rfnd_4')
    const refunded = await adapter.refund(asking)
    expect(refunded).toMatchObject({ kind: 'refunded' })
    if (refunded.kind === 'refunded') double.failRefund(refunded.transactionId)
    expect(await adapter.refund(asking)).toMatchObject({
      kind: 'declined',
      message: expect.stringContaining('The bank has not taken the refund'),
    })
  })

  it('of a payment that is disputed is declined with the reason (F46)', async () => {
    const id = await pay('pm_card_createDispute')
    expect(await adapter.refund(refundOf(id, 1_234, 'rfnd_5'))).toMatchObject({
      kind: 'declined',
      message: expect.stringContaining('disputes the payment'),
    })
  })

  it('of a payment that Stripe does not know is declined', async () => {
    expect(await adapter.refund(refundOf('pi_nobody', 1_234, 'rfnd_6'))).toMatchObject({ kind: 'declined' })
  })
})

describe('sums (F26)', () => {
  const SAID: readonly (readonly [currency: string, amount: number, units: number])[] = [
    ...['USD', 'EUR', 'INR', 'SLE', 'XCG'].map((code) => [code, 1_234, 1_234] as const),
    ...['BIF', 'CLP', 'DJF', 'GNF', 'JPY', 'KMF', 'KRW'].map((code) => [code, 1_234, 1_234] as const),
    ...['PYG', 'RWF', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map((code) => [code, 1_234, 1_234] as const),
    ['ISK', 1_234, 123_400],
    ['MGA', 123_400, 1_234],
    ['HUF', 123_450, 123_450],
    ['TWD', 123_450, 123_450],
    ['BHD', 1_230, 1_230],
    ['JOD', 1_230, 1_230],
    ['KWD', 1_230, 1_230],
    ['OMR', 1_230, 1_230],
    ['TND', 12_340, 12_340],
  ]
  const UNSAID: readonly (readonly [currency: string, amount: number])[] = [
    ...['BHD', 'JOD', 'KWD', 'OMR', 'TND'].map((code) => [code, 1_234] as const),
    ['MGA', 1_250],
    // Eight digits: two of them are the decimals that ISK does not have.
    ['ISK', 1_000_000],
    ['USD', 100_000_000],
    ...['UGX', 'IQD', 'LYD', 'CLF', 'UYW', 'UYI'].map((code) => [code, 1_230] as const),
    // Units of account, and what cards of Stripe's networks are not charged in.
    ...['BOV', 'CHE', 'CHW', 'COU', 'MXV', 'USN'].map((code) => [code, 1_230] as const),
    ...['CUP', 'IRR', 'KPW', 'SYP', 'SDG', 'VES', 'VED', 'ZWG'].map((code) => [code, 1_230] as const),
  ]

  it('are tried in every currency that Stripe counts in a way of its own', () => {
    const tried = [...SAID, ...UNSAID].map(([code]) => code)
    expect(tried).toEqual(expect.arrayContaining(Object.keys(RULES.exceptions)))
    const taken = RULES.only ?? []
    expect([taken.length, new Set(taken).size]).toEqual([138, 138])
    expect(tried).toEqual(expect.arrayContaining(taken.filter((code) => currencyOf(code).exponent !== 2)))
  })

  it.each(SAID)('%s %s is %s at Stripe, and comes back as it was', async (currency, amount, units) => {
    const sum = { amount, currency }
    expect(adapter.problemsOf(VISA, sum)).toEqual({})
    const call = request(sum)
    const outcome = await adapter.charge(call)
    expect(outcome).toMatchObject({ kind: 'charged', ...sum })
    expect(double.intentOf(call.key)).toMatchObject({ amount: units, currency: currency.toLowerCase() })
    if (outcome.kind !== 'charged') return
    const refund = { ...call, key: `${call.key}_refund`, transactionId: outcome.transactionId }
    expect(await adapter.refund(refund)).toMatchObject({ kind: 'refunded' })
    expect(double.refunds.at(-1)).toMatchObject({ amount: units })
  })

  it.each(UNSAID)('%s %s cannot be said, and is refused before anything is asked', async (currency, amount) => {
    asked()
    expect(Object.keys(adapter.problemsOf(VISA, { amount, currency }))).toEqual(['payment.gateway'])
    await expect(adapter.charge(request({ currency, amount }))).rejects.toMatchObject({ isNothingCharged: true })
    expect(asked()).toEqual([])
  })

  it('that Stripe has taken otherwise than asked are told as they are (F25)', async () => {
    const call = request()
    await adapter.charge(call)
    Object.assign(double.intentOf(call.key) ?? {}, { received: 1_000, currency: 'eur' })
    expect(await adapter.lookUp(call)).toMatchObject({ kind: 'charged', amount: 1_000, currency: 'EUR' })
  })
})

describe('what is refused before anything is asked', () => {
  const SUM = { amount: 1_234, currency: 'USD' }
  it.each<[string, PaymentInput, string]>([
    ['nothing', payment({}), 'payment.stripe.payment_method_id'],
    ['no text', payment({ payment_method_id: 7 }), 'payment.stripe.payment_method_id'],
    ['something else', by('card_1'), 'payment.stripe.payment_method_id'],
    ['an id with a path in it', by('pm_1/../x'), 'payment.stripe.payment_method_id'],
    ['another token', payment({}, { token: 'src_1' }), 'payment.card.token'],
    ['an intent alone (F8)', payment({ payment_intent_id: 'pi_1' }), 'payment.stripe.payment_intent_id'],
    ['the number of a card', payment({}, { number: '4242 4242 4242 4242' }), 'payment.card.number'],
    [
      'the number of a card beside a method',
      payment({ payment_method_id: 'pm_card_visa' }, { number: '4242424242424242' }),
      'payment.card.number',
    ],
    ['the number of a card as a method', by('4242424242424242'), 'payment.stripe.payment_method_id'],
    ['the number of a card as a token', payment({}, { token: '4242-4242-4242-4242' }), 'payment.card.token'],
  ])('%s', (_, sent, path) => {
    const problems = adapter.problemsOf(sent, SUM)
    expect(Object.keys(problems)).toEqual([path])
    expect(problems[path]?.[0]).toMatch(new RegExp(`^${path.replaceAll('.', '\\.')} (?:must|is)`))
    expect(JSON.stringify(problems)).not.toMatch(/4242/)
  })

  it('is nothing of what storefronts send', () => {
    for (const sent of [VISA, by(' pm_1abc '), by('tok_visa'), payment({}, { token: 'tok_1' })])
      expect(adapter.problemsOf(sent, SUM)).toEqual({})
    expect(adapter.confirmationOf(VISA)).toBeNull()
  })
})

it('leaves it open when a key was used with another body: a mistake of ours, never a payment', async () => {
  const call = request()
  await adapter.charge(call)
  await expect(adapter.charge({ ...call, amount: 999 })).rejects.toMatchObject({ isNothingCharged: false })
  double.index()
  // Found by its metadata, whatever the body was.
  expect(await adapter.lookUp({ ...call, amount: 999 })).toMatchObject({ kind: 'charged', amount: 1_234 })
})

it('a part that Stripe cannot express is neither taken nor given back, and is decided at once', async () => {
  const part = { ...request(), transactionId: 'pi_1', amount: 1_234, currency: 'KWD' }
  const declined = { kind: 'declined', message: 'Stripe cannot take so fine a sum in KWD.' }
  asked()
  expect([await adapter.take(part), await adapter.refund(part)]).toEqual([declined, declined])
  expect(asked()).toEqual([])
})

it('leaves open what a refusal without a body has refused: it is no word of Stripe’s', async () => {
  double.settings.refusal = { ...error(400, '', null, ''), body: undefined }
  const call = request()
  await expect(adapter.charge(call)).rejects.toMatchObject({ isNothingCharged: false })
  expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
})
