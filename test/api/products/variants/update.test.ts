// PUT and DELETE /v1/products/{id}/variants/{variant_id}.

import { describe, expect, it } from 'vitest'
import type { Variant } from '../../../../src/api/products/variants/schema.ts'
import { testApp } from '../../../support/app.ts'
import { FORBIDDEN, malformed, notValid, price, unixNow } from '../../../support/shop.ts'
import { addAsset, NOT_FOUND, openShop, UNKNOWN_ID } from '../support.ts'
import {
  addVariant,
  choose,
  clothing,
  expectProductUpdate,
  groupOf,
  groupsOf,
  NO_VARIANT,
  ownStock,
  reasonsOf,
  stockOf,
  UNKNOWN_VARIANT,
  variantsOf,
} from './support.ts'

const app = await testApp()
const shop = await openShop(app)
const [a, b] = [await addAsset(app, shop), await addAsset(app, shop)]

async function full() {
  const product = await clothing(shop)
  const variant = await addVariant(app, shop, product.id, {
    options: choose(product, 'Red', 'L'),
    sku: 'RED-L',
    description: 'Red',
    inventory: 5,
    price: 20,
    assets: [a.id],
    meta: { a: 1, b: 2 },
  })
  app.clock.advance(3)
  const put = (body: unknown, key?: string) => shop.call('PUT', `/${product.id}/variants/${variant.id}`, body, key)
  return { product, variant, put }
}

describe('PUT /v1/products/{id}/variants/{variant_id}', () => {
  it('changes nothing but `updated` when nothing is sent', async () => {
    const { product, variant, put } = await full()
    const answer = await put({})
    const expected = { ...variant, updated: unixNow(app) }
    expect([answer.status, answer.body]).toEqual([200, expected])
    expect(await variantsOf(shop, product.id)).toEqual([expected])
  })

  it('changes each field that is sent; assets and meta are replaced', async () => {
    const { product, variant, put } = await full()
    const options = choose(product, 'Blue', 'S')
    const answer = await put({
      options,
      sku: 'X',
      description: '',
      inventory: 1,
      price: '0.50',
      assets: [b.id, a.id],
      meta: { c: 3 },
    })
    const expected = {
      ...variant,
      updated: unixNow(app),
      options,
      sku: 'X',
      description: '',
      ...ownStock(1),
      price: price(0.5, '0.50'),
      assets: [b, a],
      meta: { c: 3 },
    }
    expect([answer.status, answer.body]).toEqual([200, expected])
    expect(await variantsOf(shop, product.id)).toEqual([expected])
  })

  it('takes back what can be taken back, with null', async () => {
    const { variant, put } = await full()
    const answer = await put({ sku: null, description: null, inventory: null, price: null, assets: [], meta: null })
    const nothing = { sku: null, description: null, ...ownStock(null), price: null, assets: [], meta: null }
    expect(answer.body).toEqual({ ...variant, ...nothing, updated: unixNow(app) })
    // Stock is taken back in the key's own mode; live keeps its five.
    expect(await stockOf(app, shop, variant.id)).toEqual([5])
  })

  it('keeps the option of groups that are left out', async () => {
    const { product, put } = await full()
    const answer = await put({ options: choose(product, 'Blue') })
    expect((answer.body as Variant).options).toEqual(choose(product, 'Blue', 'L'))
  })

  it('refuses the combination of another variant, and changes nothing', async () => {
    const { product, variant, put } = await full()
    const other = await addVariant(app, shop, product.id, { options: choose(product, 'Blue', 'L') })
    const answer = await put({ options: choose(product, 'Blue'), sku: 'X', inventory: 0 })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({ options: ['options must be a combination that no other variant of the product has.'] }),
    ])
    expect(await variantsOf(shop, product.id)).toEqual([variant, other])
  })

  it('refuses options that are not those of the product', async () => {
    const { product, put } = await full()
    const size = groupOf(product, 'Size').id
    const answer = await put({ options: { [size]: 'optn_none', vgrp_none: 'x' } })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({
        [`options.${size}`]: [`options.${size} must be the id of an option of that group.`],
        'options.vgrp_none': ['options.vgrp_none does not name a variant group of this product.'],
      }),
    ])
  })

  it.each([
    ['options that are null', { options: null }, { options: ['options must be a JSON object.'] }],
    ['a price below zero', { price: '-0.01' }, { price: ['price must not be negative.'] }],
    ['stock that is no number', { inventory: '5' }, { inventory: ['inventory must be an integer or null.'] }],
    [
      'more stock than can be counted',
      { inventory: 1_000_000_001 },
      { inventory: ['inventory must be 1000000000 or less.'] },
    ],
  ])('refuses %s', async (_what, body, errors) => {
    const { put } = await full()
    const answer = await put(body)
    expect([answer.status, answer.body]).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })

  it('refuses an unknown asset', async () => {
    const { put } = await full()
    const answer = await put({ assets: [a.id, 'ast_none'] })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({ 'assets.1': ['assets.1 is not the id of a finished asset.'] }),
    ])
  })

  it('tells it as a change of the product', async () => {
    const own = await openShop(app)
    const product = await clothing(own)
    const { id } = await addVariant(app, own, product.id, { options: choose(product, 'Red', 'L') })
    await expectProductUpdate(app, own, product.id, () =>
      own.call('PUT', `/${product.id}/variants/${id}`, { sku: 'X' }),
    )
  })

  it('loses nothing when different fields are changed at once', async () => {
    const { product, variant, put } = await full()
    const changes = [{ sku: 'X' }, { description: 'Y' }, { inventory: 9 }, { price: 7 }, { meta: { z: 1 } }]
    await Promise.all([...changes, { options: choose(product, 'Blue') }].map((body) => put(body)))
    expect(await variantsOf(shop, product.id)).toEqual([
      {
        ...variant,
        ...{ sku: 'X', description: 'Y', ...ownStock(9), price: price(7, '7.00'), meta: { z: 1 } },
        options: choose(product, 'Blue', 'L'),
        updated: unixNow(app),
      },
    ])
  })
})

describe('a variant that is no longer valid', () => {
  it('can still be changed, and is mended by naming what is missing', async () => {
    const { product, put } = await full()
    await shop.update(product.id, {
      variant_groups: [...groupsOf({ Colour: ['Red', 'Blue'] }), ...groupsOf({ Fit: ['Slim'] })],
    })
    const now = await shop.get(product.id)
    const [fit, size] = [groupOf(now, 'Fit'), groupOf(product, 'Size')]
    const renamed = await put({ sku: 'STILL' })
    expect([renamed.status, (renamed.body as Variant).options]).toEqual([200, choose(product, 'Red', 'L')])
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted'])
    const refused = await put({ options: choose(now, 'Red') })
    expect(refused.body).toEqual(
      notValid({
        [`options.${fit.id}`]: [`options.${fit.id} is required: a variant has one option of each variant group.`],
      }),
    )
    const gone = await put({ options: choose(product, 'L') })
    expect(Object.keys((gone.body as { error: { errors: object } }).error.errors)).toEqual([
      `options.${size.id}`,
      `options.${fit.id}`,
    ])
    const mended = await put({ options: choose(now, 'Slim') })
    expect([mended.status, (mended.body as Variant).options]).toEqual([200, choose(now, 'Red', 'Slim')])
    expect(await reasonsOf(shop, product.id)).toEqual([null])
  })
})

describe('DELETE /v1/products/{id}/variants/{variant_id}', () => {
  it('deletes the variant with its stock, and no other', async () => {
    const { product, variant } = await full()
    const other = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'S'), inventory: 1 })
    const answer = await shop.call('DELETE', `/${product.id}/variants/${variant.id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await variantsOf(shop, product.id)).toEqual([other])
    expect([await stockOf(app, shop, variant.id), await stockOf(app, shop, other.id)]).toEqual([[], [1, 1]])
    const again = await shop.call('DELETE', `/${product.id}/variants/${variant.id}`)
    expect([again.status, again.body]).toEqual([404, NO_VARIANT])
  })

  it('leaves its combination free', async () => {
    const { product, variant } = await full()
    await shop.call('DELETE', `/${product.id}/variants/${variant.id}`)
    await addVariant(app, shop, product.id, { options: variant.options })
  })

  it('tells it as a change of the product, also of its being sold out', async () => {
    const own = await openShop(app)
    const product = await clothing(own, { quantity: 1 })
    const { id } = await addVariant(app, own, product.id, { options: choose(product, 'Red', 'L'), inventory: 0 })
    expect((await own.get(product.id)).is.sold_out).toBe(true)
    await expectProductUpdate(app, own, product.id, () => own.call('DELETE', `/${product.id}/variants/${id}`))
    expect((await own.get(product.id)).is.sold_out).toBe(false)
  })
})

describe.each(['PUT', 'DELETE'] as const)('%s', (method) => {
  const body = method === 'PUT' ? { sku: 'X' } : undefined

  it('knows neither unknown variants and products nor those of another merchant', async () => {
    const other = await openShop(app)
    const [{ product, variant }, sibling, foreign] = [await full(), await clothing(shop), await clothing(other)]
    const theirs = await addVariant(app, other, foreign.id, { options: choose(foreign, 'Red', 'L') })
    for (const [path, expected] of [
      [`${product.id}/variants/${UNKNOWN_VARIANT}`, NO_VARIANT],
      [`${product.id}/variants/${theirs.id}`, NO_VARIANT],
      [`${sibling.id}/variants/${variant.id}`, NO_VARIANT],
      [`${foreign.id}/variants/${theirs.id}`, NOT_FOUND],
      [`${UNKNOWN_ID}/variants/${variant.id}`, NOT_FOUND],
    ] as const) {
      const answer = await shop.call(method, `/${path}`, body)
      expect([answer.status, answer.body]).toEqual([404, expected])
    }
    expect([await variantsOf(other, foreign.id), await variantsOf(shop, product.id)]).toEqual([[theirs], [variant]])
  })

  it('refuses a public key', async () => {
    const { product, variant } = await full()
    const path = `/${product.id}/variants/${variant.id}`
    const answer = await shop.call(method, path, body, shop.keys.sandbox.public)
    expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
    expect(await variantsOf(shop, product.id)).toEqual([variant])
  })
})
