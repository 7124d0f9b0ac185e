import { describe, expect, it } from 'vitest'
import { errorBody } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { base64, pdf, png, upload } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await app.merchant()
const other = await app.merchant()
const key = shop.keys.sandbox.secret
const list = (query = '', as = key) => app.call('GET', `/v1/assets${query}`, { key: as })
const get = (id: string, as = key) => app.call('GET', `/v1/assets/${id}`, { key: as })

describe('GET /v1/assets', () => {
  it('is an empty page for a merchant without assets', async () => {
    expect(await list('', other.keys.sandbox.secret)).toMatchObject({
      status: 200,
      body: {
        data: [],
        meta: {
          pagination: { total: 0, count: 0, per_page: 15, current_page: 1, total_pages: 1, links: {} },
        },
      },
    })
  })

  it('lists assets oldest first, as each is shown alone, 15 to a page, pending and private ones included', async () => {
    const ids: string[] = []
    for (let index = 0; index < 17; index++) {
      app.clock.advance(1)
      const body = [
        { filename: 'a.png', contents: base64(png(index + 1)), meta: ['m'] },
        { filename: 'b.pdf', contents: base64(pdf()), meta: { a: { b: [] } } },
        { filename: 'c.png', pending: true },
        { filename: 'd.png', contents: base64(png()), private: true },
      ][index % 4]
      ids.push((await upload(app, key, body ?? {})).id)
    }
    const first = await list()
    const alone = await Promise.all(ids.map(async (id) => (await get(id)).body))
    expect(first.body).toEqual({
      data: alone.slice(0, 15),
      meta: {
        pagination: {
          total: 17,
          count: 15,
          per_page: 15,
          current_page: 1,
          total_pages: 2,
          links: { next: 'http://localhost:80/v1/assets?page=2' },
        },
      },
    })
    expect((await list('?limit=3&page=6')).body).toEqual({
      data: alone.slice(15),
      meta: {
        pagination: {
          total: 17,
          count: 2,
          per_page: 3,
          current_page: 6,
          total_pages: 6,
          links: { previous: 'http://localhost:80/v1/assets?limit=3&page=5' },
        },
      },
    })
  })

  it('lists the newest first where that is asked for, page by page', async () => {
    const { keys } = await app.merchant()
    const by = keys.sandbox.secret
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      app.clock.advance(1)
      ids.push((await upload(app, by, { filename: 'a.png', contents: base64(png()) })).id)
    }
    const shown: string[] = []
    for (const page of [1, 2, 3]) {
      const { body } = await list(`?sortDirection=desc&limit=2&page=${page}`, by)
      shown.push(...(body as { data: { id: string }[] }).data.map(({ id }) => id))
    }
    expect(shown).toEqual(ids.toReversed())
    expect((await list('?sortDirection=down', by)).status).toBe(422)
  })

  it("shows nothing of another merchant's", async () => {
    await upload(app, other.keys.sandbox.secret, { filename: 'a.png', contents: base64(png()) })
    expect((await list('', other.keys.sandbox.secret)).body).toMatchObject({ meta: { pagination: { total: 1 } } })
  })

  it.each(['?limit=0', '?page=0', '?limit=x', '?page=-1'])('refuses %s', async (query) => {
    expect(await list(query)).toMatchObject({ status: 422, body: { error: { type: 'unprocessable_entity' } } })
  })

  it('needs a secret key', async () => {
    expect((await list('', shop.keys.sandbox.public)).body).toEqual(
      errorBody(403, 'forbidden', 'A public key may not do this; use the secret key, from a server.'),
    )
    expect((await app.call('GET', '/v1/assets')).status).toBe(401)
  })
})

describe('GET /v1/assets/{asset_id}', () => {
  it("answers another merchant's asset like one that does not exist", async () => {
    const { id } = await upload(app, key, { filename: 'a.png', contents: base64(png()) })
    const foreign = await get(id, other.keys.sandbox.secret)
    expect(foreign.body).toEqual(errorBody(404, 'not_found', 'There is no asset with that id.'))
    expect(foreign.text).toBe((await get('ast_unknown')).text)
  })

  it('needs a secret key', async () => {
    const { id } = await upload(app, key, { filename: 'a.png', contents: base64(png()) })
    expect((await get(id, shop.keys.sandbox.public)).status).toBe(403)
  })

  it('shows the live key what the sandbox key made, and the other way round', async () => {
    const { keys } = await app.merchant()
    const headers = { 'x-forwarded-proto': 'https' }
    const secure = (as: string, path = '') => app.call('GET', `/v1/assets${path}`, { key: as, headers })
    const fromSandbox = await upload(app, keys.sandbox.secret, { filename: 'a.png', contents: base64(png()) })
    app.clock.advance(1)
    const body = { filename: 'b.pdf', contents: base64(pdf()) }
    const fromLive = await app.call('POST', '/v1/assets', { key: keys.live.secret, headers, body })
    expect(fromLive.status).toBe(201)
    const ids = [fromSandbox.id, (fromLive.body as { id: string }).id]
    for (const id of ids) {
      const seen = await secure(keys.live.secret, `/${id}`)
      expect(seen).toMatchObject({ status: 200, body: { id } })
      expect((await secure(keys.sandbox.secret, `/${id}`)).text).toBe(seen.text)
    }
    const lists = [await secure(keys.live.secret), await secure(keys.sandbox.secret)]
    expect(lists.map((one) => (one.body as { data: { id: string }[] }).data.map(({ id }) => id))).toEqual([ids, ids])
  })

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
