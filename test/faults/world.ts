// A shop on a real database, served by real processes. Its clients never give up on a payment, and accept only complete responses.

import { type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'
import type { Order } from '../../src/api/orders/schema.ts'
import { statement } from '../../src/db/db.ts'
import { type ConnectionSettings, openPool } from '../../src/db/pool.ts'
import { cloneDatabase, openMerchant, PATIENT_POOL, patient } from '../support/database.ts'
import { cardTraces, sentCards } from './card-scan.ts'
import { brokenOracles } from './oracles.ts'
import { type Server, type StartOptions, startServer } from './processes.ts'

export type Body = Record<string, unknown>
/** Status 0: no response, or an incomplete one. */
export type Reply = {
  status: number
  body: unknown
  headers: IncomingHttpHeaders
  /** How often it was sent before and told to retry. */
  again?: number
}
export type Payment = Body | null

export const CARDS = {
  good: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  verify: '4000 0000 0000 3220',
  hanging: '4000 0000 0000 0408',
  hangingCharged: '4000 0000 0000 0440',
  failingCharged: '4000 0000 0000 0507',
  twice: '4000 0000 0000 0200',
} as const

/** Longer than any real CVC, so that it is recognizable wherever it appears. */
const CVC = '917364528'

export const cardPayment = (number: string = CARDS.good, more: Body = {}): Body => ({
  gateway: 'test_gateway',
  card: { number, expires: '05/31', cvc: CVC, postal_zip_code: '94107' },
  ...more,
})

/** A server has its connections back within seconds of its last request. */
const MOST_OVERLOADS = 400
const OVERLOAD_PAUSE_MS = 250

export type World = Awaited<ReturnType<typeof openWorld>>

/** Uses a new database if no connection is given. Call it before the tests of a file: its cleanup runs after them. */
export async function openWorld(given?: ConnectionSettings) {
  const connection = given ?? (await cloneDatabase())
  const db = openPool(connection, { ...PATIENT_POOL, size: 3, onError: () => undefined })
  const cards = sentCards()
  const traces: string[] = []
  const servers: Pick<Server, 'url'>[] = []
  const everStarted: Server[] = []
  const stock: Record<string, number> = {}
  let [turn, asked] = [0, 0]

  afterAll(async () => {
    const logs = Object.fromEntries(everStarted.map((server, index) => [`The log of server ${index}`, server.log]))
    await db.close()
    // X17: no card data may be left anywhere.
    expect(await cardTraces(connection, cards, { ...logs, 'An answer': traces.join('\n') })).toEqual([])
    expect(cards.hasAny).toBe(true)
  }, patient(60_000))

  const { id, keys } = await openMerchant(db)
  const { public: open, secret } = keys.sandbox

  async function start(options: Partial<StartOptions> = {}): Promise<Server> {
    const server = await startServer({ connection, ...options })
    servers.push(server)
    everStarted.push(server)
    return server
  }

  /** Servers take turns. While none runs, the last one gets the request, and nothing answers. */
  function nextServer(): Pick<Server, 'url'> {
    const server = servers[turn++ % servers.length] ?? everStarted.at(-1)
    if (server === undefined) throw new Error('No server was started.')
    return server
  }

  async function ask(method: string, url: string, { body, key = open, headers = {} }: AskOptions = {}): Promise<Reply> {
    cards.see(body)
    const address = url.startsWith('http') ? url : `${nextServer().url}${url}`
    const answer = await send(
      method,
      address,
      {
        'x-authorization': key,
        // Each request uses a different address: other tests cover the limits per network.
        'x-forwarded-for': `10.${++asked >> 16}.${(asked >> 8) & 255}.${asked & 255}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body === undefined ? null : JSON.stringify(body),
    )
    const trace = cards.traceIn(answer.text)
    if (trace !== null) traces.push(`It was told: ${trace}`)
    const isJson = String(answer.headers['content-type']).startsWith('application/json') && answer.text !== ''
    return { status: answer.status, body: isJson ? JSON.parse(answer.text) : answer.text, headers: answer.headers }
  }

  /** Sends a setup request. A busy machine may answer 503; retrying does not affect the proof. */
  async function succeed<T>(status: number, ...request: Parameters<typeof ask>): Promise<T> {
    let answer = await ask(...request)
    for (let again = 0; again < MOST_OVERLOADS && answer.status === 503; again++) {
      await pause(OVERLOAD_PAUSE_MS)
      answer = await ask(...request)
    }
    expect([answer.status, answer.body]).toEqual([status, answer.body])
    return answer.body as T
  }

  const create = <T = { id: string }>(path: string, body: Body, by: Omit<AskOptions, 'body'> = { key: secret }) =>
    succeed<T>(201, 'POST', `/v1/${path}`, { ...by, body })

  const countRows = async (sql: string): Promise<number> =>
    (await db.one<{ count: number }>(statement(`test.count_${nameOf(sql)}`, `select count(*) from ${sql}`), {})).count

  return {
    id,
    connection,
    db,
    secret,
    public: open,
    live: keys.live,
    stock,
    servers,
    cards,
    /** Everything that servers have logged, including killed ones. */
    logs: () => everStarted.map(({ log }) => log).join('\n'),
    start,
    ask,
    succeed,
    create,
    /** Ends a server, by SIGKILL unless another signal is named. */
    async kill(server: Server, signal?: NodeJS.Signals) {
      servers.splice(servers.indexOf(server), 1)
      return server.kill(signal)
    },
    /** Sets up both gateways that need it. */
    async openGateways() {
      await create('gateways', { code: 'manual', config: { name: 'Bank transfer' } })
      await create('gateways', { code: 'test_redirect' })
    },
    /** Creates a product that is not shipped, with `available` in stock; null: unlimited. `by`: a live key, if the shop sells live. */
    async product(available: number | null, body: Body = {}, by?: Omit<AskOptions, 'body'>): Promise<string> {
      const inventory = available === null ? {} : { inventory: { managed: true, available } }
      const draft = { name: 'Thing', price: 10, delivery: { physical: false }, ...inventory, ...body }
      const product = await create('products', draft, by)
      if (available !== null) stock[product.id] = available
      return product.id
    },
    async token(productId: string): Promise<string> {
      const path = `/v1/checkouts/${productId}?type=product_id`
      return (await succeed<{ id: string }>(201, 'GET', path)).id
    },
    capture: (token: string, body: Body, headers: Record<string, string> = {}) =>
      ask('POST', `/v1/checkouts/${token}`, { body, headers }),
    /** The body of a capture; each shopper has a separate e-mail address unless `more` sets one. */
    body: (payment: Payment, more: Body = {}): Body => ({
      customer: { email: `shopper-${++shoppers}@example.com` },
      ...(payment === null ? {} : { payment }),
      ...more,
    }),
    /** Sends the shopper's decision on the redirect gateway's page. */
    onPage: (key: string, decision: 'approve' | 'decline') =>
      ask('POST', `/test-gateway/${id}/${key}/${decision}`, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    orders: async (token: string) =>
      (await db.many<{ id: string }>(findOrders, { merchant_id: id, checkout_id: token })).map((order) => order.id),
    count: countRows,
    /** Counts the charges of the test gateways. */
    paid: () => countRows(`test_charges where state in ('charged', 'authorized', 'refunded')`),
    available: async (item: string) =>
      (await db.one<{ available: number }>(findAvailable, { merchant_id: id, item_id: item })).available,
    /** Waits until only attempts that wait for a shopper are open, and returns the seconds it took. */
    async settled(since: number, withinMs = patient(60_000)): Promise<number> {
      for (;;) {
        if ((await db.many(findUnsettled, { merchant_id: id })).length === 0) return (performance.now() - since) / 1_000
        if (performance.now() - since > withinMs)
          throw new Error(
            `Not settled after ${withinMs} ms: ${JSON.stringify(await db.many(findUnsettled, { merchant_id: id }))}`,
          )
        await pause(50)
      }
    },
    /** Checks the oracles O1 to O6. */
    async expectOracles(returned: Readonly<Record<string, number>> = {}) {
      expect(await brokenOracles(db, { now: new Date(), stock, returned })).toEqual([])
    },
  }
}

type AskOptions = { body?: Body; key?: string; headers?: Record<string, string> }

let shoppers = 0
const names = new Map<string, number>()
const nameOf = (sql: string): number => {
  const known = names.get(sql) ?? names.size
  names.set(sql, known)
  return known
}

const findOrders = statement<{ id: string }>(
  'test.fault_orders',
  'select id from orders where merchant_id = :merchant_id and checkout_id = :checkout_id',
)
const findAvailable = statement<{ available: number }>(
  'test.fault_available',
  'select available from stock where merchant_id = :merchant_id and item_id = :item_id and is_sandbox',
)
// An attempt that waits for the shopper counts as settled, but not once the shopper has decided.
const findUnsettled = statement<{ id: string; state: string; charge: string | null }>(
  'test.fault_unsettled',
  `select a.id, a.state, c.state as charge
   from capture_attempts a
   left join test_charges c on c.merchant_id = a.merchant_id and c.key = a.id
   where a.merchant_id = :merchant_id and a.state in ('charging', 'waiting')
     and not (a.state = 'waiting' and c.state = 'waiting')
   union all
   select id, type, status_reason from order_transactions
   where merchant_id = :merchant_id and status = 'pending' and status_reason = 'awaiting_gateway'
   union all
   select id, 'cancelling', null from orders where merchant_id = :merchant_id and cancelling_at is not null`,
)

/** Returns the order in a reply; null if it is something else. */
export const orderIn = ({ status, body }: Reply): Order | null =>
  status === 200 && typeof (body as { id?: unknown } | null)?.id === 'string' ? (body as Order) : null

export const errorIn = ({
  body,
}: Reply): { type: string; message: string; param?: string; errors?: Record<string, string[]> } =>
  (body as { error?: { type: string; message: string } } | null)?.error ?? {
    type: 'none',
    message: JSON.stringify(body),
  }

/** Counts each status, as `1 × 200, 199 × 422`. */
export function tally(replies: readonly Pick<Reply, 'status' | 'again'>[]): string {
  const again = replies.reduce((sum, reply) => sum + (reply.again ?? 0), 0)
  const counts = new Map<number, number>()
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1)
  const shown = [...counts]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${count} × ${status === 0 ? 'no answer' : status}`)
    .join(', ')
  return again === 0 ? shown : `${shown} (${again} told to come again before)`
}

/** Statuses after which the client repeats the capture: a busy machine may also time out (408). */
const AGAIN: ReadonlySet<number> = new Set([0, 408, 409, 503, 504])

/** Repeats a capture while the server cannot tell its outcome; returns the final response. */
export async function insist(world: World, token: string, body: Body, withinMs = patient(60_000)): Promise<Reply> {
  const end = performance.now() + withinMs
  for (let again = 0; ; again++) {
    const reply = await world.capture(token, body)
    if (!AGAIN.has(reply.status) || performance.now() > end) return { ...reply, again }
    await pause(200)
  }
}

export type Bought = { order: Order; statuses: number[]; seconds: number }

/**
 * Acts like a storefront and its shopper until there is an order. It repeats the capture while its outcome is unknown. Otherwise `next`
 * turns the response into another payment; null: the response allows none.
 */
export async function buyBy(
  world: Pick<World, 'capture'>,
  token: string,
  first: Body,
  next: (reply: Reply) => Body | null | Promise<Body | null>,
  withinMs: number,
): Promise<Bought> {
  const startedAt = performance.now()
  const statuses: number[] = []
  let body = first
  for (;;) {
    const reply = await world.capture(token, body)
    statuses.push(reply.status)
    const order = orderIn(reply)
    if (order !== null) return { order, statuses, seconds: (performance.now() - startedAt) / 1_000 }
    const told = () => `${token} was answered ${statuses.join(', ')}: ${JSON.stringify(reply.body)}`
    if (performance.now() - startedAt > withinMs) throw new Error(`No order after ${withinMs} ms. ${told()}`)
    const payment = await next(reply)
    if (payment !== null) body = { ...first, payment }
    else if (AGAIN.has(reply.status)) await pause(200)
    else throw new Error(told())
  }
}

/** Buys through the test gateways: the shopper follows the gateway's steps, and uses another card after a decline. */
export const buy = (world: World, token: string, first: Body, withinMs = patient(60_000)): Promise<Bought> =>
  buyBy(
    world,
    token,
    first,
    async (reply) => {
      const { type, param } = errorIn(reply)
      const { paykey } = (reply.body ?? {}) as { paykey?: string }
      if (reply.status === 200 && paykey !== undefined) {
        await world.onPage(paykey, 'approve')
        return { gateway: 'test_redirect', test_redirect: { paykey } }
      }
      if (type === 'requires_verification')
        return { ...(first.payment as Body), test_gateway: { payment_intent_id: param } }
      return type === 'gateway_error' ? cardPayment() : null
    },
    withinMs,
  )

/** Uses a new connection for each request: the server may close a kept one at the moment of its reuse. */
const send = (method: string, url: string, headers: Record<string, string>, body: string | null) =>
  new Promise<{ status: number; text: string; headers: IncomingHttpHeaders }>((resolve) => {
    const none = () => resolve({ status: 0, text: '', headers: {} })
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(url, { method, agent: false, headers: { ...headers, ...length } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (more: string) => {
        text += more
      })
      answer.once('error', none)
      answer.once('end', () => {
        if (answer.complete) resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers })
        else none()
      })
    })
    sent.once('error', none)
    sent.end(body ?? undefined)
  })

export const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

/** Runs in batches: a machine that is also busy otherwise must not fail a proof. */
export async function inTurns<T>(count: number, make: (index: number) => Promise<T>, atOnce = 16): Promise<T[]> {
  const made: T[] = []
  for (let from = 0; from < count; from += atOnce)
    made.push(...(await times(Math.min(atOnce, count - from), (index) => make(from + index))))
  return made
}
