// What a run of the sweep of unpaid orders costs where many merchants have set a time in which they expire, and hardly any has one that is due.

import { describe, expect, it } from 'vitest'
import { sweepUnpaidOrders } from '../../../src/api/payments/expire.ts'
import type { Database } from '../../../src/db/db.ts'
import type { Services } from '../../../src/http/endpoint/endpoint.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { testApp } from '../../support/app.ts'
import { openShop, type Shop } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const HOUR = 3_600
const services = {
  signingSecret: signingSecrets(app.db, app.clock),
  publicUrl: 'https://api.shop.example',
} as Services

async function expireAfter({ keys }: Shop, hours: number) {
  const body = { orders: { unpaid_expire_after_hours: hours } }
  const headers = { 'x-forwarded-proto': 'https' }
  expect((await app.call('PUT', '/v1/merchants', { key: keys.live.secret, headers, body })).status).toBe(200)
}

async function expiringShop(hours: number): Promise<Shop> {
  const shop = await openShop(app)
  await expireAfter(shop, hours)
  return shop
}

/** What a run cancels, and the names of the lists that it asks for outside of transactions. */
async function sweep(portions: Parameters<typeof sweepUnpaidOrders>[1] = {}) {
  const asked: string[] = []
  const db: Database = {
    ...app.db,
    many(statement, values) {
      asked.push(statement.name)
      return app.db.many(statement, values)
    },
  }
  const { signal } = new AbortController()
  return { cancelled: await sweepUnpaidOrders(services, portions).run({ db, clock: app.clock, signal }), asked }
}

const PAGE_OF_MERCHANTS = ['sweep.merchants_expiring_orders', 'sweep.merchants_with_due_orders']
const statusOf = async (shop: Shop, { id }: { id: string }) => (await shop.get(id)).status

describe('merchants whose unpaid orders expire', () => {
  it('are asked together, and only those one by one that have an order that is due', async () => {
    await Promise.all(Array.from({ length: 4 }, () => expiringShop(1)))
    expect(await sweep()).toEqual({ cancelled: 0, asked: PAGE_OF_MERCHANTS })

    const [waiting, paid, due, without] = [
      await expiringShop(3),
      await expiringShop(1),
      await expiringShop(1),
      await openShop(app),
    ]
    const orders = { waiting: await waiting.order({}, 'manual'), without: await without.order({}, 'manual') }
    await paid.order({}, 'card')
    const ordered = await due.order({}, 'manual')
    await due.order({}, 'manual', { isSandbox: false })
    app.clock.advance(HOUR)
    // Once for each mode.
    const lists = ['orders.list_unpaid', 'orders.list_unpaid']
    expect(await sweep()).toEqual({ cancelled: 2, asked: [...PAGE_OF_MERCHANTS, ...lists] })
    expect(await statusOf(due, ordered)).toBe('cancelled')
    expect([await statusOf(waiting, orders.waiting), await statusOf(without, orders.without)]).toEqual(['open', 'open'])

    // Nobody has one any more, until the time of the next has come.
    expect(await sweep()).toEqual({ cancelled: 0, asked: PAGE_OF_MERCHANTS })
    app.clock.advance(2 * HOUR)
    expect((await sweep()).cancelled).toBe(1)
    expect(await statusOf(waiting, orders.waiting)).toBe('cancelled')
  })

  it('are all come to, however many there are to a page', async () => {
    const shops = await Promise.all(Array.from({ length: 5 }, () => expiringShop(1)))
    const orders = await Promise.all(shops.map(async (shop) => ({ shop, order: await shop.order({}, 'manual') })))
    app.clock.advance(HOUR)
    const { cancelled, asked } = await sweep({ merchants: 2 })
    expect(cancelled).toBe(5)
    expect(asked.filter((name) => name === 'orders.list_unpaid')).toHaveLength(5)
    for (const { shop, order } of orders) expect(await statusOf(shop, order)).toBe('cancelled')
  })

  it('expire by the time that each has set now', async () => {
    const [shorter, longer] = [await expiringShop(48), await expiringShop(1)]
    const soon = await shorter.order({}, 'manual')
    const late = await longer.order({}, 'manual')
    await expireAfter(shorter, 1)
    await expireAfter(longer, 48)
    app.clock.advance(HOUR)
    expect((await sweep()).cancelled).toBe(1)
    expect([await statusOf(shorter, soon), await statusOf(longer, late)]).toEqual(['cancelled', 'open'])
  })
})
