import { describe, expect, it } from 'vitest'
import { addAsset, openShop } from '../api/products/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp()
const shop = await openShop(app)
const asset = await addAsset(app, shop)
const plain = await shop.create({ name: 'Plain' })
const product = await shop.create({ name: 'Shown', assets: [asset.id], related_products: [plain.id] })
const teaser = await shop.create({ name: 'Teaser', related_products: [product.id] })

type Pictured = { image?: unknown; media?: unknown; related_products: Pictured[] }

const read = async (id: string, version: string) =>
  (await app.call('GET', `/v1/products/${id}`, { key: shop.keys.sandbox.secret, version })).body as Pictured

const MEDIA = { type: 'image', source: asset.url, asset_id: asset.id }
const NO_MEDIA = { type: null, source: null, asset_id: null }

describe('the lead picture of a product', () => {
  it('is `media` in the place of `image`, and an object without a picture too, at 2021-09-22', async () => {
    const { image: _, ...rest } = product
    const { image: __, ...related } = product.related_products[0] ?? {}
    const aged = await read(product.id, '2021-09-22')
    expect(aged).toEqual({ ...rest, media: MEDIA, related_products: [{ ...related, media: NO_MEDIA }] })
    const fields = Object.keys(product)
    expect(Object.keys(aged)).toEqual(fields.map((field) => (field === 'image' ? 'media' : field)))
    expect((await read(teaser.id, '2021-09-22')).related_products[0]?.media).toEqual(MEDIA)
  })

  it('is found where the asset itself was another shape, at 2020-02-01', async () => {
    expect((await read(product.id, '2020-02-01')).media).toEqual(MEDIA)
  })

  it('is the asset `image` at 2021-09-29', async () => {
    expect(await read(product.id, '2021-09-29')).toEqual(product)
    expect((await read(teaser.id, '2021-09-29')).related_products[0]?.image).toEqual(asset)
  })

  it('is `media` in lists and in the replies of changes too, at 2021-09-22', async () => {
    const options = { key: shop.keys.sandbox.secret, version: '2021-09-22' }
    const list = await app.call('GET', `/v1/products?query=${product.id}`, options)
    const put = await app.call('PUT', `/v1/products/${product.id}/assets`, { ...options, body: { assets: [asset.id] } })
    const [listed] = (list.body as { data: Pictured[] }).data
    expect([listed?.media, (put.body as Pictured).media, (put.body as Pictured).image]).toEqual([
      MEDIA,
      MEDIA,
      undefined,
    ])
  })
})

describe('the lead picture of a line', () => {
  const key = shop.keys.sandbox.public
  type Lines = { line_items: Pictured[] }
  const pictures = (lines: Pictured[]) => lines.map(({ image, media }) => ({ image, media }))
  const get = async <Body>(path: string, version?: string) =>
    (await app.call('GET', `/v1/${path}`, { key, ...(version === undefined ? {} : { version }) })).body as Body
  const fill = async () => {
    const { id } = await get<{ id: string }>('carts')
    for (const each of [product, plain]) {
      app.clock.advance(1)
      await app.call('POST', `/v1/carts/${id}`, { key, body: { id: each.id } })
    }
    return id
  }
  /** Of the lines of a cart, and of a checkout of it: of its live totals, its token, and the totals in that. */
  const everywhere = async (version: string) => {
    const cart = await fill()
    const { id } = await get<{ id: string }>(`checkouts/${cart}?type=cart`)
    const live = await get<Lines>(`checkouts/${id}/live`, version)
    const token = await get<Lines & { products: Pictured[]; live: Lines }>(`checkouts/tokens/${id}`, version)
    const lists = [await get<Lines>(`carts/${cart}`, version), live, token, token.live].map((each) => each.line_items)
    return [...lists, token.products].map(pictures)
  }

  it('is `media` there too, at 2021-09-22', async () => {
    expect(await everywhere('2021-09-22')).toEqual(Array(5).fill([{ media: MEDIA }, { media: NO_MEDIA }]))
  })

  it('is the asset `image` there too, at 2021-09-29', async () => {
    expect(await everywhere('2021-09-29')).toEqual(Array(5).fill([{ image: asset }, { image: null }]))
  })
})
