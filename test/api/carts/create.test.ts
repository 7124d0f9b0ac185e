// The life of a cart: GET /v1/carts makes it, PUT …/items/{line_item_id} changes its lines, and DELETE …/items empties it. test/versions/golden
// has its bodies, unwritten.test.ts its end, and options.test.ts what is chosen of a product.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { notValid, price, replyOf } from '../../support/shop.ts'
import { addAsset } from '../products/support.ts'
import { choose, clothing } from '../products/variants/support.ts'
import { contents, NO_LINE, openCartShop, shownCart, shownLine } from './support.ts'

const app = await sharedApp()
const carts = await openCartShop(app)
const { shop, call, newCart, add, get, update, updateLine, refused } = carts
const mug = await shop.create({ name: 'Mug', price: 12.5 })
const tea = await shop.create({ name: 'Tea', price: 4 })

describe('GET /v1/carts', () => {
  it('is not made by a HEAD, which only looks', async () => {
    const { status, headers } = await app.call('HEAD', '/v1/carts', { key: shop.keys.sandbox.public })
    expect([status, headers.allow]).toEqual([405, 'GET'])
  })

  it('shows amounts in the currency of the merchant', async () => {
    const { newCart: newYenCart } = await openCartShop(app, { currency: 'JPY' })
    const { currency, subtotal } = await newYenCart()
    expect([currency, subtotal]).toEqual([
      { code: 'JPY', symbol: '¥' },
      { raw: 0, formatted: '0', formatted_with_symbol: '¥0', formatted_with_code: '0 JPY' },
    ])
  })
})

describe('GET /v1/carts/{cart_id}', () => {
  it("follows the catalogue: names, prices and the first public picture are today's", async () => {
    const [hidden, picture] = [await addAsset(app, shop, { isPrivate: true }), await addAsset(app, shop)]
    const lamp = await shop.create({ name: 'Lamp', price: 40, assets: [hidden.id, picture.id] })
    expect(lamp.image).toEqual(picture)
    const made = await newCart()
    await add(made, lamp, { quantity: 2 })
    const renamed = await shop.update(lamp.id, { name: 'Floor lamp', price: 45.5, permalink: 'floor-lamp' })
    const { line_items, subtotal } = await get(made)
    expect([line_items, subtotal]).toEqual([
      [shownLine(renamed, { quantity: 2, line_total: price(91, '91.00') })],
      price(91, '91.00'),
    ])
  })
})

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

async function filled() {
  const cart = await newCart()
  await add(cart, mug, { quantity: 2 })
  const { line_items, ...rest } = await add(cart, tea)
  const [first, second] = line_items
  if (!first || !second) throw new Error('There are not two lines.')
  return { cart: { ...rest, line_items }, first, second }
}

describe('PUT /v1/carts/{cart_id}/items/{line_item_id}', () => {
  it('changes nothing but the time of the change when it is sent nothing of its own', async () => {
    const { cart, first } = await filled()
    app.clock.advance(1)
    for (const body of [{}, { options: null }, { variant_id: null }, { price: 1 }])
      expect(await updateLine(cart, first, body)).toEqual({ ...cart, updated: cart.updated + 1 })
  })

  it('removes the line at a quantity of 0, whatever else is sent', async () => {
    const { cart, first, second } = await filled()
    app.clock.advance(1)
    expect(await updateLine(cart, first, { quantity: 0, options: { a: 'b' }, variant_id: 'x' })).toEqual({
      ...cart,
      updated: cart.updated + 1,
      total_items: 1,
      total_unique_items: 1,
      subtotal: tea.price,
      line_items: [second],
    })
    expect((await call('PUT', `/${cart.id}/items/${first.id}`, { quantity: 0 })).body).toEqual(NO_LINE)
  })

  it('lets a line whose product is gone or inactive only be removed, or left alone', async () => {
    const shirt = await clothing(shop, { name: 'Shirt' })
    const other = await shop.create({ name: 'Other' })
    const cart = await newCart()
    await add(cart, shirt)
    const [one, two] = (await add(cart, other)).line_items
    await shop.update(shirt.id, { active: false })
    await shop.call('DELETE', `/${other.id}`)
    const gone = (field: string) => [
      422,
      notValid({ [field]: ['The product of this line is not for sale any more; the line can only be removed.'] }),
    ]
    const first = `/items/${one?.id}`
    const second = `/items/${two?.id}`
    expect(await refused(cart, 'PUT', first, { quantity: 2 })).toEqual(gone('quantity'))
    expect(await refused(cart, 'PUT', second, { quantity: 1 })).toEqual(gone('quantity'))
    expect(await refused(cart, 'PUT', first, { options: choose(shirt, 'Red') })).toEqual(gone('options'))
    expect(await refused(cart, 'PUT', first, { variant_id: 'x' })).toEqual(gone('variant_id'))
    for (const line of [first, second]) {
      expect((await call('PUT', `/${cart.id}${line}`, {})).status).toBe(200)
      expect((await call('PUT', `/${cart.id}${line}`, { quantity: 0 })).status).toBe(200)
    }
    expect(contents(await get(cart))).toEqual([])
  })
})

it('a line of another cart is 404, and neither cart is changed', async () => {
  const [{ cart, first }, { cart: other }] = [await filled(), await filled()]
  app.clock.advance(1)
  for (const [method, body] of [
    ['PUT', { quantity: 2 }],
    ['PUT', { quantity: 0 }],
    ['PUT', { options: {} }],
    ['PUT', {}],
    ['DELETE', undefined],
  ] as const)
    expect(await replyOf(call(method, `/${other.id}/items/${first.id}`, body))).toEqual([404, NO_LINE])
  expect([await get(cart), await get(other)]).toEqual([cart, other])
})
