// Pictures of every accepted type: their size is read, they are served as what they are, and none unfolds into more than 100 megapixels.

import { describe, expect, it } from 'vitest'
import { avif, bytes, gif, jpg, png, webpLossy } from '../../files/samples.ts'
import { testApp } from '../../support/app.ts'
import { notValidField, replyOf } from '../../support/shop.ts'
import { base64, countAssets, download, filesOnDisk, openRemote, put, upload } from './support.ts'

let offered = bytes()
const at = await openRemote((_, response) => response.end(offered))
const url = at('/')

const app = await testApp({ allowPrivateAddresses: true })
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const post = (body: unknown) => app.call('POST', '/v1/assets', { key, body })
const get = async (id: string) => (await app.call('GET', `/v1/assets/${id}`, { key })).body

it.each<[string, string, Buffer]>([
  ['a.webp', 'image/webp', webpLossy(40, 30)],
  ['d.avif', 'image/avif', avif(40, 30)],
])('%s is an accepted picture, and served as %s in which nothing runs', async (filename, contentType, content) => {
  const { id, url: address } = await upload(app, key, { filename, contents: base64(content) })
  expect(await get(id)).toMatchObject({ is_image: true, image_dimensions: { width: 40, height: 30 } })
  const { status, headers, bytes: served } = await download(app, address)
  expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([200, contentType, 'nosniff'])
  expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
  expect(headers['content-disposition']).toMatch(/^inline;/)
  expect(served.equals(content)).toBe(true)
})

const PAIRS: [string, Buffer][] = [
  ['b.png', png(10_001, 10_000)],
  ['c.gif', gif(65_535, 65_535)],
  ['e.jpg', jpg(65_535, 65_535)],
  ['j.avif', avif(0xffff_ffff, 0xffff_ffff)],
]

describe('a picture of more than 100 megapixels', () => {
  it.each(PAIRS)('%s is 422 by its field, however it is sent, and leaves nothing', async (filename, content) => {
    const pending = await upload(app, key, { filename, pending: true })
    const before = [await countAssets(app, shop.id), await filesOnDisk(app)]
    const rule = (field: string) =>
      expect.stringMatching(new RegExp(`^${field} must be a picture of at most 100 megapixels; it is \\d+ × \\d+\\.$`))
    offered = content
    for (const [field, body] of [
      ['contents', { filename, contents: base64(content) }],
      ['url', { filename, url }],
    ] as const)
      expect(await replyOf(post(body))).toMatchObject([422, { error: { errors: { [field]: [rule(field)] } } }])
    const uploaded = await put(app, pending.upload_url, content)
    expect([uploaded.status, uploaded.body]).toMatchObject([422, { error: { errors: { body: [rule('body')] } } }])
    expect([await countAssets(app, shop.id), await filesOnDisk(app)]).toEqual(before)
  })

  it('one of exactly 100 megapixels is accepted', async () => {
    const { id } = await upload(app, key, { filename: 'a.png', contents: base64(png(10_000, 10_000)) })
    expect(await get(id)).toMatchObject({ image_dimensions: { width: 10_000, height: 10_000 } })
  })
})

it('a JPG that hides its size is refused, because nobody can say how large it is', async () => {
  const contents = base64(jpg(65_535, 65_535, Buffer.alloc(5_000, 0xff)))
  const refused = notValidField('contents', 'must be a picture with its dimensions in its header.')
  expect(await replyOf(post({ filename: 'a.jpg', contents }))).toEqual(refused)
})
