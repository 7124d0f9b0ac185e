import { describe, expect, it } from 'vitest'
import { errorBody } from '../../http/harness.ts'
import { sharedApp } from '../../support/app.ts'
import { base64, png, upload } from './support.ts'

const app = await sharedApp()
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const create = (body: object = {}) => upload(app, key, { filename: 'a.png', contents: base64(png()), ...body })
const put = (id: string, body: unknown, as = key) => app.call('PUT', `/v1/assets/${id}`, { key: as, body })
const get = async (id: string) => (await app.call('GET', `/v1/assets/${id}`, { key })).body as Record<string, unknown>

describe('PUT /v1/assets/{asset_id}', () => {
  it('takes pending on a finished asset for what it is: finished', async () => {
    const { id, url } = await create()
    expect((await put(id, { pending: true })).body).toEqual({ id, url })
    expect(await get(id)).toMatchObject({ pending: false })
  })

  it('changes a pending asset without finishing it', async () => {
    const { id } = await upload(app, key, { filename: 'a.png', pending: true })
    expect((await put(id, { description: 'soon' })).status).toBe(200)
    expect(await get(id)).toMatchObject({ description: 'soon', pending: true })
  })

  it.each([{}, { filename: 'b.png' }, null])('refuses the body %j, which changes nothing', async (body) => {
    const { id } = await create()
    const sentence = 'pending is required, unless description or meta is sent.'
    expect((await put(id, body)).body).toEqual(
      errorBody(422, 'unprocessable_entity', sentence, { pending: [sentence] }),
    )
  })
})
