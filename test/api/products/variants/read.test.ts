// GET /v1/products/{id}/variants and /v1/products/{id}/variants/{variant_id}.

import { describe, expect, it, vi } from 'vitest'
import type { Variant } from '../../../../src/api/products/variants/schema.ts'
import { testApp } from '../../../support/app.ts'
import { malformed, ORIGIN } from '../../../support/shop.ts'
import { addAsset, NOT_FOUND, openShop, UNKNOWN_ID } from '../support.ts'
import { addVariant, choose, clothing, NO_VARIANT, publicly, UNKNOWN_VARIANT, variantsOf } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)

const everyKey = Object.values(shop.keys).flatMap((mode) => Object.values(mode))
const asSeenBy = (key: string, variant: Variant) => (key.startsWith('sk_') ? variant : publicly(variant))

describe('GET /v1/products/{id}/variants', () => {
  it('lists the variants of one product, oldest first, to every key', async () => {
    const [product, other] = [await clothing(shop), await clothing(shop)]
    const first = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), inventory: 2 })
    await addVariant(app, shop, other.id, { options: choose(other, 'Red', 'L') })
    const second = await addVariant(app, shop, product.id, { options: choose(product, 'Blue', 'S'), sku: 'B' })
    const pagination = { total: 2, count: 2, per_page: 100, current_page: 1, total_pages: 1, links: {} }
    expect(everyKey).toHaveLength(4)
    for (const key of everyKey) {
      const answer = await shop.call('GET', `/${product.id}/variants`, undefined, key)
      const data = [first, second].map((variant) => asSeenBy(key, variant))
      expect([answer.status, answer.body]).toEqual([200, { data, meta: { pagination } }])
    }
  })

  it('gives an empty page for a product without variants', async () => {
    const { id } = await shop.create()
    const answer = await shop.call('GET', `/${id}/variants`)
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: [],
        meta: { pagination: { total: 0, count: 0, per_page: 100, current_page: 1, total_pages: 1, links: {} } },
      },
    ])
  })

  it('is paged', async () => {
    const product = await clothing(shop)
    const made = []
    for (const names of [
      ['Red', 'S'],
      ['Red', 'L'],
      ['Blue', 'S'],
    ])
      made.push(await addVariant(app, shop, product.id, { options: choose(product, ...names) }))
    const answer = await shop.call('GET', `/${product.id}/variants?limit=2&page=2`)
    const links = { previous: `${ORIGIN}/v1/products/${product.id}/variants?limit=2&page=1` }
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: [made[2]],
        meta: { pagination: { total: 3, count: 1, per_page: 2, current_page: 2, total_pages: 2, links } },
      },
    ])
  })

  it('refuses a page that cannot be', async () => {
    const { id } = await shop.create()
    const answer = await shop.call('GET', `/${id}/variants?limit=0&page=x`)
    expect([answer.status, answer.body]).toEqual([
      422,
      malformed({ limit: ['limit must be 1 or more.'], page: ['page must be an integer.'] }),
    ])
  })

  it('reads a page of a hundred variants with their assets in one statement', async () => {
    const assets = [(await addAsset(app, shop)).id]
    const sizes = Array.from({ length: 50 }, (_, index) => `Size ${index}`)
    const product = await clothing(shop, {}, { Colour: ['Red', 'Blue'], Size: sizes })
    await shop.call('POST', `/${product.id}/variants/generate`)
    const [{ id } = { id: '' }] = await variantsOf(shop, product.id)
    await shop.call('PUT', `/${product.id}/variants/${id}`, { assets })
    const statements = (['many', 'maybe', 'one', 'run'] as const).map((method) => vi.spyOn(app.db, method))
    try {
      const { body } = await shop.call('GET', `/${product.id}/variants`)
      const names = statements.flatMap((spy) => spy.mock.calls.map(([statement]) => statement.name))
      // Whose key it is, is asked anew when the heartbeat was late.
      const sent = names.filter((name) => name !== 'merchants.find_caller_by_key_hash')
      expect([(body as { data: unknown[] }).data.length, sent]).toEqual([100, ['products.list_variants']])
    } finally {
      for (const spy of statements) spy.mockRestore()
    }
  })

  it('knows neither an unknown product nor that of another merchant', async () => {
    const foreign = await clothing(await openShop(app))
    for (const id of [UNKNOWN_ID, foreign.id]) {
      const answer = await shop.call('GET', `/${id}/variants`)
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND])
    }
  })
})

describe('GET /v1/products/{id}/variants/{variant_id}', () => {
  it('gives one variant, to every key', async () => {
    const product = await clothing(shop)
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'S') })
    const options = choose(product, 'Red', 'L')
    const made = await addVariant(app, shop, product.id, { options, inventory: 0, price: 2, meta: { a: 1 } })
    for (const key of everyKey) {
      const answer = await shop.call('GET', `/${product.id}/variants/${made.id}`, undefined, key)
      expect([answer.status, answer.body]).toEqual([200, asSeenBy(key, made)])
    }
  })

  it('opens private assets to the secret key alone', async () => {
    const product = await clothing(shop)
    const asset = await addAsset(app, shop, { isPrivate: true })
    const options = choose(product, 'Red', 'L')
    const { id } = await addVariant(app, shop, product.id, { options, assets: [asset.id] })
    const urlFor = async (key: string) => {
      const { body } = await shop.call('GET', `/${product.id}/variants/${id}`, undefined, key)
      return (body as { assets: { url: string }[] }).assets[0]?.url
    }
    expect(await urlFor(shop.keys.sandbox.public)).toBe(undefined)
    expect(await urlFor(shop.keys.sandbox.secret)).toMatch(/\?.*signature=/)
  })

  it('knows neither an unknown variant, nor that of another product, nor that of another merchant', async () => {
    const other = await openShop(app)
    const [product, sibling, foreign] = [await clothing(shop), await clothing(shop), await clothing(other)]
    const ofSibling = await addVariant(app, shop, sibling.id, { options: choose(sibling, 'Red', 'L') })
    const ofForeign = await addVariant(app, other, foreign.id, { options: choose(foreign, 'Red', 'L') })
    for (const path of [
      `${product.id}/variants/${UNKNOWN_VARIANT}`,
      `${product.id}/variants/${ofSibling.id}`,
      `${product.id}/variants/${ofForeign.id}`,
      `${foreign.id}/variants/${ofForeign.id}`,
      `${UNKNOWN_ID}/variants/${ofSibling.id}`,
    ]) {
      const answer = await shop.call('GET', `/${path}`)
      expect([answer.status, answer.body]).toEqual([404, NO_VARIANT])
    }
  })
})

describe('variants of an inactive product', () => {
  it('are there for secret keys alone', async () => {
    const product = await clothing(shop, { active: false })
    const made = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    const ask = async (path: string, key: string) => {
      const { status, body } = await shop.call('GET', `/${product.id}/${path}`, undefined, key)
      return [status, body]
    }
    expect(await ask('variants', shop.keys.sandbox.public)).toEqual([404, NOT_FOUND])
    expect(await ask(`variants/${made.id}`, shop.keys.live.public)).toEqual([404, NO_VARIANT])
    expect(await ask(`variants/${made.id}`, shop.keys.live.secret)).toEqual([200, made])
    expect(await variantsOf(shop, product.id)).toEqual([made])
  })
})

describe('assets in a variant', () => {
  it('are aged with the version that is asked for', async () => {
    const product = await clothing(shop)
    const asset = await addAsset(app, shop)
    const options = choose(product, 'Red', 'L')
    const made = await addVariant(app, shop, product.id, { options, assets: [asset.id] })
    const aged = async (version: string) => {
      const url = `/v1/products/${product.id}/variants`
      const { body } = await app.call('GET', url, { key: shop.keys.sandbox.secret, version })
      return (body as { data: { assets: Record<string, unknown>[] }[] }).data[0]?.assets[0]
    }
    const { filename, file_extension, file_size, image_dimensions } = asset
    expect(await aged('2020-08-26')).toMatchObject({
      data: { filename, file_extension, file_size, image_dimensions },
    })
    expect(await aged('2020-09-23')).toEqual(made.assets[0])
  })
})
