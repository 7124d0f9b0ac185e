// What was made in the sandbox goes after some time, with all that belongs to it; what is live, and what is in use, stays.

import { describe, expect, it } from 'vitest'
import { expirySweeps } from '../../../src/api/retention/slice.ts'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { openShop as openLogin } from '../customers/login-support.ts'
import { openCustomers } from '../customers/shop.ts'
import { digital, physical } from '../orders/support.ts'

const DAY = 86_400
const app = await testApp({ trustProxy: () => true })

async function sweep(days = 90): Promise<number[]> {
  const deleted: number[] = []
  for (const { run } of expirySweeps(days))
    deleted.push(await run({ db: app.db, clock: app.clock, signal: new AbortController().signal }))
  return deleted
}

const TABLES = [
  'orders',
  'order_transactions',
  'order_items',
  'shipments',
  'shipment_items',
  'downloads',
  'test_charges',
]
const rowsOf = async (merchant_id: number) => {
  const counts: Record<string, number> = {}
  for (const table of TABLES) {
    const count = statement<{ n: number }>(
      `test.rows_of_${table}`,
      `select count(*) n from ${table} where merchant_id = :merchant_id`,
    )
    counts[table] = (await app.db.one(count, { merchant_id })).n
  }
  return counts
}

describe('old orders of the sandbox', () => {
  it('go with all that belongs to them, and live ones stay as they are', async () => {
    const shop = await openCustomers(app)
    const old = await shop.order({ lines: [physical(), digital()] })
    const item = old.fulfillment.physical.items[0]
    const shipment = await app.call('POST', `/v1/orders/${old.id}/fulfillments/physical/shipments`, {
      key: shop.keys.sandbox.secret,
      body: { items: [{ id: item?.id, quantity: 1 }] },
    })
    expect([shipment.status, shipment.text]).toEqual([201, shipment.text])
    const live = await shop.order({ lines: [physical(), digital()] }, 'manual', { is_sandbox: false })
    app.clock.advance(30 * DAY)
    const young = await shop.order({ lines: [physical(), digital()] })
    const before = await rowsOf(shop.id)
    expect(Object.values(before).every((count) => count > 0)).toBe(true)

    await sweep()
    expect(await rowsOf(shop.id)).toEqual(before)
    app.clock.advance(60 * DAY + 2)
    await sweep()
    app.clock.advance(DAY)
    await sweep()
    const statusOf = async (id: string, key: string) =>
      (await app.call('GET', `/v1/orders/${id}`, { key, headers: { 'x-forwarded-proto': 'https' } })).status
    expect(await statusOf(old.id, shop.keys.sandbox.secret)).toBe(404)
    expect(await statusOf(young.id, shop.keys.sandbox.secret)).toBe(200)
    expect(await statusOf(live.id, shop.keys.live.secret)).toBe(200)
    expect(await rowsOf(shop.id)).toEqual({
      orders: 2,
      order_transactions: 2,
      order_items: 2,
      shipments: 0,
      shipment_items: 0,
      downloads: 2,
      test_charges: 1,
    })
    app.clock.advance(1_000 * DAY)
    await sweep()
    expect(await rowsOf(shop.id)).toMatchObject({ orders: 1, order_items: 1, downloads: 1, test_charges: 0 })
    expect(await statusOf(live.id, shop.keys.live.secret)).toBe(200)
  })

  it('stay for ever where SANDBOX_DAYS is 0', () => {
    expect(expirySweeps(0)).toEqual([])
  })
})

it('customers of the sandbox go once nothing was heard of them for as long: no order, change, address or login; live ones never', async () => {
  const shop = await openCustomers(app)
  const login = await openLogin(app)
  const idle = await shop.create()
  const live = await shop.create({}, shop.keys.live.secret)
  const changed = await shop.create()
  const addressed = await shop.create()
  const buyer = await shop.create({ email: 'buyer@example.com' })
  const seen = await login.customer('seen@example.com')
  app.clock.advance(60 * DAY)
  await shop.succeed(200, 'PUT', `/${changed.id}`, { firstname: 'Ada' })
  await shop.succeed(201, 'POST', `/${addressed.id}/addresses`, {
    name: 'Ada',
    street: '1 Main Street',
    country: 'US',
  })
  const order = await shop.order({
    customer: { id: null, email: 'buyer@example.com', firstname: null, lastname: null, phone: null, meta: null },
  })
  expect((await login.exchange(await login.issueToken('seen@example.com'))).status).toBe(200)
  const statuses = async () => {
    const asked: [string, string][] = [
      ['idle', idle.id],
      ['changed', changed.id],
      ['addressed', addressed.id],
      ['buyer', buyer.id],
    ]
    const found: Record<string, number> = {}
    for (const [name, id] of asked) found[name] = (await shop.call('GET', `/${id}`)).status
    found.live = (await shop.call('GET', `/${live.id}`, undefined, shop.keys.live.secret)).status
    found.seen = (await login.call('GET', `customers/${seen}`, undefined, { key: login.keys.sandbox.secret })).status
    return found
  }

  app.clock.advance(40 * DAY)
  await sweep()
  expect(await statuses()).toEqual({ idle: 404, changed: 200, addressed: 200, buyer: 200, live: 200, seen: 200 })
  // Nobody is looked at twice before there is a reason to.
  expect((await sweep())[1]).toBe(0)
  expect((await shop.get(buyer.id)).id).toBe(order.customer?.id)
  app.clock.advance(51 * DAY)
  await sweep()
  await sweep()
  expect(await statuses()).toEqual({ idle: 404, changed: 404, addressed: 404, buyer: 404, live: 200, seen: 404 })
})
