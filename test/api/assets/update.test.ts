import { describe, expect, it } from 'vitest'
import { errorBody } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { base64, eventsOf, png, upload } from './support.ts'

const app = await testApp()
const shop = await app.merchant()
const other = await app.merchant()
const key = shop.keys.sandbox.secret
const create = (body: object = {}) => upload(app, key, { filename: 'a.png', contents: base64(png()), ...body })
const put = (id: string, body: unknown, as = key) => app.call('PUT', `/v1/assets/${id}`, { key: as, body })
const get = async (id: string) => (await app.call('GET', `/v1/assets/${id}`, { key })).body as Record<string, unknown>

describe('PUT /v1/assets/{asset_id}', () => {
  it('changes the description and answers id and url', async () => {
    const { id, url } = await create({ meta: ['kept'] })
    const before = await get(id)
    app.clock.advance(5)
    const answer = await put(id, { description: 'Side view' })
    expect(answer).toMatchObject({ status: 200, body: { id, url } })
    expect(answer.body).toEqual({ id, url })
    expect(await get(id)).toEqual({
      ...before,
      description: 'Side view',
      updated_at: Number(before.created_at) + 5,
    })
  })

  it('clears the description with null, and meta too', async () => {
    const { id } = await create({ description: 'x', meta: { a: 1 } })
    await put(id, { description: null, meta: null })
    expect(await get(id)).toMatchObject({ description: null, meta: [] })
  })

  it('replaces meta, with a list or an object, and leaves the description alone', async () => {
    const { id } = await create({ description: 'x', meta: { a: 1, b: 2 } })
    await put(id, { meta: { b: { deep: [1, null, 'x'] } } })
    expect(await get(id)).toMatchObject({ description: 'x', meta: { b: { deep: [1, null, 'x'] } } })
    await put(id, { meta: ['one', 'two'] })
    expect(await get(id)).toMatchObject({ meta: ['one', 'two'] })
  })

  it('takes pending on a finished asset for what it is: finished', async () => {
    const { id, url } = await create()
    expect((await put(id, { pending: true })).body).toEqual({ id, url })
    expect(await get(id)).toMatchObject({ pending: false })
  })

  it('ignores everything else in the body', async () => {
    const { id } = await create()
    const before = await get(id)
    await put(id, { pending: false, filename: 'b.png', private: true, is_image: false, id: 'ast_1', merchant_id: 1 })
    expect(await get(id)).toEqual(before)
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

  it('refuses fields of the wrong form', async () => {
    const { id } = await create()
    const answer = await put(id, { pending: 'false', description: 3, meta: 'x' })
    expect(answer.status).toBe(422)
    expect((answer.body as { error: { errors: object } }).error.errors).toEqual({
      pending: ['pending must be true or false.'],
      description: ['description must be a string or null.'],
      meta: ['meta must be a list, a JSON object or null.'],
    })
  })

  it('writes assets.update with the asset as it has become', async () => {
    const secret = other.keys.sandbox.secret
    const { id } = await upload(app, secret, { filename: 'a.png', contents: base64(png()) })
    app.clock.advance(1)
    await put(id, { description: 'new' }, secret)
    const asset = (await app.call('GET', `/v1/assets/${id}`, { key: secret })).body
    expect((await eventsOf(app, other.id)).at(-1)).toEqual({
      name: 'assets.update',
      kind: 'asset',
      sandbox: null,
      response_code: 200,
      payload: asset,
    })
  })

  it("answers another merchant's asset like one that does not exist", async () => {
    const { id } = await create()
    const foreign = await put(id, { description: 'x' }, other.keys.sandbox.secret)
    const unknown = await put('ast_unknown', { description: 'x' })
    expect(foreign.body).toEqual(errorBody(404, 'not_found', 'There is no asset with that id.'))
    expect(foreign.text).toBe(unknown.text)
    expect(await get(id)).toMatchObject({ description: null })
  })

  it('needs a secret key', async () => {
    const { id } = await create()
    expect((await put(id, { description: 'x' }, shop.keys.sandbox.public)).status).toBe(403)
    expect(await get(id)).toMatchObject({ description: null })
  })
})
