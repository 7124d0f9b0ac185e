// Which assets a category lists: private ones to a secret key alone, unfinished ones to nobody.

import { describe, expect, it } from 'vitest'
import type { Category } from '../../../src/api/categories/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { sharedApp } from '../../support/app.ts'
import { addAsset, openShop } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const [shown, hidden, pending] = [
  await addAsset(app, shop),
  await addAsset(app, shop, { isPrivate: true }),
  await addAsset(app, shop),
]
const parent = await shop.create('house')
const { id } = await shop.create('plans', { parent_id: parent.id, assets: [hidden.id, pending.id, shown.id] })

// No request leads here: whoever attaches one is refused.
const makePending = statement(
  'test.make_category_asset_pending',
  'update assets set is_pending = true where merchant_id = :merchant_id and id = :id',
)
await app.db.run(makePending, { merchant_id: shop.id, id: pending.id })

/** What every way to read the category lists. */
async function listed(key: string) {
  const read = async <T>(path: string) => (await app.call('GET', `/v1/categories${path}`, { key })).body as T
  const pages = ['', `?parent_id=${parent.id}`].map((query) => read<{ data: Category[] }>(query))
  const found = (await Promise.all(pages)).map(({ data }) => data.find((category) => category.id === id))
  return [...found, await read<Category>(`/${id}`), await read<Category>('/plans?type=slug')].map(
    (each) => each?.assets,
  )
}

describe('the assets that a category lists', () => {
  it('are the public ones for a public key', async () => {
    expect(await listed(shop.keys.sandbox.public)).toEqual(Array.from({ length: 4 }, () => [shown]))
  })

  it('are the private ones too for a secret key, which can open them', async () => {
    const signed = { ...hidden, url: expect.stringMatching(/\?expires=\d+&signature=/) }
    expect(await listed(shop.keys.sandbox.secret)).toEqual(Array.from({ length: 4 }, () => [signed, shown]))
  })
})
