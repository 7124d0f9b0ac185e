// carts.abandoned: once for each cart that was left with something in it, a day after its last change.

import { afterEach, describe, expect, it } from 'vitest'
import { sweepAbandonedCarts } from '../../../src/api/carts/lifetime/abandoned.ts'
import type { Cart } from '../../../src/api/carts/schema.ts'
import { registerSweep } from '../../../src/jobs/schedule.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { changeRows, countRows, sql } from '../../support/rows.ts'
import { atOnce, DAY, eventsOf, ORIGIN } from '../../support/shop.ts'
import { CARD, CUSTOMER } from '../checkouts/capture-support.ts'
import { openCartShop, THIRTY_DAYS } from './support.ts'

// Its own database: the sweep goes through all shops, and keeps its place in one row.
const app = await testApp({ trustProxy: () => true, connection: await cloneDatabase() })
const { shop, call, newCart, add, get } = await openCartShop(app)
const mug = await shop.create({ name: 'Mug' })

const context = () => ({ db: app.db, clock: app.clock, signal: new AbortController().signal })
const abandoned = sweepAbandonedCarts({ publicUrl: ORIGIN })
const sweep = () => abandoned.run(context())
/** The sweep looks at carts by the five minutes in which they were made. */
const SLICE = 300
const MINUTES = 60

/** From the moment on at which there was a run, carts are looked at. */
await registerSweep(app.db, abandoned, app.clock.now())
await sweep()
afterEach(async () => {
  app.clock.advance(2 * DAY)
  await sweep()
})

/** Carts that were told of since the last call, by their ids. */
let known = 0
async function told() {
  const events = (await eventsOf(app.db, shop.id, 'cart')).slice(known)
  known += events.length
  return events
}
const toldIds = async () => (await told()).map(({ payload }) => (payload as Cart).id)

const looks = () => countRows(app.db, 'cart_looks', { merchant_id: shop.id })

const readPlaces = sql<{ places: string }>`select places::text as places from schedules where name = 'abandoned-carts'`

const setCurrency = sql`update merchants set currency = :currency where merchant_id = :merchant_id`

const order = async (cart: { id: string }) => {
  const key = shop.keys.sandbox.public
  const token = (await app.call('GET', `/v1/checkouts/${cart.id}?type=cart`, { key })).body as { id: string }
  const body = { customer: CUSTOMER, payment: CARD }
  const { status, text } = await app.call('POST', `/v1/checkouts/${token.id}`, { key, body })
  expect([status, text]).toEqual([200, text])
}

describe('a cart that was left', () => {
  it('is told a day after its last change, once, as the secret key is shown it', async () => {
    const cart = await add(await newCart(), mug, { quantity: 2 })
    app.clock.advance(DAY - 1)
    await sweep()
    expect(await told()).toEqual([])
    app.clock.advance(2 * SLICE)
    expect(await sweep()).toBe(1)
    const shown = await get(cart, shop.keys.sandbox.secret)
    expect(await told()).toEqual([
      { name: 'carts.abandoned', kind: 'cart', sandbox: true, payload: shown, response_code: 200 },
    ])
    expect(shown.updated).toBe(cart.updated)
    // Neither by time nor by what the shopper does with it later.
    app.clock.advance(2 * DAY)
    await sweep()
    await add(cart, mug)
    app.clock.advance(2 * DAY)
    await sweep()
    expect([await told(), await looks()]).toEqual([[], 0])
  })

  it('and was changed within the day is told a day after that', async () => {
    const cart = await add(await newCart(), mug)
    for (const hours of [23, 20, 23]) {
      app.clock.advance(hours * 60 * MINUTES)
      await add(cart, mug)
      await sweep()
    }
    app.clock.advance(DAY - 1)
    await sweep()
    expect([await told(), await looks()]).toEqual([[], 1])
    app.clock.advance(1)
    await sweep()
    expect([await toldIds(), await looks()]).toEqual([[cart.id], 0])
  })

  it('is told though those of another shop cannot be, which wait until they can', async () => {
    const other = await openCartShop(app)
    const broken = await other.add(await other.newCart(), await other.shop.create())
    const cart = await add(await newCart(), mug)
    app.clock.advance(DAY + 2 * SLICE)
    await app.db.run(setCurrency, { merchant_id: other.shop.id, currency: 'ZZZ' })
    await expect(sweep()).rejects.toThrow('Abandoned carts of 1 shops could not be processed.')
    expect([await toldIds(), await eventsOf(app.db, other.shop.id, 'cart')]).toEqual([[cart.id], []])
    await app.db.run(setCurrency, { merchant_id: other.shop.id, currency: 'USD' })
    expect(await sweep()).toBe(1)
    const [event] = await eventsOf(app.db, other.shop.id, 'cart')
    expect(event?.payload).toMatchObject({ id: broken.id })
  })

  it('is told in its mode, though the sweep did not run for days', async () => {
    const one = await add(await newCart(), mug)
    app.clock.advance(2 * DAY)
    const key = shop.keys.live.public
    const other = await add(await newCart(key), mug, {}, key)
    app.clock.advance(3 * DAY)
    await sweep()
    const modes = (await told()).map(({ sandbox, payload }) => [(payload as Cart).id, sandbox])
    expect(Object.fromEntries(modes)).toEqual({ [one.id]: true, [other.id]: false })
    expect(modes).toHaveLength(2)
  })
})

describe('no cart', () => {
  it.each<[string, (cart: Cart) => Promise<unknown>]>([
    ['one of which an order was made', order],
    ['one that was deleted', (cart) => call('DELETE', `/${cart.id}`)],
  ])('is told: %s', async (_what, change) => {
    const cart = await add(await newCart(), mug)
    app.clock.advance(60)
    await change(cart)
    app.clock.advance(DAY + 2 * SLICE)
    await sweep()
    expect([await told(), await looks()]).toEqual([[], 0])
  })

  it('is told of which an order is made, or that is deleted, only after it was noted', async () => {
    const [bought, gone] = [await add(await newCart(), mug), await add(await newCart(), mug)]
    app.clock.advance(23 * 60 * MINUTES)
    for (const cart of [bought, gone]) await add(cart, mug)
    app.clock.advance(2 * 60 * MINUTES)
    await sweep()
    expect(await looks()).toBe(2)
    await order(bought)
    await call('DELETE', `/${gone.id}`)
    app.clock.advance(DAY)
    await sweep()
    expect([await told(), await looks()]).toEqual([[], 0])
  })

  it('is told that is empty; filled again, it is told a day after that, and one that stays empty is forgotten when it expires', async () => {
    const [filled, empty] = [await add(await newCart(), mug), await add(await newCart(), mug)]
    for (const cart of [filled, empty]) expect((await call('DELETE', `/${cart.id}/items`)).status).toBe(200)
    app.clock.advance(DAY + 2 * SLICE)
    await sweep()
    expect([await told(), await looks()]).toEqual([[], 2])
    app.clock.advance(3 * DAY + 7 * 60 * MINUTES)
    await sweep()
    await add(filled, mug)
    app.clock.advance(DAY - 1)
    await sweep()
    expect(await told()).toEqual([])
    app.clock.advance(1)
    await sweep()
    expect([await toldIds(), await looks()]).toEqual([[filled.id], 1])
    app.clock.advance(THIRTY_DAYS)
    await sweep()
    expect([await told(), await looks()]).toEqual([[], 0])
  })

  it('is told twice, by runs that overlap or begin anew from an older place', async () => {
    const carts = await atOnce(12, () => newCart())
    for (const cart of carts) await add(cart, mug)
    app.clock.advance(DAY + 2 * SLICE)
    const [{ places } = { places: '{}' }] = await app.db.many(readPlaces, {})
    await atOnce(4, sweep)
    expect((await toldIds()).sort()).toEqual(carts.map(({ id }) => id).sort())
    await changeRows(app.db, 'update schedules set places = :places', { name: 'abandoned-carts' }, { places })
    await sweep()
    expect([await told(), await looks()]).toEqual([[], 0])
  })
})
