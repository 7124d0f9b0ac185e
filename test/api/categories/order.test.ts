// PUT /v1/categories/{id} with `before`: categories stand in the order that the merchant gives them.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { notValidField, replyOf } from '../../support/shop.ts'
import { openShop, type Shop, stateOf, UNKNOWN_ID } from './support.ts'

const app = await sharedApp()

const topOf = async (shop: Shop) => (await shop.list('?parent_id=')).map(({ slug }) => slug)
const childrenOf = async (shop: Shop, id: string) => (await shop.get(id)).children.map(({ slug }) => slug)

/** Three at the top, and three under the first of them. */
async function openTree() {
  const shop = await openShop(app)
  const [a, b, c] = [await shop.create('a'), await shop.create('b'), await shop.create('c')]
  const [x, y, z] = [
    await shop.create('x', { parent_id: a.id }),
    await shop.create('y', { parent_id: a.id }),
    await shop.create('z', { parent_id: a.id }),
  ]
  const move = async (id: string, body: object) => {
    const { status, text } = await shop.put(id, body)
    expect([status, text]).toEqual([200, expect.any(String)])
  }
  return { shop, a, b, c, x, y, z, move }
}

describe('The order of categories', () => {
  it('is their age until somebody places one, before another or behind all', async () => {
    const { shop, a, b, c, x, z, move } = await openTree()
    expect([await topOf(shop), await childrenOf(shop, a.id)]).toEqual([
      ['a', 'b', 'c'],
      ['x', 'y', 'z'],
    ])
    await move(c.id, { before: a.id })
    expect(await topOf(shop)).toEqual(['c', 'a', 'b'])
    await move(c.id, { before: b.id })
    expect(await topOf(shop)).toEqual(['a', 'c', 'b'])
    await move(a.id, { before: null })
    expect(await topOf(shop)).toEqual(['c', 'b', 'a'])
    await move(z.id, { before: x.id })
    expect(await childrenOf(shop, a.id)).toEqual(['z', 'x', 'y'])
  })

  it('is kept by the list of all, by every depth, and page by page', async () => {
    const { shop, a, c, z, x, move } = await openTree()
    await move(c.id, { before: a.id })
    await move(z.id, { before: x.id })
    const all = (await shop.list('')).map(({ slug }) => slug)
    expect(all.filter((slug) => 'abc'.includes(slug))).toEqual(['c', 'a', 'b'])
    expect(all.filter((slug) => 'xyz'.includes(slug))).toEqual(['z', 'x', 'y'])
    const pages = await Promise.all([1, 2, 3].map((page) => shop.list(`?limit=2&page=${page}`)))
    expect(pages.flat().map(({ slug }) => slug)).toEqual(all)
    expect((await shop.list(`?parent_id=${a.id}`)).map(({ slug }) => slug)).toEqual(['z', 'x', 'y'])
    expect((await shop.get(a.id, '?depth=1')).children.map(({ slug }) => slug)).toEqual(['z', 'x', 'y'])
  })

  it('puts one that moves under another parent where it is told, else behind those that were placed', async () => {
    const { shop, a, b, c, x, y, move } = await openTree()
    await move(x.id, { parent_id: null, before: b.id })
    expect(await topOf(shop)).toEqual(['a', 'x', 'b', 'c'])
    await move(y.id, { parent_id: null })
    expect(await topOf(shop)).toEqual(['a', 'x', 'b', 'c', 'y'])
    await move(c.id, { parent_id: a.id })
    await move(c.id, { parent_id: null })
    expect(await topOf(shop)).toEqual(['a', 'x', 'b', 'c', 'y'])
    await shop.create('new')
    expect((await topOf(shop)).at(-1)).toBe('new')
    expect((await shop.delete(a.id)).status).toBe(204)
    expect((await topOf(shop)).slice(0, 2)).toEqual(['x', 'b'])
    // A category that moves may name a sibling under its new parent.
    const other = await openTree()
    await other.move(other.b.id, { parent_id: other.a.id, before: other.x.id })
    expect(await childrenOf(other.shop, other.a.id)).toEqual(['b', 'x', 'y', 'z'])
  })

  it.each(['itself', 'one under another parent', 'one of another merchant', 'an unknown one'])(
    'refuses to place a category before %s',
    async (which) => {
      const { shop, a, x } = await openTree()
      const other = await (await openShop(app)).create('foreign')
      const ids = { itself: a.id, 'one under another parent': x.id, 'one of another merchant': other.id }
      const before = await stateOf(app, shop)
      expect(
        await replyOf(shop.put(a.id, { name: 'New', before: ids[which as keyof typeof ids] ?? UNKNOWN_ID })),
      ).toEqual(notValidField('before', 'is not the id of another category under the same parent.'))
      expect(await stateOf(app, shop)).toEqual(before)
    },
  )
})
