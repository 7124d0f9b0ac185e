import { describe, expect, it } from 'vitest'
import { openShop } from '../api/products/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp()
const shop = await openShop(app)
const { id } = await shop.create()
app.clock.advance(7)
const product = await shop.update(id, { variant_groups: [{ name: 'Colour' }] })

const read = async (version: string) =>
  (await app.call('GET', `/v1/products/${id}`, { key: shop.keys.sandbox.secret, version })).body

describe('the moment a product changed', () => {
  it('is `last_updated` at 2020-09-23, for the product itself', async () => {
    const { updated, variant_groups, image: _, ...rest } = product
    expect(await read('2020-09-23')).toEqual({
      ...rest,
      last_updated: updated,
      media: { type: null, source: null, asset_id: null },
      variants: variant_groups,
    })
  })

  it('is `updated` at 2020-11-18', async () => {
    const { variant_groups, image: _, ...rest } = product
    expect(await read('2020-11-18')).toEqual({
      ...rest,
      media: { type: null, source: null, asset_id: null },
      variants: variant_groups,
    })
  })
})
