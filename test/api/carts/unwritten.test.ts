// A cart that nothing has been written to has no row: its id alone says that it exists, to whom, and until when. Carts live for 30 days from
// their creation, whatever happens to them; the sweep deletes them then and never earlier.

import { beforeEach, describe, expect, it } from 'vitest'
import { sweepExpiredCarts } from '../../../src/api/carts/cart.ts'
import { newId } from '../../../src/lib/ids.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { changeRows, sql } from '../../support/rows.ts'
import {
  contents,
  expectGone,
  NO_CART,
  onlyLine,
  openCartShop,
  operationsOn,
  shownCart,
  THIRTY_DAYS,
} from './support.ts'

const connection = await cloneDatabase()
const app = await testApp({ connection, trustProxy: () => true })
/** Another process on the same database. Its clock is its own. */
const other = await testApp({ connection, trustProxy: () => true })
const carts = await openCartShop(app)
const { shop, call, newCart, add, get, update } = carts
const mug = await shop.create({ name: 'Mug' })
const sweep = () => sweepExpiredCarts.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })
await app.call('POST', '/v1/discounts', {
  key: shop.keys.sandbox.secret,
  body: { type: 'percentage', value: 10, code: 'TEN' },
})

const findRows = sql<{ id: string; is_deleted: boolean; meta: unknown; lines: number }>`
  select id, is_deleted, meta,
    (select count(*) from cart_lines l where l.merchant_id = :merchant_id and l.cart_id = c.id) as lines
  from carts c where merchant_id = :merchant_id`
const rows = () => app.db.many(findRows, { merchant_id: shop.id })

beforeEach(() => changeRows(app.db, 'delete from carts', { merchant_id: shop.id }))

/** Everything that can be done with a cart. */
const OPERATIONS = [
  ...operationsOn('item_x', mug.id).map(([method, path, body]) => [method, `carts/CART${path}`, body] as const),
  ['PUT', 'carts/CART', { discount_code: 'TEN' }],
  ['PUT', 'carts/CART', { discount_code: 'WRONG' }],
  ['GET', 'checkouts/CART?type=cart', undefined],
] as const

/** No operation finds it, and none leaves anything behind. */
async function expectUnknown(id: string, key = shop.keys.sandbox.public, server = app) {
  const before = await rows()
  for (const [method, path, body] of OPERATIONS) {
    const { status, body: answer } = await server.call(method, `/v1/${path.replace('CART', id)}`, {
      key,
      headers: { 'x-forwarded-proto': 'https' },
      body,
    })
    expect([method, path, status, answer]).toEqual([method, path, 404, NO_CART])
  }
  expect(await rows()).toEqual(before)
}

describe('a new cart', () => {
  it('is known to every process, and its time is that of its id', async () => {
    const made = await newCart()
    app.clock.advance(5_000)
    const { status, body } = await other.call('GET', `/v1/carts/${made.id}`, { key: shop.keys.sandbox.public })
    expect([status, body]).toEqual([200, made])
    const filled = await add(made, mug)
    expect([filled.created, filled.expires, filled.updated]).toEqual([made.created, made.expires, made.created + 5_001])
    expect(await get(made)).toEqual(filled)
  })

  it('has a row from the first line, meta, code or emptying on, and none of a look or of what is refused', async () => {
    const refused = await newCart()
    for (const [method, path, body, status] of [
      ['GET', '', undefined, 200],
      ['GET', '/items', undefined, 200],
      ['POST', '', { id: 'prod_none' }, 422],
      ['POST', '', { id: mug.id, quantity: 1_000_001 }, 422],
      ['PUT', '', { discount_code: 'WRONG' }, 422],
      ['PUT', '', { meta: { a: 'a'.repeat(20_000) } }, 422],
      ['DELETE', '/items/item_x', undefined, 404],
      ['PUT', '/items/item_x', { quantity: 2 }, 404],
    ] as const)
      expect([path, (await call(method, `/${refused.id}${path}`, body)).status]).toEqual([path, status])
    const checkout = await app.call('GET', `/v1/checkouts/${refused.id}?type=cart`, { key: shop.keys.sandbox.public })
    expect([checkout.status, checkout.text]).toEqual([
      422,
      expect.stringContaining('The cart is empty. Add an item before you check out.'),
    ])
    expect(await rows()).toEqual([])

    const written = [await newCart(), await newCart(), await newCart(), await newCart()] as const
    expect(contents(await add(written[0], mug))).toEqual([['Mug', 1]])
    expect(await update(written[1], { meta: { a: 1 } })).toMatchObject({ meta: { a: 1 }, discount: [] })
    expect(await update(written[2], { discount_code: 'ten' })).toMatchObject({
      meta: null,
      discount: [{ code: 'TEN' }],
    })
    app.clock.advance(3)
    const emptied = await call('DELETE', `/${written[3].id}/items`)
    const { created, expires } = written[3]
    expect(emptied.body).toEqual(shownCart(app, carts, written[3].id, { created, expires }))
    expect(await get(written[3])).toEqual(emptied.body)
    expect((await rows()).map(({ id }) => id).sort()).toEqual(written.map(({ id }) => id).sort())
  })
})

describe('an id is unknown', () => {
  it('in the other mode, and in another shop', async () => {
    const { id } = await newCart()
    const elsewhere = await openCartShop(app)
    await expectUnknown(id, shop.keys.live.public)
    await expectUnknown(id, elsewhere.shop.keys.sandbox.public)
    await expectUnknown(id, elsewhere.shop.keys.live.secret)
    expect((await call('GET', `/${id}`)).status).toBe(200)
    await expectUnknown((await newCart(shop.keys.live.public)).id)
  })

  it('that is made up, or has a character changed', async () => {
    await expectUnknown(newId('cart', app.clock.now()))
    const { id } = await newCart()
    for (const place of [5, 13, 14, 21, 22, 30])
      await expectUnknown(id.slice(0, place) + (id[place] === 'a' ? 'b' : 'a') + id.slice(place + 1))
  })

  it('from the moment the cart would have expired', async () => {
    const made = await newCart()
    app.clock.advance(THIRTY_DAYS - 1)
    expect(await get(made)).toEqual(made)
    app.clock.advance(1)
    await expectUnknown(made.id)
  })
})

describe('a clock that is ahead', () => {
  const byOther = (method: 'GET' | 'POST', path: string, body?: unknown) =>
    other.call(method, `/v1/carts${path}`, { key: shop.keys.sandbox.public, ...(body ? { body } : {}) })
  const ahead = (seconds: number) =>
    app.clock.advance((other.clock.now().getTime() - app.clock.now().getTime()) / 1_000 + seconds)

  it('makes carts that other processes know, up to a day', async () => {
    ahead(86_400 - 1)
    const made = await newCart()
    expect(made.created).toBe(other.clock.now().getTime() / 1_000 + 86_400)
    expect((await byOther('GET', `/${made.id}`)).body).toEqual(made)
    const { status, body } = await byOther('POST', `/${made.id}`, { id: mug.id })
    const { created, expires } = made
    expect([status, body]).toMatchObject([200, { created, expires, total_items: 1 }])
    expect((await get(made)).total_items).toBe(1)
  })

  it('makes no others', async () => {
    ahead(86_400)
    const made = await newCart()
    await expectUnknown(made.id, shop.keys.sandbox.public, other)
    expect(await get(made)).toEqual(made)
  })
})

describe('a cart that was deleted', () => {
  it.each([
    ['without a row', async () => newCart()],
    [
      'with lines, a code and a meta',
      async () => {
        const made = await add(await newCart(), mug)
        await update(made, { meta: { a: 1 }, discount_code: 'ten' })
        return made
      },
    ],
  ])('%s stays deleted until its life is over, for every operation and process', async (_, make) => {
    const { id, expires } = await make()
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    expect(await rows()).toEqual([{ id, is_deleted: true, meta: null, lines: 0 }])
    await expectUnknown(id)
    await expectUnknown(id, shop.keys.sandbox.public, other)
    await expectUnknown(id, shop.keys.live.public)
    app.clock.advance(expires - Math.floor(app.clock.now().getTime() / 1_000) - 1)
    expect(await sweep()).toBe(0)
    await expectUnknown(id)
    app.clock.advance(1)
    expect(await sweep()).toBe(1)
    expect(await rows()).toEqual([])
    await expectUnknown(id)
  })
})

describe('a cart of an older release, whose id has no signature', () => {
  const insert = sql`
    insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at)
    values (:merchant_id, :id, true, :now, :now, :expires_at)`

  it('goes on as it is, and is unknown once its row has gone', async () => {
    const now = app.clock.now()
    const id = newId('cart', now)
    const expires_at = new Date(now.getTime() + THIRTY_DAYS * 1_000)
    await app.db.run(insert, { merchant_id: shop.id, id, now, expires_at })
    expect(await get({ id })).toEqual(shownCart(app, carts, id))
    const filled = await add({ id }, mug)
    expect(contents(filled)).toEqual([['Mug', 1]])
    expect((await update({ id }, { meta: { a: 1 } })).meta).toEqual({ a: 1 })
    expect((await carts.updateLine({ id }, onlyLine(filled), { quantity: 3 })).total_items).toBe(3)
    expect((await app.call('GET', `/v1/checkouts/${id}?type=cart`, { key: shop.keys.sandbox.public })).status).toBe(201)
    expect((await call('DELETE', `/${id}/items`)).status).toBe(200)
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    await expectUnknown(id)
    await changeRows(app.db, 'delete from carts', { merchant_id: shop.id })
    await expectUnknown(id)
  })
})

const counts = async () => {
  const stored = await rows()
  return { carts: stored.length, lines: stored.reduce((sum, { lines }) => sum + lines, 0) }
}

it('a cart is there until the moment it expires, however lately it was changed, and then it is gone', async () => {
  const cart = await newCart()
  expect(cart.expires).toBe(cart.created + THIRTY_DAYS)
  app.clock.advance(THIRTY_DAYS - 3)
  const line = onlyLine(await add(cart, mug)).id
  const late = await add(cart, mug)
  expect([late.expires, late.updated]).toEqual([cart.expires, cart.expires - 1])
  expect(await sweep()).toBe(0)
  expect(await get(cart)).toEqual(late)

  app.clock.advance(1)
  await expectGone(call, cart.id, line, mug.id)
  expect(await counts()).toEqual({ carts: 1, lines: 1 })
  expect(await sweep()).toBe(1)
  expect(await counts()).toEqual({ carts: 0, lines: 0 })
})

const makeMany = sql`
  insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at)
  select :merchant_id, 'cart_' || number, number % 2 = 0, :created_at, :created_at, :created_at from generate_series(1, 2500) number`

it('the sweep gets through any number of them, and leaves those that live', async () => {
  const cart = await add(await newCart(), mug)
  await app.db.run(makeMany, { merchant_id: shop.id, created_at: app.clock.now() })
  expect(await sweep()).toBe(2_500)
  expect(await counts()).toEqual({ carts: 1, lines: 1 })
  expect(await get(cart)).toEqual(cart)
})

it('the worker of the service sweeps', async () => {
  const cart = await add(await newCart(), mug)
  expect((await counts()).carts).toBeGreaterThan(0)
  app.clock.advance(THIRTY_DAYS + 7_200)
  const worker = app.startJobs()
  await expect.poll(async () => (await counts()).carts).toBe(0)
  await worker.stop()
  expect((await call('GET', `/${cart.id}`)).status).toBe(404)
})
