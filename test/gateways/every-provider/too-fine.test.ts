// A part of a payment that is too fine for the provider, which counts a currency in coarser steps than it has: refused with the rule, and
// nothing is written or asked. Square and Mollie count as ISO 4217 does.

import { expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { digital } from '../../api/checkouts/capture-support.ts'
import { openProviderShop } from '../provider-shop.ts'
import { openPayPalProvider } from './paypal.ts'
import type { Provider } from './provider.ts'
import { openRazorpayProvider } from './razorpay.ts'
import { openProviders } from './shop.ts'
import { openStripeProvider } from './stripe.ts'

const { app, providers } = await openProviders<Provider>(openStripeProvider, openRazorpayProvider, openPayPalProvider)
const [stripe, razorpay, paypal] = providers as [Provider, Provider, Provider]

/** An order of two, of which each by itself is too fine. */
async function openFineShop(provider: Provider, currency: string, price: number, capture: 'automatic' | 'manual') {
  const config = { ...provider.config, capture }
  const shop = await openProviderShop(app, { code: provider.code, config, currency })
  const { id } = await shop.product({ ...digital, price })
  const bought = await shop.ofCart((await shop.cart([{ id, quantity: 2 }])).id)
  const order = await shop.order(bought, await provider.ready((body) => shop.capture(bought, body)))
  /** Why it is refused, and that the order is as it was, and the provider does not know of it. */
  const refusal = async (method: 'POST' | 'PUT', path: string, body: object) => {
    const [before, asked] = [await shop.read(order), provider.double.requests.length]
    const answer = await shop.call(method, `orders/${order.id}/${path}`, body, shop.secret)
    expect([answer.status, answer.text]).toEqual([422, answer.text])
    expect([await shop.read(order), provider.double.requests.length]).toEqual([before, asked])
    return (answer.body as { error: { errors: object } }).error.errors
  }
  return { ...shop, order, refusal }
}

it.each([
  ['stripe', 'KWD', stripe, 1.005, '0.010 KWD', '1.005 KWD'],
  ['razorpay', 'KWD', razorpay, 1.005, '0.010 KWD', '1.005 KWD'],
  ['paypal', 'HUF', paypal, 10.5, '1.00 HUF', '10.50 HUF'],
] as const)('a refund, and a part of what is held: %s in %s', async (code, currency, provider, price, step, sum) => {
  const { order, refusal, ...shop } = await openFineShop(provider, currency, price, 'automatic')
  const rule = `${code} only accepts multiples of ${step}, and ${sum} is not one.`
  const tooFine = { amount: [`amount is too precise: ${rule}`] }
  expect(await refusal('POST', 'refund', { amount: price })).toEqual(tooFine)
  const items = [{ line_item_id: order.order.line_items[0]?.id, quantity: 1 }]
  expect(await refusal('POST', 'refund', { items })).toEqual({
    items: [`${rule} Send the amount to refund in amount.`],
  })
  // What is a multiple of the step goes back, for the same item too.
  const half = { amount: Math.floor(price), items }
  expect(await shop.succeed<Order>(200, 'POST', `orders/${order.id}/refund`, half, shop.secret)).toMatchObject({
    status_payment: 'partially_refunded',
  })
  // Razorpay takes all that it holds, or nothing.
  if (code === 'razorpay') return
  const held = await openFineShop(provider, currency, price, 'manual')
  const path = `transactions/${held.order.transactions[0]?.id}`
  expect(await held.refusal('PUT', path, { status: 'complete', amount: price })).toEqual(tooFine)
})
