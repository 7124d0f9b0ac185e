// @sampled: npm run proof tries more rounds.
// Orders that were to be paid by hand and were not, in the time that the merchant has set: cancelled with a reason, and their goods sold
// to others.

import { afterAll, describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sweepUnpaidOrders } from '../../../src/api/payments/expire.ts'
import { listUnpaidOrders } from '../../../src/api/payments/store.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import type { Database } from '../../../src/db/db.ts'
import type { Services } from '../../../src/http/endpoint/endpoint.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { testApp } from '../../support/app.ts'
import { size } from '../../support/proof.ts'
import { changeRows, sql } from '../../support/rows.ts'
import { atOnce, unixNow } from '../../support/shop.ts'
import { CUSTOMER, openCaptureShop } from '../checkouts/capture-support.ts'
import { digital, openShop, physical, type Shop } from './support.ts'

const app = await testApp({ trustProxy: () => true })
afterAll(async () => {
  // But for O4: a year goes by here, and events are kept for 30 days.
  const broken = await brokenOracles(app.db, { now: app.clock.now() })
  expect(broken.filter((sentence) => !sentence.startsWith('O4 '))).toEqual([])
})
const HOUR = 3_600

const services = { signingSecret: signingSecrets(app.db, app.clock), publicUrl: 'https://api.shop.example' } as Services
type Portions = Parameters<typeof sweepUnpaidOrders>[1]
const sweep = (portions: Portions = {}, db: Database = app.db, signal = new AbortController().signal) =>
  sweepUnpaidOrders(services, portions).run({ db, clock: app.clock, signal })

const expireAfter = async ({ keys }: Pick<Shop, 'keys'>, hours: number | null) => {
  const body = { orders: { unpaid_expire_after_hours: hours } }
  const headers = { 'x-forwarded-proto': 'https' }
  expect((await app.call('PUT', '/v1/merchants', { key: keys.live.secret, headers, body })).status).toBe(200)
}

async function expiringShop(hours = 48) {
  const shop = await openShop(app)
  await expireAfter(shop, hours)
  return shop
}

const cancels = async (shop: Shop, order: Order) =>
  (await shop.events(order)).filter(({ name }) => name === 'orders.cancel')
/** The orders that a run cancels, and the names of the lists that it asks for outside of transactions. */
async function watched(portions: Portions = {}) {
  const asked: string[] = []
  const db: Database = {
    ...app.db,
    many(statement, values) {
      asked.push(statement.name)
      return app.db.many(statement, values)
    },
  }
  return { cancelled: await sweep(portions, db), asked }
}

const PAGE_OF_MERCHANTS = ['sweep.merchants_expiring_orders', 'sweep.merchants_with_due_orders']
const statusOf = async (shop: Shop, { id }: { id: string }) => (await shop.get(id)).status

describe('an order that was to be paid by hand', () => {
  it('of all merchants is asked for together, and only those one by one that have an order that is due', async () => {
    await atOnce(4, () => expiringShop(1))
    expect(await watched()).toEqual({ cancelled: 0, asked: PAGE_OF_MERCHANTS })

    const [waiting, without] = [await expiringShop(3), await openShop(app)]
    const [paid, due] = [await expiringShop(1), await expiringShop(1)]
    const orders = { waiting: await waiting.order({}, 'manual'), without: await without.order({}, 'manual') }
    await paid.order({}, 'card')
    const ordered = await due.order({}, 'manual')
    await due.order({}, 'manual', { is_sandbox: false })
    app.clock.advance(HOUR)
    // Once for each mode.
    const lists = ['orders.list_unpaid', 'orders.list_unpaid']
    expect(await watched()).toEqual({ cancelled: 2, asked: [...PAGE_OF_MERCHANTS, ...lists] })
    expect(await statusOf(due, ordered)).toBe('cancelled')
    expect([await statusOf(waiting, orders.waiting), await statusOf(without, orders.without)]).toEqual(['open', 'open'])

    // Nobody has one any more, until the time of the next has come.
    expect(await watched()).toEqual({ cancelled: 0, asked: PAGE_OF_MERCHANTS })
    app.clock.advance(2 * HOUR)
    expect((await watched()).cancelled).toBe(1)
    expect(await statusOf(waiting, orders.waiting)).toBe('cancelled')
  })

  it('of every merchant is come to, however many there are to a page', async () => {
    const shops = await atOnce(5, () => expiringShop(1))
    const orders = await Promise.all(shops.map(async (shop) => ({ shop, order: await shop.order({}, 'manual') })))
    app.clock.advance(HOUR)
    const { cancelled, asked } = await watched({ merchants: 2 })
    expect(cancelled).toBe(5)
    expect(asked.filter((name) => name === 'orders.list_unpaid')).toHaveLength(5)
    for (const { shop, order } of orders) expect(await statusOf(shop, order)).toBe('cancelled')
  })

  it('and was not in time is cancelled with a reason, and tells it; not a second before', async () => {
    const shop = await expiringShop()
    const order = await shop.order({ lines: [physical(), digital()] }, 'manual')
    app.clock.advance(48 * HOUR - 1)
    expect([await sweep(), await shop.get(order.id)]).toEqual([0, order])
    app.clock.advance(1)
    expect(await sweep()).toBe(1)
    const after = await shop.get(order.id)
    const ended = { status: 'cancelled', updated: unixNow(app) }
    const transactions = [{ ...order.transactions[0], ...ended, status_reason: 'order_cancelled' }]
    expect(after).toEqual({
      ...order,
      ...ended,
      cancel_reason: 'The order was not paid within 48 hours.',
      transactions,
    })
    const [event, ...more] = await cancels(shop, order)
    expect(more).toEqual([])
    // No request has asked for it: the links are those of PUBLIC_URL.
    const told = JSON.stringify(event?.payload).replaceAll('https://api.shop.example', 'http://localhost:80')
    expect([JSON.parse(told), event?.sandbox]).toEqual([after, true])
    expect(await sweep()).toBe(0)
    expect((await shop.complete(order)).status).toBe(422)
  })

  it('of the sandbox by the time of the sandbox, and live ones by that of the shop', async () => {
    const shop = await openShop(app)
    const body = { orders: { unpaid_expire_after_hours: 1 } }
    expect((await app.call('PUT', '/v1/merchants', { key: shop.keys.sandbox.secret, body })).status).toBe(200)
    const orders = [await shop.order({}, 'manual'), await shop.order({}, 'manual', { is_sandbox: false })]
    app.clock.advance(HOUR)
    expect(await sweep()).toBe(1)
    const statusIn = async ({ id, sandbox }: Order) => {
      const { secret } = sandbox ? shop.keys.sandbox : shop.keys.live
      return (await shop.succeed<Order>(200, 'GET', `/${id}`, undefined, secret)).status
    }
    const statuses = () => Promise.all(orders.map(statusIn))
    expect(await statuses()).toEqual(['cancelled', 'open'])
    await expireAfter(shop, 2)
    app.clock.advance(HOUR)
    expect(await sweep()).toBe(1)
    expect(await statuses()).toEqual(['cancelled', 'cancelled'])
  })

  it('stays where something has been paid or shipped, and where a gateway holds the money', async () => {
    const shop = await expiringShop(1)
    const giftCard = { id: 'gftc_x', code: 'CARD', balance_after: 0, credit: 500 }
    const orders = {
      paid: await shop.order(),
      held: await shop.order({}, 'authorized'),
      free: await shop.order({ lines: [physical({ line_total: 0, unit_price: 0 })] }),
      completed: await shop.order({}, 'manual'),
      part: await shop.order({}, 'manual'),
      byCard: await shop.order({ gift_card: giftCard, total_due: 1_500 }, 'manual'),
      shipped: await shop.order({}, 'manual'),
      returned: await shop.order({}, 'manual'),
    }
    await shop.complete(orders.completed)
    const { part, shipped, returned } = orders
    await shop.complete(part, { amount: 1 })
    for (const order of [shipped, returned]) expect((await shop.ship(order)).status).toBe(201)
    const item = returned.fulfillment.physical.items[0]?.id
    await shop.call('PUT', `/${returned.id}/fulfillments/physical/items/${item}`, { status: 'returned' })
    app.clock.advance(100 * HOUR)
    expect(await sweep()).toBe(0)
    for (const order of Object.values(orders)) {
      expect((await shop.get(order.id)).status).toBe('open')
      expect(await cancels(shop, order)).toEqual([])
    }
    // What cannot expire is looked at once, however often the sweep comes.
    const [mode, start] = [
      { merchant_id: shop.id, is_sandbox: true },
      { created_at: new Date(0), id: '' },
    ]
    expect(await listUnpaidOrders(app.db, mode, app.clock.now(), start, 10)).toEqual([])
  })

  it('of which nothing is sent, and which has no downloads, expires too', async () => {
    const shop = await expiringShop(1)
    const order = await shop.order({ lines: [physical({ is_physical: false })] }, 'manual')
    expect(order.status_fulfillment).toBe('fulfilled')
    app.clock.advance(HOUR)
    expect(await sweep()).toBe(1)
    expect((await shop.get(order.id)).cancel_reason).toBe('The order was not paid within 1 hour.')
  })

  it('gives its goods back, by the worker itself', async () => {
    const shop = await openCaptureShop(app)
    const key = shop.keys.sandbox.secret
    await expireAfter(shop, 24)
    await shop.succeed(201, 'POST', 'gateways', { code: 'manual', config: { name: 'Bank transfer' } }, key)
    const { id } = await shop.product({ delivery: { physical: false }, inventory: { managed: true, available: 3 } })
    const token = await shop.succeed<{ id: string }>(201, 'GET', `checkouts/${id}?type=product_id`)
    const order = await shop.order(token, { customer: CUSTOMER, payment: { gateway: 'manual' } })
    const available = async () =>
      (await shop.succeed<Product>(200, 'GET', `products/${id}`, undefined, key)).inventory.available
    expect(await available()).toBe(2)
    app.clock.advance(24 * HOUR)
    const worker = app.startJobs()
    const read = () => shop.succeed<Order>(200, 'GET', `orders/${order.id}`, undefined, key)
    await expect.poll(async () => (await read()).status).toBe('cancelled')
    await worker.stop()
    const line = { line_item_id: order.order.line_items[0]?.id, product_id: id, variant_id: null, quantity: 1 }
    expect([(await read()).restocked, await available()]).toEqual([[line], 3])
  })

  it('and is paid in the moment in which it expires is either paid and stays, or is cancelled and not paid', async () => {
    const shop = await expiringShop(1)
    const ends: Record<string, number> = {}
    for (let round = 0; round < size(6, 20); round++) {
      const order = await shop.order({}, 'manual')
      app.clock.advance(HOUR)
      const [answer] = await Promise.all(
        round % 2 === 0 ? [shop.complete(order), sweep()] : [sweep(), shop.complete(order)].reverse(),
      )
      const { status, status_payment } = await shop.get(order.id)
      const end = `${(answer as { status: number }).status}: ${status}, ${status_payment}`
      ends[end] = (ends[end] ?? 0) + 1
      expect((await cancels(shop, order)).length).toBe(status === 'cancelled' ? 1 : 0)
    }
    const allowed = ['200: open, paid', '422: cancelled, not_paid']
    expect(Object.keys(ends).filter((end) => !allowed.includes(end))).toEqual([])
  })

  it('is cancelled once, however many sweeps run at the same moment', async () => {
    const shop = await expiringShop(1)
    const orders = await atOnce(20, () => shop.order({}, 'manual'))
    app.clock.advance(HOUR)
    const counts = await Promise.all([sweep(), sweep(), sweep()])
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(orders.length)
    for (const order of orders) expect((await cancels(shop, order)).length).toBe(1)
  })

  it('stays where the merchant takes the time away, or gives more, while the sweep is at work', async () => {
    const [off, more] = [await expiringShop(1), await expiringShop(1)]
    for (const shop of [off, more]) for (let made = 0; made < 4; made++) await shop.order({}, 'manual')
    app.clock.advance(HOUR)
    let cancelled = 0
    // Each order is decided about in a transaction of its own: after the second one of each shop, its merchant thinks better of it.
    const db: Database = {
      ...app.db,
      async transaction(work) {
        const done = await app.db.transaction(work)
        cancelled++
        if (cancelled === 2) await expireAfter(off, null)
        if (cancelled === 6) await expireAfter(more, 2)
        return done
      },
    }
    expect(await sweep({}, db)).toBe(4)
    const half = { cancelled: 2, open: 2 }
    expect([await sweep(), await statuses(off), await statuses(more)]).toEqual([0, half, half])
    await expireAfter(more, null)
  })

  it('of a merchant with very many keeps no other waiting, and a run ends after a share of each', async () => {
    const [many, few] = [await expiringShop(1), await expiringShop(1)]
    await atOnce(26, () => many.order({}, 'manual'))
    const last = await few.order({}, 'manual')
    app.clock.advance(HOUR)
    expect(await sweep({}, app.db, AbortSignal.abort())).toBe(0)
    const ends: boolean[] = []
    const db: Database = {
      ...app.db,
      async transaction(work) {
        const done = await app.db.transaction(work)
        ends.push((await app.db.one(findEnd, { merchant_id: few.id, id: last.id })).is_cancelled)
        return done
      },
    }
    expect(await sweep({ turn: 5, run: 20 }, db)).toBe(21)
    // A page of the one, then the other's.
    expect(ends.indexOf(true)).toBe(5)
    expect([await sweep(), await sweep()]).toEqual([6, 0])
  })

  it('that cannot be looked at keeps no other from expiring, and the run says so', async () => {
    const shop = await expiringShop(1)
    const broken = await shop.order({}, 'manual')
    const other = await shop.order({}, 'manual')
    await changeRows(app.db, "update orders set content = '{}'", { merchant_id: shop.id, id: broken.id })
    app.clock.advance(HOUR)
    await expect(sweep()).rejects.toThrow('1 unpaid orders could not be checked.')
    expect((await shop.get(other.id)).status).toBe('cancelled')
    await changeRows(app.db, 'delete from orders', { merchant_id: shop.id, id: broken.id })
  })
})

const statuses = async (shop: Shop) => {
  const { data } = (await shop.call('GET', '?limit=100')).body as { data: Order[] }
  return {
    cancelled: data.filter(({ status }) => status === 'cancelled').length,
    open: data.filter(({ status }) => status === 'open').length,
  }
}

const findEnd = sql<{ is_cancelled: boolean }>`
  select cancelled_at is not null as is_cancelled from orders where merchant_id = :merchant_id and id = :id`
