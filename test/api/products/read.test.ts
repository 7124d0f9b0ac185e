// GET /v1/products/{id}: found by id, SKU or permalink, what each key sees, and the links to the hosted checkout. GET /v1/products: filters,
// search, order, and what each key sees.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { ORIGIN } from '../../support/shop.ts'
import { statementsOf } from '../statements.ts'
import { addAsset, addAttribute, addCategory, eventsOf, NOT_FOUND, openShop, publicly, UNKNOWN_ID } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const open = shop.keys.sandbox.public

describe('GET /v1/products/{id}', () => {
  it('gives the product to a secret key as it was created, and to a public key without delivery and held stock', async () => {
    const product = await shop.create()
    expect(await shop.ask('GET', `/${product.id}`)).toEqual([200, product])
    expect(await shop.ask('GET', `/${product.id}`, undefined, open)).toEqual([200, publicly(product)])
  })

  it('finds it by what `type` says, with blanks around it', async () => {
    const product = await shop.create({ sku: 'A 1', permalink: 'find-me' })
    for (const path of [
      `/${product.id}?type=id`,
      `/%20${product.id}%20?type=+id+`,
      '/A%201?type=sku',
      '/%20A%201%20?type=sku',
      '/find-me?type=permalink',
    ])
      expect([path, await shop.ask('GET', path)]).toEqual([path, [200, product]])
  })

  it('takes the value for nothing but what `type` says, of this shop only', async () => {
    const { id } = await shop.create({ sku: 'B1', permalink: 'only-that' })
    await (await openShop(app)).create({ sku: 'foreign', permalink: 'foreign' })
    for (const path of [
      `/${id}?type=sku`,
      `/${id}?type=permalink`,
      '/B1',
      '/only-that?type=sku',
      '/ONLY-THAT?type=permalink',
      '/foreign?type=sku',
      '/foreign?type=permalink',
    ])
      expect([path, await shop.ask('GET', path)]).toEqual([path, [404, NOT_FOUND]])
  })

  it('gives the oldest of several with one SKU, and to a public key the oldest active one', async () => {
    const [hidden, older] = [await shop.create({ sku: 'same', active: false }), await shop.create({ sku: 'same' })]
    await shop.create({ sku: 'same' })
    expect((await shop.get('same?type=sku')).id).toBe(hidden.id)
    expect((await shop.get('same?type=sku', open)).id).toBe(older.id)
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

  it('shows inactive related products to the secret key alone', async () => {
    const [hidden, seen] = [await shop.create({ name: 'Hidden', active: false }), await shop.create({ name: 'Seen' })]
    const { id } = await shop.create({ related_products: [hidden.id, seen.id] })
    const named = (product: { related_products: { name: string }[] }) =>
      product.related_products.map(({ name }) => name)
    expect([named(await shop.get(id)), named(await shop.get(id, open))]).toEqual([['Hidden', 'Seen'], ['Seen']])
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
    expect(await shop.get(id)).toMatchObject({
      assets: [],
      image: null,
      has: { images: false },
      related_products: [],
      variant_groups: [{ options: [{ assets: null }] }],
    })
  })
})

describe('checkout_url of a product', () => {
  it('names the sandbox to sandbox keys and to no others, whoever has asked before', async () => {
    const own = await openShop(app)
    const { id } = await own.create({ permalink: 'thing' })
    const { live, sandbox } = own.keys
    const page = `//localhost:80/checkout/${own.id}/thing`
    const ofSandbox = {
      checkout: `http:${page}?checkout=true&sandbox=true`,
      display: `http:${page}?sandbox=true`,
    }
    const ofLive = { checkout: `https:${page}?checkout=true`, display: `https:${page}` }
    // Twice: what was written for one of them is kept, and shown to those alone whom it is for.
    for (const _ of [1, 2])
      for (const [key, links] of [
        [sandbox.public, ofSandbox],
        [live.public, ofLive],
        [sandbox.secret, ofSandbox],
        [live.secret, ofLive],
      ] as const)
        for (const path of [`/${id}`, '/thing?type=permalink', '']) {
          const body = await own.succeed<Product | { data: Product[] }>(200, 'GET', path, undefined, key)
          expect(('data' in body ? body.data[0] : body)?.checkout_url).toEqual(links)
        }
  })

  it('is the live one in every event, as webhooks of both modes hear of it', async () => {
    const own = await openShop(app)
    const { id } = await own.create({ permalink: 'thing' })
    app.clock.advance(1)
    await own.update(id, { name: 'Renamed' })
    app.clock.advance(1)
    await own.update(id, { name: 'Renamed again' }, own.keys.live.secret)
    app.clock.advance(1)
    await own.succeed(204, 'DELETE', `/${id}`)
    const told = (await eventsOf(app, own)).map(({ name, payload }) => [
      name,
      (payload as Product).checkout_url.display,
    ])
    const at = (origin: string) => `${origin}/checkout/${own.id}/thing`
    expect(told).toEqual([
      ['products.create', at(ORIGIN)],
      ['products.update', at(ORIGIN)],
      ['products.update', at(ORIGIN.replace('http', 'https'))],
      ['products.delete', at(ORIGIN)],
    ])
  })
})

/** Four products, and no others. */
const shelf = await openShop(app)
const openShelf = shelf.keys.sandbox.public
const [socks, hats, empty] = [
  await addCategory(app, shelf, 'socks'),
  await addCategory(app, shelf, 'hats'),
  await addCategory(app, shelf, 'empty'),
]

// In the order of their making: the clock moves between them.
const alpha = await shelf.create({ name: 'alpha', price: 30, sort_order: 2, sku: 'SKU-1', categories: [socks.id] })
const Bravo = await shelf.create({ name: 'Bravo', price: 10, sort_order: 1, categories: [socks.id, hats.id] })
const charlie = await shelf.create({ name: 'charlie', price: 20, sort_order: 1, permalink: 'x_100-c' })
const hidden = await shelf.create({ name: 'Delta 100%', price: 5, sort_order: 3, active: false, categories: [hats.id] })

describe('GET /v1/products', () => {
  it('gives whole products, as each key sees them', async () => {
    const pagination = { total: 4, count: 4, per_page: 20, current_page: 1, total_pages: 1, links: {} }
    const all = { data: [alpha, Bravo, charlie, hidden], meta: { pagination } }
    expect(await shelf.ask('GET', '?sortBy=created')).toEqual([200, all])
    const active = {
      data: all.data.slice(0, 3).map(publicly),
      meta: { pagination: { ...pagination, total: 3, count: 3 } },
    }
    expect(await shelf.ask('GET', '?sortBy=created', undefined, openShelf)).toEqual([200, active])
  })

  it.each([
    ['?active=true', 3],
    ['?active=false', 1],
    ['?active=true&sortDirection=desc', 3],
    ['', 4],
  ])('counts with %j those that match', async (query, total) => {
    const { data, meta } = await shelf.succeed<{ data: Product[]; meta: { pagination: { total: number } } }>(
      200,
      'GET',
      query,
    )
    expect([data.length, meta.pagination.total]).toEqual([total, total])
  })

  it.each([
    ['', ['charlie', 'Bravo', 'alpha', 'Delta 100%']],
    ['?sortDirection=desc', ['Delta 100%', 'alpha', 'Bravo', 'charlie']],
    ['?sortBy=sort_order&sortDirection=asc', ['charlie', 'Bravo', 'alpha', 'Delta 100%']],
    ['?sortBy=name', ['alpha', 'Bravo', 'charlie', 'Delta 100%']],
    ['?sortBy=name&sortDirection=desc', ['Delta 100%', 'charlie', 'Bravo', 'alpha']],
    ['?sortBy=price', ['Delta 100%', 'Bravo', 'charlie', 'alpha']],
    ['?sortBy=price&sortDirection=desc', ['alpha', 'charlie', 'Bravo', 'Delta 100%']],
    ['?sortBy=created', ['alpha', 'Bravo', 'charlie', 'Delta 100%']],
    ['?sortBy=created&sortDirection=desc', ['Delta 100%', 'charlie', 'Bravo', 'alpha']],
  ])('sorts with %j', async (query, names) => {
    expect(await shelf.names(query)).toEqual(names)
    expect(await shelf.names(query, openShelf)).toEqual(names.filter((name) => name !== 'Delta 100%'))
  })

  it.each([
    ['category_slug[]=socks', ['Bravo', 'alpha']],
    ['category_slug=socks', ['Bravo', 'alpha']],
    ['category_slug[0]=socks&category_slug[1]=hats', ['Bravo']],
    ['category_slug=hats', ['Bravo', 'Delta 100%']],
    ['category_slug=empty', []],
    ['category_slug[]=socks&category_slug[]=none', []],
    [`category_id[]=${hats.id}`, ['Bravo', 'Delta 100%']],
    [`category_id[]=${hats.id}&category_id[]=cat_none`, []],
    [`category_id[]=${hats.id}&category_slug[]=socks`, ['Bravo']],
    [`category_id[]=${socks.id}&category_slug[]=socks`, ['Bravo', 'alpha']],
    [`category_id[]=${hats.id}&category_id[]=${socks.id}&category_slug[]=${empty.slug}`, []],
    ['query=+rav+', ['Bravo']],
    ['query=+ra+', []],
    ['query=BR', ['Bravo']],
    ['query=a', ['alpha']],
    ['query=10', ['charlie', 'Delta 100%']],
    ['query=sku-1', ['alpha']],
    ['query=x_100', ['charlie']],
    ['query=100%25', ['Delta 100%']],
    ['query=_', []],
    ['query=_10', ['charlie']],
    ['query=%5C', []],
    ['query=a%0Abravo', []],
    ['query=', ['charlie', 'Bravo', 'alpha', 'Delta 100%']],
    [`query=${alpha.id}`, ['alpha']],
    [`query=${alpha.id},%20${hidden.id},prod_none`, []],
    [`query=${alpha.id},%20${hidden.id}`, ['alpha', 'Delta 100%']],
    [`query=${alpha.id.slice(0, 12)}`, []],
    ['query=a&category_slug=socks&sortBy=price', ['alpha']],
    ['active=true', ['charlie', 'Bravo', 'alpha']],
    ['active=0', ['Delta 100%']],
    ['active=false&query=delta', ['Delta 100%']],
    ['include=assets,attributes', ['charlie', 'Bravo', 'alpha', 'Delta 100%']],
  ])('finds with %s', async (query, names) => {
    expect(await shelf.names(`?${query}`)).toEqual(names)
    // A public key finds the active ones of them, whatever it asks for.
    expect(await shelf.names(`?${query}`, openShelf)).toEqual(names.filter((name) => name !== 'Delta 100%'))
  })

  // Storefronts send it where nothing is chosen (test/api/public-lists.test.ts).
  it('finds nothing under an empty slug with the secret key', async () => {
    expect(await shelf.names('?category_slug=')).toEqual([])
  })

  it('gives a page of 20 full products in two statements, and one product in one', async () => {
    const own = await openShop(app)
    const [asset, category, attribute] = [
      await addAsset(app, own),
      await addCategory(app, own, 'full'),
      await addAttribute(app, own, 'number'),
    ]
    const related = await own.create({ name: 'Related', assets: [asset.id] })
    const full = {
      quantity: 3,
      assets: [asset.id],
      categories: [category.id],
      related_products: [related.id],
      attributes: [{ id: attribute.id, value: 1 }],
      extra_fields: [{ name: 'A' }],
      variant_groups: [{ name: 'A', options: [{ name: 'B', assets: [asset.id] }] }],
      delivery: { digital: { packages: [{ asset: asset.id }] } },
    }
    for (let count = 0; count < 20; count++) await own.create(full)
    let names: string[] = []
    const list = async () => {
      names = await own.names('?category_slug=full&query=thing&sortBy=price')
    }
    expect(await statementsOf(list)).toEqual(['products.list_price_asc_text_slug', 'products.find_many'])
    expect(names.length).toBe(20)
    expect(await statementsOf(() => own.get(related.id))).toEqual(['products.find'])
    // The entry that the first reading wrote is still valid.
    expect(await statementsOf(() => own.get(related.id))).toEqual(['products.find_stamp'])
  })
})
