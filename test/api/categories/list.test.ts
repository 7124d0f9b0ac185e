// GET /v1/categories: all of them, flat, in pages; the filter by parent; and what a list costs in statements.

import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Category } from '../../../src/api/categories/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { newId } from '../../../src/lib/ids.ts'
import { sharedApp } from '../../support/app.ts'
import { malformed } from '../../support/shop.ts'
import { addAsset, addProduct, linkTo, openShop, type Shop, shown, UNKNOWN_ID } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const root = await shop.create('root')
const branch = await shop.create('branch', { parent_id: root.id })
const leaf = await shop.create('leaf', { parent_id: branch.id })
const other = await shop.create('other')

const ask = async (query: string, by: Shop = shop) => {
  const { status, body } = await app.call('GET', `/v1/categories${query}`, { key: by.keys.sandbox.public })
  return [status, body]
}

const slugsOf = (categories: readonly Category[]) => categories.map(({ slug }) => slug)

describe('GET /v1/categories', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('lists every category flat and oldest first, each with those below it', async () => {
    const own = await openShop(app)
    const [first, second] = [await own.create('first'), await own.create('second')]
    const third = await own.create('third', { parent_id: first.id })
    const made = (category: Category, more = {}) => shown(app, category.slug, { ...linkTo(category), ...more })
    const { created } = first
    expect(await ask('', own)).toEqual([
      200,
      {
        data: [
          made(first, { created, updated: created, children: [{ ...linkTo(third), children: [] }] }),
          made(second, { created: second.created, updated: second.created }),
          made(third, { parent_id: first.id }),
        ],
        meta: { pagination: { total: 3, count: 3, per_page: 20, current_page: 1, total_pages: 1, links: {} } },
      },
    ])
  })

  it('is given in pages that lead to one another, a child in its place below also where it is on another page', async () => {
    const [status, body] = await ask('?limit=1&page=2')
    expect([status, body]).toEqual([
      200,
      {
        data: [await shop.get(branch.id)],
        meta: {
          pagination: {
            total: 4,
            count: 1,
            per_page: 1,
            current_page: 2,
            total_pages: 4,
            links: {
              previous: 'http://localhost:80/v1/categories?limit=1&page=1',
              next: 'http://localhost:80/v1/categories?limit=1&page=3',
            },
          },
        },
      },
    ])
    expect(body).toMatchObject({ data: [{ children: [linkTo(leaf)] }] })
    expect(slugsOf(await shop.list('?page=9'))).toEqual([])
  })

  it('cuts children at the depth asked for', async () => {
    expect((await shop.list('?depth=0')).map(({ children }) => children)).toEqual([[], [], [], []])
    expect((await shop.list('?depth=1')).map(({ children }) => children)).toEqual([
      [linkTo(branch)],
      [linkTo(leaf)],
      [],
      [],
    ])
    expect((await shop.list('?depth=2')).map(({ children }) => children)).toEqual([
      [{ ...linkTo(branch), children: [linkTo(leaf)] }],
      [{ ...linkTo(leaf), children: [] }],
      [],
      [],
    ])
  })

  it('adds breadcrumbs when they are asked for, also of categories on other pages', async () => {
    const all = await shop.list('?include=breadcrumbs')
    const trails = [[root], [root, branch], [root, branch, leaf], [other]].map((trail) => trail.map(linkTo))
    expect(all.map(({ breadcrumbs }) => breadcrumbs)).toEqual(trails)
    const [third] = await shop.list('?include=breadcrumbs&limit=1&page=3&depth=0')
    expect(third).toEqual({ ...(await shop.get(leaf.id)), breadcrumbs: trails[2] })
  })

  describe('with parent_id', () => {
    it('holds only the direct children of that category', async () => {
      const [status, body] = await ask(`?parent_id=${root.id}`)
      const pagination = { total: 1, count: 1, per_page: 20, current_page: 1, total_pages: 1, links: {} }
      expect([status, body]).toEqual([200, { data: [await shop.get(branch.id)], meta: { pagination } }])
    })

    it('is empty for a parent without children, an unknown one and another merchant’s', async () => {
      const theirs = await openShop(app)
      const parent = await theirs.create('theirs')
      await theirs.create('child', { parent_id: parent.id })
      for (const id of [leaf.id, UNKNOWN_ID, parent.id, 'x']) expect(await shop.list(`?parent_id=${id}`)).toEqual([])
    })

    it('left empty holds only those at the top', async () => {
      expect(slugsOf(await shop.list('?parent_id='))).toEqual(['root', 'other'])
      expect(await ask('?parent_id=&limit=1')).toMatchObject([200, { meta: { pagination: { total: 2, count: 1 } } }])
    })

    it('combines with depth, breadcrumbs and pages', async () => {
      const [found] = await shop.list(`?parent_id=${root.id}&depth=0&include=breadcrumbs&limit=1`)
      expect(found).toMatchObject({ id: branch.id, children: [], breadcrumbs: [linkTo(root), linkTo(branch)] })
    })
  })

  it.each([
    ['?depth=4', { depth: ['depth must be 3 or less.'] }],
    ['?depth=deep', { depth: ['depth must be an integer.'] }],
    ['?limit=0', { limit: ['limit must be 1 or more.'] }],
    ['?page=0', { page: ['page must be 1 or more.'] }],
    ['?include=everything', { include: ['include must be breadcrumbs, or be left out.'] }],
    ['?parent_id=a&parent_id=b', { parent_id: ['parent_id must be a string.'] }],
  ])('refuses %s to the secret key', async (query, errors) => {
    const { status, body } = await app.call('GET', `/v1/categories${query}`, { key: shop.keys.sandbox.secret })
    expect([status, body]).toEqual([422, malformed(errors)])
  })

  const insertMany = statement(
    'test.many_categories',
    `insert into categories (merchant_id, id, parent_id, slug, name, description, meta, created_at, updated_at)
     select :merchant_id, id, parent_id, id, id, '', '{}', now(), now()
     from unnest(:ids::text[], :parent_ids::text[]) as listed (id, parent_id)`,
  )

  it('of 2,000 categories in a tree six deep is one statement, whatever the page holds', async () => {
    const big = await openShop(app)
    const ids: string[] = []
    const parents: (string | null)[] = []
    for (let index = 0; index < 2_000; index++) {
      ids.push(newId('category', new Date(Date.UTC(2026, 0, 1) + index)))
      // Four at the top, and four below each: the sixth level begins at 1,364.
      parents.push(index < 4 ? null : (ids[Math.floor(index / 4) - 1] ?? null))
    }
    await app.db.run(insertMany, { merchant_id: big.id, ids, parent_ids: parents })
    for (const index of [0, 50, 1_999]) await addProduct(app, big, [ids[index] ?? ''])
    const asset = await addAsset(app, big)
    await big.put(ids[3] ?? '', { assets: [asset.id] })

    const calls = (['one', 'many', 'maybe', 'run'] as const).map((name) => vi.spyOn(app.db, name))
    const begun = vi.spyOn(app.db, 'transaction')
    /** The names of the statements sent since the last look, but for the one that finds a key's owner. */
    const sent = () => {
      const names = calls.flatMap((spy) => spy.mock.calls.map(([{ name }]) => name))
      for (const spy of calls) spy.mockClear()
      return names.filter((name) => name !== 'merchants.find_caller_by_key_hash')
    }
    const found: Category[] = []
    for (let page = 1; page <= 10; page++) {
      found.push(...(await big.list(`?limit=200&page=${page}&include=breadcrumbs`, big.keys.sandbox.public)))
      expect(sent()).toEqual(['categories.list'])
    }
    await big.list('?limit=1', big.keys.sandbox.public)
    expect(sent()).toEqual(['categories.list'])
    await big.list(`?limit=200&parent_id=${ids[0]}`, big.keys.sandbox.public)
    expect(sent()).toEqual(['categories.list_children'])
    await big.get(ids[0] ?? '', '?include=breadcrumbs')
    expect(sent()).toEqual(['categories.read'])
    expect(begun).not.toHaveBeenCalled()

    const childrenOf = (id: string) => ids.filter((_, index) => parents[index] === id)
    const link = (id: string) => ({ id, slug: id, name: id })
    const below = (id: string, depth: number): unknown[] =>
      childrenOf(id).map((child) => (depth === 1 ? link(child) : { ...link(child), children: below(child, depth - 1) }))
    const trailTo = (id: string | null): unknown[] =>
      id === null ? [] : [...trailTo(parents[ids.indexOf(id)] ?? null), link(id)]
    expect(found.map(({ id }) => id)).toEqual(ids)
    expect(Math.max(...found.map(({ breadcrumbs = [] }) => breadcrumbs.length))).toBe(6)
    expect(found.map(({ products }, index) => [index, products]).filter(([, products]) => products !== 0)).toEqual([
      [0, 1],
      [50, 1],
      [1_999, 1],
    ])
    expect(found.flatMap(({ assets }, index) => assets.map(({ id }) => [index, id]))).toEqual([[3, asset.id]])
    expect(found.map(({ breadcrumbs }) => breadcrumbs)).toEqual(ids.map(trailTo))
    for (const category of found.slice(0, 400)) expect(category.children).toEqual(below(category.id, 3))
  })
})
