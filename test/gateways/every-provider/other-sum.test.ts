// @sampled: `npm test` tries another amount with one provider.
// A provider that confirms another amount or currency than was asked. Nobody knows then what the shopper has paid: the capture says so, the attempt
// stays open, and nothing is charged a second time. If the provider never says otherwise, an order that is not paid tells the merchant.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { isProof } from '../../support/proof.ts'
import type { DoubleRequest } from '../doubles/double.ts'
import { SETTLE_SECONDS } from '../provider-shop.ts'
import { openPayPalProvider } from './paypal.ts'
import type { Provider } from './provider.ts'
import { openRazorpayByPayment, openRazorpayProvider } from './razorpay.ts'
import { openProviders, openToldShop, PATIENT } from './shop.ts'
import { openSquareProvider } from './square.ts'
import { openStripeProvider } from './stripe.ts'

const openers = {
  Stripe: openStripeProvider,
  Square: openSquareProvider,
  'Razorpay, by an order': openRazorpayProvider,
  'Razorpay, by a payment': openRazorpayByPayment,
  PayPal: openPayPalProvider,
}

/** Of the 10.00 USD that everything costs here. */
const OTHERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  'another amount': (value) => (value === 1_000 ? 999 : value === '10.00' ? '9.99' : value),
  'another currency': (value) => (value === 'USD' ? 'EUR' : value === 'usd' ? 'eur' : value),
}
const CONFIRMED: Readonly<Record<string, string>> = { 'another amount': '9.99 USD', 'another currency': '10.00 EUR' }

const WEEK_SECONDS = 8 * 86_400

describe.each(Object.entries(openers).slice(0, isProof ? 5 : 1))('%s', async (_, opener) => {
  const opened = await openProviders<Provider>(opener)
  const [provider] = opened.providers as [Provider]
  const shop = await openToldShop(opened, provider)

  /** Captures, and from the moment when the money is taken the provider says that it is something else. */
  async function captureDistorted(other: string) {
    const { bought, body } = await shop.ready()
    const first = shop.asked()
    const isTaking = ({ method, path }: DoubleRequest) => provider.taking.test(`${method} ${path}`)
    provider.double.distort(OTHERS[other] as never, () => provider.double.requests.slice(first).some(isTaking))
    const answer = await shop.capture(bought, body)
    expect([answer.status, answer.body]).toMatchObject([504, { error: { type: 'gateway_timeout' } }])
    const key = await shop.keyOf(bought)
    expect(provider.takenOf(key)).toBe(1)
    return { bought, body, key }
  }

  it.each(Object.keys(OTHERS).slice(0, isProof ? 2 : 1))(
    'confirms %s: 504, and one order once that is mended',
    async (other) => {
      const before = await shop.sold()
      const { bought, body, key } = await captureDistorted(other)
      for (const seconds of [SETTLE_SECONDS + 1, 60, 3_600]) {
        const errors = opened.errors.length
        await opened.complete(seconds)
        expect([await shop.receipt(bought), await shop.sold()]).toEqual([404, before + 1])
        expect(JSON.stringify(opened.errors.slice(errors).map(messageOf))).toContain(
          `confirms ${CONFIRMED[other]}, and 10.00 USD was asked for`,
        )
      }
      provider.double.calm()
      await opened.complete(3_600)
      await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
      expect((await shop.order(bought, body)).status_payment).toBe('paid')
      expect([await shop.sold(), provider.takenOf(key)]).toEqual([before + 1, 1])
      expect(provider.givenBack(provider.paymentOf(key))).toEqual([])
    },
  )

  it.runIf(isProof)(
    'confirms another amount for more than a week: an order that is not paid tells the merchant',
    async () => {
      const { bought, body, key } = await captureDistorted('another amount')
      indexSearch(provider)
      await opened.complete(WEEK_SECONDS)
      const answer = await shop.capture(bought, body)
      expect(answer.status).toBe(200)
      const order = await shop.read(answer.body as Order)
      expect(order).toMatchObject({ status_payment: 'not_paid', transactions: [{ status: 'pending' }] })
      expect(order.transactions[0]?.notes).toContain('confirms 9.99 USD, and 10.00 USD was asked for')
      expect(provider.takenOf(key)).toBe(1)
    },
  )
})

/** Stripe forgets our key after a day: the payment is then found by its search. */
const indexSearch = (provider: Provider & { stripe?: { index(): void } }) => provider.stripe?.index()

const messageOf = (logged: unknown) => (logged as { err?: Error }).err?.message
