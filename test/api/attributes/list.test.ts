// GET /v1/attributes: the merchant's attributes, oldest first, page by page.

import { beforeAll, describe, expect, it } from 'vitest'
import type { OpenedMerchant } from '../../../src/api/merchants/merchant.ts'
import { testApp } from '../../support/app.ts'
import { malformed, START } from '../../support/shop.ts'
import { create, itNeedsTheSecretKey, OPTION_ID, shopOf, shown } from './support.ts'

const app = await testApp({ trustProxy: () => true })

type List = { data: { id: string; name: string }[]; meta: { pagination: Record<string, unknown> } }

const list = (key: string, query = '', headers: Record<string, string> = {}) =>
  app.call('GET', `/v1/attributes${query}`, { key, headers: { host: 'shop.example', ...headers } })

/** Names on the page and the pagination, whole. */
const pageAt = async (key: string, query = '', headers: Record<string, string> = {}) => {
  const answer = await list(key, query, headers)
  expect(answer.status, answer.text).toBe(200)
  const { data, meta, ...rest } = answer.body as List
  expect(rest).toEqual({})
  expect(Object.keys(meta)).toEqual(['pagination'])
  return [data.map(({ name }) => name), meta.pagination]
}

const HERE = 'http://shop.example/v1/attributes'

describe('GET /v1/attributes', () => {
  let shop: OpenedMerchant
  let key = ''
  const names = Array.from({ length: 17 }, (_, index) => `A${index}`)

  beforeAll(async () => {
    shop = await app.merchant()
    key = shop.keys.sandbox.secret
    const other = await app.merchant()
    await create(app, other.keys.sandbox.secret, { name: "Another merchant's" })
    for (const name of names) {
      await create(app, key, { name })
      app.clock.advance(0.001)
    }
  })

  it('gives an empty list its whole envelope', async () => {
    const { keys } = await app.merchant()
    const answer = await list(keys.sandbox.secret)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      data: [],
      meta: { pagination: { total: 0, count: 0, per_page: 15, current_page: 1, total_pages: 1, links: {} } },
    })
  })

  it('shows every field of every attribute', async () => {
    const { keys } = await app.merchant()
    const started = Math.floor(app.clock.now().getTime() / 1_000)
    await create(app, keys.sandbox.secret)
    app.clock.advance(1)
    await create(app, keys.sandbox.secret, {
      type: 'radio',
      options: [{ value: 'oak', label: 'Oak' }],
      default_value: 'oak',
      meta: { z: 1, a: [{}] },
    })
    const answer = await list(keys.sandbox.secret)
    expect(answer.body).toEqual({
      data: [
        shown({ created: started, updated: started }),
        shown({
          type: 'radio',
          options: [{ id: expect.stringMatching(OPTION_ID), value: 'oak', label: 'Oak' }],
          default_value: 'oak',
          meta: { z: 1, a: [{}] },
          created: started + 1,
          updated: started + 1,
        }),
      ],
      meta: { pagination: { total: 2, count: 2, per_page: 15, current_page: 1, total_pages: 1, links: {} } },
    })
  })

  it('writes each attribute with the bytes that reading it alone gives', async () => {
    const { text, body } = await list(key, '?limit=2')
    const texts = await Promise.all(
      (body as List).data.map(async ({ id }) => (await app.call('GET', `/v1/attributes/${id}`, { key })).text),
    )
    expect(text.startsWith(`{"data":[${texts.join(',')}],"meta":`)).toBe(true)
  })

  it("gives 15 attributes, oldest first, and counts none of another merchant's", async () => {
    expect(await pageAt(key)).toEqual([
      names.slice(0, 15),
      { total: 17, count: 15, per_page: 15, current_page: 1, total_pages: 2, links: { next: `${HERE}?page=2` } },
    ])
  })

  it('keeps the order when an attribute is changed', async () => {
    const { keys } = await app.merchant()
    const first = await create(app, keys.sandbox.secret, { name: 'First' })
    app.clock.advance(1)
    await create(app, keys.sandbox.secret, { name: 'Second' })
    app.clock.advance(1)
    await app.call('PUT', `/v1/attributes/${first.id}`, { key: keys.sandbox.secret, body: { name: 'Renamed' } })
    expect((await pageAt(keys.sandbox.secret))[0]).toEqual(['Renamed', 'Second'])
  })

  it('gives the next page, with a link back', async () => {
    expect(await pageAt(key, '?page=2')).toEqual([
      names.slice(15),
      { total: 17, count: 2, per_page: 15, current_page: 2, total_pages: 2, links: { previous: `${HERE}?page=1` } },
    ])
  })

  it('links both ways in the middle, and keeps the other parameters as they were sent', async () => {
    expect(await pageAt(key, '?limit=5&page=2&note=a%20b&note=c')).toEqual([
      names.slice(5, 10),
      {
        total: 17,
        count: 5,
        per_page: 5,
        current_page: 2,
        total_pages: 4,
        links: {
          previous: `${HERE}?limit=5&note=a%20b&note=c&page=1`,
          next: `${HERE}?limit=5&note=a%20b&note=c&page=3`,
        },
      },
    ])
  })

  it('gives every attribute once when its links are followed', async () => {
    const seen: string[] = []
    let url: string | undefined = '/v1/attributes?limit=4'
    while (url !== undefined) {
      const { body } = await app.call('GET', url, { key })
      const { data, meta } = body as List
      seen.push(...data.map(({ name }) => name))
      const { next } = meta.pagination.links as { next?: string }
      url = next === undefined ? undefined : next.slice(next.indexOf('/v1/'))
    }
    expect(seen).toEqual(names)
  })

  it('links by the scheme and the host that a trusted proxy names', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example' }
    const [, pagination] = await pageAt(key, '?limit=16', forwarded)
    expect(pagination).toMatchObject({ links: { next: 'https://api.example/v1/attributes?limit=16&page=2' } })
  })

  it('gives an empty page past the end, with a link to the last one', async () => {
    expect(await pageAt(key, '?limit=5&page=1000')).toEqual([
      [],
      {
        total: 17,
        count: 0,
        per_page: 5,
        current_page: 1000,
        total_pages: 4,
        links: { previous: `${HERE}?limit=5&page=4` },
      },
    ])
  })

  it('cuts a limit above 200 to 200, and per_page tells', async () => {
    for (const limit of ['201', '1000000'])
      expect((await pageAt(key, `?limit=${limit}`))[1]).toEqual({
        total: 17,
        count: 17,
        per_page: 200,
        current_page: 1,
        total_pages: 1,
        links: {},
      })
    expect((await pageAt(key, '?limit=200'))[1]).toMatchObject({ per_page: 200, count: 17 })
  })

  it('gives one attribute for a limit of one', async () => {
    expect(await pageAt(key, '?limit=1&page=17')).toEqual([
      ['A16'],
      {
        total: 17,
        count: 1,
        per_page: 1,
        current_page: 17,
        total_pages: 17,
        links: { previous: `${HERE}?limit=1&page=16` },
      },
    ])
  })

  it.each([
    ['limit=0', { limit: ['limit must be 1 or more.'] }],
    ['limit=-1', { limit: ['limit must be 1 or more.'] }],
    ['limit=', { limit: ['limit must be an integer.'] }],
    ['limit=ten', { limit: ['limit must be an integer.'] }],
    ['limit=1.5', { limit: ['limit must be an integer.'] }],
    ['limit=0x10', { limit: ['limit must be an integer.'] }],
    ['limit=1e2', { limit: ['limit must be an integer.'] }],
    ['limit=5&limit=6', { limit: ['limit must be an integer.'] }],
    ['limit[]=5', { limit: ['limit must be an integer.'] }],
    ['limit[a]=5', { limit: ['limit must be an integer.'] }],
    ['page=0', { page: ['page must be 1 or more.'] }],
    ['page=-2', { page: ['page must be 1 or more.'] }],
    ['page=two', { page: ['page must be an integer.'] }],
    ['page=1.0', { page: ['page must be an integer.'] }],
    ['page=0&limit=0', { limit: ['limit must be 1 or more.'], page: ['page must be 1 or more.'] }],
  ])('refuses ?%s', async (query, errors) => {
    const answer = await list(key, `?${query}`)
    expect([answer.status, answer.body]).toEqual([422, malformed(errors)])
  })

  it('trims the values, and ignores parameters it does not know', async () => {
    expect((await pageAt(key, '?limit=%203%20&sortBy=name&type=options&__proto__=1'))[0]).toEqual(names.slice(0, 3))
  })

  it('shows the live key what the sandbox key made', async () => {
    const sandbox = await list(key)
    const live = await list(shop.keys.live.secret, '', { 'x-forwarded-proto': 'https' })
    expect(live.status).toBe(200)
    expect((live.body as List).data).toEqual((sandbox.body as List).data)
  })

  it('does not show a deleted attribute, nor count it', async () => {
    const { keys } = await app.merchant()
    const { id } = await create(app, keys.sandbox.secret)
    expect((await pageAt(keys.sandbox.secret))[1]).toMatchObject({ total: 1 })
    await app.call('DELETE', `/v1/attributes/${id}`, { key: keys.sandbox.secret })
    expect(await pageAt(keys.sandbox.secret)).toEqual([
      [],
      { total: 0, count: 0, per_page: 15, current_page: 1, total_pages: 1, links: {} },
    ])
  })

  it('dates attributes by the clock', async () => {
    expect((await list(key, '?limit=1')).body).toMatchObject({ data: [{ created: START, updated: START }] })
  })

  it('takes a trailing slash', async () => {
    expect((await app.call('GET', '/v1/attributes/', { key: (await shopOf(app)).keys.sandbox.secret })).status).toBe(
      200,
    )
  })

  itNeedsTheSecretKey(app, () => ({ method: 'GET', url: '/v1/attributes' }))

  it('refuses other methods', async () => {
    const answer = await app.call('DELETE', '/v1/attributes', { key })
    expect(answer.headers.allow).toBe('GET, HEAD, POST')
    expect([answer.status, answer.body]).toEqual([
      405,
      { error: { type: 'method_not_allowed', message: 'This address accepts GET, HEAD, POST.' }, status_code: 405 },
    ])
  })
})
