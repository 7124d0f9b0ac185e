// A whole shop beside a double of PayPal's: set up, bought in, and left alone for a while, as the tests of captures need it.

import { afterAll, afterEach, expect } from 'vitest'
import { completeDue } from '../../../src/api/capture/completer.ts'
import type { CaptureServices } from '../../../src/api/capture/settle.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { configCredentials } from '../../../src/api/payment-methods/credentials.ts'
import { chargingWith } from '../../../src/gateways/index.ts'
import { openBreaker } from '../../../src/gateways/provider/breaker.ts'
import { keysInFile } from '../../../src/keys/credential-keys.ts'
import { credentialsWith } from '../../../src/keys/credentials.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { digital, digitalBody, openCaptureShop } from '../../api/checkouts/capture-support.ts'
import { testApp } from '../../support/app.ts'
import { gatewayPorts } from '../../support/gateways.ts'
import { brokenOracles } from '../../support/oracles.ts'
import { CONFIG, openPayPal } from '../doubles/paypal.ts'

export const SETTLE_SECONDS = 9
export const SHOPPER_SECONDS = 15 * 60

type Redirect = { payment_redirect: boolean; gateway: string; paykey: string; redirect_url: string }

export const pay = (fields: Record<string, unknown>) => digitalBody({ payment: { gateway: 'paypal', paypal: fields } })
export const BEGIN = pay({ action: 'authorize' })
export const back = (id: string) => pay({ action: 'capture', payment_id: id, payer_id: 'QYR5Z8XDVJNXQ' })

export async function openPayPalApp() {
  let now = () => new Date(0)
  const paypal = await openPayPal(() => now())
  const places: Readonly<Record<string, string>> = paypal.places
  const providerAddress = (official: string) => places[official] ?? official
  const app = await testApp({ providerAddress, captureSettleSeconds: SETTLE_SECONDS })
  now = () => app.clock.now()
  const ports = gatewayPorts(app, { places })
  const services: CaptureServices = {
    db: app.db,
    clock: app.clock,
    payments: {
      charging: chargingWith(ports),
      credentials: configCredentials(credentialsWith(keysInFile(app.dataDir))),
      settleAfterMs: SETTLE_SECONDS * 1_000,
      breaker: openBreaker(),
    },
    signingSecret: signingSecrets(app.db, app.clock),
  }
  const failures: unknown[] = []
  const log = { info: () => undefined, warn: () => undefined, error: (details: object) => void failures.push(details) }
  afterAll(async () => {
    ports.http.close()
    await paypal.close()
  })
  afterEach(async () => {
    paypal.calm()
    expect(paypal.mistakes).toEqual([])
    expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([])
  })

  /** A shop with PayPal set up in its sandbox, and some of one thing to sell. */
  async function openPayPalShop(config: Record<string, string> = {}, available = 10) {
    const shop = await openCaptureShop(app)
    const { secret } = shop.keys.sandbox
    const gateway = await shop.succeed<{ enabled: boolean }>(
      201,
      'POST',
      'gateways',
      { code: 'paypal', config: { ...CONFIG, ...config } },
      secret,
    )
    expect(gateway.enabled).toBe(true)
    const product = await shop.product({ ...digital, price: 10, inventory: { managed: true, available } })
    return {
      ...shop,
      secret,
      token: async () => shop.ofCart((await shop.cart([{ id: product.id }])).id),
      available: async () =>
        (await shop.succeed<{ inventory: { available: number } }>(200, 'GET', `products/${product.id}`)).inventory
          .available,
      refund: (order: Order) => shop.call('POST', `orders/${order.id}/refund`, {}, secret),
      read: (order: Order) => shop.succeed<Order>(200, 'GET', `orders/${order.id}`, undefined, secret),
    }
  }

  type PayPalShop = Awaited<ReturnType<typeof openPayPalShop>>
  const shop = await openPayPalShop({}, 1_000)

  /** The first capture: the shopper is sent to PayPal. */
  async function begun(own: PayPalShop = shop) {
    const token = await own.token()
    const answer = await own.capture(token, BEGIN)
    const redirect = answer.body as Redirect
    expect([answer.status, redirect]).toMatchObject([200, { payment_redirect: true, gateway: 'paypal' }])
    const order = paypal.books.orderOf(redirect.paykey)
    const key = order.custom_id ?? ''
    return {
      token,
      redirect,
      id: redirect.paykey,
      order,
      page: `/checkout/${own.id}/pay/${token.id}/back?payment=${key}`,
    }
  }

  async function approved(own?: PayPalShop) {
    const charge = await begun(own)
    paypal.approve(charge.id)
    return charge
  }

  /** As the process does that stays: lets time pass and settles all that is due. */
  const complete = (seconds: number, breaker = services.payments.breaker) => {
    app.clock.advance(seconds)
    return completeDue({ ...services, payments: { ...services.payments, breaker } }, log)
  }

  const completeNow = () => completeDue(services, log)
  return { app, paypal, shop, failures, openPayPalShop, begun, approved, complete, completeNow }
}

export const errorOf = ({ status, body }: { status: number; body: unknown }) => {
  const { type, message } = (body as { error: { type: string; message: string } }).error
  return [status, type, message]
}
