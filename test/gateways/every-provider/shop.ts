// A whole shop beside servers in the places of payment providers (../provider-shop.ts) that is told of payments at the address to which providers
// send their messages, whose processes die, and whose jobs run.

import { expect } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { countRows, selectRows, sql } from '../../support/rows.ts'
import type { Body } from '../../support/shop.ts'
import { gate } from '../../support/waiting.ts'
import { openAppBeside, openProviderShop } from '../provider-shop.ts'
import { openPayPalProvider } from './paypal.ts'
import type { About, Message, Provider, Told } from './provider.ts'
import { openRazorpayProvider } from './razorpay.ts'
import { openSquareProvider } from './square.ts'
import { openStripeProvider } from './stripe.ts'

const PUBLIC_URL = 'https://api.shop.example'

/** One application beside these. */
export async function openProviders<Opened extends Provider>(
  ...openers: readonly ((now: () => Date) => Promise<Opened>)[]
) {
  const { doubles: providers, ...opened } = await openAppBeside(openers, { publicUrl: PUBLIC_URL })
  return { ...opened, providers }
}

export const openEveryProvider = () =>
  openProviders<Provider>(openStripeProvider, openSquareProvider, openRazorpayProvider, openPayPalProvider)

/** A shop beside one provider, which is told of payments. */
export async function openShopOf<Opened extends Provider>(opener: (now: () => Date) => Promise<Opened>) {
  const opened = await openProviders(opener)
  const [provider] = opened.providers as [Opened]
  return { ...opened, provider, shop: await openToldShop(opened, provider) }
}

type ProviderApp = Awaited<ReturnType<typeof openProviders>>

/** For what a completer has to settle: while jobs run, the application's own works beside that of the tests, and may be the one that has it. */
export const PATIENT = { interval: 10, timeout: 60_000 }

/** What is due later than this is looked at by nobody here: an order of Razorpay's that was called off, say, after a day. */
const SOON_MS = 3_600_000

/**
 * Lets the worker run, when every job of the shop is due, until none waits that is due soon. Also those that jobs have put in for later, to which the
 * clock then goes, and those of orders that the application's completer makes meanwhile.
 */
export async function runJobsOf(app: ProviderApp['app'], merchant_id: number, rounds = 3): Promise<void> {
  const look = () => {
    const soon = new Date(app.clock.now().getTime() + SOON_MS)
    return app.db.one(countJobs, { merchant_id, soon })
  }
  app.clock.advance(31)
  const worker = app.startJobs()
  for (let waited = 1; waited <= 500; waited++) {
    const { count, are_running, next_due } = await look()
    if (count === 0) break
    const untilDue = (next_due?.getTime() ?? 0) - app.clock.now().getTime()
    if (!are_running && untilDue > 0) app.clock.advance(Math.ceil(untilDue / 1_000))
    else if (waited % 50 === 0) app.clock.advance(31)
    worker.poke()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await worker.stop()
  if ((await look()).count === 0) return
  expect(rounds).toBeGreaterThan(0)
  await runJobsOf(app, merchant_id, rounds - 1)
}

const AVAILABLE = 1_000
/** Later than any job is due. */
const EVER = new Date('9999-01-01T00:00:00Z')

/** A shop with one provider set up in its sandbox, which is told of payments. */
export async function openToldShop({ app, complete }: Pick<ProviderApp, 'app' | 'complete'>, provider: Provider) {
  const shop = await openProviderShop(app, { ...provider, available: AVAILABLE })
  const { secret, gateway, token } = shop
  const path = gateway.webhook_path ?? ''
  type Token = Awaited<ReturnType<typeof token>>

  /** A token, and the body of the capture that pays it. */
  async function ready(): Promise<{ bought: Token; body: Body }> {
    const bought = await token()
    return { bought, body: await provider.ready((body) => shop.capture(bought, body)) }
  }

  async function buy(): Promise<Order> {
    const { bought, body } = await ready()
    return shop.order(bought, body)
  }

  const setUp = (changes: object) => shop.succeed<GatewayRecord>(200, 'PUT', `gateways/${gateway.id}`, changes, secret)

  async function byHand<T>(work: () => Promise<T>): Promise<T> {
    await setUp({ config: { capture: 'manual' } })
    return work().finally(() => setUp({ config: { capture: null } }))
  }

  const send = (message: Message, to = path) =>
    app.server.inject({
      method: 'POST',
      url: to,
      headers: { 'content-type': 'application/json', ...message.headers },
      payload: message.body,
    })

  const runJobs = () => runJobsOf(app, shop.id)

  /** Whoever is made to look by a message looks: the completer, a job, or the completer after a job that has asked for the key. */
  async function follow() {
    await complete(0)
    await runJobs()
    await complete(0)
  }

  return {
    ...shop,
    ready,
    buy,
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
      const { opened, open } = gate()
      onCheckpoint((name) => (name === provider.answeredAt ? opened : undefined))
      return open
    },
    /** The key of the last attempt to pay a token. */
    keyOf,
    setUp,
    /** Does something while the provider only holds the money of payments. */
    byHand,
    /** An order whose money is held. */
    hold: async (): Promise<Order> => {
      const order = await byHand(buy)
      expect(order.status_payment).toBe('authorized')
      return order
    },
    /** Changes a transaction of an order, the first one unless told. */
    move: ({ id, transactions }: Pick<Order, 'id' | 'transactions'>, body: object = {}, index = 0) => {
      const path = `orders/${id}/transactions/${transactions[index]?.id}`
      return shop.call('PUT', path, { status: 'complete', ...body }, secret)
    },
    sold: async () => AVAILABLE - (await shop.available()),
    receipt: async (bought: { id: string }) => (await shop.receipt(bought)).status,
    send,
    message: (told: Told, about: About) => provider.message(told, about, PUBLIC_URL + path),
    /** The message is taken, and whoever is made to look has looked. */
    tell: async (told: Told, about: About) => {
      const answer = await send(provider.message(told, about, PUBLIC_URL + path))
      expect([answer.statusCode, answer.body]).toEqual([200, '{"received":true}'])
      await follow()
    },
    follow,
    runJobs,
    /** So many days later, and what is due by then is done. */
    laterDays: async (days: number) => {
      app.clock.advance(days * 86_400)
      await runJobs()
    },
    /** How many messages have been noted. */
    noted: () => countRows(app.db, 'provider_messages', { merchant_id: shop.id }),
    /** How many of that kind are due, or run. */
    waitingJobs: async (kind: string) =>
      (await app.db.one(countJobsOfKind, { merchant_id: shop.id, kind: `${kind}%`, now: app.clock.now() })).count,
    /** How many of that kind are queued or run, whenever they are due. */
    queuedJobs: async (kind: string) =>
      (await app.db.one(countJobsOfKind, { merchant_id: shop.id, kind: `${kind}%`, now: EVER })).count,
    /** How many events of that name tell of an order. */
    eventsOf: async ({ id }: Pick<Order, 'id'>, name: string) =>
      (await app.db.one(countEvents, { merchant_id: shop.id, order_id: id, name })).count,
    /** How many requests the provider has had of us. */
    asked: () => provider.double.requests.length,
  }

  async function keyOf({ id }: { id: string }): Promise<string> {
    const where = { merchant_id: shop.id, checkout_id: id }
    const attempts = await selectRows<{ id: string }>(app.db, 'id from capture_attempts', where, 'order by id')
    return attempts.at(-1)?.id ?? ''
  }
}

/** The provider's id of the payment of an order. */
export const paymentOf = ({ transactions: [charge] }: Order): string => charge?.gateway_transaction_id ?? ''

const countEvents = sql<{ count: number }>`
  select count(*) from events where merchant_id = :merchant_id and name = :name and payload ->> 'id' = :order_id`
const countJobs = sql<{ count: number; are_running: boolean | null; next_due: Date | null }>`
  select count(*), bool_or(is_running) as are_running, min(due_at) as next_due
  from jobs where merchant_id = :merchant_id and failed_at is null and due_at < :soon`
const countJobsOfKind = sql<{ count: number }>`
  select count(*) from jobs where merchant_id = :merchant_id and kind like :kind and (is_running or due_at <= :now)`
