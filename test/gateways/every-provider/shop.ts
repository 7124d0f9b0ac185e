// A whole shop beside servers in the places of payment providers: set up over the API, bought in, told of payments at the address that
// providers send their messages to, and left alone for a while.

import { afterAll, afterEach, expect } from 'vitest'
import { completeDue } from '../../../src/api/capture/completer.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { chargingWith } from '../../../src/gateways/index.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { servicesOn } from '../../api/checkouts/capture-engine-support.ts'
import { digital, openCaptureShop } from '../../api/checkouts/capture-support.ts'
import { TestClock, testApp } from '../../support/app.ts'
import { gatewayPorts } from '../../support/gateways.ts'
import { brokenOracles } from '../../support/oracles.ts'
import type { Body } from '../../support/shop.ts'
import { openPayPalProvider } from './paypal.ts'
import type { About, Message, Provider, Told } from './provider.ts'
import { openRazorpayProvider } from './razorpay.ts'
import { openSquareProvider } from './square.ts'
import { openStripeProvider } from './stripe.ts'

/** A gateway has two thirds of it to answer. */
export const SETTLE_S = 30
const PUBLIC_URL = 'https://api.shop.example'

/** One application, with a server in the place of each provider. What breaks a specification or an oracle fails the test after which it is found. */
export async function openProviderApp<Opened extends Provider>(
  ...openers: readonly ((now: () => Date) => Promise<Opened>)[]
) {
  // Until there is an application: a certificate has to be valid at the time of its messages.
  let now = () => new TestClock().now()
  const providers: Opened[] = []
  for (const open of openers) providers.push(await open(() => now()))
  const places: Readonly<Record<string, string>> = Object.assign({}, ...providers.map((provider) => provider.places))
  const app = await testApp({
    providerAddress: (official) => places[official] ?? official,
    captureSettleSeconds: SETTLE_S,
    publicUrl: PUBLIC_URL,
  })
  now = () => app.clock.now()
  const ports = gatewayPorts(app, { places })
  const { services: bare, log, errors } = servicesOn(app, app.db, SETTLE_S * 1_000)
  /** Another process than the one that serves. */
  const services = { ...bare, payments: { ...bare.payments, charging: chargingWith(ports) } }
  afterEach(async () => {
    onCheckpoint(null)
    for (const { double } of providers) double.calm()
    for (const provider of providers) expect(provider.mistakes()).toEqual([])
    expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([])
  })
  afterAll(async () => {
    ports.http.close()
    for (const { close } of providers) await close()
  })
  return {
    app,
    providers,
    /** What the completer could not settle. */
    errors,
    /** As the processes do that stay: lets time pass and settles all that is due. */
    complete: (seconds: number) => {
      app.clock.advance(seconds)
      return completeDue(services, log)
    },
  }
}

export const openEveryProvider = () =>
  openProviderApp<Provider>(openStripeProvider, openSquareProvider, openRazorpayProvider, openPayPalProvider)

type ProviderApp = Awaited<ReturnType<typeof openProviderApp>>

export type ProviderShop = Awaited<ReturnType<typeof openProviderShop>>

/**
 * For what a completer has to settle: the application's own goes on beside that of the tests once jobs have run, and may be the one that has it.
 */
export const PATIENT = { interval: 10, timeout: 15_000 }

const AVAILABLE = 1_000

/** A shop with one provider set up in its sandbox, and one thing to sell for 10.00 USD. */
export async function openProviderShop({ app, complete }: Pick<ProviderApp, 'app' | 'complete'>, provider: Provider) {
  const shop = await openCaptureShop(app)
  const { secret } = shop.keys.sandbox
  const { code, config } = provider
  const gateway = await shop.succeed<GatewayRecord>(201, 'POST', 'gateways', { code, config }, secret)
  const path = gateway.webhook_path ?? ''
  const product = await shop.product({ ...digital, price: 10, inventory: { managed: true, available: AVAILABLE } })
  const token = async () => shop.ofCart((await shop.cart([{ id: product.id }])).id)
  type Token = Awaited<ReturnType<typeof token>>

  /** A token, and the body of the capture that pays it. */
  async function ready(): Promise<{ bought: Token; body: Body }> {
    const bought = await token()
    return { bought, body: await provider.ready((body) => shop.capture(bought, body)) }
  }

  const send = (message: Message, to = path) =>
    app.server.inject({
      method: 'POST',
      url: to,
      headers: { 'content-type': 'application/json', ...message.headers },
      payload: message.body,
    })

  const waitingJobs = async () => (await app.db.one(countJobs, { merchant_id: shop.id })).count

  /** Lets the worker run, when every job of the shop is due, until none waits. */
  async function runJobs() {
    app.clock.advance(31)
    const worker = app.startJobs()
    for (let waited = 0; waited < 500 && (await waitingJobs()) > 0; waited++) {
      worker.poke()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await worker.stop()
    expect(await waitingJobs()).toBe(0)
  }

  return {
    ...shop,
    secret,
    gateway,
    token,
    ready,
    buy: async (): Promise<Order> => {
      const { bought, body } = await ready()
      return shop.order(bought, body)
    },
    /** The provider has taken the money, and the process dies before that is written down. */
    leaveOpen: async () => {
      const { bought, body } = await ready()
      onCheckpoint((name) => {
        if (name === provider.answeredAt) throw new Error('gone')
      })
      expect((await shop.capture(bought, body)).status).toBe(500)
      onCheckpoint(null)
      const key = await keyOf(bought)
      expect(provider.takenOf(key)).toBe(1)
      return { bought, body, key, id: provider.paymentOf(key) }
    },
    /** Stops a capture between the provider's answer and what is written down of it, and gives what lets it go on. */
    holdAnswer: (): (() => void) => {
      let goOn: () => void = () => undefined
      const isLetGo = new Promise<void>((resolve) => {
        goOn = resolve
      })
      onCheckpoint((name) => (name === provider.answeredAt ? isLetGo : undefined))
      return goOn
    },
    /** The key of the last attempt to pay a token. */
    keyOf,
    setUp: (changes: object) => shop.succeed<GatewayRecord>(200, 'PUT', `gateways/${gateway.id}`, changes, secret),
    sold: async () =>
      AVAILABLE -
      (await shop.succeed<{ inventory: { available: number } }>(200, 'GET', `products/${product.id}`)).inventory
        .available,
    read: ({ id }: Pick<Order, 'id'>) => shop.succeed<Order>(200, 'GET', `orders/${id}`, undefined, secret),
    receipt: async ({ id }: { id: string }) => (await shop.call('GET', `checkouts/${id}/receipt`)).status,
    refund: ({ id }: Pick<Order, 'id'>) => shop.call('POST', `orders/${id}/refund`, {}, secret),
    send,
    message: (told: Told, about: About) => provider.message(told, about, PUBLIC_URL + path),
    /** The message is taken, and whoever is made to look has looked. */
    tell: async (told: Told, about: About) => {
      const answer = await send(provider.message(told, about, PUBLIC_URL + path))
      expect([answer.statusCode, answer.body]).toEqual([200, '{"received":true}'])
      await complete(0)
      await runJobs()
    },
    runJobs,
    /** How many messages have been noted. */
    noted: async () => (await app.db.one(countMessages, { merchant_id: shop.id })).count,
    /** How many requests the provider has had of us. */
    asked: () => provider.double.requests.length,
  }

  async function keyOf({ id }: { id: string }): Promise<string> {
    const attempts = await app.db.many(findAttempts, { merchant_id: shop.id, checkout_id: id })
    return attempts.at(-1)?.id ?? ''
  }
}

/** The provider's id of the payment of an order. */
export const paymentOf = ({ transactions: [charge] }: Order): string => charge?.gateway_transaction_id ?? ''

const countMessages = statement<{ count: number }>(
  'test.count_messages',
  'select count(*)::integer as count from provider_messages where merchant_id = :merchant_id',
)
const countJobs = statement<{ count: number }>(
  'test.count_jobs',
  'select count(*)::integer as count from jobs where merchant_id = :merchant_id and failed_at is null',
)
const findAttempts = statement<{ id: string }>(
  'test.attempts_of_token',
  'select id from capture_attempts where merchant_id = :merchant_id and checkout_id = :checkout_id order by id',
)
