// Handlers themselves support older versions in two places: they supply facts for the envelopes of carts, and one rule still applies. All
// other differences need no handler (older-requests, older-bodies, golden).

import { describe, expect, it } from 'vitest'
import type { Cart } from '../../src/api/carts/schema.ts'
import { openShop } from '../api/products/support.ts'
import { sharedApp } from '../support/app.ts'

const app = await sharedApp()
const shop = await openShop(app)
const { secret, public: open } = shop.keys.sandbox

type Envelope = { event: string; line_item_id: string; quantity?: number; line_total?: { raw: number }; cart: Cart }

describe('changes of a cart at 2020-02-01', async () => {
  const version = '2020-02-01'
  const colours = [{ name: 'Colour', options: [{ name: 'Red', price: 1 }, { name: 'Blue' }] }]
  const shirt = await shop.create({ name: 'Shirt', price: 10, variant_groups: colours })
  const [group] = shirt.variant_groups
  const [red, blue] = (group?.options ?? []).map(({ id }) => ({ options: { [group?.id ?? '']: id } }))
  const ask = async <T>(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => {
    app.clock.advance(1)
    return (await app.call(method, `/v1/carts${path}`, { key: open, version, ...(body === undefined ? {} : { body }) }))
      .body as T
  }
  /** Creates a cart with one red shirt. */
  const fill = async () => {
    const { id } = await ask<Cart>('GET', '')
    const { line_item_id: line } = await ask<Envelope>('POST', `/${id}`, { id: shirt.id, ...red })
    return { id, line, path: `/${id}/items/${line}` }
  }

  it('tell the whole of a line that an add made larger', async () => {
    const { id, line } = await fill()
    const answer = await ask('POST', `/${id}`, { id: shirt.id, quantity: 3, ...red })
    expect(answer).toMatchObject({ line_item_id: line, quantity: 4, line_total: { raw: 44 } })
  })

  it('name the line that is left when two lines become one', async () => {
    const { id, path } = await fill()
    await ask('POST', `/${id}`, { id: shirt.id, quantity: 5, ...blue })
    const answer = await ask<Envelope>('PUT', path, blue)
    const cart = await ask<Cart>('GET', `/${id}`)
    expect(cart.line_items.map((line) => [line.id, line.quantity])).toEqual([[answer.line_item_id, 6]])
    expect(answer).toMatchObject({ event: 'Cart.Item.Updated', quantity: 6, line_total: { raw: 60 }, cart })
  })
})

describe('updating a category', async () => {
  const made = await app.call('POST', '/v1/categories', { key: secret, body: { slug: 'shoes', name: 'Shoes' } })
  const shoes = made.body as { id: string; slug: string; name: string }
  const put = async (version: string, body: unknown) => {
    const answer = await app.call('PUT', `/v1/categories/${shoes.id}`, { key: secret, version, body })
    return [answer.status, answer.body]
  }
  const refusal = (errors: Record<string, string[]>, message: string) => [
    422,
    { error: { type: 'unprocessable_entity', message, errors }, status_code: 422 },
  ]

  it.each(['2020-02-01', '2020-08-26'])('requires slug and name at %s', async (version) => {
    const slug = ['slug is required.']
    const name = ['name is required.']
    expect(await put(version, {})).toEqual(refusal({ slug, name }, 'slug is required. (and 1 more error)'))
    expect(await put(version, { slug: 'shoes' })).toEqual(refusal({ name }, 'name is required.'))
    expect(await put(version, { name: 'Shoes' })).toEqual(refusal({ slug }, 'slug is required.'))
    const saved = [200, { ...shoes, updated: expect.any(Number) }]
    expect(await put(version, { slug: 'shoes', name: 'Shoes' })).toEqual(saved)
  })

  it('requires neither at 2020-09-23', async () => {
    const described = [200, { ...shoes, description: 'New.', updated: expect.any(Number) }]
    expect(await put('2020-09-23', { description: 'New.' })).toEqual(described)
    expect(await put('2020-09-23', { description: '' })).toEqual([200, { ...shoes, updated: expect.any(Number) }])
  })
})
