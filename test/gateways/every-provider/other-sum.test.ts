// @sampled: `npm test` tries another amount with one provider.
// A provider that takes a payment and then confirms another amount or currency, or in whose place somebody answers with pages. Nobody knows then
// what the shopper has paid: the capture says so, the attempt stays open, and nothing is charged a second time. If the provider never says
// otherwise, an order that is not paid tells the merchant.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { isProof } from '../../support/proof.ts'
import type { DoubleRequest } from '../doubles/double.ts'
import { SETTLE_SECONDS } from '../provider-shop.ts'
import { openMollieProvider } from './mollie.ts'
import { openPayPalProvider } from './paypal.ts'
import type { Provider } from './provider.ts'
import { openRazorpayByPayment, openRazorpayProvider } from './razorpay.ts'
import { openShopOf, PATIENT } from './shop.ts'
import { openSquareProvider } from './square.ts'
import { openStripeProvider } from './stripe.ts'

const openers = {
  Stripe: openStripeProvider,
  Square: openSquareProvider,
  'Razorpay, by an order': openRazorpayProvider,
  'Razorpay, by a payment': openRazorpayByPayment,
  PayPal: openPayPalProvider,
  Mollie: openMollieProvider,
}

/** Of the 10.00 USD that everything costs here: each value in the answers, and the sum that it makes. */
type Sum = { readonly change: (value: unknown) => unknown; readonly confirmed: string }
const AMOUNT: Sum = {
  change: (value) => (value === 1_000 ? 999 : value === '10.00' ? '9.99' : value),
  confirmed: '9.99 USD',
}
const CURRENCY: Sum = {
  change: (value) => (value === 'USD' ? 'EUR' : value === 'usd' ? 'eur' : value),
  confirmed: '10.00 EUR',
}
const ANSWERS: [string, Sum | null][] = [
  ['another amount', AMOUNT],
  ['another currency', CURRENCY],
  // A 404 of theirs is no word about a payment.
  ['only pages with 404', null],
]

const WEEK_SECONDS = 8 * 86_400

describe.each(Object.entries(openers).slice(0, isProof ? 6 : 1))('%s', async (_, opener) => {
  const { provider, shop, ...opened } = await openShopOf<Provider>(opener)

  /** Captures, and from the moment when the money is taken the provider says something else. */
  async function captureDistorted(sum: Sum | null) {
    const { bought, body } = await shop.ready()
    const first = shop.asked()
    const isTaking = ({ method, path }: DoubleRequest) => provider.taking.test(`${method} ${path}`)
    const isTaken = () => provider.double.requests.slice(first).some(isTaking)
    // PayPal's token is fetched elsewhere.
    const isPage = ({ path }: DoubleRequest) => isTaken() && !path.endsWith('/oauth2/token')
    if (sum === null) {
      provider.double.trouble('broken_after', { on: isTaking })
      provider.double.trouble('html_404', { on: isPage, times: 1_000 })
    } else provider.double.distort(sum.change, isTaken)
    const answer = await shop.capture(bought, body)
    expect([answer.status, answer.body]).toMatchObject([504, { error: { type: 'gateway_timeout' } }])
    const key = await shop.keyOf(bought)
    expect(provider.takenOf(key)).toBe(1)
    return { bought, body, key }
  }

  it.each(ANSWERS.slice(0, isProof ? 3 : 1))(
    'confirms a payment by %s: 504, and one order once that is mended (F25, F50)',
    async (_answer, sum) => {
      const before = await shop.sold()
      const { bought, body, key } = await captureDistorted(sum)
      const [errors, asked] = [opened.errors.length, shop.asked()]
      // Sooner than the shopper's time is over, and long after it.
      for (const seconds of [SETTLE_SECONDS + 1, 60, 3_600]) {
        await opened.complete(seconds)
        expect([await shop.receipt(bought), await shop.sold()]).toEqual([404, before + 1])
      }
      expect(shop.asked()).toBeGreaterThan(asked)
      const logged = JSON.stringify(opened.errors.slice(errors).map(messageOf))
      if (sum !== null) expect(logged).toContain(`confirms ${sum.confirmed}, but 10.00 USD was requested`)
      provider.double.calm()
      await opened.complete(3_600)
      await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
      await shop.runJobs()
      expect((await shop.order(bought, body)).status_payment).toBe('paid')
      expect([await shop.sold(), provider.takenOf(key)]).toEqual([before + 1, 1])
      expect(provider.givenBack(provider.paymentOf(key))).toEqual([])
    },
  )

  it.runIf(isProof)(
    'confirms another amount for more than a week: an order that is not paid tells the merchant',
    async () => {
      const { bought, body, key } = await captureDistorted(AMOUNT)
      indexSearch(provider)
      await opened.complete(WEEK_SECONDS)
      const answer = await shop.capture(bought, body)
      expect(answer.status).toBe(200)
      const order = await shop.read(answer.body as Order)
      expect(order).toMatchObject({ status_payment: 'not_paid', transactions: [{ status: 'pending' }] })
      expect(order.transactions[0]?.notes).toContain('confirms 9.99 USD, but 10.00 USD was requested')
      expect(provider.takenOf(key)).toBe(1)
    },
  )
})

/** Stripe forgets our key after a day: the payment is then found by its search. */
const indexSearch = (provider: Provider & { stripe?: { index(): void } }) => provider.stripe?.index()

const messageOf = (logged: unknown) => (logged as { err?: Error }).err?.message
