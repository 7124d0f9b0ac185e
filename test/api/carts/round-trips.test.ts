// @alone: it counts what the process sends.
// How many statements each operation on carts sends. test/plans says how many rows each statement visits.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { addVariant, choose, clothing } from '../products/variants/support.ts'
import { statementsOf, tripsOf } from '../statements.ts'
import { openCartShop } from './support.ts'

const app = await testApp()
const { shop, call, newCart, add } = await openCartShop(app)
const shirt = await clothing(shop, { inventory: { managed: true, available: 1_000_000 } })
const variant = await addVariant(app, shop, shirt.id, { options: choose(shirt, 'Red', 'S') })
const mug = await shop.create()
await app.call('POST', '/v1/discounts', {
  key: shop.keys.sandbox.secret,
  body: { type: 'percentage', value: 10, code: 'TEN', limit: 100 },
})

const succeeding = (work: () => Promise<{ status: number }>) => async () =>
  expect((await work()).status).toBeLessThan(500)

describe('the statements of an operation', async () => {
  const blue = choose(shirt, 'Blue', 'S')
  const cart = await newCart()
  await add(cart, mug)
  const { line_items } = await add(cart, shirt, { variant_id: variant.id })
  // What lines show of their products is known by now, but for what is new below.
  const before = await newCart()
  await add(before, shirt, { options: blue })
  await add(before, shirt, { options: choose(shirt, 'Red') })
  const open = `/${before.id}`
  const [first, second] = line_items.map(({ id }) => `/${cart.id}/items/${id}`)
  const path = `/${cart.id}`

  it.each([
    ['creating', 'GET', '', undefined, []],
    ['reading', 'GET', path, undefined, ['carts.find']],
    ['adding a new line', 'POST', path, { id: shirt.id, options: blue }, ['carts.find_with_wish', 'carts.put_line']],
    [
      'adding a variant',
      'POST',
      path,
      { id: shirt.id, variant_id: variant.id },
      ['carts.find_with_wish', 'carts.put_line'],
    ],
    [
      'an add that is refused',
      'POST',
      path,
      { id: shirt.id, quantity: 1_000_000, options: blue },
      ['carts.find_with_wish'],
    ],
    [
      'changing the options',
      'PUT',
      second,
      { options: blue },
      ['carts.find', 'carts.find_with_wish', 'carts.join_lines'],
    ],
    [
      'a choice that nobody has made here yet',
      'POST',
      path,
      { id: shirt.id, options: choose(shirt, 'Blue', 'L') },
      ['carts.find_with_wish', 'lines.find_goods', 'carts.put_line'],
    ],
    ['reading, while something counted is left to choose', 'GET', open, undefined, ['carts.find', 'lines.find_stock']],
    ['setting a quantity', 'PUT', first, { quantity: 3 }, ['carts.find', 'carts.put_line']],
    ['setting the meta', 'PUT', path, { meta: {} }, ['carts.make_or_update', 'carts.find']],
    [
      'entering a code',
      'PUT',
      path,
      { discount_code: 'ten' },
      ['discounts.guess_usable', 'carts.make_or_update', 'carts.find'],
    ],
    ['a code that is refused', 'PUT', path, { discount_code: 'no' }, ['discounts.guess_usable', 'carts.exists']],
    ['removing a line', 'DELETE', first, undefined, ['carts.find', 'carts.remove_line']],
    ['emptying', 'DELETE', `${path}/items`, undefined, ['begin', 'carts.lock', 'carts.empty', 'commit']],
    ['deleting', 'DELETE', path, undefined, ['begin', 'carts.make_or_delete', 'carts.delete_lines', 'commit']],
  ] as const)('are few: %s', async (_what, method, where = '', body, expected) => {
    expect(await statementsOf(succeeding(() => call(method, where, body)))).toEqual(expected)
  })
})

describe('a cart that has no row yet', () => {
  it('is made without a question, and its first line costs two round trips of one statement', {
    timeout: patient(60_000),
  }, async () => {
    let id = ''
    const made = await tripsOf(async () => {
      const answer = await call('GET', '')
      id = (answer.body as { id: string }).id
      return answer
    })
    expect(made).toEqual([])
    const add = succeeding(() => call('POST', `/${id}`, { id: mug.id }))
    expect(await tripsOf(add)).toEqual([['carts.find_with_wish'], ['carts.make_with_line']])
    expect(await tripsOf(add)).toEqual([['carts.find_with_wish'], ['carts.put_line']])
  })
})
