// Simulated providers as a shop calls them: which names each knows, what is refused before anything is asked, and that no number of a card
// is among it.

import { describe, expect, it } from 'vitest'
import type { ChargeRequest, GatewayAdapter, PaymentInput } from '../../src/gateways/gateway.ts'
import { createAdapters } from '../../src/gateways/index.ts'
import { sharedApp } from '../support/app.ts'
import { chargeRequest, gatewayPorts } from '../support/gateways.ts'
import { NO_CARD } from './every-provider/adapter/bench.ts'

const app = await sharedApp()
const { id: merchant_id } = await app.merchant()
const ways = createAdapters(gatewayPorts(app))
const adapterOf = (code: string) => ways(code, true) as GatewayAdapter

type Card = { token?: string; nonce?: string }
const payment = (details: Record<string, unknown>, card: Card | null = null): PaymentInput => ({
  gateway: null,
  card: card && { ...NO_CARD, ...card },
  details,
})

const request = (sent: PaymentInput): ChargeRequest => chargeRequest(merchant_id, app.clock.now(), { payment: sent })

const SUM = { amount: 1_234, currency: 'USD' }

/** Where storefronts put what the provider has given them. */
const SENT: Record<string, (value: string) => PaymentInput> = {
  'stripe.payment_method_id': (value) => payment({ stripe: { payment_method_id: value } }),
  'stripe by card.token': (value) => payment({}, { token: value }),
  'square.token': (value) => payment({ square: { token: value } }),
  'square by card.nonce': (value) => payment({}, { nonce: value }),
  'razorpay.payment_id': (value) => payment({ razorpay: { payment_id: value } }),
  'paypal.payment_id': (value) => payment({ paypal: { action: 'capture', payment_id: value, payer_id: 'P1' } }),
}

const sentAs = (place: string, value: string) => ({
  adapter: adapterOf(/^\w+/.exec(place)?.[0] ?? ''),
  sent: (SENT[place] as (value: string) => PaymentInput)(value),
})

describe('a card of a provider for trying out', () => {
  it.each([
    ['stripe.payment_method_id', 'pm_card_visa', 'Visa', '4242'],
    ['stripe.payment_method_id', 'pm_card_amex', 'American Express', '0005'],
    ['stripe.payment_method_id', 'pm_card_createDispute', 'Visa', '0259'],
    ['stripe.payment_method_id', 'pm_1NXWPnJ2eZvKYlo2CwnDAbcD', null, null],
    ['stripe by card.token', 'tok_visa', 'Visa', '4242'],
    ['stripe by card.token', 'tok_mastercard_debit', 'Mastercard', '3222'],
    ['stripe by card.token', 'tok_1JZhQm2eZvKYlo2C', null, null],
    ['stripe by card.token', 'pm_card_jcb', 'JCB', '0505'],
    ['square.token', 'cnon:card-nonce-ok', 'Visa', '1111'],
    ['square.token', 'cnon:CBASEDUnfSnrlMbrKXkEgCd_l94', null, null],
    ['square by card.nonce', 'cnon:card-nonce-ok', 'Visa', '1111'],
    ['square by card.nonce', 'fake-card-nonce-ok', 'Visa', '1111'],
    ['square by card.nonce', '7', null, null],
    ['razorpay.payment_id', 'pay_29QQoUBi66xm2f', null, null],
    ['razorpay.payment_id', 'success@razorpay', null, null],
    ['paypal.payment_id', 'PAYID-MB5DYQY0A123456789', null, null],
    ['paypal.payment_id', '5O190127TN364715T', null, null],
  ])('%s: %s pays', async (place, value, brand, reference) => {
    const { adapter, sent } = sentAs(place, value)
    expect(adapter.problemsOf(sent, SUM)).toEqual({})
    const asked = request(sent)
    const expected = {
      kind: 'charged',
      amount: 1_234,
      transactionId: `test_${asked.key}`,
      reference,
      source: { brand },
    }
    expect(await adapter.charge(asked)).toMatchObject(expected)
    expect(await adapter.lookUp(asked)).toMatchObject(expected)
  })

  it.each([
    ['stripe.payment_method_id', 'pm_card_visa_chargeDeclined', 'card_declined'],
    ['stripe.payment_method_id', 'pm_card_chargeDeclined', 'card_declined'],
    ['stripe.payment_method_id', 'pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['stripe.payment_method_id', 'pm_card_chargeDeclinedExpiredCard', 'expired_card'],
    ['stripe.payment_method_id', 'pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc'],
    ['stripe.payment_method_id', 'pm_card_chargeDeclinedProcessingError', 'payment_declined'],
    ['stripe by card.token', 'tok_chargeDeclined', 'card_declined'],
    ['square.token', 'cnon:card-nonce-declined', 'card_declined'],
    ['square.token', 'cnon:card-nonce-rejected-cvv', 'incorrect_cvc'],
    ['square.token', 'cnon:card-nonce-rejected-postalcode', 'card_declined'],
    ['square.token', 'cnon:card-nonce-rejected-expiration', 'expired_card'],
    ['square by card.nonce', 'fake-card-nonce-declined', 'card_declined'],
    ['square.token', 'cnon:card-nonce-already-used', 'payment_declined'],
    ['square.token', 'cnon:gift-card-nonce-insufficient-funds', 'insufficient_funds'],
    // No storefront of theirs goes on after it.
    ['square.token', 'cnon:card-nonce-3220', 'card_declined'],
    ['razorpay.payment_id', 'failure@razorpay', 'payment_declined'],
    ['paypal.payment_id', 'INSTRUMENT_DECLINED', 'payment_declined'],
  ])('%s: %s is declined: %s', async (place, value, reason) => {
    const { adapter, sent } = sentAs(place, value)
    expect(adapter.problemsOf(sent, SUM)).toEqual({})
    expect(await adapter.charge(request(sent))).toMatchObject({ kind: 'declined', reason })
  })

  it.each([
    ['stripe.payment_method_id', 'pm_card_0010'],
    ['stripe by card.token', 'tok_0010'],
    ['square.token', 'cnon:card-nonce-0010'],
    ['razorpay.payment_id', 'pay_0010'],
    ['paypal.payment_id', 'PAY-0010'],
  ])('%s: %s does as the card of the test gateway with these last digits', async (place, value) => {
    const { adapter, sent } = sentAs(place, value)
    const asked = request(sent)
    expect(await adapter.charge(asked)).toMatchObject({ kind: 'authorized', reference: '0010' })
    expect(await adapter.release?.({ ...asked, transactionId: `test_${asked.key}` })).toEqual({ kind: 'released' })
    const broken = sentAs(place, value.replace('0010', '0507'))
    await expect(adapter.charge(request(broken.sent))).rejects.toMatchObject({ isNothingCharged: false })
  })

  it.each([
    ['pm_card_threeDSecure2Required', { kind: 'charged', reference: '3220' }],
    ['pm_card_authenticationRequired', { kind: 'charged', reference: '3184' }],
    ['pm_card_threeDSecureRequiredChargeDeclined', { kind: 'declined', reason: 'card_declined' }],
    [
      'pm_card_authenticationRequiredChargeDeclinedInsufficientFunds',
      { kind: 'declined', reason: 'insufficient_funds' },
    ],
  ])('%s asks the shopper first, by a client secret that begins with the id of its intent', async (name, then) => {
    const adapter = adapterOf('stripe')
    const asked = request(payment({ stripe: { payment_method_id: name } }))
    const outcome = await adapter.charge(asked)
    if (outcome.kind !== 'requires_verification') throw new Error('The bank asks.')
    expect(outcome.param).toMatch(/^pi_[0-9a-f]{24}_secret_[0-9a-f]{24}$/)
    expect(outcome.confirmation).toBe(outcome.param.split('_secret_')[0])
    for (const id of [outcome.confirmation, outcome.param])
      expect(adapter.confirmationOf?.(payment({ stripe: { payment_intent_id: id } }))).toBe(outcome.confirmation)
    expect(await adapter.confirm?.(asked)).toMatchObject(then)
    expect(await adapter.lookUp(asked)).toMatchObject(then)
  })
})

describe('what is refused before anything is asked', () => {
  const refused = (code: string, sent: PaymentInput) => Object.keys(adapterOf(code).problemsOf(sent, SUM))

  it.each([
    ['stripe', payment({}), 'payment.stripe.payment_method_id'],
    ['stripe', payment({ stripe: { payment_method_id: ' ' } }), 'payment.stripe.payment_method_id'],
    ['stripe', payment({ stripe: { payment_method_id: 'pm_card_nobody' } }), 'payment.stripe.payment_method_id'],
    ['stripe', payment({ stripe: { payment_method_id: 'card_1' } }), 'payment.stripe.payment_method_id'],
    ['stripe', payment({}, { token: 'tok_nobody' }), 'payment.card.token'],
    ['stripe', payment({ stripe: { payment_intent_id: 'pi_1' } }), 'payment.stripe.payment_intent_id'],
    ['square', payment({}), 'payment.square.token'],
    ['square', payment({}, { nonce: 'cnon:card-nonce-nobody' }), 'payment.card.nonce'],
    ['razorpay', payment({ razorpay: null }), 'payment.razorpay.payment_id'],
    ['razorpay', payment({ razorpay: { payment_id: 'order_1' } }), 'payment.razorpay.payment_id'],
    ['paypal', payment({ paypal: { action: 'capture' } }), 'payment.paypal.payment_id'],
    ['paypal', payment({ paypal: { payment_id: 'a b' } }), 'payment.paypal.payment_id'],
  ])('%s cannot be paid by %j', async (code, sent, path) => {
    expect(refused(code, sent)).toEqual([path])
    await expect(adapterOf(code).charge(request(sent))).rejects.toMatchObject({ isNothingCharged: true })
  })
})

describe('a simulated PayPal', () => {
  const adapter = adapterOf('paypal')

  it.each([
    ['no word of it', {}],
    ['the action authorize', { paypal: { action: 'authorize' } }],
    [
      'the key of an attempt that waits no more',
      { paypal: { action: 'capture', payment_id: 'atmpt_0', payer_id: 'P' } },
    ],
  ])('sends the shopper to the page for a payment with %s', async (_, details) => {
    const asked = request(payment(details))
    expect(adapter.problemsOf(asked.payment, SUM)).toEqual({})
    const url = `/test-gateway/${merchant_id}/${asked.key}`
    const redirect = { kind: 'redirect', payKey: asked.key, url, confirmation: asked.key }
    expect(await adapter.charge(asked)).toEqual(redirect)
    expect((await app.call('GET', url)).text).toContain("This page stands in for PayPal's.")
    expect((await app.call('POST', `${url}/approve`)).status).toBe(303)
    expect(await adapter.lookUp(asked)).toMatchObject({ kind: 'charged', source: { type: 'paypal' } })
  })
})
