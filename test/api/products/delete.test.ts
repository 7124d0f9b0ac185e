// DELETE /v1/products/{id}.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { versions } from '../../../src/versions/index.ts'
import { testApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { FORBIDDEN } from '../../support/shop.ts'
import { addAsset, addAttribute, addCategory, eventsOf, NOT_FOUND, openShop, told, UNKNOWN_ID } from './support.ts'
import { addVariant, choose } from './variants/support.ts'

const app = await testApp()
const shop = await openShop(app)

const TABLES = [
  'product_categories',
  'product_assets',
  'product_packages',
  'extra_fields',
  'variant_groups',
  'variant_options',
  'option_assets',
  'stock',
  'variants',
  'variant_assets',
  'product_attributes',
]
const counts = TABLES.map(
  (table) =>
    `(select count(*) from ${table} where merchant_id = :merchant_id and product_id = :product_id) as ${table}`,
)
const leftOver = statement<Record<string, number>>(
  'test.left_over',
  `select ${counts.join(', ')},
     (select count(*) from related_products where merchant_id = :merchant_id and product_id = :product_id) as relates_to,
     (select count(*) from related_products where merchant_id = :merchant_id and related_id = :product_id) as is_related_to`,
)

describe('DELETE /v1/products/{id}', () => {
  it('deletes the product with all that belongs to it', async () => {
    const [asset, category] = [await addAsset(app, shop), await addCategory(app, shop, 'socks')]
    const [attribute, related] = [await addAttribute(app, shop, 'short_text'), await shop.create({ name: 'Related' })]
    const product = await shop.create({
      quantity: 3,
      assets: [asset.id],
      categories: [category.id],
      extra_fields: [{ name: 'A' }],
      delivery: { digital: { packages: [{ asset: asset.id }] } },
      variant_groups: [{ name: 'A', options: [{ name: 'B', assets: [asset.id] }] }],
      attributes: [{ id: attribute.id, value: 'red' }],
      related_products: [related.id],
    })
    const { id } = product
    await addVariant(app, shop, id, {
      options: choose(product, 'B'),
      assets: [asset.id],
      inventory: 2,
    })
    const other = await shop.create({ name: 'Other', related_products: [id, related.id] })
    const names = [...TABLES, 'relates_to', 'is_related_to']
    const all = (rows: number) => Object.fromEntries(names.map((name) => [name, rows]))
    // Stock: of the product and of the variant, in both modes.
    expect(await app.db.one(leftOver, { merchant_id: shop.id, product_id: id })).toEqual({ ...all(1), stock: 4 })
    const answer = await shop.call('DELETE', `/${id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await app.db.one(leftOver, { merchant_id: shop.id, product_id: id })).toEqual(all(0))
    const read = await shop.call('GET', `/${id}`)
    expect([read.status, read.body]).toEqual([404, NOT_FOUND])
    expect((await shop.get(other.id)).related_products.map(({ name }) => name)).toEqual(['Related'])
  })

  it('writes the event products.delete with the body as it was', async () => {
    const own = await openShop(app)
    const product = await own.create({ extra_fields: [{ name: 'A' }] })
    app.clock.advance(1)
    await own.call('DELETE', `/${product.id}`)
    expect((await eventsOf(app, own)).slice(1)).toEqual([
      { name: 'products.delete', kind: 'product', sandbox: null, payload: told(product), response_code: 204 },
    ])
  })

  it('deletes once when asked ten times at once', async () => {
    const own = await openShop(app)
    const { id } = await own.create()
    app.clock.advance(1)
    const answers = await Promise.all(Array.from({ length: 10 }, () => own.call('DELETE', `/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)])
    expect((await eventsOf(app, own)).map(({ name }) => name)).toEqual(['products.create', 'products.delete'])
  })

  it('answers 204 without a body in every version', { timeout: patient(60_000) }, async () => {
    for (const { date: version } of versions) {
      const { id } = await shop.create()
      const answer = await app.call('DELETE', `/v1/products/${id}`, { key: shop.keys.sandbox.secret, version })
      expect([version, answer.status, answer.text]).toEqual([version, 204, ''])
    }
  })

  it('knows neither an unknown product nor that of another merchant', async () => {
    const other = await openShop(app)
    const product = await other.create()
    for (const id of [UNKNOWN_ID, product.id]) {
      const answer = await shop.call('DELETE', `/${id}`)
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND])
    }
    expect(await other.get(product.id)).toEqual(product)
  })

  it('refuses a public key', async () => {
    const { id } = await shop.create()
    const answer = await shop.call('DELETE', `/${id}`, undefined, shop.keys.sandbox.public)
    expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
  })
})
