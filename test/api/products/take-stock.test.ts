// Taking stock of several items in one statement, as captures do: all that there is enough of, and nothing of the rest.

import { expect, it } from 'vitest'
import { takenFromStock } from '../../../src/api/products/stock-store.ts'
import { databaseOf, statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { openShop } from './support.ts'

const app = await testApp({ trustProxy: () => true })

const take = statement<{ item_id: string; quantity: number }>(
  'test.take_stock',
  `with wanted as (
     select wanted.item_id, wanted.quantity
     from unnest(:item_ids::text[], :quantities::bigint[]) as wanted (item_id, quantity)
   ),
   ${takenFromStock('wanted')}
   select item_id, quantity from taken order by quantity`,
)

it('takes what there is enough of, in one mode, and commits with what it is part of', async () => {
  const shop = await openShop(app)
  const [plenty, last, few] = [
    await shop.create({ inventory: { available: 9 } }),
    await shop.create({ inventory: { available: 2 } }),
    await shop.create({ inventory: { available: 1 } }),
  ]
  const values = {
    merchant_id: shop.id,
    is_sandbox: true,
    item_ids: [plenty.id, last.id, few.id],
    quantities: [3, 2, 2],
  }
  const left = async (key?: string) =>
    Promise.all([plenty, last, few].map(async ({ id }) => (await shop.get(id, key)).inventory.available))

  const undone = new Error('undone')
  const rolledBack = app.db.transaction(async (tx) => {
    // A transaction of this database is a part of the one around it.
    const rows = await databaseOf(tx).transaction((inner) => inner.many(take, values))
    expect(rows).toEqual([
      { item_id: last.id, quantity: 2 },
      { item_id: plenty.id, quantity: 3 },
    ])
    throw undone
  })
  await expect(rolledBack).rejects.toBe(undone)
  expect(await left()).toEqual([9, 2, 1])

  await app.db.transaction((tx) => databaseOf(tx).transaction((inner) => inner.many(take, values)))
  expect(await left()).toEqual([6, 0, 1])
  expect(await left(shop.keys.live.secret)).toEqual([9, 2, 1])
})
