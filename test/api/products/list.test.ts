// GET /v1/products: filters, search, order, pages, and what each key sees.

import { describe, expect, it, vi } from 'vitest'
import { testApp } from '../../support/app.ts'
import { malformed, ORIGIN } from '../../support/shop.ts'
import { addAsset, addAttribute, addCategory, openShop, publicly } from './support.ts'

const app = await testApp()
const shop = await openShop(app)
const open = shop.keys.sandbox.public
const [socks, hats, empty] = [
  await addCategory(app, shop, 'socks'),
  await addCategory(app, shop, 'hats'),
  await addCategory(app, shop, 'empty'),
]

// In the order of their making: the clock moves between them.
const alpha = await shop.create({ name: 'alpha', price: 30, sort_order: 2, sku: 'SKU-1', categories: [socks.id] })
const Bravo = await shop.create({ name: 'Bravo', price: 10, sort_order: 1, categories: [socks.id, hats.id] })
const charlie = await shop.create({ name: 'charlie', price: 20, sort_order: 1, permalink: 'x_100-c' })
const hidden = await shop.create({ name: 'Delta 100%', price: 5, sort_order: 3, active: false, categories: [hats.id] })

describe('GET /v1/products', () => {
  it('gives whole products, as each key sees them', async () => {
    const answer = await shop.call('GET', '?sortBy=created')
    const pagination = { total: 4, count: 4, per_page: 20, current_page: 1, total_pages: 1, links: {} }
    expect([answer.status, answer.body]).toEqual([200, { data: [alpha, Bravo, charlie, hidden], meta: { pagination } }])
    const shown = [alpha, Bravo, charlie].map(publicly)
    const toPublic = await shop.call('GET', '?sortBy=created', undefined, open)
    expect([toPublic.status, toPublic.body]).toEqual([
      200,
      { data: shown, meta: { pagination: { ...pagination, total: 3, count: 3 } } },
    ])
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
    expect(await shop.names(query)).toEqual(names)
    expect(await shop.names(query, open)).toEqual(names.filter((name) => name !== 'Delta 100%'))
  })

  it.each([
    ['category_slug[]=socks', ['Bravo', 'alpha']],
    ['category_slug=socks', ['Bravo', 'alpha']],
    ['category_slug[0]=socks&category_slug[1]=hats', ['Bravo']],
    ['category_slug=socks&category_slug=socks', ['Bravo', 'alpha']],
    ['category_slug=hats', ['Bravo', 'Delta 100%']],
    ['category_slug=empty', []],
    ['category_slug=none', []],
    ['category_slug[]=socks&category_slug[]=none', []],
    [`category_id[]=${hats.id}`, ['Bravo', 'Delta 100%']],
    [`category_id[]=${hats.id}&category_id[]=${socks.id}`, ['Bravo']],
    [`category_id[]=${hats.id}&category_id[]=cat_none`, []],
    [`category_id[]=${hats.id}&category_slug[]=socks`, ['Bravo']],
    [`category_id[]=${socks.id}&category_slug[]=socks`, ['Bravo', 'alpha']],
    [`category_id[]=${hats.id}&category_id[]=${socks.id}&category_slug[]=${empty.slug}`, []],
    ['query=ALPHA', ['alpha']],
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
    ['query=nothing+of+the+kind', []],
    ['query=', ['charlie', 'Bravo', 'alpha', 'Delta 100%']],
    [`query=${alpha.id}`, ['alpha']],
    [`query=${alpha.id},%20${hidden.id},prod_none`, []],
    [`query=${alpha.id},%20${hidden.id}`, ['alpha', 'Delta 100%']],
    [`query=${alpha.id.slice(0, 12)}`, []],
    ['query=a&category_slug=socks&sortBy=price', ['alpha']],
    ['active=true', ['charlie', 'Bravo', 'alpha']],
    ['active=1', ['charlie', 'Bravo', 'alpha']],
    ['active=0', ['Delta 100%']],
    ['active=false&query=delta', ['Delta 100%']],
    ['unknown=1', ['charlie', 'Bravo', 'alpha', 'Delta 100%']],
    ['include=assets,attributes', ['charlie', 'Bravo', 'alpha', 'Delta 100%']],
  ])('finds with %s', async (query, names) => {
    expect(await shop.names(`?${query}`)).toEqual(names)
    // A public key finds the active ones of them, whatever it asks for.
    expect(await shop.names(`?${query}`, open)).toEqual(names.filter((name) => name !== 'Delta 100%'))
  })

  // Storefronts send it where nothing is chosen (test/api/public-lists.test.ts).
  it('finds nothing under an empty slug with the secret key', async () => {
    expect(await shop.names('?category_slug=')).toEqual([])
  })

  it('gives pages that add up, with links to one another', async () => {
    const url = `${ORIGIN}/v1/products?sortBy=name&limit=3`
    const pages = []
    for (const page of [1, 2, 3]) pages.push((await shop.call('GET', `?sortBy=name&limit=3&page=${page}`)).body)
    const pagination = { total: 4, per_page: 3, total_pages: 2 }
    expect(pages).toEqual([
      {
        data: [alpha, Bravo, charlie],
        meta: { pagination: { ...pagination, count: 3, current_page: 1, links: { next: `${url}&page=2` } } },
      },
      {
        data: [hidden],
        meta: { pagination: { ...pagination, count: 1, current_page: 2, links: { previous: `${url}&page=1` } } },
      },
      {
        data: [],
        meta: { pagination: { ...pagination, count: 0, current_page: 3, links: { previous: `${url}&page=2` } } },
      },
    ])
  })

  it('cuts a limit above 200', async () => {
    const { body } = await shop.call('GET', '?limit=100000')
    expect((body as { meta: { pagination: { per_page: number } } }).meta.pagination.per_page).toBe(200)
  })

  it.each([
    ['limit=0', { limit: ['limit must be 1 or more.'] }],
    ['limit=ten', { limit: ['limit must be an integer.'] }],
    ['page=0', { page: ['page must be 1 or more.'] }],
    ['active=perhaps', { active: ['active must be true or false.'] }],
    ['sortBy=sku', { sortBy: ['sortBy must be one of sort_order, name, created, price.'] }],
    ['sortDirection=up', { sortDirection: ['sortDirection must be one of asc, desc.'] }],
    ['query[]=a', { query: ['query must be a string.'] }],
    ['category_id[a]=b', { category_id: ['category_id must be a list.'] }],
  ])('refuses %s', async (query, errors) => {
    const answer = await shop.call('GET', `?${query}`)
    expect([answer.status, answer.body]).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })

  it("does not list another merchant's products", async () => {
    const other = await openShop(app)
    expect(await other.names()).toEqual([])
    expect(await other.names(`?query=${alpha.id}`)).toEqual([])
    expect(await other.names('?category_slug=socks')).toEqual([])
    expect(await other.names(`?category_id=${socks.id}`)).toEqual([])
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
    const statements = (['many', 'maybe', 'one', 'run'] as const).map((method) => vi.spyOn(app.db, method))
    const sent = () => {
      const names = statements.flatMap((spy) => spy.mock.calls.map(([statement]) => statement.name))
      // Whose key it is, is asked anew when the heartbeat was late.
      return names.filter((name) => name !== 'merchants.find_caller_by_key_hash')
    }
    try {
      const names = await own.names('?category_slug=full&query=thing&sortBy=price')
      expect([names.length, sent()]).toEqual([20, ['products.find_many', 'products.list_price_asc_text_slug']])
      for (const spy of statements) spy.mockClear()
      // What the list has written of it is still good.
      await own.get(full.related_products[0] ?? '')
      expect(sent()).toEqual(['products.find'])
      for (const spy of statements) spy.mockClear()
      await own.get(related.id)
      expect(sent()).toEqual(['products.find_stamp'])
    } finally {
      for (const spy of statements) spy.mockRestore()
    }
  })
})
