// GET /v1/reports/overview, …/products and …/stock: what they show, of which days, and what they refuse.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { sql } from '../../support/rows.ts'
import { DAY, malformedField, replyOf } from '../../support/shop.ts'
import { digital, draftOf, physical, usd } from '../orders/support.ts'
import { countAll, openReportShop } from './support.ts'

const app = await testApp({ connection: await cloneDatabase(), trustProxy: () => true })

const by = (email: string) => ({ customer: { ...draftOf().customer, email } })

/** Three days from the second of January on: two orders, none, one; and one of the days before. */
async function shopWithDays() {
  const shop = await openReportShop(app)
  const start = app.clock.now()
  const day = (days: number) => new Date(start.getTime() + days * DAY * 1_000).toISOString().slice(0, 10)
  await shop.order({ ...by('ann@example.com'), lines: [digital()] })
  app.clock.advance(2 * DAY)
  await shop.order(by('ann@example.com'))
  await shop.order({ ...by('bob@example.com'), total_with_tax: 2_501, total_due: 2_501 }, 'manual')
  app.clock.advance(2 * DAY)
  await shop.order({ ...by('bob@example.com'), lines: [digital(), physical()] })
  return { shop, day }
}

describe('the overview', () => {
  it('sums up days, each of them, and compares them with as many before, counted already or not', async () => {
    const { shop, day } = await shopWithDays()
    const query = `from=${day(2)}&to=${day(4)}&compare=true`
    const uncounted = await shop.overview(query)
    expect(uncounted).toEqual({
      from: day(2),
      to: day(4),
      time_zone: 'UTC',
      totals: { sales: usd(2_000 + 2_501 + 3_000), orders: 3, average: usd(2_500), returning_share: 0.6667 },
      previous: { sales: usd(1_000), orders: 1, average: usd(1_000), returning_share: 0 },
      days: [
        { day: day(2), sales: usd(4_501), orders: 2 },
        { day: day(3), sales: usd(0), orders: 0 },
        { day: day(4), sales: usd(3_000), orders: 1 },
      ],
      to_do: { unshipped: 2, unpaid: 1, failing_webhooks: 0, low_stock: 0 },
      check_list: { product: false, shipping: false, gateway: true, key: true, test_purchase: true },
    })
    await countAll(app)
    expect(await shop.overview(query)).toEqual(uncounted)
  })

  it('is of the last thirty days in the shop’s time zone unless asked otherwise', async () => {
    const shop = await openReportShop(app)
    await shop.zone('Pacific/Kiritimati')
    const { from, to, days, previous, totals, time_zone } = await shop.overview()
    const ahead = new Date(app.clock.now().getTime() + 14 * 3_600_000)
    expect([to, days.length, days.at(-1)?.day, previous, time_zone]).toEqual([
      ...[ahead.toISOString().slice(0, 10), 30, to, null, 'Pacific/Kiritimati'],
    ])
    expect(days[0]?.day).toBe(from)
    expect(totals).toEqual({ sales: usd(0), orders: 0, average: usd(0), returning_share: null })
  })

  it('tells what is to be done as the list of orders finds it, and up to a hundred', async () => {
    const shop = await openReportShop(app)
    const toShip = await shop.order()
    await shop.order({}, 'manual')
    await shop.order({}, 'authorized')
    await shop.order({ lines: [digital()] })
    await shop.cancel((await shop.order({}, 'manual')).id)
    const { to_do } = await shop.overview()
    expect(to_do).toEqual({ unshipped: 1, unpaid: 2, failing_webhooks: 0, low_stock: 0 })
    for (const [status, count] of [['unshipped', 1] as const, ['unpaid', 2] as const]) {
      const { body } = await shop.call('GET', `?status=${status}`)
      expect((body as { meta: { pagination: { total: number } } }).meta.pagination.total).toBe(count)
    }
    await app.db.run(copyOrders, { merchant_id: shop.id, id: toShip.id })
    expect((await shop.overview()).to_do.unshipped).toBe(100)
  })

  it('counts webhooks that fail, in their mode', async () => {
    const shop = await openReportShop(app)
    const body = { url: 'https://hooks.example.com/in', subscribed_events: ['*'] }
    const key = shop.keys.sandbox.secret
    for (const _ of [1, 2]) expect((await app.call('POST', '/v1/webhooks', { key, body })).status).toBe(201)
    await app.db.run(failWebhook, { merchant_id: shop.id })
    expect((await shop.overview()).to_do.failing_webhooks).toBe(1)
    expect((await shop.overview('', shop.keys.live.secret)).to_do.failing_webhooks).toBe(0)
  })

  it('checks off what a shop needs', async () => {
    const shop = await openReportShop(app)
    const key = shop.keys.sandbox.secret
    const make = async (path: string, body: object) =>
      expect((await app.call('POST', `/v1/${path}`, { key, body })).status).toBe(201)
    const checked = async (by?: string) =>
      Object.entries((await shop.overview('', by)).check_list).flatMap(([name, isDone]) => (isDone ? [name] : []))
    expect(await checked()).toEqual(['gateway', 'key'])
    expect(await checked(shop.keys.live.secret)).toEqual(['key'])
    await make('products', { name: 'Mug', price: 10, active: false })
    expect(await checked()).toEqual(['gateway', 'key'])
    await make('gateways', { code: 'test_gateway', enabled: false })
    expect(await checked()).toEqual(['key'])
    await make('products', { name: 'Cup', price: 10 })
    await make('shipping_zones', { name: 'Home', countries: ['US'], methods: [{ description: 'Post', price: 3 }] })
    await make('gateways', { code: 'manual', config: { name: 'Bank transfer' } })
    await shop.order()
    expect(await checked()).toEqual(['product', 'shipping', 'gateway', 'key', 'test_purchase'])
    expect(await checked(shop.keys.live.secret)).toEqual(['product', 'shipping', 'key', 'test_purchase'])
  })

  it('of 366 days is given, and all of them are in it', async () => {
    const shop = await openReportShop(app)
    const { days } = await shop.overview('from=2027-03-01&to=2028-02-29')
    expect([days.length, days.at(-1)?.day]).toEqual([366, '2028-02-29'])
  })

  it.each([
    ['from=2026-02-30', 'from', 'must be a date since 1970, written YYYY-MM-DD.'],
    ['from=tomorrow', 'from', 'must be a date since 1970, written YYYY-MM-DD.'],
    ['to=2026-1-5', 'to', 'must be a date since 1970, written YYYY-MM-DD.'],
    ['to=20260105', 'to', 'must be a date since 1970, written YYYY-MM-DD.'],
    ['from=0000-01-01&to=2026-01-02', 'from', 'must be a date since 1970, written YYYY-MM-DD.'],
    ['from=2026-01-02&to=2026-01-01', 'from', 'must not be after to.'],
    ['from=2027-03-01&to=2028-03-01', 'to', 'must be within 366 days of from, both included.'],
    ['compare=maybe', 'compare', 'must be true or false.'],
  ])('refuses %s', async (query, field, rule) => {
    const shop = await openReportShop(app)
    for (const report of query.startsWith('compare') ? ['overview'] : ['overview', 'products'])
      expect(await replyOf(shop.ask(`${report}?${query}`))).toEqual(malformedField(field, rule))
  })
})

it('the products that were sold come with what they brought, most first, of the days that are asked for', async () => {
  const shop = await openReportShop(app)
  const key = shop.keys.sandbox.secret
  const made = await app.call('POST', '/v1/products', { key, body: { name: 'Teapot', price: 10, permalink: 'pot' } })
  const { id } = made.body as { id: string }
  const day = app.clock.now().toISOString().slice(0, 10)
  await shop.order({ lines: [physical({ product_id: id, product_name: 'Pot', line_total: 500, quantity: 1 })] })
  await shop.order({ lines: [physical({ line_total: 2_000, discount_share: 1_000 }), digital()] })
  const gone = await shop.order({ lines: [physical({ product_id: 'prod_gone' })] }, 'manual')
  await countAll(app)
  await shop.cancel(gone.id)
  await countAll(app)
  const ask = async (query: string) => (await shop.ask(`products?${query}`)).body
  const pot = { product_id: id, name: 'Teapot', permalink: 'pot', image_url: null, quantity: 1, sales: usd(500) }
  const mug = {
    product_id: 'prod_mug',
    name: 'Mug',
    permalink: null,
    image_url: null,
    quantity: 2,
    sales: usd(1_000),
  }
  const book = { ...mug, product_id: 'prod_book', name: 'Book', quantity: 1 }
  expect(await ask(`from=${day}&to=${day}`)).toEqual({ data: [book, mug, pot] })
  expect(await ask(`from=${day}&to=${day}&limit=1`)).toEqual({ data: [book] })
  expect(await ask('from=2020-01-01&to=2020-12-31')).toEqual({ data: [] })
  expect((await shop.ask('products', shop.keys.live.secret)).body).toEqual({ data: [] })
})

describe('goods that run out', () => {
  it('are items of active products whose stock is counted, fewest first', async () => {
    const shop = await openReportShop(app)
    const key = shop.keys.sandbox.secret
    const make = async (body: object) => {
      const { status, text, body: made } = await app.call('POST', '/v1/products', { key, body: { price: 1, ...body } })
      expect([status, text]).toEqual([201, text])
      return (made as { id: string }).id
    }
    const few = await make({ name: 'Few', inventory: { available: 4 } })
    const none = await make({ name: 'None', inventory: { available: 0 } })
    await make({ name: 'Enough', inventory: { available: 5 } })
    await make({ name: 'Hidden', inventory: { available: 1 }, active: false })
    await make({ name: 'Uncounted', inventory: { managed: false, available: 1 } })
    const ask = async (query = '') => (await shop.ask(`stock?${query}`)).body as { data: { name: string }[] }
    expect(await ask()).toEqual({
      data: [
        { product_id: none, variant_id: null, name: 'None', options: [], available: 0 },
        { product_id: few, variant_id: null, name: 'Few', options: [], available: 4 },
      ],
    })
    expect((await ask('below=6')).data.map(({ name }) => name)).toEqual(['None', 'Few', 'Enough'])
    expect((await ask('below=20&limit=1')).data.map(({ name }) => name)).toEqual(['None'])
    expect((await shop.overview()).to_do.low_stock).toBe(2)
    // Each mode has stock of its own.
    await app.call('PUT', `/v1/products/${few}`, { key, body: { inventory: { available: 9 } } })
    expect((await ask()).data.map(({ name }) => name)).toEqual(['None'])
    const live = await shop.ask('stock', shop.keys.live.secret)
    expect((live.body as { data: unknown[] }).data).toHaveLength(2)
  })

  it('are variants by their options, where these have stock of their own', async () => {
    const shop = await openReportShop(app)
    const key = shop.keys.sandbox.secret
    const { body } = await app.call('POST', '/v1/products', {
      key,
      body: {
        name: 'Shirt',
        price: 10,
        inventory: { available: 50 },
        variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }],
      },
    })
    const product = body as { id: string; variant_groups: { id: string; options: { id: string; name: string }[] }[] }
    const [group] = product.variant_groups
    const large = group?.options.find(({ name }) => name === 'L')
    const made = await app.call('POST', `/v1/products/${product.id}/variants`, {
      key,
      body: { options: { [group?.id ?? '']: large?.id }, inventory: 2 },
    })
    expect([made.status, made.text]).toEqual([201, made.text])
    expect((await shop.ask('stock')).body).toEqual({
      data: [
        {
          product_id: product.id,
          variant_id: (made.body as { id: string }).id,
          name: 'Shirt',
          options: [{ group_name: 'Size', option_name: 'L' }],
          available: 2,
        },
      ],
    })
  })
})

const copyOrders = sql`
  insert into orders
  select (jsonb_populate_record(o, jsonb_build_object('id', o.id || n, 'checkout_id', o.checkout_id || n))).*
  from orders o, generate_series(1, 150) n
  where o.merchant_id = :merchant_id and o.id = :id`
const failWebhook = sql`
  update webhooks set failing_since = now()
  where merchant_id = :merchant_id and id = (select min(id) from webhooks where merchant_id = :merchant_id)`
