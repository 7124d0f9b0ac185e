// A shop paid by all four providers, served by real processes. When a file ends, all that was sent, logged and kept is scanned (X17).

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { patient } from '../../support/database.ts'
import { everyRow } from '../card-scan.ts'
import { type StartOptions, tempFolder } from '../processes.ts'
import { type Body, type Bought, buyBy, errorIn, openWorld, type Reply } from '../world.ts'
import { type Booked, type Code, openProviders, type Provider } from './books.ts'

export type ProviderWorld = Awaited<ReturnType<typeof openProviderWorld>>

/** To be called before the tests of a file. */
export async function openProviderWorld() {
  const world = await openWorld()
  const providers = await openProviders()
  // One for all processes: the key that seals credentials is in it.
  const dataDir = tempFolder()
  const gateways = new Map<Code, GatewayRecord>()
  /** Those whose orders are held against the providers' books. */
  const merchants = [world.id]

  afterAll(async () => {
    const traffic = providers.all.flatMap(({ double }) => [
      ...double.requests.map((request) => JSON.stringify({ ...request, query: String(request.query) })),
      ...double.answers,
    ])
    expect(traffic.filter((text) => world.cards.traceIn(text) !== null)).toEqual([])
    // Of the traffic at least what Stripe calls a secret of the shopper's, which is told to the storefront and to nobody else.
    const secrets = providers.all.flatMap((provider) => provider.secrets)
    const logs = world.logs()
    expect([...secrets, '_secret_3'].filter((secret) => logs.includes(secret))).toEqual([])
    for await (const { table, row } of everyRow(world.connection))
      expect([table, secrets.filter((secret) => row.includes(secret))]).toEqual([table, []])
  }, patient(60_000))

  const start = (options: Partial<StartOptions> = {}) =>
    world.start({ providers: providers.places, dataDir, ...options })

  /** By whichever server runs: once, and again to have payments set aside, or taken at once. */
  async function setUp(capture: 'manual' | null = null) {
    if (gateways.size === 0) await world.openGateways()
    for (const { code, config } of providers.all) {
      const known = gateways.get(code)
      // Not the credentials again: they might be another account's, and what was begun soon after would be left open for days.
      const changes = { config: { capture } }
      if (known !== undefined) await world.succeed(200, 'PUT', `/v1/gateways/${known.id}`, keyed(changes))
      else gateways.set(code, await world.create<GatewayRecord>('gateways', { code, config }))
    }
  }
  /** The number of a card, in the place where older storefronts have it and in that of a token. Gives the answers. */
  async function refuseCards(): Promise<Reply[]> {
    const number = '4242 4242 4242 4242'
    const product = await world.product(1)
    const replies: Reply[] = []
    for (const { code, double, tokenField } of providers.all) {
      const token = await world.token(product)
      // Jobs list what the provider knows meanwhile; that brings it nothing.
      const brought = () => double.requests.filter(({ method }) => method !== 'GET').length
      const before = brought()
      const card = { number, expires: '05/31', cvc: '917364528' }
      const payments = [
        { gateway: code, card },
        { gateway: code, [code]: { [tokenField]: number } },
      ]
      for (const payment of payments) {
        const reply = await world.capture(token, world.body(payment))
        expect([code, reply.status, brought() - before]).toEqual([code, 422, 0])
        expect(Object.values(errorIn(reply).errors ?? {}).flat()).toEqual([
          expect.stringMatching(/^payment\.\S+ .+\.$/),
        ])
        replies.push(reply)
      }
    }
    expect(await world.available(product)).toBe(1)
    return replies
  }
  const keyed = (body: Body) => ({ body, key: world.secret })

  /** As the provider wants it of the shopper, and begun anew after a payment that was declined or is over. */
  const buy = (
    provider: Provider,
    token: string,
    first: Body,
    { amount = 1_000, withinMs = patient(90_000) } = {},
  ): Promise<Bought> =>
    buyBy(
      world,
      token,
      first,
      (reply) => {
        const next = provider.goOn(reply)
        if (next !== null) return next
        const { type, errors = {} } = errorIn(reply)
        const isOver = Object.keys(errors).some((path) => path.startsWith(`payment.${provider.code}.`))
        return type === 'gateway_error' || isOver ? (provider.paidPayment?.(amount) ?? provider.payment()) : null
      },
      withinMs,
    )

  /** How long it takes until nothing is open but what waits for a shopper. Attempts, refunds, takes and releases. */
  async function settled(since: number, withinMs = patient(60_000)): Promise<number> {
    for (;;) {
      const open = await world.db.many(findOpen, { merchants, soon: new Date(Date.now() + SOON_MS) })
      const took = performance.now() - since
      if (open.length === 0) return took / 1_000
      if (took > withinMs) throw new Error(`Not settled after ${withinMs} ms: ${JSON.stringify(open)}\n${world.logs()}`)
      await pause(50)
    }
  }

  /** Every charge and refund in a provider's books is that of one order, and of every order it is there, with the same sum. */
  async function expectBooks() {
    const rows = await world.db.many(findMovements, { merchants })
    for (const { code, taken, held, refunded, lapses } of providers.all) {
      const of = (kind: string) => sorted(rows.filter((row) => row.gateway === code && row.kind === kind))
      const ids = new Set(of('held').map(({ id }) => id))
      const kept = lapses ? held().filter(({ id }) => ids.has(id)) : held()
      expect([code, sorted(taken()), sorted(kept), sorted(refunded())]).toEqual([
        code,
        of('taken'),
        of('held'),
        of('refunded'),
      ])
    }
    expect(await world.db.many(findTwiceCharged, { merchants })).toEqual([])
  }

  async function expectOracles() {
    await expectBooks()
    await world.expectOracles()
  }

  const gatewayOf = (code: Code): GatewayRecord => {
    const gateway = gateways.get(code)
    if (gateway === undefined) throw new Error(`${code} is not set up.`)
    return gateway
  }

  return { ...world, ...providers, merchants, start, setUp, refuseCards, buy, settled, expectOracles, gatewayOf }
}

const sorted = (booked: readonly Booked[]): Booked[] =>
  booked
    .map(({ id, amount }) => ({ id, amount: Number(amount) }))
    .toSorted((one, other) => one.id.localeCompare(other.id))

/** A shopper is waited for much longer. */
const SOON_MS = 5 * 60_000

const findOpen = statement<{ id: string; state: string; gateway: string }>(
  'test.fault_open_payments',
  `select id, state, gateway from capture_attempts
   where merchant_id = any(:merchants) and state in ('charging', 'waiting') and settle_after < :soon
   union all
   select id, type, gateway from order_transactions
   where merchant_id = any(:merchants) and status = 'pending' and status_reason = 'awaiting_gateway'
   union all
   select id::text, kind, payload ->> 'orderId' from jobs
   where merchant_id = any(:merchants) and kind like 'orders.release_authorization%'`,
)
const findMovements = statement<Booked & { gateway: string; kind: string }>(
  'test.fault_movements',
  `select gateway_transaction_id as id, amount, gateway,
     case when type = 'refund' then 'refunded' when status = 'complete' then 'taken' else 'held' end as kind
   from order_transactions
   where merchant_id = any(:merchants) and (status = 'complete' or (status = 'pending' and is_authorized))`,
)
const findTwiceCharged = statement<{ order_id: string }>(
  'test.fault_twice_charged',
  `select order_id from order_transactions
   where merchant_id = any(:merchants) and type = 'charge' and status <> 'cancelled'
   group by merchant_id, order_id
   having count(*) > 1`,
)
