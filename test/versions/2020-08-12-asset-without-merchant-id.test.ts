import { expect, it } from 'vitest'
import { base64, png, upload } from '../api/assets/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp()
await app.merchant()
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const { id, url } = await upload(app, key, { filename: 'a.png', contents: base64(png(4, 5)) })

const shown = {
  id,
  url,
  is_image: true,
  data: {
    filename: 'a.png',
    file_extension: 'png',
    file_size: png(4, 5).length,
    image_dimensions: { width: 4, height: 5 },
    ext: 'png',
    name: 'a.png',
  },
  meta: [],
  private: false,
  pending: false,
  created_at: 1767323045,
  updated_at: 1767323045,
}

it("an asset carries its merchant's id before 2020-08-12, alone and in a list", async () => {
  const older = { ...shown, merchant_id: shop.id }
  const version = '2020-07-29'
  expect((await app.call('GET', `/v1/assets/${id}`, { key, version })).body).toEqual(older)
  expect((await app.call('GET', '/v1/assets', { key, version })).body).toMatchObject({ data: [older] })
})

it('an asset does not name its merchant from 2020-08-12 on', async () => {
  expect((await app.call('GET', `/v1/assets/${id}`, { key, version: '2020-08-12' })).body).toEqual(shown)
})

it('an asset inside a product follows, alone and in a list', async () => {
  const body = { name: 'Red', price: 1, assets: [id] }
  const product = (await app.call('POST', '/v1/products', { key, body })).body as { id: string }
  type Aged = { assets: unknown[] }
  const read = async (path: string, version: string) =>
    (await app.call('GET', `/v1/products${path}`, { key, version })).body as Aged & { data: Aged[] }
  const older = { ...shown, merchant_id: shop.id }
  expect((await read(`/${product.id}`, '2020-07-29')).assets).toEqual([older])
  expect((await read('', '2020-07-29')).data[0]?.assets).toEqual([older])
  expect((await read(`/${product.id}`, '2020-08-12')).assets).toEqual([shown])
})
