// Where a file is used: whoever deletes or replaces it sees what shows it.

import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { missing, openShopAt } from '../../support/shop.ts'
import { base64, png, upload } from './support.ts'

const app = await testApp()
const shop = await openShopAt(app, '')
const key = shop.keys.sandbox.secret
const picture = async () => (await upload(app, key, { filename: 'a.png', contents: base64(png()) })).id
type Made = { id: string; variant_groups: { id: string; options: { id: string }[] }[] }
const made = (path: string, body: unknown) => shop.succeed<Made>(201, 'POST', path, body)

it('tells the shop, categories and products, each once, however they show it', async () => {
  const id = await picture()
  expect((await shop.call('GET', `assets/${id}/uses`)).body).toEqual({ data: [], total: 0 })
  const hat = await made('products', {
    name: 'Hat',
    price: 1,
    assets: [id],
    delivery: { digital: { packages: [{ asset: id }] } },
    variant_groups: [{ name: 'Size', options: [{ name: 'S', assets: [id] }] }],
  })
  const [group] = hat.variant_groups
  const options = { [group?.id ?? '']: group?.options[0]?.id }
  await made(`products/${hat.id}/variants`, { options, assets: [id] })
  app.clock.advance(1)
  const cap = await made('products', { name: 'Cap', price: 1, assets: [await picture(), id] })
  const hats = await made('categories', { name: 'Hats', slug: 'hats', assets: [id] })
  await shop.succeed(200, 'PUT', 'merchants', { logo: id })
  expect((await shop.call('GET', `assets/${id}/uses`)).body).toEqual({
    data: [
      { type: 'merchant', id: String(shop.id), name: expect.any(String) },
      { type: 'category', id: hats.id, name: 'Hats' },
      { type: 'product', id: hat.id, name: 'Hat' },
      { type: 'product', id: cap.id, name: 'Cap' },
    ],
    total: 4,
  })
})

it('tells nothing of the file of another shop', async () => {
  const id = await picture()
  const stranger = await openShopAt(app, '')
  for (const asked of [id, `ast_${'0'.repeat(26)}`]) {
    const answer = await stranger.call('GET', `assets/${asked}/uses`)
    expect([answer.status, answer.body]).toEqual([404, missing('asset')])
  }
})
