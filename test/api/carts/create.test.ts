// GET /v1/carts makes a cart; GET /v1/carts/{cart_id} and …/items read it.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { price, unixNow } from '../../support/shop.ts'
import { addAsset } from '../products/support.ts'
import { openCartShop, shownCart, shownLine } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const carts = await openCartShop(app)
const { shop, call, newCart, add, get } = carts

describe('GET /v1/carts', () => {
  it('makes an empty cart that lives for 30 days, and lets no cache keep it', async () => {
    const answer = await call('GET', '')
    expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store'])
    expect(answer.body).toEqual(shownCart(app, carts, null))
    expect(Object.keys(answer.body as object)).toEqual([
      'id',
      'created',
      'updated',
      'expires',
      'total_items',
      'total_unique_items',
      'subtotal',
      'hosted_checkout_url',
      'currency',
      'discount',
      'meta',
      'line_items',
    ])
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
  it('gives an empty cart exactly as its creation answered', async () => {
    const made = await newCart()
    const answer = await call('GET', `/${made.id}`)
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(answer.body).toEqual(made)
  })

  it('shows every line with all of its fields, oldest first, and the sums', async () => {
    await addAsset(app, shop, { isImage: false })
    const hidden = await addAsset(app, shop, { isPrivate: true })
    const picture = await addAsset(app, shop)
    const mug = await shop.create({
      name: 'Mug',
      price: 12.5,
      sku: 'MUG-1',
      meta: { shelf: 'b', a: 1 },
      assets: [{ id: hidden.id }, { id: picture.id }],
    })
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
    expect(Object.keys(answer.line_items[0] ?? {})).toEqual([
      'id',
      'product_id',
      'name',
      'product_name',
      'sku',
      'permalink',
      'quantity',
      'price',
      'line_total',
      'is_valid',
      'product_meta',
      'selected_options',
      'variant',
      'image',
    ])

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

  it('lists no lines of an empty cart', async () => {
    const made = await newCart()
    expect((await call('GET', `/${made.id}/items`)).body).toEqual([])
  })
})
