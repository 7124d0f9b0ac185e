// A shop's sandbox holds so much and no more; a live shop is never refused anything, and loses only what nobody will miss.

import { describe, expect, it } from 'vitest'
import { forgottenCartsSweep, sandboxQuotaSweep } from '../../../src/api/retention/quotas.ts'
import { findActiveShops } from '../../../src/api/retention/store.ts'
import { findSweepPositions, registerSweep, type Sweep } from '../../../src/jobs/schedule.ts'
import { errorBody } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { countRows, sql } from '../../support/rows.ts'
import { roundTripsOf } from '../../support/sent.ts'
import { replyOf } from '../../support/shop.ts'
import { digital, digitalBody, openCaptureShop } from '../checkouts/capture-support.ts'

const TEN_MINUTES = 600
const HOUR = 3_600
const DAY = 24 * HOUR
const app = await testApp({ trustProxy: () => true })

const run = (sweep: Sweep) => sweep.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })

/** Beyond the time in which a process may not have heard of a change. */
const untilHeard = () => new Promise((resolve) => setTimeout(resolve, 1_000))

const refused = (things: string) =>
  errorBody(
    429,
    'too_many_requests',
    `The sandbox of this shop holds the maximum number of ${things}. Try again in ten minutes, or use the secret key.`,
  )

const rowOf = sql<{ id: string }>`select id from carts where merchant_id = :merchant_id and id = :id`

async function openQuotaShop() {
  const shop = await openCaptureShop(app)
  const product = await shop.product(digital)
  let shoppers = 0
  const newToken = (key?: string) => shop.call('GET', `checkouts/${product.id}?type=product_id`, undefined, key)
  return {
    ...shop,
    newToken,
    /** An order of a shopper of its own. */
    buy: async (key?: string) =>
      shop.capture(
        (await newToken(shop.keys.sandbox.secret)).body as { id: string },
        digitalBody({ customer: { email: `shopper-${++shoppers}@example.com` } }),
        key,
      ),
    /** A cart with a row: an empty one has none, and counts for nothing. */
    fillCart: async (key = shop.keys.sandbox.public) => {
      const { id } = await shop.succeed<{ id: string }>(201, 'GET', 'carts', undefined, key)
      return { id, ...(await shop.call('POST', `carts/${id}`, { id: product.id }, key)) }
    },
    hasRow: async (id: string) => (await app.db.maybe(rowOf, { merchant_id: shop.id, id })) !== null,
    orders: async () => {
      const { body } = await shop.call('GET', 'orders?limit=200', undefined, shop.keys.sandbox.secret)
      return (body as { data: { id: string }[] }).data.map(({ id }) => id)
    },
    customers: () => countRows(app.db, 'customers', { merchant_id: shop.id }),
  }
}

describe("a shop's sandbox", () => {
  it('loses its oldest orders above the quota, with the customers they made, but none of the last ten minutes', async () => {
    const shop = await openQuotaShop()
    const first = (await shop.newToken()).body as { id: string }
    expect((await shop.capture(first, digitalBody())).status).toBe(200)
    app.clock.advance(1)
    for (let count = 0; count < 3; count++) expect((await shop.buy()).status).toBe(200)
    const old = await shop.orders()
    app.clock.advance(TEN_MINUTES + 1)
    for (let count = 0; count < 3; count++) expect((await shop.buy()).status).toBe(200)
    expect(await run(sandboxQuotaSweep(5))).toBeGreaterThanOrEqual(2)
    const left = await shop.orders()
    expect(left).toHaveLength(5)
    expect(old.filter((id) => left.includes(id))).toHaveLength(2)
    expect(await shop.customers()).toBe(5)
    // Sent again, a capture whose order has gone makes no second one.
    expect((await shop.capture(first, digitalBody())).status).toBe(404)
    await untilHeard()
    expect((await shop.buy()).status).toBe(200)
  })

  it('that is over its quota refuses nobody; a flood of ten times as much within minutes is refused by public keys alone, until it has ended', async () => {
    const [shop, other] = [await openQuotaShop(), await openQuotaShop()]
    const makeMore = async (times: number) => {
      for (let count = 0; count < times; count++) {
        expect((await shop.buy()).status).toBe(200)
        expect((await shop.fillCart()).status).toBe(200)
      }
    }
    await makeMore(4)
    await run(sandboxQuotaSweep(1))
    await untilHeard()
    expect(await shop.orders()).toHaveLength(4)
    await makeMore(6)
    await run(sandboxQuotaSweep(1))
    expect(await shop.orders()).toHaveLength(10)
    await untilHeard()
    const capture = await shop.buy()
    expect([capture.status, capture.body, capture.headers['retry-after']]).toEqual([429, refused('orders'), '600'])
    const cart = await shop.fillCart()
    expect([cart.status, cart.body, await shop.hasRow(cart.id)]).toEqual([429, refused('carts'), false])
    expect((await shop.fillCart(shop.keys.sandbox.secret)).status).toBe(200)
    expect((await shop.fillCart(shop.keys.live.public)).status).toBe(200)
    expect(await replyOf(shop.newToken())).toEqual([429, refused('checkout tokens')])
    expect((await shop.call('GET', 'products')).status).toBe(200)
    expect((await shop.buy(shop.keys.sandbox.secret)).status).toBe(200)
    expect((await other.buy()).status).toBe(200)

    app.clock.advance(TEN_MINUTES + 1)
    await run(sandboxQuotaSweep(1))
    await untilHeard()
    expect(await shop.orders()).toHaveLength(1)
    expect((await shop.buy()).status).toBe(200)
    expect((await shop.fillCart()).status).toBe(200)
  })

  it('that is full of carts takes no first write of another, but creates, shows and deletes it, and changes those it has; without a quota it is not full', async () => {
    const shop = await openQuotaShop()
    const kept = await shop.fillCart()
    for (let count = 1; count < 10; count++) expect((await shop.fillCart()).status).toBe(200)
    await run(sandboxQuotaSweep(1))
    await untilHeard()
    const { id } = await shop.succeed<{ id: string }>(201, 'GET', 'carts')
    const writes = [
      ['PUT', `carts/${id}`, { meta: {} }],
      ['DELETE', `carts/${id}/items`, undefined],
    ] as const
    for (const [method, path, body] of writes)
      expect([method, ...(await replyOf(shop.call(method, path, body)))]).toEqual([method, 429, refused('carts')])
    expect([(await shop.call('GET', `carts/${id}`)).status, await shop.hasRow(id)]).toEqual([200, false])
    const unknown = `carts/cart_${'0'.repeat(26)}`
    for (const method of ['PUT', 'DELETE'] as const)
      expect((await shop.call(method, unknown, method === 'PUT' ? { meta: {} } : undefined)).status).toBe(404)
    expect((await shop.call('DELETE', `carts/${id}`)).status).toBe(204)
    expect((await shop.call('PUT', `carts/${id}`, { meta: {} })).status).toBe(404)
    expect((await shop.call('PUT', `carts/${kept.id}`, { meta: {} })).status).toBe(200)
    expect((await shop.call('DELETE', `carts/${kept.id}/items`)).status).toBe(200)
    await run(sandboxQuotaSweep(0))
    await untilHeard()
    expect((await shop.fillCart()).status).toBe(200)
  })

  it('gives up its oldest carts above the quota, also those whose row was made long after their id', async () => {
    const shop = await openQuotaShop()
    const product = await shop.product()
    const ids: string[] = []
    for (let count = 0; count < 4; count++) {
      ids.push((await shop.succeed<{ id: string }>(201, 'GET', 'carts')).id)
      app.clock.advance(1)
    }
    app.clock.advance(20 * DAY)
    for (const id of ids) await shop.succeed(200, 'POST', `carts/${id}`, { id: product.id })
    app.clock.advance(TEN_MINUTES + 1)
    const last = await shop.succeed<{ id: string }>(201, 'GET', 'carts')
    await shop.succeed(200, 'POST', `carts/${last.id}`, { id: product.id })
    await run(sandboxQuotaSweep(3))
    expect(await Promise.all(ids.map(shop.hasRow))).toEqual([false, false, true, true])
    // What was taken away is an empty cart again.
    const { status, body } = await shop.call('GET', `carts/${ids[0]}`)
    expect([status, (body as { line_items: unknown[] }).line_items]).toEqual([200, []])
  })

  it('keeps deleted carts deleted: they count apart from the others, and of them the oldest go', async () => {
    const shop = await openQuotaShop()
    const deleted: string[] = []
    for (let count = 0; count < 4; count++) {
      const { id } = await shop.fillCart()
      expect((await shop.call('DELETE', `carts/${id}`)).status).toBe(204)
      deleted.push(id)
      app.clock.advance(1)
    }
    const here = [await shop.fillCart(), await shop.fillCart(), await shop.fillCart()]
    app.clock.advance(100)
    await run(sandboxQuotaSweep(4))
    const statuses = () =>
      Promise.all(
        [...deleted, ...here.map(({ id }) => id)].map(async (id) => (await shop.call('GET', `carts/${id}`)).status),
      )
    expect(await statuses()).toEqual([404, 404, 404, 404, 200, 200, 200])
    await run(sandboxQuotaSweep(3))
    expect(await statuses()).toEqual([200, 404, 404, 404, 200, 200, 200])
    expect(await Promise.all(here.map(({ id }) => shop.hasRow(id)))).toEqual([true, true, true])
  })
})

it('a sandbox that keeps within its quota is counted once in a run, and nothing is written about it', async () => {
  const shop = await openQuotaShop()
  expect((await shop.fillCart()).status).toBe(200)
  const sent = (await roundTripsOf(() => run(sandboxQuotaSweep(1_000)))).flatMap(({ statements }) => statements)
  const aboutShop = sent.filter(({ values }) => values?.includes(shop.id)).map(({ name }) => name)
  expect(aboutShop).toEqual(['quotas.count_sandbox'])
})

it('a live shop loses empty carts that nobody touched for an hour and all of a week, above the mark alone', async () => {
  const shop = await openQuotaShop()
  const key = shop.keys.live.public
  const product = await shop.product()
  const newCart = async (lines: number) => {
    const { id } = await shop.succeed<{ id: string }>(201, 'GET', 'carts', undefined, key)
    await shop.succeed(200, 'PUT', `carts/${id}`, { meta: { lines } }, key)
    for (let line = 0; line < lines; line++) await shop.succeed(200, 'POST', `carts/${id}`, { id: product.id }, key)
    return id
  }
  const forgotten = await newCart(1)
  const deleted = await newCart(1)
  expect((await shop.call('DELETE', `carts/${deleted}`, undefined, key)).status).toBe(204)
  app.clock.advance(7 * DAY)
  const filled = await newCart(1)
  const empty = [await newCart(0), await newCart(0)]
  const ofSandbox = (await shop.fillCart()).id
  app.clock.advance(HOUR + 1)
  const fresh = await newCart(0)
  const token = await shop.succeed<{ id: string }>(
    201,
    'GET',
    `checkouts/${product.id}?type=product_id`,
    undefined,
    key,
  )
  const statusOf = async (path: string, by = key) => (await shop.call('GET', path, undefined, by)).status

  await run(forgottenCartsSweep(100))
  expect(await shop.hasRow(forgotten)).toBe(true)
  await run(forgottenCartsSweep(1))
  expect(await Promise.all([...empty, forgotten].map(shop.hasRow))).toEqual([false, false, false])
  expect(await Promise.all([filled, fresh, ofSandbox].map(shop.hasRow))).toEqual([true, true, true])
  // A removed cart is empty again; a deleted cart stays deleted.
  expect(await statusOf(`carts/${forgotten}`)).toBe(200)
  expect(await statusOf(`carts/${deleted}`)).toBe(404)
  expect(await statusOf(`checkouts/tokens/${token.id}`)).toBe(200)
  expect((await shop.call('GET', 'carts', undefined, key)).status).toBe(201)

  app.clock.advance(1)
  const another = await newCart(1)
  expect((await shop.call('DELETE', `carts/${another}`, undefined, key)).status).toBe(204)
  await run(forgottenCartsSweep(1))
  // The server forgets the older of two deleted carts.
  expect([await shop.hasRow(deleted), await shop.hasRow(another)]).toEqual([false, true])

  app.clock.advance(DAY + 1)
  await newCart(0)
  await shop.succeed(201, 'GET', `checkouts/${product.id}?type=product_id`, undefined, key)
  await run(forgottenCartsSweep(1))
  expect(await statusOf(`checkouts/tokens/${token.id}`)).toBe(404)
})

const makeCarts = sql`
  insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at, made_at)
  select :merchant_id::integer, 'cart_' || lpad(n::text, 26, '0'), :is_sandbox, :at, :at,
    :made_at::timestamptz + interval '1 day', :made_at
  from generate_series(1, :count::integer) n`

it('the sweep of forgotten carts goes on where the run of another process has stopped, and begins anew behind the last', async () => {
  const shop = await openQuotaShop()
  const now = app.clock.now()
  const at = new Date(now.getTime() - 8 * DAY * 1_000)
  await app.db.run(makeCarts, { merchant_id: shop.id, is_sandbox: false, at, made_at: now, count: 1_500 })
  const ofProcess = (most: number) => forgottenCartsSweep(most)
  await registerSweep(app.db, ofProcess(0), now)
  /** Behind which ids a process looked. */
  const looks = async (most: number) =>
    (await roundTripsOf(() => run(ofProcess(most))))
      .flatMap(({ statements }) => statements)
      .filter(({ name, values }) => name === 'quotas.delete_forgotten_carts' && values?.includes(shop.id))
      .map(({ values }) => values?.find((value) => value === '' || String(value).startsWith('cart_')))
  const stopped = `cart_${'1000'.padStart(26, '0')}`

  expect(await looks(1_499)).toEqual([''])
  expect(await findSweepPositions(app.db, 'forgotten-carts')).toEqual({ [`carts ${shop.id}`]: stopped })
  expect(await looks(499)).toEqual([stopped])
  expect(await findSweepPositions(app.db, 'forgotten-carts')).toEqual({})
})

it('the shops that have made something lately are found behind one that has made more than is looked at together', async () => {
  const [first, second, third] = [await openQuotaShop(), await openQuotaShop(), await openQuotaShop()]
  // Far from what other tests make.
  const at = new Date('2090-01-01T00:01:00Z')
  const later = new Date('2090-01-01T00:07:00Z')
  const make = ({ id }: { id: number }, moment: Date, count: number) =>
    app.db.run(makeCarts, { merchant_id: id, is_sandbox: true, at: moment, made_at: moment, count })
  await make(first, at, 1_200)
  await make(second, at, 1)
  await make(third, later, 1)
  const found = (since: Date) => findActiveShops(app.db, { orderedSince: since, cartsSince: since, tokensUntil: since })
  expect((await found(at)).sort()).toEqual([first.id, second.id, third.id].sort())
  expect(await found(later)).toEqual([third.id])
})
