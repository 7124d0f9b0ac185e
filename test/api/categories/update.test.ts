// PUT /v1/categories/{id}: what is sent changes and the rest stays, moving, children that replace, and what is refused.

import { describe, expect, it } from 'vitest'
import type { Category } from '../../../src/api/categories/schema.ts'
import { testApp } from '../../support/app.ts'
import { notValid } from '../../support/shop.ts'
import {
  addAsset,
  addProduct,
  CIRCLE_BY_PARENT,
  circleByChild,
  eventsOf,
  forgetEvents,
  linkTo,
  NOT_FOUND,
  openShop,
  type Shop,
  stateOf,
  UNKNOWN_ID,
} from './support.ts'

const app = await testApp()
const shop = await openShop(app)

/** Sends what must be refused, and checks that nothing was stored and no event written. */
async function refused(id: string, body: unknown, by: Shop = shop) {
  const before = await stateOf(app, by)
  const answer = await by.put(id, body)
  expect(await stateOf(app, by)).toEqual(before)
  return [answer.status, answer.body]
}

/** Sends what must succeed, and checks that a read gives the same. */
async function put(id: string, body: unknown, by: Shop = shop): Promise<Category> {
  const answer = await by.put(id, body)
  expect([answer.status, answer.body]).toEqual([200, await by.get(id)])
  return answer.body as Category
}

let count = 0
/** Makes a category for each name, those behind an arrow under the one before: `a > b > c`. */
async function line(names: string, by: Shop = shop): Promise<Category[]> {
  const made: Category[] = []
  for (const name of names.split(' > ')) {
    const parent = made.at(-1)
    made.push(await by.create(`${name}-${++count}`, parent ? { parent_id: parent.id } : {}))
  }
  return made
}

const parentsOf = async (...categories: readonly Category[]) =>
  Promise.all(categories.map(async ({ id }) => (await shop.get(id)).parent_id))

describe('PUT /v1/categories/{id}', () => {
  describe('changes what is sent and leaves the rest:', () => {
    const full = async () => {
      const [asset, parent, child] = [await addAsset(app, shop), ...(await line('p')), ...(await line('c'))]
      const more = { description: 'Old.', assets: [asset.id], meta: { a: 1, b: 2 } }
      const made = await shop.create(`full-${++count}`, { ...more, parent_id: parent?.id, children: [child?.id] })
      await addProduct(app, shop, [made.id])
      app.clock.advance(60)
      return { ...made, products: 1, updated: Math.floor(app.clock.now().getTime() / 1_000) }
    }

    it('the slug to the one it has', async () => {
      const before = await full()
      expect(await put(before.id, { slug: before.slug, name: before.name })).toEqual(before)
    })
  })

  it('clears meta with null', async () => {
    const { id } = await shop.create('with-meta', { meta: { a: 1 } })
    expect((await put(id, { meta: null })).meta).toEqual({})
  })

  it('replaces assets, in the order given', async () => {
    const assets = [await addAsset(app, shop), await addAsset(app, shop), await addAsset(app, shop)]
    const [first, second, third] = assets.map(({ id }) => id)
    const { id } = await shop.create('with-assets', { assets: [first, second] })
    const changed = await put(id, { assets: [third, second, first] })
    expect(changed.assets).toEqual(assets.reverse())
  })

  describe('moves', () => {
    it('a category with all that is below it', async () => {
      const [from, moving, below] = (await line('from > moving > below')) as [Category, Category, Category]
      const [to] = (await line('to')) as [Category]
      await put(moving.id, { parent_id: to.id })
      expect((await shop.get(to.id)).children).toEqual([
        { ...linkTo(moving), children: [{ ...linkTo(below), children: [] }] },
      ])
      expect((await shop.get(from.id)).children).toEqual([])
      await put(moving.id, { parent_id: null })
      expect(await parentsOf(from, moving, below, to)).toEqual([null, null, moving.id, null])
    })

    it('the given children here, and those left out to where this category stood', async () => {
      const [top, own, kept] = (await line('top > own > kept')) as [Category, Category, Category]
      const left = await shop.create('left', { parent_id: own.id })
      const come = await shop.create('come')
      const changed = await put(own.id, { children: [come.id, kept.id] })
      expect(changed.children.map(({ id }) => id)).toEqual([kept.id, come.id])
      expect(await parentsOf(own, kept, come, left)).toEqual([top.id, own.id, own.id, top.id])
    })

    it('a category and its child into one another’s place', async () => {
      const [top, own, child] = (await line('top > own > child')) as [Category, Category, Category]
      await put(own.id, { parent_id: child.id, children: [] })
      expect(await parentsOf(top, child, own)).toEqual([null, top.id, child.id])
    })

    it('its parent under itself, when it leaves the parent', async () => {
      const [top, own] = (await line('top > own')) as [Category, Category]
      await put(own.id, { parent_id: null, children: [top.id] })
      expect(await parentsOf(top, own)).toEqual([own.id, null])
    })
  })

  it('writes its event, and one for each category that it moved, none for children that stay', async () => {
    const own = await openShop(app)
    const [top, middle, stays] = (await line('top > middle > stays', own)) as [Category, Category, Category]
    const [comes, leaves] = [await own.create('comes'), await own.create('leaves', { parent_id: middle.id })]
    await forgetEvents(app.db, own.id)
    app.clock.advance(60)
    const changed = await put(middle.id, { children: [stays.id, comes.id] }, own)
    const event = { kind: 'category', name: 'categories.update', sandbox: null, response_code: 200 }
    expect(await eventsOf(app.db, own.id)).toEqual([
      { ...event, payload: changed },
      { ...event, payload: { ...comes, parent_id: middle.id, updated: changed.updated } },
      { ...event, payload: { ...leaves, parent_id: top.id, updated: changed.updated } },
    ])
  })

  describe('refuses', () => {
    it('to stand under itself or under one that is below it', async () => {
      const [own, child, grandchild] = (await line('own > child > grandchild')) as [Category, Category, Category]
      for (const { id } of [own, child, grandchild])
        expect(await refused(own.id, { parent_id: id, name: 'X' })).toEqual([422, CIRCLE_BY_PARENT])
      expect(await refused(own.id, { parent_id: own.id, children: [] })).toEqual([422, CIRCLE_BY_PARENT])
    })

    it('itself or one that it stands under as a child', async () => {
      const [top, parent, own] = (await line('top > parent > own')) as [Category, Category, Category]
      for (const { id } of [top, parent, own])
        expect(await refused(own.id, { children: [id] })).toEqual([422, circleByChild(0)])
    })

    it('a new parent and a new child that are one, or below one another', async () => {
      const [own] = (await line('own')) as [Category]
      const [upper, lower] = (await line('upper > lower')) as [Category, Category]
      for (const child of [upper, lower])
        expect(await refused(own.id, { parent_id: lower.id, children: [child.id] })).toEqual([422, circleByChild(0)])
    })

    it('to move below a child that it keeps', async () => {
      const [own, child, grandchild] = (await line('own > child > grandchild')) as [Category, Category, Category]
      const body = { parent_id: grandchild.id, children: [child.id] }
      expect(await refused(own.id, body)).toEqual([422, circleByChild(0)])
    })

    it("unknown and other merchants' parents, children and assets", async () => {
      const other = await openShop(app)
      const foreign = { category: await other.create('foreign'), asset: await addAsset(app, other) }
      const [own] = (await line('own')) as [Category]
      for (const id of [UNKNOWN_ID, foreign.category.id, foreign.asset.id]) {
        expect(await refused(own.id, { parent_id: id })).toEqual([
          422,
          notValid({ parent_id: ['parent_id is not the id of a category.'] }),
        ])
        expect(await refused(own.id, { children: [id] })).toEqual([
          422,
          notValid({ 'children.0': ['children.0 is not the id of a category.'] }),
        ])
        expect(await refused(own.id, { assets: [id] })).toEqual([
          422,
          notValid({ 'assets.0': ['assets.0 is not the id of a finished asset.'] }),
        ])
      }
    })

    it("another category's slug", async () => {
      const [own, other] = [...(await line('own')), ...(await line('other'))] as [Category, Category]
      expect(await refused(own.id, { slug: other.slug, name: 'X' })).toEqual([
        422,
        notValid({ slug: ['slug is taken by another category; it must be unique among your categories.'] }),
      ])
    })

    it('to find a category by its slug', async () => {
      const [own] = (await line('own')) as [Category]
      expect(await refused(`${own.slug}?type=slug`, { name: 'X' })).toEqual([404, NOT_FOUND])
    })
  })
})
