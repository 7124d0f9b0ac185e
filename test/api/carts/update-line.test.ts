// PUT and DELETE /v1/carts/{cart_id}/items/{line_item_id}: a line's quantity, and its end. What is chosen is in options.test.ts.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { malformed, notValid, price } from '../../support/shop.ts'
import { choose, clothing } from '../products/variants/support.ts'
import { contents, NO_LINE, onlyLine, openCartShop, shownCart, shownLine, UNKNOWN_LINE } from './support.ts'

const app = await testApp()
const carts = await openCartShop(app)
const { shop, call, newCart, add, get, updateLine, refused } = carts
const mug = await shop.create({ name: 'Mug', price: 12.5 })
const tea = await shop.create({ name: 'Tea', price: 4 })

async function filled() {
  const cart = await newCart()
  await add(cart, mug, { quantity: 2 })
  const { line_items, ...rest } = await add(cart, tea)
  const [first, second] = line_items
  if (!first || !second) throw new Error('There are not two lines.')
  return { cart: { ...rest, line_items }, first, second }
}

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
      updated: cart.updated + 1,
      total_items: 1,
      total_unique_items: 1,
      subtotal: tea.price,
      line_items: [second],
    })
    expect((await call('PUT', `/${cart.id}/items/${first.id}`, { quantity: 0 })).body).toEqual(NO_LINE)
  })

  it.each([
    [-1, ['quantity must be 0 or more.']],
    [1.5, ['quantity must be an integer.']],
    ['two', ['quantity must be an integer.']],
    ['-1', ['quantity must be 0 or more.']],
    [true, ['quantity must be an integer.']],
    [1_000_001, ['quantity must be 1000000 or less.']],
    [2 ** 53, ['quantity must be 1000000 or less.']],
  ])('refuses the quantity %j, and the cart stays as it is', async (quantity, sentences) => {
    const { cart, first } = await filled()
    expect(await refused(cart, 'PUT', `/${cart.id}/items/${first.id}`, { quantity })).toEqual(
      malformed({ quantity: sentences }),
    )
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
    expect(answer.body).toEqual({
      ...cart,
      updated: cart.updated + 5,
      total_items: 1,
      total_unique_items: 1,
      subtotal: tea.price,
      line_items: [second],
    })
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

it.each([
  ['PUT', { quantity: 2 }],
  ['PUT', { quantity: 0 }],
  ['PUT', { options: {} }],
  ['PUT', {}],
  ['DELETE', undefined],
] as const)('%s %j of a line that is not in this cart is 404, and changes neither cart', async (method, body) => {
  const { cart, first } = await filled()
  const { cart: other } = await filled()
  app.clock.advance(1)
  for (const line of [UNKNOWN_LINE, first.id, 'x']) {
    const answer = await call(method, `/${other.id}/items/${line}`, body)
    expect([answer.status, answer.body]).toEqual([404, NO_LINE])
  }
  expect([await get(cart), await get(other)]).toEqual([cart, other])
})
