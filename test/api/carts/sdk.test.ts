// What the SDK `@chec/commerce.js` needs of carts and no clean client would: it must not be told 404 while the shopper's cart is
// there, in a browser it wants the event under a name of its own, and storefronts that name no version read the cart out of `.cart`.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { missing, notValidField, replyOf } from '../../support/shop.ts'
import { openShop } from '../products/support.ts'
import { operationsOn } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const key = shop.keys.sandbox.public
const mug = await shop.create({ name: 'Mug' })

const AGENT = { 'x-chec-agent': 'commerce.js/v2' }
const ORIGIN = { origin: 'https://shop.example' }
const OLD = '2021-03-10'
const NO_LINE = `item_${'0'.repeat(26)}`
const NO_CART = `cart_${'0'.repeat(26)}`

type Told = { headers?: Record<string, string>; version?: string; body?: unknown }
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, told: Told = {}) =>
  app.call(method, `/v1/carts${path}`, { key, ...told })

async function newCart() {
  const { id } = (await call('GET', '')).body as { id: string }
  const { line_items } = (await call('POST', `/${id}`, { body: { id: mug.id } })).body as {
    line_items: { id: string }[]
  }
  return { id, line: line_items[0]?.id ?? '' }
}

describe('a line that is not in the cart', () => {
  const requests = [
    ['PUT', { quantity: 2 }],
    ['PUT', { quantity: 0 }],
    ['DELETE', undefined],
  ] as const

  it('is 422 to the SDK, which would throw the cart away at a 404, in every version', async () => {
    const { id } = await newCart()
    const before = (await call('GET', `/${id}`)).text
    for (const version of ['2022-07-21', OLD, '2020-02-01'])
      for (const [method, body] of requests)
        expect(await replyOf(call(method, `/${id}/items/${NO_LINE}`, { headers: AGENT, version, body }))).toEqual(
          notValidField('line_item_id', 'must be the id of a line of this cart; the cart has no such line.'),
        )
    expect((await call('GET', `/${id}`)).text).toBe(before)
  })
})

describe('a cart that is gone', () => {
  it('is 404 to the SDK too, whatever is asked of it, so that it makes a new one', async () => {
    const { id, line } = await newCart()
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    for (const cart of [id, NO_CART])
      for (const [method, path, body] of operationsOn(line, mug.id)) {
        const answer = await call(method, `/${cart}${path}`, { headers: AGENT, body })
        expect([method, path, answer.status, answer.body]).toEqual([method, path, 404, missing('cart')])
      }
  })
})

describe('the event of a change', () => {
  /** Every change, with its event. */
  const changes = [
    ['POST', '', { id: mug.id }, 'Cart.Item.Added'],
    ['PUT', '/items/LINE', { quantity: 2 }, 'Cart.Item.Updated'],
    ['PUT', '/items/LINE', { quantity: 0 }, 'Cart.Item.Removed'],
    ['DELETE', '/items/LINE', undefined, 'Cart.Item.Removed'],
    ['DELETE', '/items', undefined, 'Cart.Emptied'],
    ['DELETE', '', undefined, 'Cart.Deleted'],
  ] as const

  async function events(headers: Record<string, string>, version?: string) {
    const found = []
    for (const [method, path, body] of changes) {
      const { id, line } = await newCart()
      const told = { headers, body, version }
      const answer = await call(method, `/${id}${path.replace('LINE', line)}`, told)
      const { event, _event } = Object(answer.body)
      found.push([event, _event])
    }
    return found
  }

  it('is repeated as `_event` to the SDK in a browser, at an older version', async () => {
    expect(await events({ ...AGENT, ...ORIGIN }, OLD)).toEqual(changes.map(([, , , event]) => [event, event]))
  })

  it('is not repeated in Node, where the SDK has no page to dispatch it in, nor to other clients in a browser', async () => {
    for (const headers of [AGENT, ORIGIN])
      expect(await events(headers, OLD)).toEqual(changes.map(([, , , event]) => [event, undefined]))
  })

  it('is not repeated at the newest version, and is not there at all for other clients', async () => {
    // A deletion has no body there.
    expect(await events({ ...AGENT, ...ORIGIN })).toEqual(
      changes.map(([, , , event]) => [event === 'Cart.Deleted' ? undefined : event, undefined]),
    )
    expect(await events(ORIGIN)).toEqual(changes.map(() => [undefined, undefined]))
  })

  it('is not invented where there is none: reads and changes of the cart itself', async () => {
    const { id } = await newCart()
    const told = { headers: { ...AGENT, ...ORIGIN }, version: OLD }
    for (const answer of [
      await call('GET', '', told),
      await call('GET', `/${id}`, told),
      await call('PUT', `/${id}`, { ...told, body: { meta: { event: 'x' } } }),
    ])
      expect(answer.body).not.toHaveProperty('_event')
  })
})

describe('a change of a cart at the newest version', () => {
  const HEAD = '2022-07-21'
  it('answers the SDK the cart, and the envelope beside it; everybody else the cart alone', async () => {
    for (const version of [undefined, HEAD]) {
      const asked = { headers: AGENT, version }
      const { id, line } = await newCart()
      const answer = await call('POST', `/${id}`, { ...asked, body: { id: mug.id } })
      const cart = (await call('GET', `/${id}`, asked)).body as { line_items: [{ line_total: object }] }
      const { line_total } = cart.line_items[0]
      const named = { line_item_id: line, product_id: mug.id, product_name: 'Mug', quantity: 2, line_total }
      expect(answer.body).toEqual({ ...cart, success: true, event: 'Cart.Item.Added', ...named, cart })
    }
    const { id } = await newCart()
    const bare = await call('POST', `/${id}`, { headers: ORIGIN, body: { id: mug.id } })
    expect([bare.status, bare.text]).toEqual([200, (await call('GET', `/${id}`)).text])
  })

  it('answers the SDK as everybody where nothing was ever around it: meta, reads, errors, and the deletion', async () => {
    const { id } = await newCart()
    const bare = (await call('GET', `/${id}`)).body as object
    const put = await call('PUT', `/${id}`, { headers: AGENT, version: HEAD, body: { meta: { event: 'x' } } })
    expect(put.body).toEqual({ ...bare, meta: { event: 'x' } })
    expect((await call('POST', `/${id}`, { headers: AGENT, body: {} })).status).toBe(422)
    const deleted = await call('DELETE', `/${id}`, { headers: AGENT })
    expect([deleted.status, deleted.text]).toEqual([204, ''])
  })
})
