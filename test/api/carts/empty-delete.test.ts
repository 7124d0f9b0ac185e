// DELETE /v1/carts/{cart_id}/items empties a cart, DELETE /v1/carts/{cart_id} ends it.

import { expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { contents, NO_CART, onlyLine, openCartShop, shownCart } from './support.ts'

const app = await testApp()
const carts = await openCartShop(app)
const { shop, call, newCart, add, get, update } = carts
const mug = await shop.create({ name: 'Mug' })
const tea = await shop.create({ name: 'Tea' })

it('emptying takes every line out, keeps the cart and its meta, and leaves other carts alone', async () => {
  const other = await add(await newCart(), mug)
  const cart = await newCart()
  await update(cart, { meta: { a: 1 } })
  await add(cart, mug, { quantity: 2 })
  await add(cart, tea)
  app.clock.advance(9)
  const answer = await call('DELETE', `/${cart.id}/items`)
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
  const { created, expires } = cart
  expect(answer.body).toEqual(shownCart(app, carts, cart.id, { created, expires, meta: { a: 1 } }))
  expect(await get(cart)).toEqual(answer.body)
  expect(await get(other)).toEqual(other)
  expect(contents(await add(cart, tea))).toEqual([['Tea', 1]])
})

it('emptying an empty cart is fine', async () => {
  const cart = await newCart()
  app.clock.advance(1)
  const { status, body } = await call('DELETE', `/${cart.id}/items`)
  expect([status, body]).toEqual([200, { ...cart, updated: cart.updated + 1 }])
})

const countLines = statement<{ lines: number }>(
  'test.count_lines',
  'select count(*) as lines from cart_lines where merchant_id = :merchant_id and cart_id = :cart_id',
)

it('a deleted cart is gone, with its lines, for every operation', async () => {
  const cart = await add(await newCart(), mug)
  const line = onlyLine(cart).id
  const answer = await call('DELETE', `/${cart.id}`)
  expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([204, '', 'no-store'])
  expect(await app.db.one(countLines, { merchant_id: shop.id, cart_id: cart.id })).toEqual({ lines: 0 })
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['POST', '', { id: mug.id }],
    ['PUT', '', { meta: {} }],
    ['DELETE', '', undefined],
    ['GET', '/items', undefined],
    ['DELETE', '/items', undefined],
    ['PUT', `/items/${line}`, { quantity: 1 }],
    ['DELETE', `/items/${line}`, undefined],
  ] as const) {
    const { status, body: gone } = await call(method, `/${cart.id}${path}`, body)
    expect([method, path, status, gone]).toEqual([method, path, 404, NO_CART])
  }
})
