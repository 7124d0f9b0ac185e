// @sampled: `npm run proof` tries every wrong value in every field.
// What shoppers read. Every route that is open to them is driven with the mistakes that forms and programmers make, and each refusal must
// be a sentence of the one table: short, plain, without an id or the name of a field. Then the sentences themselves, as a shopper meets them.

import { describe, expect, it } from 'vitest'
import { apiSlices } from '../../src/api/index.ts'
import { oldEndpoints } from '../../src/compat/index.ts'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import { sharedApp } from '../support/app.ts'
import { isProof } from '../support/proof.ts'
import { type Body, type Method, openShop } from '../support/shop.ts'
import { notForShoppers } from './words.ts'

const app = await sharedApp()
const shop = await openShop(app)
const { public: key, secret } = shop.keys.sandbox

const shirt = await shop.product({
  name: 'Shirt',
  delivery: { physical: false },
  inventory: { managed: true, available: 3 },
  variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }],
})
const download = await shop.product({ name: 'Song', delivery: { physical: false } })
const customer = await shop.succeed<{ id: string }>(201, 'POST', 'customers', { email: 'ann@example.com' }, secret)
const session = await shop.succeed<{ jwt: string }>(200, 'POST', `customers/${customer.id}/issue-token`, {}, secret)

type Told = { type: string; message: string; code?: never; params?: Body; errors?: Record<string, string[]> }

const open = [...apiSlices.flatMap(({ endpoints }) => endpoints), ...oldEndpoints.endpoints].filter(
  ({ access }) => access !== 'secret' && access !== 'session',
)

const send = (endpoint: Endpoint, path: string, body?: unknown) =>
  app.call(endpoint.method, path, {
    ...(endpoint.access === 'customer' ? { headers: { authorization: `Bearer ${session.jwt}` } } : { key }),
    body,
  })

const cart = await shop.cart([{ id: shirt.id }])
const token = await shop.ofCart(cart.id)

/** Of the parameters of a path: things that are there, so that what is wrong is further inside. */
const KNOWN: Readonly<Record<string, string>> = {
  cart_id: cart.id,
  line_item_id: cart.line_items[0]?.id ?? '',
  checkout_token_id: token.id,
  product_id: shirt.id,
  customer_id: customer.id,
}
const knownId = ({ operation }: Endpoint) => (operation.startsWith('checkouts.') ? token.id : shirt.id)

const pathOf = (endpoint: Endpoint, valueFor: (name: string) => string) =>
  endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(valueFor(name)))

/** Values that no field takes all of. */
const WRONG = [null, '', 'x'.repeat(20_000), -1, 1.5, true, [], [{}], {}, { vgrp_x: 7 }, 'cart_x']

/** Values that each field is tried with alone. */
const WRONG_ALONE = isProof ? WRONG : ['x'.repeat(20_000), -1, [{}]]
const WRONG_QUERIES = isProof ? ['', 'x', '-1', '1.5', 'x'.repeat(300), '[]', '{"a":{}}'] : ['x', '{"a":{}}']

function bodiesFor({ body }: Endpoint): unknown[] {
  if (body === undefined) return []
  const names = Object.keys(body.properties)
  const each = names.flatMap((name) => WRONG_ALONE.map((value) => ({ [name]: value })))
  return [{}, [], 'x', null, ...each, ...WRONG.map((value) => Object.fromEntries(names.map((name) => [name, value])))]
}

function queriesFor({ query }: Endpoint): string[] {
  const names = Object.keys(query?.properties ?? {})
  const each = names.flatMap((name) => WRONG_QUERIES.map((value) => `?${name}=${encodeURIComponent(value)}`))
  return ['?', '?a[b][c][d][e][f][g]=1', '?%ff=%ff', ...each]
}

describe.each(open.map((endpoint) => [endpoint.operation, endpoint] as const))('%s', (_, endpoint) => {
  it('refuses mistakes in sentences for shoppers', async () => {
    const unknown = pathOf(endpoint, (name) => (name === 'customer_id' ? customer.id : `item_${'0'.repeat(26)}`))
    const known = pathOf(endpoint, (name) => KNOWN[name] ?? knownId(endpoint))
    // What deletes would leave nothing to be wrong about.
    const paths = endpoint.method === 'DELETE' ? [unknown] : [unknown, known]
    const requests = paths.flatMap((path) => [
      ...queriesFor(endpoint).map((query) => [path + query, bodiesFor(endpoint)[0]] as const),
      ...bodiesFor(endpoint).map((body) => [path, body] as const),
    ])
    const wrong: string[] = []
    let refusals = 0
    for (const [path, body] of requests) {
      const answer = await send(endpoint, path, body)
      if (answer.status < 400) continue
      refusals++
      const { error } = answer.body as { error: Told }
      const problem = notForShoppers(error)
      if (problem !== null) wrong.push(`${path} ${JSON.stringify(body)?.slice(0, 80)}: ${answer.status} ${problem}`)
      for (const [field, sentences] of Object.entries(error.errors ?? {}))
        if (field === '' || !Array.isArray(sentences) || sentences.some((each) => typeof each !== 'string'))
          wrong.push(`${path}: errors[${field}]`)
    }
    expect(wrong).toEqual([])
    // What takes nothing from a request cannot be asked wrongly.
    if (endpoint.params || endpoint.query || endpoint.body) expect(refusals).toBeGreaterThan(0)
  })
})

it('there are routes open to shoppers', () => {
  expect(open.length).toBeGreaterThan(30)
})

describe('routes of the secret key alone', () => {
  it('speak to programmers: the first sentence that names a field, and no code', async () => {
    const made = await shop.call('POST', 'products', { name: 7, price: 'x' }, secret)
    expect(made.body).toMatchObject({ error: { message: expect.stringMatching(/^name must be a string\./) } })
    expect((await shop.call('PUT', `products/prod_${'0'.repeat(26)}`, {}, secret)).body).toEqual({
      error: { type: 'not_found', message: 'There is no product with that id.' },
      status_code: 404,
    })
  })
})

describe('a shopper is told', () => {
  const said = async (method: Method, path: string, body?: unknown) => {
    const { status, body: answer } = await shop.call(method, path, body)
    const { message, code, params, errors } = (answer as { error: Told }).error
    return { status, message, code, params, paths: Object.keys(errors ?? {}) }
  }
  const [size] = shirt.variant_groups
  const choice = (index: number) => ({ [size?.id ?? '']: size?.options[index]?.id ?? '' })
  const CARD = { gateway: 'test_gateway', card: { number: '4242 4242 4242 4242' } }
  const EMAIL = { email: 'a@example.com' }

  it('how many are left', async () => {
    const path = `carts/${(await shop.cart([])).id}`
    const add = (quantity: number) => said('POST', path, { id: shirt.id, quantity, options: choice(0) })
    expect(await add(4)).toEqual({
      status: 422,
      message: 'Only 3 are left.',
      code: 'not_enough',
      params: { left: 3 },
      paths: ['quantity'],
    })
    for (const [available, message] of [
      [1, 'Only 1 is left.'],
      [0, 'This is sold out.'],
    ] as const) {
      await shop.succeed(200, 'PUT', `products/${shirt.id}`, { inventory: { available } }, secret)
      expect((await add(4)).message).toBe(message)
    }
    // Of which one, where there are several.
    const bought = await shop.cart([{ id: download.id }])
    await shop.succeed(200, 'PUT', `products/${shirt.id}`, { inventory: { available: 2 } }, secret)
    // Apart in time, so that the order of the lines is that of their ids.
    app.clock.advance(1)
    await shop.succeed(200, 'POST', `carts/${bought.id}`, { id: shirt.id, quantity: 2, options: choice(0) })
    const checkout = await shop.ofCart(bought.id)
    await shop.succeed(200, 'PUT', `products/${shirt.id}`, { inventory: { available: 1 } }, secret)
    expect((await said('GET', `checkouts/${bought.id}?type=cart`)).message).toBe('Only 1 of “Shirt” is left.')
    expect(await said('POST', `checkouts/${checkout.id}`, { customer: EMAIL, payment: CARD })).toMatchObject({
      message: 'Only 1 of “Shirt” is left.',
      params: { left: 1, product: 'Shirt' },
      paths: [`line_items.${checkout.products[1]?.id}.quantity`],
    })
    await shop.succeed(200, 'PUT', `products/${shirt.id}`, { inventory: { available: 3 } }, secret)
  })

  it('what to choose and to enter', async () => {
    const checkout = await shop.token({ id: shirt.id })
    const capture = (body: Body) => said('POST', `checkouts/${checkout.id}`, body)
    const line = `line_items.${checkout.products[0]?.id}.variants.${size?.id}`
    expect(await capture({ customer: EMAIL, payment: CARD })).toEqual({
      status: 422,
      message: 'Choose a size.',
      code: 'choose_option',
      params: { name: 'Size' },
      paths: [line],
    })
    const variants = { [checkout.products[0]?.id ?? '']: { variants: choice(0) } }
    expect((await capture({ payment: CARD, line_items: variants })).message).toBe('Enter your e-mail address.')
    expect((await capture({ customer: { email: 'x' }, payment: CARD, line_items: variants })).message).toBe(
      'Please check your e-mail address.',
    )
    expect(await capture({ customer: { email: '' } })).toMatchObject({
      message: 'Please check: the size, your e-mail address, how you want to pay.',
      code: 'check_fields',
      paths: [line, 'customer.email', 'payment.gateway'],
    })
    expect((await capture({ customer: EMAIL, payment: { gateway: 'stripe' }, line_items: variants })).message).toBe(
      'Choose another way to pay.',
    )
    expect((await capture({ customer: EMAIL, line_items: variants, payment: { ...CARD, card: {} } })).message).toBe(
      'Please check the card number.',
    )
    const wrong = { ...CARD, card: { number: '4000 0000 0000 0002' } }
    expect(await capture({ customer: EMAIL, line_items: variants, payment: wrong })).toMatchObject({
      status: 402,
      message: 'The card was declined.',
      code: 'payment_declined',
    })
    expect(
      await capture({
        customer: EMAIL,
        line_items: variants,
        payment: CARD,
        discount_code: 'NEVER',
        expected_total: 1,
      }),
    ).toMatchObject({ code: 'code_not_accepted', paths: ['discount_code'] })
    expect(await capture({ customer: EMAIL, line_items: variants, payment: CARD, expected_total: 1 })).toMatchObject({
      status: 409,
      message: 'The total is now $10.00. Please look at it again before you pay.',
      params: { total: '$10.00' },
      paths: ['expected_total'],
    })
  })

  it('what the shop asks for itself, and where it does not ship', async () => {
    const ring = await shop.product({
      name: 'Ring',
      extra_fields: [{ name: 'Engraving', type: 'text', required: true }],
    })
    await shop.zone()
    const checkout = await shop.token({ id: ring.id })
    const shipping = { name: 'Ann', street: 'Elm 1', town_city: 'York', county_state: 'CA', country: 'US' }
    const capture = (body: Body) =>
      said('POST', `checkouts/${checkout.id}`, { customer: EMAIL, payment: CARD, ...body })
    const method = (checkout.shipping_methods as { id: string }[])[0]?.id
    const fulfillment = { shipping_method: method }
    expect((await capture({ shipping, fulfillment })).message).toBe('Please fill in “Engraving”.')
    const extrafields = Object.fromEntries(ring.extra_fields.map(({ id }) => [id, 'x']))
    expect((await capture({ shipping, extrafields })).message).toBe('Choose a shipping method.')
    expect((await capture({ shipping: { ...shipping, country: '' }, extrafields, fulfillment })).message).toBe(
      'Choose a country.',
    )
    expect((await capture({ shipping: { ...shipping, country: 'DE' }, extrafields, fulfillment })).message).toBe(
      'Your order cannot be shipped to this address.',
    )
  })

  it('what has gone, in the same bytes whoever it belongs to', async () => {
    const other = await openShop(app)
    const theirs = await other.cart([])
    const unknown = await shop.call('GET', `carts/cart_${'0'.repeat(26)}`)
    expect((await shop.call('GET', `carts/${theirs.id}`)).text).toBe(unknown.text)
    expect(unknown.body).toEqual({
      error: {
        type: 'not_found',
        message: 'This cart is not there any more. Please start a new one.',
        code: 'cart_gone',
        params: {},
        errors: { cart_id: ['There is no cart with that id.'] },
      },
      status_code: 404,
    })
    expect(await said('GET', 'products/prod_x')).toMatchObject({
      message: 'This product is not available.',
      paths: ['id'],
    })
    expect((await said('DELETE', `carts/${cart.id}/items/item_x`)).paths).toEqual(['line_item_id'])
    expect((await said('POST', `checkouts/chkt_x`, {})).message).toBe(
      'This checkout is not open any more. Please start again from your cart.',
    )
    expect((await said('GET', `checkouts/${(await shop.cart([])).id}?type=cart`)).message).toBe('Your cart is empty.')
  })

  it('which login link does not work', async () => {
    expect(await said('POST', 'customers/email-token', { base_url: 'http://localhost/a' })).toMatchObject({
      message: 'Enter your e-mail address.',
      paths: ['email'],
    })
    expect(await said('POST', 'customers/exchange-token', { token: 'x' })).toMatchObject({
      status: 401,
      message: 'This login link has been used or is too old. Please ask for a new one.',
    })
  })
})
