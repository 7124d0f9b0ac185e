// GET /v1/products/{id}: found by id, SKU or permalink, and what each key sees.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { malformed } from '../../support/shop.ts'
import { base64, download, pdf, upload } from '../assets/support.ts'
import { addAsset, NOT_FOUND, openShop, publicly, UNKNOWN_ID } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const open = shop.keys.sandbox.public

describe('GET /v1/products/{id}', () => {
  it('gives the product to a secret key as it was created', async () => {
    const product = await shop.create()
    const answer = await shop.call('GET', `/${product.id}`)
    expect([answer.status, answer.body]).toEqual([200, product])
  })

  it('gives a public key the same without its delivery and what is held of it', async () => {
    const shown = publicly(await shop.create())
    const answer = await shop.call('GET', `/${shown.id}`, undefined, open)
    expect([answer.status, answer.body]).toEqual([200, shown])
  })

  it('finds it by what `type` says, with blanks around it', async () => {
    const product = await shop.create({ sku: 'A 1', permalink: 'find-me' })
    for (const path of [
      `/${product.id}?type=id`,
      `/%20${product.id}%20?type=+id+`,
      '/A%201?type=sku',
      '/%20A%201%20?type=sku',
      '/find-me?type=permalink',
    ]) {
      const answer = await shop.call('GET', path)
      expect([path, answer.status, answer.body]).toEqual([path, 200, product])
    }
  })

  it('takes the value for nothing but what `type` says', async () => {
    const { id } = await shop.create({ sku: 'B1', permalink: 'only-that' })
    for (const path of [
      `/${id}?type=sku`,
      `/${id}?type=permalink`,
      '/B1',
      '/only-that?type=sku',
      '/ONLY-THAT?type=permalink',
    ]) {
      const answer = await shop.call('GET', path)
      expect([path, answer.status, answer.body]).toEqual([path, 404, NOT_FOUND])
    }
  })

  it('gives the oldest of several with one SKU, and to a public key the oldest active one', async () => {
    const [hidden, older] = [await shop.create({ sku: 'same', active: false }), await shop.create({ sku: 'same' })]
    await shop.create({ sku: 'same' })
    expect((await shop.get('same?type=sku')).id).toBe(hidden.id)
    expect((await shop.get('same?type=sku', open)).id).toBe(older.id)
  })

  it.each(['product_id', 'ID', '', 'slug'])('refuses the type %j', async (type) => {
    const answer = await shop.call('GET', `/${UNKNOWN_ID}?type=${type}`, undefined, open)
    expect([answer.status, answer.body]).toEqual([
      422,
      malformed({ type: ['type must be one of id, sku, permalink.'] }),
    ])
  })

  it('hides an inactive product from a public key, as if there were none', async () => {
    const { id } = await shop.create({ active: false, sku: 'hidden', permalink: 'hidden' })
    expect((await shop.get(id)).active).toBe(false)
    const nothing = await shop.call('GET', `/${UNKNOWN_ID}`, undefined, open)
    for (const path of [`/${id}`, '/hidden?type=sku', '/hidden?type=permalink']) {
      const answer = await shop.call('GET', path, undefined, open)
      expect([answer.status, answer.text]).toEqual([404, nothing.text])
    }
  })

  it("gives another merchant's product to nobody else", async () => {
    const other = await openShop(app)
    const product = await other.create({ sku: 'foreign', permalink: 'foreign' })
    for (const path of [`/${product.id}`, '/foreign?type=sku', '/foreign?type=permalink', `/${UNKNOWN_ID}`]) {
      const answer = await shop.call('GET', path)
      expect([path, answer.status, answer.body]).toEqual([path, 404, NOT_FOUND])
    }
  })

  it('shows inactive related products to the secret key alone', async () => {
    const [hidden, seen] = [await shop.create({ name: 'Hidden', active: false }), await shop.create({ name: 'Seen' })]
    const { id } = await shop.create({ related_products: [hidden.id, seen.id] })
    const named = (product: { related_products: { name: string }[] }) =>
      product.related_products.map(({ name }) => name)
    expect([named(await shop.get(id)), named(await shop.get(id, open))]).toEqual([['Hidden', 'Seen'], ['Seen']])
  })

  it('opens private assets to the secret key alone, in lists too', async () => {
    const file = { filename: 'plan.pdf', contents: base64(pdf()), private: true }
    const asset = await upload(app, shop.keys.sandbox.secret, file)
    const { id } = await shop.create({ assets: [asset.id] })
    const urls = async (key?: string) => {
      const [listed] = ((await shop.call('GET', `?query=${id}`, undefined, key)).body as { data: [Product] }).data
      return [await shop.get(id, key), listed].map(({ assets }) => assets[0]?.url)
    }
    const bare = asset.url.replace(/\?.*$/, '')
    expect(await urls(open)).toEqual([undefined, undefined])
    expect((await download(app, bare)).status).toBe(404)
    for (const url of await urls()) {
      if (url === undefined) throw new Error('The secret key sees no asset.')
      expect(url).toContain(`${bare}?`)
      expect((await download(app, url)).status).toBe(200)
    }
  })

  it('leaves out what was deleted since', async () => {
    const [asset, related] = [await addAsset(app, shop), await shop.create()]
    const { id } = await shop.create({
      assets: [asset.id],
      related_products: [related.id],
      variant_groups: [{ name: 'A', options: [{ name: 'B', assets: [asset.id] }] }],
    })
    await app.call('DELETE', `/v1/assets/${asset.id}`, { key: shop.keys.sandbox.secret })
    await shop.call('DELETE', `/${related.id}`)
    const product = await shop.get(id)
    expect([
      product.assets,
      product.image,
      product.has.images,
      product.related_products,
      product.variant_groups[0]?.options[0]?.assets,
    ]).toEqual([[], null, false, [], null])
  })
})

const addVariant = statement(
  'test.variant',
  `insert into variants (merchant_id, product_id, id, options, created_at, updated_at) values (:merchant_id, :product_id, :id, :options, now(), now())`,
)
const addStock = statement(
  'test.variant_stock',
  `insert into stock (merchant_id, item_id, is_sandbox, product_id, available) values (:merchant_id, :item_id, :is_sandbox, :product_id, :available)`,
)

describe('a product is sold out', () => {
  const soldOut = async (id: string, key?: string) => {
    const { is, conditionals } = await shop.get(id, key)
    expect(conditionals.is_sold_out).toBe(is.sold_out)
    return is.sold_out
  }

  it('when its stock is managed and nothing is left', async () => {
    const [none, some, unmanaged] = [
      await shop.create({ quantity: 0 }),
      await shop.create({ quantity: 1 }),
      await shop.create({ inventory: { managed: false, available: 0 } }),
    ]
    expect([await soldOut(none.id), await soldOut(some.id), await soldOut(unmanaged.id)]).toEqual([true, false, false])
  })

  it('in one mode and not in the other', async () => {
    const { id } = await shop.create({ quantity: 1 })
    await shop.update(id, { inventory: { available: 0 } })
    expect([await soldOut(id), await soldOut(id, shop.keys.live.secret)]).toEqual([true, false])
  })

  it('when all its valid variants are', async () => {
    const { id, variant_groups } = await shop.create({
      quantity: 5,
      variant_groups: [{ name: 'A', options: [{ name: 'B' }, { name: 'C' }] }],
    })
    const [group] = variant_groups
    const [first, second] = group?.options ?? []
    const options = (option?: { id: string }) => JSON.stringify({ [group?.id ?? '']: option?.id })
    const stock = (variant: string, available: number) =>
      app.db.run(addStock, { merchant_id: shop.id, item_id: variant, is_sandbox: true, product_id: id, available })

    await app.db.run(addVariant, { merchant_id: shop.id, product_id: id, id: 'vrnt_1', options: options(first) })
    expect(await soldOut(id)).toBe(false)
    await stock('vrnt_1', 0)
    expect(await soldOut(id)).toBe(true)
    // Live has no row of its own for the variant, so that it sells from the product's five.
    expect(await soldOut(id, shop.keys.live.secret)).toBe(false)

    await app.db.run(addVariant, { merchant_id: shop.id, product_id: id, id: 'vrnt_2', options: options(second) })
    await stock('vrnt_2', 3)
    expect(await soldOut(id)).toBe(false)
    // Without its option the second variant is not valid, and what is left of it cannot be bought.
    await shop.update(id, { variant_groups: [{ name: 'A', options: [{ name: 'B' }] }] })
    expect(await soldOut(id)).toBe(true)
    // Without any group no variant is valid, and the product sells from its own stock.
    await shop.update(id, { variant_groups: [] })
    expect(await soldOut(id)).toBe(false)
  })
})
