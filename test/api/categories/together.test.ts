// Requests at the same time: one slug, circles that two moves would close together, deletions beside moves and links.

import { describe, expect, it } from 'vitest'
import type { Category } from '../../../src/api/categories/schema.ts'
import { moveProductCount } from '../../../src/api/categories/store.ts'
import { testApp } from '../../support/app.ts'
import { changeRows, sql } from '../../support/rows.ts'
import { atOnce, notValid } from '../../support/shop.ts'
import { addAsset } from '../products/support.ts'
import { untilLockIsAwaited } from '../waiting-locks.ts'
import { CIRCLE_BY_PARENT, eventsOf, openShop, type Shop } from './support.ts'

const app = await testApp({ pool: { size: 8, waitMs: 90_000 } })

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort()

/** Every category's way to the top ends; a circle would not. */
async function expectTree(shop: Shop) {
  const all = await shop.list('?limit=200&depth=0')
  const parents = new Map(all.map(({ id, parent_id }) => [id, parent_id]))
  for (const { id } of all) {
    let steps = 0
    for (let at: string | null = id; at !== null; at = parents.get(at) ?? null)
      if (++steps > all.length) throw new Error('The categories stand in a circle.')
  }
}

describe('at the same time', () => {
  it('one of several new categories gets the slug', async () => {
    const shop = await openShop(app)
    const answers = await atOnce(8, () => shop.post({ slug: 'one', name: 'One' }))
    expect(statuses(answers)).toEqual([201, 422, 422, 422, 422, 422, 422, 422])
    const taken = notValid({ slug: ['slug is taken by another category; it must be unique among your categories.'] })
    expect(answers.filter(({ status }) => status === 422).map(({ body }) => body)).toEqual(Array(7).fill(taken))
    expect(await shop.list()).toHaveLength(1)
    expect(await eventsOf(app, shop)).toHaveLength(1)
  })

  it('one of three moves that touch no common row is refused, where they would close a circle', async () => {
    const shop = await openShop(app)
    for (let round = 0; round < 10; round++) {
      const tops = [await shop.create(`x-${round}`), await shop.create(`y-${round}`), await shop.create(`z-${round}`)]
      const ends: Category[] = []
      for (const top of tops) ends.push(await shop.create(`${top.slug}-end`, { parent_id: top.id }))
      const answers = await Promise.all(
        tops.map((top, index) => shop.put(top.id, { parent_id: ends[(index + 1) % 3]?.id })),
      )
      expect(statuses(answers)).toEqual([200, 200, 422])
      expect(answers.find(({ status }) => status === 422)?.body).toEqual(CIRCLE_BY_PARENT)
      await expectTree(shop)
    }
  })

  it('a deletion and a creation below it leave no child without its parent', async () => {
    const shop = await openShop(app)
    for (let round = 0; round < 25; round++) {
      const parent = await shop.create(`parent-${round}`)
      const [made, deleted] = await Promise.all([
        shop.post({ slug: `child-${round}`, name: 'Child', parent_id: parent.id }),
        shop.delete(parent.id),
      ])
      expect([made.status, deleted.status]).toEqual([expect.toSatisfy((status) => [201, 422].includes(status)), 204])
      for (const category of await shop.list()) {
        expect(category.parent_id).toBe(null)
        await shop.delete(category.id)
      }
    }
  })

  it('a deleted asset and its attachment leave neither an error nor a dead link', async () => {
    const shop = await openShop(app)
    const { id } = await shop.create('with-asset')
    for (let round = 0; round < 25; round++) {
      const asset = await addAsset(app, shop)
      const [answer] = await Promise.all([
        shop.put(id, { assets: [asset.id] }),
        changeRows(app.db, 'delete from assets', { merchant_id: shop.id, id: asset.id }),
      ])
      expect([200, 422]).toContain(answer.status)
      expect((await shop.get(id)).assets).toEqual([])
    }
  })

  const hold = sql<{ id: string }>`
    select id from categories where merchant_id = :merchant_id and id = :id for update nowait`

  it('products that change places between two categories count there in one order, so that they do not wait for each other', async () => {
    const shop = await openShop(app)
    const ids = [(await shop.create('one')).id, (await shop.create('other')).id]
    const [first = '', second = ''] = ids.sort()
    for (const [before, after] of [
      [first, second],
      [second, first],
    ] as [string, string][]) {
      const moved = await app.db.transaction(async (tx) => {
        await tx.one(hold, { merchant_id: shop.id, id: first })
        const move = app.db.transaction(async (other) =>
          moveProductCount(other, { merchant_id: shop.id }, [before], [after]),
        )
        await untilLockIsAwaited(app.db)
        // It waits for the first one, and holds nothing of the second.
        await app.db.one(hold, { merchant_id: shop.id, id: second })
        return { move }
      })
      await moved.move
    }
  })
})
