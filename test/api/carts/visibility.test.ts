// Who may use a cart: any key of its merchant, in its own mode. To everybody else it is not there, in the same bytes.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { NO_CART, onlyLine, openCartShop, UNKNOWN_CART } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const carts = await openCartShop(app)
const { shop, call, newCart, add, get } = carts
const stranger = (await openCartShop(app)).shop.keys
const mug = await shop.create({ name: 'Mug' })
const { sandbox, live } = shop.keys

const cart = await add(await newCart(), mug)
const line = onlyLine(cart).id

/** Every operation on a cart, with a body that would succeed. */
const operations = [
  ['GET', '', undefined],
  ['POST', '', { id: mug.id }],
  ['PUT', '', { meta: { a: 1 } }],
  ['GET', '/items', undefined],
  ['PUT', `/items/${line}`, { quantity: 2 }],
  ['PUT', `/items/${line}`, { options: {} }],
  ['DELETE', `/items/${line}`, undefined],
  ['DELETE', '/items', undefined],
  ['DELETE', '', undefined],
] as const

describe.each(operations)('%s /v1/carts/{cart_id}%s %j', (method, path, body) => {
  it.each([
    ["another merchant's public key", stranger.sandbox.public],
    ["another merchant's secret key", stranger.sandbox.secret],
    ['the live public key', live.public],
    ['the live secret key', live.secret],
  ])('is 404 with %s, as for a cart that never was', async (_who, key) => {
    const foreign = await call(method, `/${cart.id}${path}`, body, key)
    const unknown = await call(method, `/${UNKNOWN_CART}${path}`, body, key)
    expect([foreign.status, foreign.body]).toEqual([404, NO_CART])
    expect(foreign.text).toBe(unknown.text)
    expect(await get(cart)).toEqual(cart)
  })

  it('is 401 without a key', async () => {
    const answer = await app.call(method, `/v1/carts/${cart.id}${path}`, body === undefined ? {} : { body })
    expect([answer.status, answer.headers['cache-control']]).toEqual([401, 'no-store'])
  })

  it('works with the secret key of the same mode', async () => {
    const own = await add(await newCart(), mug)
    const there = path.replace(line, onlyLine(own).id)
    expect((await call(method, `/${own.id}${there}`, body, sandbox.secret)).status).toBe(
      method === 'DELETE' && path === '' ? 204 : 200,
    )
  })
})

it('a live cart is there for live keys alone', async () => {
  const made = await newCart(live.public)
  expect((await get(made, live.secret)).id).toBe(made.id)
  expect((await call('GET', `/${made.id}`)).status).toBe(404)
  expect((await call('GET', `/${made.id}`, undefined, sandbox.secret)).status).toBe(404)
})
