import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { base64, pdf, png, upload } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const list = (query = '', as = key) => app.call('GET', `/v1/assets${query}`, { key: as })
const get = (id: string, as = key) => app.call('GET', `/v1/assets/${id}`, { key: as })

describe('GET /v1/assets', () => {
  it('lists assets oldest first, as each is shown alone, pending and private ones included', async () => {
    const ids: string[] = []
    for (const body of [
      { filename: 'a.png', contents: base64(png()), meta: ['m'] },
      { filename: 'b.pdf', contents: base64(pdf()), meta: { a: { b: [] } } },
      { filename: 'c.png', pending: true },
      { filename: 'd.png', contents: base64(png()), private: true },
    ]) {
      app.clock.advance(1)
      ids.push((await upload(app, key, body)).id)
    }
    const alone = await Promise.all(ids.map(async (id) => (await get(id)).body))
    expect((await list()).body).toMatchObject({ data: alone })
  })
})

describe('GET /v1/assets/{asset_id}', () => {
  it('begins addresses with PUBLIC_URL where it is set', async () => {
    const behind = await testApp({ publicUrl: 'https://api.shop.example' })
    const merchant = await behind.merchant()
    const { id, url } = await upload(behind, merchant.keys.sandbox.secret, {
      filename: 'a.png',
      contents: base64(png()),
    })
    expect(url).toBe(`https://api.shop.example/files/${merchant.id}/${id}/a.png`)
  })
})
