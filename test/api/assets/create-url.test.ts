import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { errorBody } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { notValidField, replyOf } from '../../support/shop.ts'
import { countAssets, download, filesOnDisk, openRemote, png, pngOf, upload } from './support.ts'

const LIMIT = 10 * 1024 * 1024
const picture = png(12, 9)
const large = pngOf(LIMIT)
let asked = 0

const answers: Record<string, RequestListener> = {
  '/picture': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(picture),
  '/moved': (_, response) => response.writeHead(302, { location: '/picture' }).end(),
  '/large': (_, response) => response.end(large),
  '/larger': (_, response) => response.end(Buffer.concat([large, Buffer.alloc(1)])),
  '/endless': (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 1)));
      response.once('drain', more)
    }
    response.write(picture)
    more()
  },
}
const at = await openRemote((request, response) => {
  asked += 1
  answers[request.url ?? '']?.(request, response)
})

const app = await testApp({ allowPrivateAddresses: true, trustProxy: () => true })
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const post = (body: unknown) => app.call('POST', '/v1/assets', { key, body })

describe('POST /v1/assets with url', () => {
  it.each(['/picture', '/moved'])('fetches %s, and believes the bytes and not the header', async (path) => {
    const { id, url } = await upload(app, key, { filename: 'kettle.png', url: at(path), private: false })
    expect((await app.call('GET', `/v1/assets/${id}`, { key })).body).toMatchObject({
      url: `http://localhost:80/files/${shop.id}/${id}/kettle.png`,
      file_extension: 'png',
      file_size: picture.length,
      image_dimensions: { width: 12, height: 9 },
    })
    const served = await download(app, url)
    expect(served.headers['content-type']).toBe('image/png')
    expect(served.bytes.equals(picture)).toBe(true)
  })

  it('accepts 10 MB', async () => {
    const { url } = await upload(app, key, { filename: 'large.png', url: at('/large') })
    expect((await download(app, url)).bytes.equals(large)).toBe(true)
  })

  it.each(['/larger', '/endless'])('cuts %s off at 10 MB with 413 and keeps nothing', async (path) => {
    const before = [await filesOnDisk(app), await countAssets(app, shop.id)]
    expect((await post({ filename: 'large.png', url: at(path) })).body).toEqual(
      errorBody(413, 'payload_too_large', 'The file is larger than the 10 MB (10485760 bytes) accepted here.'),
    )
    expect([await filesOnDisk(app), await countAssets(app, shop.id)]).toEqual(before)
  })

  it.each(['file:///etc/passwd', 'http://u:p@example.com/a'])('refuses the address %s', async (url) => {
    const refused = notValidField('url', 'must be an absolute http or https address without a user name or password.')
    expect(await replyOf(post({ filename: 'a.png', url }))).toEqual(refused)
  })
})

describe('without ALLOW_PRIVATE_ADDRESSES', async () => {
  const guarded = await testApp()
  const merchant = await guarded.merchant()

  it('an address that leads inside is refused and never asked', async () => {
    const before = asked
    const rule = 'must lead to a server on the public internet; files are not fetched from private addresses.'
    const body = { filename: 'a.png', url: at('/picture').replace('127.0.0.1', 'localhost') }
    const answer = guarded.call('POST', '/v1/assets', { key: merchant.keys.sandbox.secret, body })
    expect(await replyOf(answer)).toEqual(notValidField('url', rule))
    expect(asked).toBe(before)
    expect(await countAssets(guarded, merchant.id)).toBe(0)
  })
})
