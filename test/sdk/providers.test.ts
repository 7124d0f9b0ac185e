// `@chec/commerce.js`, unmodified, pays by each payment provider, with a server in its place. All other methods: every-method.test.ts.

import { afterAll, afterEach, expect, it } from 'vitest'
import type { CheckoutToken } from '../../src/api/checkouts/schema.ts'
import type { Order } from '../../src/api/orders/schema.ts'
import { CUSTOMER, digital, openCaptureShop } from '../api/checkouts/capture-support.ts'
import { openPayPal, CONFIG as PAYPAL_CONFIG } from '../gateways/doubles/paypal.ts'
import { openRazorpay, RAZORPAY_CONFIG } from '../gateways/doubles/razorpay.ts'
import { openSquare, SQUARE_CONFIG } from '../gateways/doubles/square.ts'
import { openStripe, SECRET_KEY } from '../gateways/doubles/stripe.ts'
import { listen } from '../http/harness.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { PATIENT } from './shop.ts'
import { sdkInNode } from './surroundings.ts'

const now = () => app?.clock.now() ?? new Date('2026-01-02T03:04:05Z')
let app: TestApp | undefined
const [stripe, square, razorpay, paypal] = [
  await openStripe(now),
  await openSquare(now),
  await openRazorpay(now),
  await openPayPal(now),
]
const places: Readonly<Record<string, string>> = {
  'https://api.stripe.com': stripe.url,
  ...square.places,
  ...razorpay.places,
  ...paypal.places,
}
app = await testApp({ providerAddress: (official) => places[official] ?? official })
const url = `http://127.0.0.1:${await listen(app)}`
const shop = await openCaptureShop(app)
const CONFIGS = {
  stripe: { publishable_key: 'pk_test_double', secret_key: SECRET_KEY },
  square: SQUARE_CONFIG,
  razorpay: RAZORPAY_CONFIG,
  paypal: PAYPAL_CONFIG,
}
for (const [code, config] of Object.entries(CONFIGS))
  await shop.succeed(201, 'POST', 'gateways', { code, config }, shop.keys.sandbox.secret)
const product = await shop.product({ ...digital, price: 10 })
const sdk = await sdkInNode({ key: shop.keys.sandbox.public, url, version: undefined })

afterEach(() => {
  expect([stripe.mistakes, square.mistakes, razorpay.mistakes, paypal.mistakes]).toEqual([[], [], [], []])
})
afterAll(async () => {
  for (const double of [stripe, square, razorpay, paypal]) await double.close()
})

/** A token of one thing in the cart that the SDK holds; what is paid by `payment` after that. */
async function begin(gateway: keyof typeof CONFIGS) {
  const { id: cart } = await sdk.call<{ id: string }>('cart.refresh')
  await sdk.call('cart.add', product.id)
  const token = await sdk.call<CheckoutToken>('checkout.generateToken', cart, { type: 'cart' })
  expect(token.gateways.available).toMatchObject({ [gateway]: true })
  const bodyOf = (fields: object) =>
    [token.id, { customer: CUSTOMER, payment: { gateway, [gateway]: fields } }] as const
  return {
    fails: (fields: object) => sdk.failure('checkout.capture', ...bodyOf(fields)),
    captures: <T>(fields: object) => sdk.call<T>('checkout.capture', ...bodyOf(fields)),
    pays: async (fields: object) => {
      const order = await sdk.call<Order>('checkout.capture', ...bodyOf(fields))
      expect(order).toMatchObject({ status_payment: 'paid', transactions: [{ gateway, status: 'complete' }] })
      expect(await sdk.call('checkout.receipt', token.id)).toEqual(order)
      // The SDK asks for another cart without waiting.
      await expect.poll(() => sdk.call('cart.id'), PATIENT).not.toBe(cart)
      return order.transactions[0]?.gateway_transaction_id ?? ''
    },
  }
}

it('Stripe: a payment method that the bank asks about, and its intent', async () => {
  const { fails, pays } = await begin('stripe')
  const failure = await fails({ payment_method_id: 'pm_card_threeDSecure2Required' })
  expect(failure).toMatchObject({ statusCode: 402, data: { error: { type: 'requires_verification' } } })
  const { param } = (failure.data as { error: { param: string } }).error
  // As Stripe.js reads it from the client secret.
  const [intent = ''] = param.split('_secret_')
  stripe.shopper.passes(intent)
  expect(await pays({ payment_intent_id: intent })).toBe(intent)
  expect(stripe.intents.get(intent)).toMatchObject({ status: 'succeeded', received: 1_000 })
})

it('Square: a token', async () => {
  const { fails, pays } = await begin('square')
  const failure = await fails({ token: 'cnon:card-nonce-declined' })
  expect(failure).toMatchObject({ statusCode: 402, data: { error: { type: 'gateway_error' } } })
  expect(square.payments.get(await pays({ token: 'cnon:card-nonce-ok' }))?.status).toBe('COMPLETED')
})

it('Razorpay: the id of a payment', async () => {
  const { pays } = await begin('razorpay')
  const payment = razorpay.pay({ amount: 1_000, currency: 'USD' })
  expect(await pays({ payment_id: payment.id })).toBe(payment.id)
  expect(razorpay.payments.get(payment.id)?.status).toBe('captured')
})

it('PayPal: there and back', async () => {
  const { captures, pays } = await begin('paypal')
  const redirect = await captures<{ payment_redirect: boolean; paykey: string; redirect_url: string }>({
    action: 'authorize',
  })
  expect(redirect).toMatchObject({ payment_redirect: true, redirect_url: expect.stringContaining(redirect.paykey) })
  paypal.approve(redirect.paykey)
  const id = await pays({ action: 'capture', payment_id: redirect.paykey, payer_id: 'QYR5Z8XDVJNXQ' })
  expect(paypal.books.orderOf(redirect.paykey).captures).toMatchObject([{ id, status: 'COMPLETED' }])
})
