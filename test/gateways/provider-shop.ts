// A whole shop beside the double of a provider: set up over the API, bought in, and left alone for a while, as the tests of captures need it.

import { afterAll, afterEach, expect } from 'vitest'
import { completeDue } from '../../src/api/capture/completer.ts'
import type { CaptureServices } from '../../src/api/capture/order.ts'
import type { Order } from '../../src/api/orders/schema.ts'
import type { GatewayRecord } from '../../src/api/payment-methods/schema.ts'
import { createAdapters } from '../../src/gateways/index.ts'
import { onCheckpoint } from '../../src/lib/checkpoint.ts'
import { servicesOn } from '../api/checkouts/capture-engine-support.ts'
import { digital, openCaptureShop } from '../api/checkouts/capture-support.ts'
import { brokenOracles } from '../faults/oracles.ts'
import { type TestApp, TestClock, testApp } from '../support/app.ts'
import { gatewayPorts } from '../support/gateways.ts'

type ProviderDouble = {
  /** Where it stands, by the provider's own addresses. */
  readonly places: Readonly<Record<string, string>>
  /** What was asked of it, or answered by it, against the provider's specification. */
  readonly mistakes: string[]
  calm(): void
  close(): Promise<unknown>
}

type OpenDouble<Double> = (now: () => Date) => Promise<Double>

type AppBesideOptions = { readonly settleSeconds?: number; readonly publicUrl?: string }

/** As the app has it by itself. A gateway has two thirds of it to answer. */
export const SETTLE_SECONDS = 30

/**
 * One application, with a server in the place of each provider. After each test nothing is broken: neither a specification nor what has to be
 * true of all orders and payments.
 */
export async function openAppBeside<Double extends ProviderDouble>(
  openers: readonly OpenDouble<Double>[],
  { settleSeconds = SETTLE_SECONDS, publicUrl }: AppBesideOptions = {},
) {
  // Until there is an application: a certificate has to be valid at the time of its messages.
  let now = () => new TestClock().now()
  const doubles: Double[] = []
  for (const open of openers) doubles.push(await open(() => now()))
  const places: Readonly<Record<string, string>> = Object.assign({}, ...doubles.map((double) => double.places))
  const app = await testApp({
    trustProxy: () => true,
    captureSettleSeconds: settleSeconds,
    providerAddress: (official) => places[official] ?? official,
    ...(publicUrl === undefined ? {} : { publicUrl }),
  })
  now = () => app.clock.now()
  const ports = gatewayPorts(app, { places })
  const { services: bare, log, errors } = servicesOn(app, app.db, settleSeconds * 1_000)
  const services: CaptureServices = { ...bare, payments: { ...bare.payments, findAdapter: createAdapters(ports) } }

  afterEach(async () => {
    onCheckpoint(null)
    for (const double of doubles) double.calm()
    for (const { mistakes } of doubles) expect(mistakes.splice(0)).toEqual([])
    expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([])
  })
  afterAll(async () => {
    ports.http.close()
    for (const double of doubles) await double.close()
  })

  return {
    app,
    doubles,
    ports,
    /** What the completer has logged as errors. */
    errors,
    /** As the process does that stays: lets time pass and settles all that is due. It has nothing of the one that serves but the database. */
    complete: (seconds: number, breaker = services.payments.breaker) => {
      app.clock.advance(seconds)
      return completeDue({ ...services, payments: { ...services.payments, breaker } }, log)
    },
  }
}

/** Beside one provider. */
export async function openProviderApp<Double extends ProviderDouble>(
  open: OpenDouble<Double>,
  options: AppBesideOptions = {},
) {
  const { doubles, ...opened } = await openAppBeside([open], options)
  const [double] = doubles
  if (double === undefined) throw new Error('There is one.')
  return { ...opened, double }
}

type SetUp = {
  readonly code: string
  readonly config: Readonly<Record<string, string>>
  readonly available?: number
  readonly currency?: string
}

/** A shop with the gateway set up in its sandbox, and some of one thing to sell, at 10.00 USD or as much of another currency. */
export async function openProviderShop(app: TestApp, { code, config, available = 1_000, currency = 'USD' }: SetUp) {
  const shop = await openCaptureShop(app, { currency })
  const { secret } = shop.keys.sandbox
  const gateway = await shop.succeed<GatewayRecord>(201, 'POST', 'gateways', { code, config }, secret)
  expect(gateway.enabled).toBe(true)
  const product = await shop.product({ ...digital, price: 10, inventory: { managed: true, available } })
  return {
    ...shop,
    secret,
    gateway,
    /** A checkout of one of them. */
    token: async () => shop.ofCart((await shop.cart([{ id: product.id }])).id),
    /** Changes what is set up. */
    change: (changes: object) =>
      shop.succeed<GatewayRecord>(200, 'PUT', `gateways/${gateway.id}`, { config: changes }, secret),
    available: async () =>
      (await shop.succeed<{ inventory: { available: number } }>(200, 'GET', `products/${product.id}`)).inventory
        .available,
    receipt: ({ id }: { id: string }) => shop.call('GET', `checkouts/${id}/receipt`),
    refund: ({ id }: { id: string }) => shop.call('POST', `orders/${id}/refund`, {}, secret),
    read: ({ id }: { id: string }) => shop.succeed<Order>(200, 'GET', `orders/${id}`, undefined, secret),
  }
}

export const errorOf = ({ body }: { body: unknown }) =>
  (body as { error: { type: string; message: string; param?: string } }).error

export const transactionsOf = ({ transactions }: Order) => transactions.map(({ type, status }) => `${type} ${status}`)
