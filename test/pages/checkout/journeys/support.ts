// Shops for journeys, behind a real port: beside the doubles of the providers, or with the test gateways.

import type { Order } from '../../../../src/api/orders/schema.ts'
import { digital, openCaptureShop } from '../../../api/checkouts/capture-support.ts'
import { CONFIG as MOLLIE_CONFIG } from '../../../gateways/doubles/mollie.ts'
import { CONFIG as PAYPAL_CONFIG } from '../../../gateways/doubles/paypal.ts'
import { RAZORPAY_CONFIG } from '../../../gateways/doubles/razorpay.ts'
import { SQUARE_CONFIG } from '../../../gateways/doubles/square.ts'
import { SECRET_KEY, WEBHOOK_SECRET } from '../../../gateways/doubles/stripe.ts'
import { openAppBeside, SETTLE_SECONDS } from '../../../gateways/provider-shop.ts'
import { listen } from '../../../http/harness.ts'
import { testApp } from '../../../support/app.ts'
import type { Doubles } from '../stand-ins/hosts.ts'
import { openShoppers } from './shopper.ts'

const CONFIGS = {
  stripe: { publishable_key: 'pk_test_double', secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET },
  square: SQUARE_CONFIG,
  razorpay: RAZORPAY_CONFIG,
  paypal: PAYPAL_CONFIG,
  mollie: MOLLIE_CONFIG,
}

type Code = keyof typeof CONFIGS
type AnyDouble = NonNullable<Doubles[Code]>

type Openers = { readonly [code in Code]?: (now: () => Date) => Promise<AnyDouble> }
type Opened<These extends Openers> = {
  readonly [code in keyof These]: These[code] extends (now: () => Date) => Promise<infer Double> ? Double : never
}

/** Beside the servers that stand in the place of these providers. */
export async function openJourneys<These extends Openers>(openers: These) {
  const codes = Object.keys(openers)
  const beside = await openAppBeside<AnyDouble>(Object.values(openers), { settleSeconds: SETTLE_SECONDS })
  const { app, complete } = beside
  const doubles = Object.fromEntries(codes.map((code, at) => [code, beside.doubles[at]])) as Opened<These>
  const origin = `http://127.0.0.1:${await listen(app)}`
  const shoppers = await openShoppers(origin, doubles as Doubles)

  /** A shop that sells one file for 10.00 by these providers. */
  async function openShop(codes: readonly Code[]) {
    const shop = await openCaptureShop(app, codes.includes('razorpay') ? { currency: 'INR' } : {})
    const { secret } = shop.keys.sandbox
    for (const code of codes) await shop.succeed(201, 'POST', 'gateways', { code, config: CONFIGS[code] }, secret)
    const inventory = { managed: true, available: 100 }
    const product = await shop.product({ ...digital, price: 10, inventory })
    const left = async () =>
      (await shop.succeed<{ inventory: { available: number } }>(200, 'GET', `products/${product.id}`)).inventory
        .available
    return {
      ...shop,
      /** The link of a cart with one of them. */
      link: async () => `${origin}/checkout/${shop.id}/cart/${(await shop.cart([{ id: product.id }])).id}`,
      sold: async () => 100 - (await left()),
      /** The newest first. */
      orders: async () =>
        (await shop.succeed<{ data: Order[] }>(200, 'GET', 'orders?limit=200', undefined, secret)).data,
    }
  }

  return { app, origin, complete, doubles, openShop, ...shoppers }
}

/** Shops that sell by the test gateways. */
export async function openTestShops() {
  // A gateway that does not answer is given up after two seconds.
  const app = await testApp({ captureSettleSeconds: 3 })
  const origin = `http://127.0.0.1:${await listen(app)}`

  async function openShop() {
    const shop = await openCaptureShop(app)
    const { secret } = shop.keys.sandbox
    await shop.succeed(201, 'POST', 'gateways', { code: 'test_redirect', config: {} }, secret)
    return {
      ...shop,
      secret,
      cartLink: async (...lines: Parameters<typeof shop.cart>[0]) =>
        `/checkout/${shop.id}/cart/${(await shop.cart(lines)).id}`,
      /** The newest first. */
      orders: async () => (await shop.succeed<{ data: Order[] }>(200, 'GET', 'orders', undefined, secret)).data,
    }
  }

  return { app, origin, openShop, ...(await openShoppers(origin)) }
}
