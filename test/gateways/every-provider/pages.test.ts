// @proof: a provider’s outage, with each provider.
// Pages that somebody between a provider and us answers with, in the place of the provider: a 404 of theirs is no word about a payment.

import { describe, expect, it } from 'vitest'
import type { DoubleRequest } from '../doubles/double.ts'
import { SETTLE_SECONDS } from '../provider-shop.ts'
import { openPayPalProvider } from './paypal.ts'
import type { Provider } from './provider.ts'
import { openRazorpayByPayment, openRazorpayProvider } from './razorpay.ts'
import { openProviders, openToldShop, PATIENT } from './shop.ts'
import { openSquareProvider } from './square.ts'
import { openStripeProvider } from './stripe.ts'

/** PayPal's token is fetched elsewhere, and whoever has one goes on with it. */
const isToken = ({ path }: DoubleRequest) => path.endsWith('/oauth2/token')

const openers = {
  Stripe: openStripeProvider,
  Square: openSquareProvider,
  'Razorpay, by an order': openRazorpayProvider,
  'Razorpay, by a payment': openRazorpayByPayment,
  PayPal: openPayPalProvider,
}

describe.each(Object.entries(openers))('%s', async (_, opener) => {
  const opened = await openProviders<Provider>(opener)
  const [provider] = opened.providers as [Provider]
  const shop = await openToldShop(opened, provider)

  it('has taken a payment, and then only pages with 404 come: nothing is released, and it is paid once (F50)', async () => {
    const before = await shop.sold()
    const { bought, body } = await shop.ready()
    const first = shop.asked()
    const isTaking = ({ method, path }: DoubleRequest) => provider.taking.test(`${method} ${path}`)
    const isTaken = () => provider.double.requests.slice(first).some(isTaking)
    provider.double.trouble('broken_after', { on: isTaking })
    provider.double.trouble('html_404', { on: (request) => isTaken() && !isToken(request), times: 1_000 })
    expect((await shop.capture(bought, body)).status).toBe(504)
    const key = await shop.keyOf(bought)
    expect(provider.takenOf(key)).toBe(1)
    // Sooner than the shopper's time is over, and long after it.
    for (const seconds of [SETTLE_SECONDS + 1, 60, 3_600]) {
      const asked = shop.asked()
      await opened.complete(seconds)
      expect(shop.asked()).toBeGreaterThan(asked)
      expect([await shop.receipt(bought), await shop.sold()]).toEqual([404, before + 1])
    }
    provider.double.calm()
    await opened.complete(SETTLE_SECONDS + 1)
    await expect.poll(() => shop.receipt(bought), PATIENT).toBe(200)
    await shop.runJobs()
    expect([await shop.sold(), provider.takenOf(key)]).toEqual([before + 1, 1])
    expect(provider.givenBack(provider.paymentOf(key))).toEqual([])
    // Asked for again, it is the order that there is.
    expect((await shop.order(bought, body)).status_payment).toBe('paid')
    expect(provider.takenOf(key)).toBe(1)
  })
})
