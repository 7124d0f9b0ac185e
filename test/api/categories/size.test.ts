// Large trees: what a change of a category with thousands of children costs, and how deep a tree may become.

import { describe, expect, it } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { type Answer, sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { notValid, replyOf } from '../../support/shop.ts'
import { statementsOf } from '../statements.ts'
import { eventsOf, forgetEvents, openShop, type Shop, stateOf } from './support.ts'

const app = await sharedApp()

const insertMany = sql`
  insert into categories (merchant_id, id, parent_id, slug, name, description, meta, created_at, updated_at)
  select :merchant_id, id, parent_id, lower(id), id, '', '{}', :created_at, :created_at
  from unnest(:ids::text[], :parent_ids::text[]) as made (id, parent_id)`

async function addChildren(shop: Shop, parentId: string, count: number) {
  const ids = Array.from({ length: count }, () => newId('category', app.clock.now()))
  await app.db.run(insertMany, {
    merchant_id: shop.id,
    ids,
    parent_ids: ids.map(() => parentId),
    created_at: app.clock.now(),
  })
  return ids.sort()
}

/** How many statements a change sends, and the events that it writes. */
async function costOf(shop: Shop, change: () => Promise<Answer>) {
  await forgetEvents(app, shop)
  const statements = await statementsOf(async () => expect((await change()).status).toBeLessThan(300))
  return { statements: statements.length, events: await eventsOf(app, shop) }
}

describe('a category with 2,000 children', () => {
  it('is deleted with few statements, and lets go of its children with few; each that moves is told of', async () => {
    const shop = await openShop(app)
    const top = await shop.create('top')
    const { id } = await shop.create('wide', { parent_id: top.id })
    const children = await addChildren(shop, id, 2_000)
    const deleted = await costOf(shop, () => shop.delete(id))
    expect(deleted.statements).toBeLessThan(14)
    expect((await shop.list(`?limit=200&depth=0&parent_id=${top.id}`)).length).toBe(200)
    const moves = deleted.events.filter(({ name }) => name === 'categories.update')
    expect([deleted.events.length, moves.map(({ payload }) => payload.id)]).toEqual([2_001, children])
    expect(new Set(moves.map(({ payload }) => payload.parent_id))).toEqual(new Set([top.id]))
    const released = await costOf(shop, () => shop.put(top.id, { children: [] }))
    expect(released.statements).toBeLessThan(16)
    expect(released.events).toHaveLength(2_001)
  })
})

/** Categories under one another, the topmost first. */
async function chain(shop: Shop, name: string, length: number): Promise<string[]> {
  const ids: string[] = []
  for (let level = 1; level <= length; level++)
    ids.push((await shop.create(`${name}-${level}`, { parent_id: ids.at(-1) ?? null })).id)
  return ids
}

const first = (ids: readonly string[]) => ids[0] ?? ''
const last = (ids: readonly string[]) => ids.at(-1) ?? ''

const tooDeep = (field: 'parent_id' | 'children', levels: number) =>
  notValid({
    [field]: [`${field} would make the tree ${levels} levels deep; it can have at most 20 levels.`],
  })

describe('a tree', () => {
  it('has twenty levels and not a twenty-first', async () => {
    const shop = await openShop(app)
    const ids = await chain(shop, 'a', 20)
    const before = await stateOf(app, shop)
    const below = await shop.post({ slug: 'b', name: 'B', parent_id: last(ids) })
    expect([below.status, below.body]).toEqual([422, tooDeep('parent_id', 21)])
    const above = await shop.post({ slug: 'b', name: 'B', children: [first(ids)] })
    expect([above.status, above.body]).toEqual([422, tooDeep('children', 21)])
    const other = await shop.put(last(ids), { name: 'Renamed' })
    expect([other.status, (await stateOf(app, shop)).rows.length]).toEqual([200, before.rows.length])
  })

  it('does not become deeper by a move, and stays as it was when one is refused', async () => {
    const shop = await openShop(app)
    const [a, b] = [await chain(shop, 'a', 15), await chain(shop, 'b', 6)]
    const before = await stateOf(app, shop)
    expect(await replyOf(shop.put(first(b), { parent_id: last(a) }))).toEqual([422, tooDeep('parent_id', 21)])
    expect(await replyOf(shop.put(last(a), { children: [first(b)] }))).toEqual([422, tooDeep('children', 21)])
    expect(await stateOf(app, shop)).toEqual(before)
    // One level less, and there is room.
    expect((await shop.put(b[1] ?? '', { parent_id: last(a) })).status).toBe(200)
  })

  it('counts a child that takes the place of its parent once', async () => {
    const shop = await openShop(app)
    const ids = await chain(shop, 'a', 20)
    const [, ...below] = ids
    // The first moves under the last and lets its child go, which takes its place: still twenty.
    const answer = await shop.put(first(ids), { parent_id: last(ids), children: [] })
    expect([answer.status, answer.text]).toEqual([200, answer.text])
    const deepest = await shop.get(first(ids), '?include=breadcrumbs')
    expect(deepest.breadcrumbs?.map(({ id }) => id)).toEqual([...below, first(ids)])
  })
})
