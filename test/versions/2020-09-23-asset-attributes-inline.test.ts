import { expect, it } from 'vitest'
import { base64, pdf, png, upload } from '../api/assets/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp()
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const picture = await upload(app, key, {
  filename: 'a.png',
  contents: base64(png(4, 5)),
  description: 'Red',
  meta: ['x'],
})
app.clock.advance(1)
const document = await upload(app, key, { filename: 'b.pdf', contents: base64(pdf()) })
const get = async (version: string, path = `/${picture.id}`) =>
  (await app.call('GET', `/v1/assets${path}`, { key, version })).body

const older = {
  id: picture.id,
  url: picture.url,
  is_image: true,
  data: {
    filename: 'a.png',
    file_extension: 'png',
    file_size: png(4, 5).length,
    image_dimensions: { width: 4, height: 5 },
    ext: 'png',
    name: 'a.png',
  },
  meta: ['x'],
  private: false,
  pending: false,
  created_at: 1767323045,
  updated_at: 1767323045,
}

it('what is known of the file stands under data, its name and extension under two names each, and there is no description, before 2020-09-23', async () => {
  const asset = await get('2020-08-26')
  expect(asset).toEqual(older)
  expect(Object.keys(asset as object)).toEqual(Object.keys(older))
})

it('the entries of a list have the older form too', async () => {
  expect(await get('2020-08-26', '')).toMatchObject({
    data: [
      older,
      {
        id: document.id,
        is_image: false,
        data: {
          filename: 'b.pdf',
          file_extension: 'pdf',
          file_size: pdf().length,
          image_dimensions: [],
          ext: 'pdf',
          name: 'b.pdf',
        },
      },
    ],
  })
})

it('an asset has its attributes inline and a description from 2020-09-23 on', async () => {
  const { data: all, ...rest } = older
  const { ext: _, name: __, ...data } = all
  expect(await get('2020-09-23')).toEqual({ ...rest, ...data, description: 'Red' })
})

it('an asset inside a category has the older form too', async () => {
  const body = { slug: 'red', name: 'Red', assets: [picture.id] }
  const category = (await app.call('POST', '/v1/categories', { key, body })).body as { id: string }
  const answer = await app.call('GET', `/v1/categories/${category.id}`, { key, version: '2020-08-26' })
  expect(answer.body).toMatchObject({ assets: [older] })
})

it('an asset inside a product has the older form too, alone, in a list and in the reply of a change', async () => {
  const body = { name: 'Red', price: 1, assets: [picture.id] }
  const product = (await app.call('POST', '/v1/products', { key, body })).body as { id: string }
  const teaser = { name: 'Teaser', price: 1, related_products: [product.id] }
  const { id } = (await app.call('POST', '/v1/products', { key, body: teaser })).body as { id: string }
  type Aged = { assets: unknown[]; media: unknown; related_products: { media: unknown }[] }
  const read = async (path: string, version: string) =>
    (await app.call('GET', `/v1/products${path}`, { key, version })).body as Aged & { data: Aged[] }

  const media = { type: 'image', source: picture.url, asset_id: picture.id }
  const alone = await read(`/${product.id}`, '2020-08-26')
  expect([alone.assets, alone.media]).toEqual([[older], media])
  expect((await read(`?query=${product.id}`, '2020-08-26')).data[0]?.assets).toEqual([older])
  expect((await read(`/${id}`, '2020-08-26')).related_products[0]?.media).toEqual(media)
  const change = { key, version: '2020-08-26', body: { sku: 'R' } }
  const changed = (await app.call('PUT', `/v1/products/${product.id}`, change)).body as Aged
  expect(changed.assets).toEqual([older])

  const { data: all, ...rest } = older
  const { ext: _, name: __, ...data } = all
  expect((await read(`/${product.id}`, '2020-09-23')).assets).toEqual([{ ...rest, ...data, description: 'Red' }])
})

it('creating an asset answers id and url in both', async () => {
  for (const version of ['2020-08-26', '2020-09-23']) {
    const answer = await app.call('POST', '/v1/assets', {
      key,
      version,
      body: { filename: 'a.png', contents: base64(png()) },
    })
    expect([answer.status, Object.keys(answer.body as object)]).toEqual([201, ['id', 'url']])
  }
})
