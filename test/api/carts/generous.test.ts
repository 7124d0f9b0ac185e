// What storefronts send and what it is taken for: quantities as text or as nothing, options as an empty list, ids and codes with blanks
// around them. For every caller, in carts, checks and captures; notes and meta stay as they are.

import { describe, expect, it } from 'vitest'
import type { Cart } from '../../../src/api/carts/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { type Body, openShop } from '../../support/shop.ts'

const app = await sharedApp()
const shop = await openShop(app)

const mug = await shop.product({ name: 'Mug', price: 5, delivery: { physical: false } })
const shirt = await shop.product({
  name: 'Shirt',
  delivery: { physical: false },
  variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }],
})
const [size] = shirt.variant_groups
const sizeId = size?.id ?? ''
const [small = '', large = ''] = size?.options.map(({ id }) => id) ?? []
const secret = shop.keys.sandbox.secret

const add = (cart: Cart, body: Body, key?: string) => shop.succeed<Cart>(200, 'POST', `carts/${cart.id}`, body, key)
const buy = (token: string, body: Body) =>
  shop.succeed<Order>(200, 'POST', `checkouts/${token}`, {
    customer: { email: 'a@example.com' },
    payment: { gateway: ' test_gateway ', card: { number: '4242 4242 4242 4242' } },
    ...body,
  })
const quantities = ({ line_items }: Cart) => line_items.map(({ quantity }) => quantity)
const chosen = ({ line_items }: Cart) =>
  line_items.map(({ selected_options }) => selected_options.map(({ option_id }) => option_id))

describe('a quantity', () => {
  it.each([
    ['2', 2],
    [' 2 ', 2],
    ['2.0', 2],
    ['+2', 2],
    [null, 1],
    ['', 1],
    [' ', 1],
    [undefined, 1],
  ])('of %j is %j when it is added, to both keys', async (quantity, taken) => {
    for (const key of [shop.keys.sandbox.public, secret])
      expect(quantities(await add(await shop.cart([]), { id: mug.id, quantity }, key))).toEqual([taken])
  })

  it.each([
    ['3', [3]],
    [null, [2]],
    ['', [2]],
    [undefined, [2]],
    ['0', []],
    [0, []],
  ])('of %j makes %j of a line of 2', async (quantity, left) => {
    const cart = await shop.cart([{ id: mug.id, quantity: 2 }])
    const line = cart.line_items[0]?.id
    const changed = await shop.succeed<Cart>(200, 'PUT', `carts/${cart.id}/items/${line}`, { quantity })
    expect(quantities(changed)).toEqual(left)
  })

  it.each(['abc', '1.5', '1e3', true, [], {}, '0x2', '٣'])(
    'of %j is refused, and nothing changes',
    async (quantity) => {
      const cart = await shop.cart([{ id: mug.id, quantity: 2 }])
      const line = cart.line_items[0]?.id
      for (const [method, path, body] of [
        ['POST', '', { id: mug.id, quantity }],
        ['PUT', `/items/${line}`, { quantity }],
      ] as const) {
        const answer = await shop.call(method, `carts/${cart.id}${path}`, body)
        const errors = { quantity: [expect.stringMatching(/^quantity must be /)] }
        const said = { message: 'Please check the quantity.', code: 'wrong_field', params: { field: 'quantity' } }
        expect([answer.status, answer.body]).toMatchObject([422, { error: { ...said, errors } }])
      }
      expect(await shop.succeed(200, 'GET', `carts/${cart.id}`)).toEqual(cart)
    },
  )

  it('is read the same way in older versions, and by capture; nothing sent leaves the quantity of the token', async () => {
    const cart = await shop.cart([])
    const key = shop.keys.sandbox.public
    await app.call('POST', `/v1/carts/${cart.id}`, {
      key,
      headers: { 'service-version': '2020-07-01' },
      body: { id: mug.id, quantity: '2', variant: [] },
    })
    expect(quantities(await shop.succeed(200, 'GET', `carts/${cart.id}`))).toEqual([2])
    for (const [quantity, bought] of [
      ['3', 3],
      ['', 2],
      [null, 2],
    ] as const) {
      const token = await shop.ofCart(cart.id)
      const order = await buy(token.id, { line_items: { [` ${token.products[0]?.id} `]: { quantity } } })
      expect(order.order.line_items.map((line) => line.quantity)).toEqual([bought])
    }
  })

  it('as text is the same capture as the number: sent again, it gives the order', async () => {
    const token = await shop.token({ id: mug.id })
    const send = (quantity: unknown) => buy(token.id, { line_items: { [token.products[0]?.id ?? '']: { quantity } } })
    expect((await send('2')).id).toBe((await send(2)).id)
  })
})

describe('options', () => {
  it('that are an empty list are none, on add and on update', async () => {
    const cart = await add(await shop.cart([]), { id: shirt.id, quantity: '2', options: [] })
    expect(chosen(cart)).toEqual([[]])
    const path = `carts/${cart.id}/items/${cart.line_items[0]?.id}`
    await shop.succeed(200, 'PUT', path, { options: { [sizeId]: small } })
    const changed = await shop.succeed<Cart>(200, 'PUT', path, { options: [], quantity: null })
    expect([chosen(changed), quantities(changed)]).toEqual([[[small]], [2]])
  })

  it('of an older name count where the newer one is empty', async () => {
    const cart = await shop.cart([])
    const send = (body: object) =>
      app.call('POST', `/v1/carts/${cart.id}`, {
        key: shop.keys.sandbox.public,
        headers: { 'x-chec-agent': 'commerce.js/v2' },
        body: { id: shirt.id, ...body },
      })
    for (const empty of [{ options: [] }, { variant_id: null }, { options: [], variant_id: '' }])
      expect((await send({ variant: { [sizeId]: small }, ...empty })).status).toBe(200)
    const filled = await shop.succeed<Cart>(200, 'GET', `carts/${cart.id}`)
    expect([chosen(filled), quantities(filled)]).toEqual([[[small]], [3]])
  })

  it('may have blanks around the ids of groups and options, as may products, variants and paths', async () => {
    const variant = await shop.variant(shirt.id, { options: { [sizeId]: large } })
    const cart = await shop.cart([])
    const path = `carts/%20${cart.id}%20`
    await shop.succeed(200, 'POST', path, { id: ` ${shirt.id}\n`, options: { [` ${sizeId}`]: `${small} ` } })
    // Apart in time, so that the order of the lines is that of their ids.
    app.clock.advance(1)
    await shop.succeed(200, 'POST', path, { id: shirt.id, variant_id: ` ${variant.id} ` })
    const filled = await shop.succeed<Cart>(200, 'GET', path)
    expect([filled.id, chosen(filled)]).toEqual([cart.id, [[small], [large]]])
    const line = filled.line_items[0]?.id
    const left = await shop.succeed<Cart>(200, 'DELETE', `${path}/items/${line}%20`)
    expect(chosen(left)).toEqual([[large]])
    const token = await shop.ofCart(`${cart.id}%20`)
    const checked = await shop.call(
      'GET',
      `checkouts/${token.id}%20/check/${token.products[0]?.id}/quantity?amount=%202`,
    )
    expect(checked.body).toMatchObject({ available: true, requested_quantity: 2 })
    const mapped = await shop.call(
      'GET',
      `checkouts/${token.id}/check/${token.products[0]?.id}/variant?options[%20${sizeId}]=${small}%20`,
    )
    expect(mapped.body).toMatchObject({ available: true, name: 'S' })
  })
})

it('codes and keys are trimmed; an empty variant is none; names and meta stay as they were sent', async () => {
  await shop.discount({ type: 'fixed', value: 1, code: 'TRIM' })
  const cart = await shop.cart([{ id: mug.id, variant_id: '' }])
  const meta = { note: ' two blanks  ' }
  const changed = await shop.succeed<Cart>(200, 'PUT', `carts/${cart.id}`, { discount_code: ' trim ', meta })
  expect([changed.discount[0]?.code, changed.meta]).toEqual(['TRIM', meta])
  expect((await shop.succeed<Cart>(200, 'PUT', `carts/${cart.id}`, { discount_code: ' ' })).discount).toEqual([])
  const token = await shop.ofCart(cart.id)
  const customer = { email: ' a@example.com ', firstname: ' Ann ' }
  const order = await buy(token.id, { customer, discount_code: ' TRIM\t', meta })
  expect(order).toMatchObject({ order: { discount: { code: 'TRIM' } }, customer: { firstname: ' Ann ' }, meta })
  const answer = await app.call('GET', `/v1/carts/${cart.id}`, { key: `\u00a0${shop.keys.sandbox.public}\u00a0` })
  expect(answer.status).toBe(200)
})

it('an Idempotency-Key counts for the same cart however its id is written', async () => {
  const cart = await shop.cart([])
  const send = (id: string) =>
    app.call('POST', `/v1/carts/${id}`, {
      key: shop.keys.sandbox.public,
      headers: { 'idempotency-key': 'blanks' },
      body: { id: mug.id, quantity: '1' },
    })
  expect([(await send(cart.id)).status, (await send(`${cart.id}%20`)).headers['idempotency-replayed']]).toEqual([
    200,
    'true',
  ])
  expect(quantities(await shop.succeed(200, 'GET', `carts/${cart.id}`))).toEqual([1])
})
