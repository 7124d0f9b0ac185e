// A shop's sandbox holds so much and no more; a live shop is never refused anything, and loses only what nobody will miss.

import { describe, expect, it } from 'vitest'
import { forgottenCarts, sandboxQuota } from '../../../src/api/retention/quotas.ts'
import { statement } from '../../../src/db/db.ts'
import type { Sweep } from '../../../src/jobs/schedule.ts'
import { testApp } from '../../support/app.ts'
import { toldOf } from '../../support/words.ts'
import { digital, digitalBody, openCaptureShop } from '../checkouts/capture-support.ts'

const TEN_MINUTES = 600
const HOUR = 3_600
const DAY = 24 * HOUR
const app = await testApp({ trustProxy: () => true })

const run = (sweep: Sweep) => sweep.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })

/** Beyond the time in which a process may not have heard of a change. */
const untilHeard = () => new Promise((resolve) => setTimeout(resolve, 1_000))

const refused = (things: string) => ({
  error: toldOf({
    type: 'too_many_requests',
    message: `The sandbox of this shop holds as many ${things} as it may. Try again in ten minutes, or use the secret key.`,
  }),
  status_code: 429,
})

const customersOf = statement<{ n: number }>(
  'test.customers_of',
  'select count(*) n from customers where merchant_id = :merchant_id',
)

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
    orders: async () => {
      const { body } = await shop.call('GET', 'orders?limit=200', undefined, shop.keys.sandbox.secret)
      return (body as { data: { id: string }[] }).data.map(({ id }) => id)
    },
    customers: async () => (await app.db.one(customersOf, { merchant_id: shop.id })).n,
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
    expect(await run(sandboxQuota(5))).toBeGreaterThanOrEqual(2)
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
        expect((await shop.call('GET', 'carts')).status).toBe(201)
      }
    }
    await makeMore(4)
    await run(sandboxQuota(1))
    await untilHeard()
    expect(await shop.orders()).toHaveLength(4)
    await makeMore(6)
    await run(sandboxQuota(1))
    expect(await shop.orders()).toHaveLength(10)
    await untilHeard()
    const capture = await shop.buy()
    expect([capture.status, capture.body, capture.headers['retry-after']]).toEqual([429, refused('orders'), '600'])
    const cart = await shop.call('GET', 'carts')
    expect([cart.status, cart.body]).toEqual([429, refused('carts')])
    const token = await shop.newToken()
    expect([token.status, token.body]).toEqual([429, refused('checkout tokens')])
    expect((await shop.call('GET', 'products')).status).toBe(200)
    expect((await shop.buy(shop.keys.sandbox.secret)).status).toBe(200)
    expect((await shop.call('GET', 'carts', undefined, shop.keys.live.public)).status).toBe(201)
    expect((await other.buy()).status).toBe(200)

    app.clock.advance(TEN_MINUTES + 1)
    await run(sandboxQuota(1))
    await untilHeard()
    expect(await shop.orders()).toHaveLength(1)
    expect((await shop.buy()).status).toBe(200)
    expect((await shop.call('GET', 'carts')).status).toBe(201)
  })
})

describe('a sandbox that was full', () => {
  it('is not any more once there is no quota', async () => {
    const shop = await openQuotaShop()
    for (let count = 0; count < 10; count++) expect((await shop.call('GET', 'carts')).status).toBe(201)
    await run(sandboxQuota(1))
    await untilHeard()
    expect((await shop.call('GET', 'carts')).status).toBe(429)
    await run(sandboxQuota(0))
    await untilHeard()
    expect((await shop.call('GET', 'carts')).status).toBe(201)
  })
})

describe('a live shop', () => {
  it('loses empty carts that nobody touched for an hour and all of a week, above the mark alone', async () => {
    const shop = await openQuotaShop()
    const key = shop.keys.live.public
    const product = await shop.product()
    const newCart = async (lines: number) => {
      const { id } = await shop.succeed<{ id: string }>(201, 'GET', 'carts', undefined, key)
      for (let line = 0; line < lines; line++) await shop.succeed(200, 'POST', `carts/${id}`, { id: product.id }, key)
      return id
    }
    const forgotten = await newCart(1)
    app.clock.advance(7 * DAY)
    const filled = await newCart(1)
    const empty = [await newCart(0), await newCart(0)]
    const ofSandbox = (await shop.succeed<{ id: string }>(201, 'GET', 'carts')).id
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

    await run(forgottenCarts(100))
    expect(await statusOf(`carts/${forgotten}`)).toBe(200)
    await run(forgottenCarts(1))
    expect(await Promise.all(empty.map((id) => statusOf(`carts/${id}`)))).toEqual([404, 404])
    expect(await statusOf(`carts/${forgotten}`)).toBe(404)
    expect(await statusOf(`carts/${filled}`)).toBe(200)
    expect(await statusOf(`carts/${fresh}`)).toBe(200)
    expect(await statusOf(`carts/${ofSandbox}`, shop.keys.sandbox.public)).toBe(200)
    expect(await statusOf(`checkouts/tokens/${token.id}`)).toBe(200)
    expect((await shop.call('GET', 'carts', undefined, key)).status).toBe(201)

    app.clock.advance(DAY + 1)
    await newCart(0)
    await shop.succeed(201, 'GET', `checkouts/${product.id}?type=product_id`, undefined, key)
    await run(forgottenCarts(1))
    expect(await statusOf(`checkouts/tokens/${token.id}`)).toBe(404)
  })
})
