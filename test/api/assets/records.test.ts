// Assets as records: PUT and DELETE /v1/assets/{asset_id}, their addresses, and where a file is used. test/properties has their life.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { malformedField, openShopAt, replyOf } from '../../support/shop.ts'
import { base64, download, filesOnDisk, png, put as putBytes, runJobs, upload } from './support.ts'

const app = await testApp()
const shop = await openShopAt(app, '')
const key = shop.keys.sandbox.secret
const create = () => upload(app, key, { filename: 'a.png', contents: base64(png()) })
const presign = () => upload(app, key, { filename: 'a.png', pending: true })
const put = (id: string, body: unknown) => shop.call('PUT', `assets/${id}`, body)
const get = async (id: string) => (await shop.call('GET', `assets/${id}`)).body
const remove = async (id: string) => (await shop.call('DELETE', `assets/${id}`)).status

describe('PUT /v1/assets/{asset_id}', () => {
  it('leaves a finished asset finished, and a pending one pending', async () => {
    const { id, url } = await create()
    expect((await put(id, { pending: true })).body).toEqual({ id, url })
    const { id: pending } = await presign()
    expect((await put(pending, { description: 'soon' })).status).toBe(200)
    expect(await get(id)).toMatchObject({ pending: false })
    expect(await get(pending)).toMatchObject({ description: 'soon', pending: true })
  })

  it.each([{}, { filename: 'b.png' }, null])('refuses the body %j, which changes nothing', async (body) => {
    const refused = malformedField('pending', 'is required, unless description or meta is sent.')
    expect(await replyOf(put((await create()).id, body))).toEqual(refused)
  })
})

describe('DELETE /v1/assets/{asset_id}', () => {
  it('answers 204, and the address and then the bytes are gone, also of an upload that is pending', async () => {
    const [{ id, url }, kept, bare, arrived] = [await create(), await create(), await presign(), await presign()]
    await putBytes(app, arrived.upload_url, png())
    expect([await remove(id), await remove(bare.id), await remove(arrived.id)]).toEqual([204, 204, 204])
    expect((await download(app, url)).status).toBe(404)
    await runJobs(app)
    const files = await filesOnDisk(app)
    const filesOf = (asset: string) => files.filter((name) => name.includes(asset)).length
    expect([id, arrived.id, kept.id].map(filesOf)).toEqual([0, 0, 1])
    expect((await download(app, kept.url)).status).toBe(200)
  })
})

it('begins addresses with PUBLIC_URL where it is set', async () => {
  const behind = await testApp({ publicUrl: 'https://api.shop.example' })
  const merchant = await behind.merchant()
  const file = { filename: 'a.png', contents: base64(png()) }
  const { id, url } = await upload(behind, merchant.keys.sandbox.secret, file)
  expect(url).toBe(`https://api.shop.example/files/${merchant.id}/${id}/a.png`)
})

type Made = { id: string; variant_groups: { id: string; options: { id: string }[] }[] }
const made = (path: string, body: unknown) => shop.succeed<Made>(201, 'POST', path, body)

it('tells the shop, categories and products, each once, however they show it', async () => {
  const id = (await create()).id
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
  const cap = await made('products', { name: 'Cap', price: 1, assets: [(await create()).id, id] })
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
