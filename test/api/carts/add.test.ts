// POST /v1/carts/{cart_id}: a product goes into the cart, or its line grows.

import { describe, expect, it } from 'vitest'
import { MAX_CART_LINES } from '../../../src/pricing/rounding.ts'
import { sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { malformedField, notValidField, price } from '../../support/shop.ts'
import { UNKNOWN_ID } from '../products/support.ts'
import { contents, onlyLine, openCartShop, shownLine } from './support.ts'

const app = await sharedApp()
const carts = await openCartShop(app)
const other = await openCartShop(app)
const { shop, call, newCart, add, get, refused } = carts
const mug = await shop.create({ name: 'Mug', price: 12.5 })

describe('POST /v1/carts/{cart_id}', () => {
  it('makes the line of the same product grow, which keeps its id', async () => {
    const cart = await newCart()
    const { id } = onlyLine(await add(cart, mug, { quantity: 2 }))
    for (const same of [{}, { options: {} }, { options: null }, { variant_id: null }]) await add(cart, mug, same)
    expect(onlyLine(await add(cart, mug, { quantity: 3 }))).toEqual(
      shownLine(mug, { id, quantity: 9, line_total: price(112.5, '112.50') }),
    )
  })

  it('counts what it cannot know of a request for nothing', async () => {
    const cart = await newCart()
    const extra = { price: 0.01, subtotal: 0, line_total: 0, merchant_id: other.shop.id, is_valid: true, name: 'Free' }
    expect(onlyLine(await add(cart, mug, extra))).toEqual(shownLine(mug))
  })

  it('takes the name of the product along, and keeps up with it as the line grows', async () => {
    const jar = await shop.create({ name: 'Jar' })
    const cart = await newCart()
    await add(cart, jar)
    await shop.update(jar.id, { name: 'Glass jar' })
    await add(cart, jar)
    await shop.update(jar.id, { name: 'Old jar' })
    await shop.call('DELETE', `/${jar.id}`)
    expect(contents(await get(cart))).toEqual([['Glass jar', 2]])
  })
})

describe('a product that cannot be added', async () => {
  const inactive = await shop.create({ active: false })
  const foreign = await other.shop.create()
  const deleted = await shop.create()
  await shop.call('DELETE', `/${deleted.id}`)

  it.each([
    ['unknown', UNKNOWN_ID],
    ['inactive', inactive.id],
    ["another merchant's", foreign.id],
    ['deleted', deleted.id],
    ['not an id', ''],
  ])('because it is %s is refused in the same words', async (_why, id) => {
    const cart = await add(await newCart(), mug)
    expect(await refused(cart, 'POST', '', { id })).toEqual(
      notValidField('id', 'must be the id of a product that is for sale.'),
    )
  })

  it('is not added with the secret key either', async () => {
    const cart = await newCart()
    expect((await call('POST', `/${cart.id}`, { id: inactive.id }, shop.keys.sandbox.secret)).status).toBe(422)
  })
})

it('a quantity of none is refused, and the cart stays as it is', async () => {
  const cart = await add(await newCart(), mug)
  const rule = 'must be 1 or more, or negative to reduce a line.'
  for (const quantity of [0, '0'])
    expect(await refused(cart, 'POST', '', { id: mug.id, quantity })).toEqual(malformedField('quantity', rule))
})

describe('a line', () => {
  const TOO_MANY = notValidField('quantity', 'must leave the line at 1000000 or less.')

  it('holds a million at most, however it comes to that', async () => {
    const cart = await newCart()
    await add(cart, mug, { quantity: 1_000_000 })
    expect(await refused(cart, 'POST', '', { id: mug.id })).toEqual(TOO_MANY)
    const second = await add(await newCart(), mug, { quantity: 2 })
    expect(await refused(second, 'POST', '', { id: mug.id, quantity: 999_999 })).toEqual(TOO_MANY)
  })

  // reliability.md, V2. The limit and what price() makes of it are two pieces of code, which this holds together.
  it.each([
    ['the price of the product', 9_999_999_999.99, undefined, 1],
    ['a third of the limit', 3_333_333_333.33, undefined, 3],
    ['what an option adds', 2_000_000_000, 3_000_000_000, 2],
    ['an option that makes it cheaper', 5_000_000_001, -1, 2],
    ['nothing', 1, -1, 1_000_000],
  ])('is worth no more than a line may be: %s', async (_what, amount, delta, most) => {
    const product = await shop.create({
      name: 'Gold',
      price: amount,
      ...(delta === undefined ? {} : { variant_groups: [{ name: 'Box', options: [{ name: 'Box', price: delta }] }] }),
    })
    const [group] = product.variant_groups
    const body = { id: product.id, ...(group ? { options: { [group.id]: group.options[0]?.id } } : {}) }
    const cart = await newCart()
    expect((await call('POST', `/${cart.id}`, { ...body, quantity: most })).status).toBe(200)
    const line = onlyLine(await get(cart))
    expect([line.is_valid, line.line_total.raw > 0]).toEqual([true, most < 1_000_000])
    const rule = `must leave the line at ${most} or less at this price: its total would be too high.`
    expect(await refused(cart, 'POST', '', body)).toEqual(most < 1_000_000 ? notValidField('quantity', rule) : TOO_MANY)
    if (most === 1_000_000) return
    const change = { quantity: most + 1 }
    expect(await refused(cart, 'PUT', `/items/${line.id}`, change)).toEqual(notValidField('quantity', rule))
  })
})

const fillLines = sql`
  insert into cart_lines (merchant_id, cart_id, id, product_id, name, options, quantity)
  select :merchant_id, :cart_id, 'item_' || number, 'prod_' || number, 'Gone', '{}', 1 from generate_series(1, :count::integer) number`

it('a cart has 300 lines at most; those that it has still grow', async () => {
  const cart = await newCart()
  const { id } = onlyLine(await add(cart, mug))
  await app.db.run(fillLines, { merchant_id: shop.id, cart_id: cart.id, count: MAX_CART_LINES - 2 })
  const spoon = await shop.create({ name: 'Spoon' })
  const late = await shop.create({ name: 'Late' })
  expect((await add(cart, spoon)).total_unique_items).toBe(MAX_CART_LINES)
  expect(await refused(cart, 'POST', '', { id: late.id })).toEqual(
    notValidField('id', `would exceed the ${MAX_CART_LINES} lines that a cart can have. Remove a line first.`),
  )
  expect((await add(cart, mug)).line_items.find((line) => line.id === id)?.quantity).toBe(2)
})
