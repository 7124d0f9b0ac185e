// Which assets a product, its options and its variants list: private ones to a secret key alone, unfinished ones to nobody.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import type { Variant } from '../../../src/api/products/variants/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { addAsset, eventsOf, openShop } from './support.ts'

const app = await testApp()
const shop = await openShop(app)
const { public: open, secret } = shop.keys.sandbox

const makePending = statement(
  'test.make_asset_pending',
  'update assets set is_pending = true where merchant_id = :merchant_id and id = :id',
)

/** A product that holds the same three assets everywhere, and a variant of it that holds them too. */
async function createHolder() {
  const shown = await addAsset(app, shop)
  const hidden = await addAsset(app, shop, { isPrivate: true })
  const pending = await addAsset(app, shop)
  const assets = [hidden.id, pending.id, shown.id]
  const product = await shop.create({ assets, variant_groups: [{ name: 'Size', options: [{ name: 'S', assets }] }] })
  const group = product.variant_groups[0]
  const made = await shop.call('POST', `/${product.id}/variants`, {
    options: { [group?.id ?? '']: group?.options[0]?.id },
    assets,
  })
  expect(made.status).toBe(201)
  // No request leads here. Whoever attaches one is refused; this is what reads do should one be attached all the same.
  await app.db.run(makePending, { merchant_id: shop.id, id: pending.id })
  return { product, variant: made.body as Variant, groupId: group?.id ?? '', hidden, shown }
}

const idsOf = (assets: readonly (string | { id: string })[] | null | undefined) =>
  assets?.map((asset) => (typeof asset === 'string' ? asset : asset.id))

const { product, variant, groupId, hidden, shown } = await createHolder()

/** The ids that each read of the product, its options and its variant lists. */
async function listed(key: string) {
  const read = async <T>(path: string) => (await shop.call('GET', path, undefined, key)).body as T
  const one = await read<Product>(`/${product.id}`)
  const [ofList] = (await read<{ data: Product[] }>(`?query=${product.id}`)).data
  const [ofGroups] = (await read<{ data: Product['variant_groups'] }>(`/${product.id}/variant_groups`)).data
  const group = await read<Product['variant_groups'][number]>(`/${product.id}/variant_groups/${groupId}`)
  const [ofVariants] = (await read<{ data: Variant[] }>(`/${product.id}/variants`)).data
  const single = await read<Variant>(`/${product.id}/variants/${variant.id}`)
  const owners = [one, ofList, one.variant_groups[0]?.options[0], ofGroups?.options[0], group.options[0]]
  return [...owners, ofVariants, single].map((owner) => idsOf(owner?.assets))
}

describe('the assets that a product, its options and its variants list', () => {
  it('are the public ones for a public key', async () => {
    expect(await listed(open)).toEqual(Array.from({ length: 7 }, () => [shown.id]))
  })

  it('are the private ones too for a secret key, which can open them', async () => {
    expect(await listed(secret)).toEqual(Array.from({ length: 7 }, () => [hidden.id, shown.id]))
    const [first] = (await shop.get(product.id)).assets
    expect(first).toEqual({ ...hidden, url: expect.stringMatching(/\?expires=\d+&signature=/) })
  })

  it('are no unfinished ones in events either', async () => {
    app.clock.advance(1)
    await shop.update(product.id, { name: 'Renamed' })
    const payload = (await eventsOf(app, shop)).at(-1)?.payload as Product
    expect(payload.assets).toEqual([hidden, shown])
  })

  it('are not changed by a change of something else', async () => {
    await shop.update(product.id, { variant_groups: [{ id: groupId, name: 'Sizes' }] })
    expect((await shop.get(product.id)).variant_groups[0]?.options[0]?.assets).toEqual([hidden.id, shown.id])
  })

  it('are null for an option that has none to be shown', async () => {
    const made = await shop.create({
      variant_groups: [{ name: 'Size', options: [{ name: 'S', assets: [hidden.id] }] }],
    })
    const seen = async (key: string) => (await shop.get(made.id, key)).variant_groups[0]?.options[0]?.assets
    expect([await seen(secret), await seen(open)]).toEqual([[hidden.id], null])
  })
})
