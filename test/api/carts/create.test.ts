// The life of a cart: GET /v1/carts makes it, GET …/{cart_id} and …/items read it, PUT and DELETE …/items/{line_item_id} change its lines,
// DELETE …/items empties it, and DELETE …/{cart_id} ends it. What is chosen of a product is in options.test.ts.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { sharedApp } from '../../support/app.ts'
import { notValid, price, unixNow } from '../../support/shop.ts'
import { addAsset } from '../products/support.ts'
import { choose, clothing } from '../products/variants/support.ts'
import { contents, expectGone, NO_LINE, onlyLine, openCartShop, shownCart, shownLine } from './support.ts'

const app = await sharedApp()
const carts = await openCartShop(app)
const { shop, call, newCart, add, get, update, updateLine, refused } = carts
const mug = await shop.create({ name: 'Mug', price: 12.5 })
const tea = await shop.create({ name: 'Tea', price: 4 })

describe('GET /v1/carts', () => {
  it('makes an empty cart that lives for 30 days, and lets no cache keep it', async () => {
    const answer = await call('GET', '')
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store'])
    expect(answer.body).toEqual(shownCart(app, carts, null))
  })

  it('makes another cart each time, with any of the four keys', async () => {
    const { sandbox, live } = shop.keys
    const ids = new Set<string>()
    for (const key of [sandbox.public, sandbox.secret, live.public, live.secret]) ids.add((await newCart(key)).id)
    expect(ids.size).toBe(4)
  })

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
  it('gives an empty cart exactly as its creation answered, and lists no lines', async () => {
    const made = await newCart()
    const answer = await call('GET', `/${made.id}`)
    expect([answer.status, answer.headers['cache-control'], answer.body]).toEqual([200, 'no-store', made])
    expect((await call('GET', `/${made.id}/items`)).body).toEqual([])
  })

  it('shows every line with all of its fields, oldest first, and the sums', async () => {
    await addAsset(app, shop, { isImage: false })
    const hidden = await addAsset(app, shop, { isPrivate: true })
    const picture = await addAsset(app, shop)
    const assets = [{ id: hidden.id }, { id: picture.id }]
    const mug = await shop.create({ name: 'Mug', price: 12.5, sku: 'MUG-1', meta: { shelf: 'b', a: 1 }, assets })
    const tea = await shop.create({ name: 'Tea', price: 3.99 })
    expect(mug.image).toEqual(picture)
    const made = await newCart()
    const created = unixNow(app)
    await add(made, tea, { quantity: 3 })
    const answer = await add(made, mug)
    expect(answer).toEqual(
      shownCart(app, carts, made.id, {
        created,
        expires: made.expires,
        total_items: 4,
        total_unique_items: 2,
        subtotal: price(24.47, '24.47'),
        line_items: [
          shownLine(tea, { quantity: 3, line_total: price(11.97, '11.97') }),
          shownLine(mug, { product_meta: { shelf: 'b', a: 1 }, image: picture }),
        ],
      }),
    )
    expect(await get(made)).toEqual(answer)
    const lines = await call('GET', `/${made.id}/items`)
    expect([lines.status, lines.headers['cache-control'], lines.body]).toEqual([200, 'no-store', answer.line_items])
  })

  it("follows the catalogue: names and prices are today's", async () => {
    const lamp = await shop.create({ name: 'Lamp', price: 40 })
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

it('emptying an empty cart is fine', async () => {
  const cart = await newCart()
  app.clock.advance(1)
  expect((await call('DELETE', `/${cart.id}/items`)).body).toEqual({ ...cart, updated: cart.updated + 1 })
})

const countLines = statement<{ lines: number }>(
  'test.count_lines',
  'select count(*) as lines from cart_lines where merchant_id = :merchant_id and cart_id = :cart_id',
)

it('a deleted cart is gone, with its lines, for every operation', async () => {
  const cart = await add(await newCart(), mug)
  const answer = await call('DELETE', `/${cart.id}`)
  expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([204, '', 'no-store'])
  expect(await app.db.one(countLines, { merchant_id: shop.id, cart_id: cart.id })).toEqual({ lines: 0 })
  await expectGone(call, cart.id, onlyLine(cart).id, mug.id)
})

async function filled() {
  const cart = await newCart()
  await add(cart, mug, { quantity: 2 })
  const { line_items, ...rest } = await add(cart, tea)
  const [first, second] = line_items
  if (!first || !second) throw new Error('There are not two lines.')
  return { cart: { ...rest, line_items }, first, second }
}

const onlyTea = (line: object) => ({
  total_items: 1,
  total_unique_items: 1,
  subtotal: tea.price,
  line_items: [line],
})

describe('PUT /v1/carts/{cart_id}/items/{line_item_id}', () => {
  it('sets the quantity, and leaves the rest of the cart as it was', async () => {
    const { cart, first, second } = await filled()
    app.clock.advance(10)
    const answer = await call('PUT', `/${cart.id}/items/${first.id}`, { quantity: 7 })
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(answer.body).toEqual({
      ...cart,
      updated: cart.updated + 10,
      total_items: 8,
      subtotal: price(91.5, '91.50'),
      line_items: [{ ...first, quantity: 7, line_total: price(87.5, '87.50') }, second],
    })
    expect(await get(cart)).toEqual(answer.body)
  })

  it.each([{}, { options: null }, { variant_id: null }, { price: 1 }])(
    'changes nothing but the time of the change when it is sent %j',
    async (body) => {
      const { cart, first } = await filled()
      app.clock.advance(1)
      expect(await updateLine(cart, first, body)).toEqual({ ...cart, updated: cart.updated + 1 })
    },
  )

  it('removes the line at a quantity of 0, whatever else is sent', async () => {
    const { cart, first, second } = await filled()
    app.clock.advance(1)
    expect(await updateLine(cart, first, { quantity: 0, options: { a: 'b' }, variant_id: 'x' })).toEqual({
      ...cart,
      ...onlyTea(second),
      updated: cart.updated + 1,
    })
    expect((await call('PUT', `/${cart.id}/items/${first.id}`, { quantity: 0 })).body).toEqual(NO_LINE)
  })

  it('refuses a quantity that makes the line worth more than a line may be', async () => {
    const gold = await shop.create({ price: 5_000_000_000 })
    const cart = await add(await newCart(), gold)
    const line = `/${cart.id}/items/${onlyLine(cart).id}`
    expect((await call('PUT', line, { quantity: 2 })).status).toBe(200)
    expect(await refused(cart, 'PUT', line, { quantity: 3 })).toEqual(
      notValid({
        quantity: ['quantity would make the line worth more than a line may be; 2 are the most at this price.'],
      }),
    )
  })

  it('lets a line whose product is gone or inactive only be removed, or left alone', async () => {
    const shirt = await clothing(shop, { name: 'Shirt' })
    const other = await shop.create({ name: 'Other' })
    const cart = await newCart()
    await add(cart, shirt)
    const [one, two] = (await add(cart, other)).line_items
    await shop.update(shirt.id, { active: false })
    await shop.call('DELETE', `/${other.id}`)
    const gone = ['The product of this line is not for sale any more; the line can only be removed.']
    const first = `/${cart.id}/items/${one?.id}`
    const second = `/${cart.id}/items/${two?.id}`
    expect(await refused(cart, 'PUT', first, { quantity: 2 })).toEqual(notValid({ quantity: gone }))
    expect(await refused(cart, 'PUT', second, { quantity: 1 })).toEqual(notValid({ quantity: gone }))
    expect(await refused(cart, 'PUT', first, { options: choose(shirt, 'Red') })).toEqual(notValid({ options: gone }))
    expect(await refused(cart, 'PUT', first, { variant_id: 'x' })).toEqual(notValid({ variant_id: gone }))
    for (const line of [first, second]) {
      expect((await call('PUT', line, {})).status).toBe(200)
      expect((await call('PUT', line, { quantity: 0 })).status).toBe(200)
    }
    expect(contents(await get(cart))).toEqual([])
  })
})

describe('DELETE /v1/carts/{cart_id}/items/{line_item_id}', () => {
  it('takes the line out and answers the cart', async () => {
    const { cart, first, second } = await filled()
    app.clock.advance(5)
    const answer = await call('DELETE', `/${cart.id}/items/${first.id}`)
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(answer.body).toEqual({ ...cart, ...onlyTea(second), updated: cart.updated + 5 })
    expect(await get(cart)).toEqual(answer.body)
  })

  it('leaves an empty cart behind the last line', async () => {
    const cart = await newCart()
    const { id } = onlyLine(await add(cart, mug))
    expect((await call('DELETE', `/${cart.id}/items/${id}`)).body).toEqual(
      shownCart(app, carts, cart.id, { created: cart.created, expires: cart.expires }),
    )
    expect(onlyLine(await add(cart, mug))).toEqual(shownLine(mug))
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
  ] as const) {
    const answer = await call(method, `/${other.id}/items/${first.id}`, body)
    expect([answer.status, answer.body]).toEqual([404, NO_LINE])
  }
  expect([await get(cart), await get(other)]).toEqual([cart, other])
})
