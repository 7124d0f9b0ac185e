// How orders are counted among the sales of their day: each once, whatever dies or runs beside, and out of the same day when it is cancelled.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { changeRows, sql } from '../../support/rows.ts'
import { DAY } from '../../support/shop.ts'
import { physical } from '../orders/support.ts'
import { countAll, openReportShop, soldOn, sumsOf } from './support.ts'

// Its own database: the sweep goes through all shops. Two processes on it.
const connection = await cloneDatabase()
const app = await testApp({ connection, trustProxy: () => true })
const other = await testApp({ connection })

const today = () => app.clock.now().toISOString().slice(0, 10)

describe('an order', () => {
  it('is counted once, however often the sweep runs, with what its lines came to less discounts', async () => {
    const shop = await openReportShop(app)
    const day = today()
    await shop.order({
      lines: [physical({ discount_share: 500 }), physical({ id: 'item_2', quantity: 3, line_total: 3_000 })],
    })
    expect(await countAll(app)).toBe(1)
    expect(await countAll(app)).toBe(0)
    expect(await sumsOf(app, shop.id)).toBe(`${day} 1 0 5000 | ${day} prod_mug 5 4500`)
  })

  it('is counted once by processes that count at the same moment', async () => {
    const shop = await openReportShop(app)
    const day = today()
    for (let count = 0; count < 130; count++) await shop.order()
    const counted = await Promise.all([countAll(app), countAll(other), countAll(app), countAll(other)])
    // One that was passed over because another held it is that one's.
    expect(counted.reduce((sum, each) => sum + each, 0)).toBe(130)
    expect(await sumsOf(app, shop.id)).toBe(`${day} 130 129 260000 | ${day} prod_mug 260 260000`)
  })

  it('that keeps its shop from being counted does not keep the others, and is counted by the next process', async () => {
    const [one, two] = [await openReportShop(app), await openReportShop(app)]
    const day = today()
    await one.order({ lines: [physical({ product_id: 'prod_bad' })] })
    await two.order()
    await app.db.run(breakCountingOfBad, {})
    await expect(countAll(app)).rejects.toThrow('The sales of 1 shops were not counted.')
    expect([await sumsOf(app, one.id), await sumsOf(app, two.id)]).toEqual([null, expect.any(String)])
    await app.db.run(mendCounting, {})
    expect(await countAll(other)).toBe(1)
    expect(await sumsOf(app, one.id)).toBe(`${day} 1 0 2000 | ${day} prod_bad 2 2000`)
  })

  it('that is cancelled leaves the day that it was counted in, also where the shop has moved to another time zone', async () => {
    const shop = await openReportShop(app)
    const day = today()
    const kept = await shop.order()
    const gone = await shop.order({}, 'manual')
    await countAll(app)
    await shop.zone('Pacific/Kiritimati')
    await shop.cancel(gone.id)
    expect(soldOn(await shop.overview(`from=${day}&to=${day}`))).toEqual([[day, 1, 20]])
    expect(await countAll(app)).toBe(1)
    expect(await countAll(app)).toBe(0)
    expect(await sumsOf(app, shop.id)).toBe(`${day} 1 0 2000 | ${day} prod_mug 2 2000`)
    expect(soldOn(await shop.overview(`from=${day}&to=${day}`))).toEqual([[day, 1, 20]])
    expect((await shop.get(kept.id)).status).toBe('open')
  })

  it('that is cancelled before it was counted is never counted', async () => {
    const shop = await openReportShop(app)
    await shop.cancel((await shop.order({}, 'manual')).id)
    expect(await countAll(app)).toBe(0)
    expect(await sumsOf(app, shop.id)).toBeNull()
  })

  it('that a refund is made for stays counted', async () => {
    const shop = await openReportShop(app)
    const day = today()
    const order = await shop.order()
    await shop.succeed(200, 'POST', `/${order.id}/refund`, {})
    await countAll(app)
    expect(await sumsOf(app, shop.id)).toBe(`${day} 1 0 2000 | ${day} prod_mug 2 2000`)
  })

  it('that is changed while it is counted is counted all the same, a moment later', async () => {
    const shop = await openReportShop(app)
    const order = await shop.order()
    await app.db.transaction(async (tx) => {
      await changeRows(tx, 'update orders set updated_at = updated_at', { merchant_id: shop.id, id: order.id })
      expect(await countAll(other)).toBe(0)
    })
    expect(await countAll(other)).toBe(1)
  })

  it('of the sandbox is not among the live ones', async () => {
    const shop = await openReportShop(app)
    await shop.order()
    await shop.order({ total_with_tax: 700 }, 'manual', { is_sandbox: false })
    await countAll(app)
    expect((await shop.overview()).totals.sales.raw).toBe(20)
    expect((await shop.overview('', shop.keys.live.secret)).totals.sales.raw).toBe(7)
  })
})

it.each([
  // Clocks go forward at 02:00 on the 29th of March, and back at 03:00 on the 25th of October.
  ['Europe/Berlin', '2026-03-28T22:59:59Z', '2026-03-28'],
  ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
  ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
  ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
  ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25'],
  ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
  ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26'],
  ['America/New_York', '2026-11-01T03:59:59Z', '2026-10-31'],
  ['America/New_York', '2026-11-02T04:59:59Z', '2026-11-01'],
  ['Asia/Kolkata', '2026-06-30T18:30:00Z', '2026-07-01'],
])('a day in %s has what was ordered at %s on %s', async (zone, moment, day) => {
  const shop = await openReportShop(app)
  await shop.zone(zone)
  await changeRows(
    app.db,
    'update orders set created_at = :at',
    { merchant_id: shop.id, id: (await shop.order()).id },
    { at: new Date(moment) },
  )
  const range = 'from=2026-01-01&to=2026-12-31'
  expect(soldOn(await shop.overview(range))).toEqual([[day, 1, 20]])
  await countAll(app)
  expect(soldOn(await shop.overview(range))).toEqual([[day, 1, 20]])
  expect(await sumsOf(app, shop.id)).toBe(`${day} 1 0 2000 | ${day} prod_mug 2 2000`)
  app.clock.advance(DAY / 24)
})

const mendCounting = sql`alter table sales_days drop constraint broken`
const breakCountingOfBad = sql`alter table sales_days add constraint broken check (product_id <> 'prod_bad') not valid`
