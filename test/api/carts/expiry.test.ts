// Carts live for 30 days from their creation, whatever happens to them; the sweep deletes them then and never earlier.

import { expect, it } from 'vitest'
import { sweepExpiredCarts } from '../../../src/api/carts/cart.ts'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { expectGone, onlyLine, openCartShop, THIRTY_DAYS } from './support.ts'

const app = await testApp()
const { shop, call, newCart, add, get } = await openCartShop(app)
const mug = await shop.create()
const sweep = () => sweepExpiredCarts.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })

const count = statement<{ carts: number; lines: number }>(
  'test.count_carts',
  `select (select count(*) from carts where merchant_id = :merchant_id) as carts,
     (select count(*) from cart_lines where merchant_id = :merchant_id) as lines`,
)
const counts = () => app.db.one(count, { merchant_id: shop.id })

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

const makeMany = statement(
  'test.many_carts',
  `insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at)
   select :merchant_id, 'cart_' || number, number % 2 = 0, :created_at, :created_at, :created_at from generate_series(1, 2500) number`,
)

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
