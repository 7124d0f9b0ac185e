// What the tests of older carts share: a shop with a shirt to choose and a mug without a picture, a cart with a line of each,
// and short ways to call the API in one version or another.

import { expect } from 'vitest'
import type { Cart } from '../../src/api/carts/schema.ts'
import { addAsset, openShop } from '../api/products/support.ts'
import { type Answer, type TestApp, testApp } from '../support/app.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type OldLine = Record<string, unknown> & { id: string }
export type OldCart = Record<string, unknown> & { id: string; line_items: OldLine[] }

export async function openCarts() {
  const app: TestApp = await testApp()
  const shop = await openShop(app)
  const image = await addAsset(app, shop)
  const shirt = await shop.create({
    name: 'Shirt',
    sku: 'SHIRT',
    assets: [image.id],
    meta: { fabric: 'linen' },
    variant_groups: [{ name: 'Colour', options: [{ name: 'Red', price: 1 }, { name: 'Blue' }] }],
  })
  const mug = await shop.create({ name: 'Mug', price: 4 })
  const [group] = shirt.variant_groups
  const [red, blue] = group?.options ?? []
  if (group === undefined || red === undefined || blue === undefined) throw new Error('The shirt has no colours.')

  const call = (method: Method, path: string, version?: string, body?: unknown): Promise<Answer> =>
    app.call(method, `/v1/carts${path}`, {
      key: shop.keys.sandbox.public,
      ...(version === undefined ? {} : { version }),
      ...(body === undefined ? {} : { body }),
    })
  /** The body of a request that must succeed. */
  const ask = async <Body>(method: Method, path: string, version?: string, body?: unknown): Promise<Body> => {
    // Lines of one moment have no order.
    if (method === 'POST') app.clock.advance(1)
    const answer = await call(method, path, version, body)
    expect([answer.status, answer.text]).toEqual([path === '' ? 201 : 200, answer.text])
    return answer.body as Body
  }
  /** A cart with a red shirt and two mugs in it, as the newest version shows it. */
  const fill = async (): Promise<Cart> => {
    const { id } = await ask<Cart>('GET', '')
    await ask('POST', `/${id}`, undefined, { id: shirt.id, options: { [group.id]: red.id } })
    return ask('POST', `/${id}`, undefined, { id: mug.id, quantity: 2 })
  }
  return { app, shop, image, shirt, mug, group, red, blue, call, ask, fill }
}
