// GET /v1/developer/logs: the requests of a shop, for who builds on the API.

import { describe, expect, it } from 'vitest'
import type { LoggedRequest } from '../../../src/request-log/row.ts'
import { listRows, openLogDay, sweepLogDays } from '../../../src/request-log/store.ts'
import { keepEntries, loggedEntry } from '../../request-log/entries.ts'
import { administer, cloneDatabase, patient } from '../../support/database.ts'
import { atOnce } from '../../support/shop.ts'
import { loggingApp } from './logs-support.ts'

const connection = await cloneDatabase()
const { app, openShop } = await loggingApp({ connection })
const shop = await openShop()
const { sandbox, live } = shop.keys
const keyIds = new Map(
  (
    await administer(connection, `select id, is_secret, is_sandbox from api_keys where merchant_id = ${shop.id}`)
  ).rows.map((row) => [`${row.is_secret} ${row.is_sandbox}`, row.id as string]),
)

const unprocessable = (errors: Record<string, string[]>) => ({
  error: { type: 'unprocessable_entity', message: expect.any(String), errors },
  status_code: 422,
})

describe('a request', () => {
  it('is found by its id within a second, with all that is known of it', async () => {
    const before = Math.floor(Date.now() / 1_000)
    const { requestId, body } = await shop.send('POST', '/v1/categories?from=test', {
      body: { slug: 'hats', name: 'Hats' },
      headers: { 'user-agent': 'curl/8.5', 'idempotency-key': 'order-77', 'x-forwarded-for': '203.0.113.9' },
    })
    const log = await shop.get(requestId)
    expect(log).toEqual({
      id: requestId,
      created: expect.any(Number),
      version: '2022-07-21',
      key_used: `sk_test_…${sandbox.secret.slice(-4)}`,
      key_id: keyIds.get('true true'),
      sandbox: true,
      token_id: null,
      method: 'POST',
      url: '/v1/categories?from=test',
      route: '/v1/categories',
      secure: true,
      ip_address: '203.0.113.9',
      status_code: 201,
      ms: expect.any(Number),
      user_agent: 'curl/8.5',
      idempotency_key: 'order-77',
      request: { slug: 'hats', name: 'Hats' },
      response: body,
      events: [],
    })
    expect(log.created).toBeGreaterThanOrEqual(before)
    expect(log.created).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000))
    expect(log.ms).toBeGreaterThan(0)
  })

  it('that only reads keeps its line and no bodies; its version is told', async () => {
    const { requestId } = await shop.send('GET', '/v1/products?limit=1', { key: sandbox.public, version: '2021-03-31' })
    expect(await shop.get(requestId)).toMatchObject({
      ...{ method: 'GET', url: '/v1/products?limit=1', status_code: 200, version: '2021-03-31' },
      ...{ key_used: `pk_test_…${sandbox.public.slice(-4)}`, key_id: keyIds.get('false true') },
      ...{ request: null, response: null },
    })
  })

  it('that is refused is kept with what was sent and answered, wherever it was refused', async () => {
    const refusals = [
      ['GET', '/v1/prodcts', {}, 404],
      ['PATCH', '/v1/products', {}, 405],
      ['GET', '/v1/products', { version: '1999-01-01' }, 400],
      ['GET', '/v1/orders', { key: sandbox.public }, 403],
      ['GET', '/v1/products/prod_nothing', {}, 404],
      ['POST', '/v1/categories', { headers: { 'content-type': 'text/plain' } }, 415],
      ['POST', '/v1/categories', { body: { slug: 7 } }, 422],
    ] as const
    const asked = []
    for (const [method, url, options, status] of refusals) {
      const answer = await shop.send(method, url, options)
      expect([url, answer.status]).toEqual([url, status])
      asked.push({ method, url, options, status, answer })
    }
    for (const { method, url, options, status, answer } of asked) {
      expect(await shop.get(answer.requestId)).toMatchObject({
        ...{ method, url, status_code: status, response: answer.body },
        request: 'body' in options ? options.body : null,
      })
    }
  })

  it('of a live key over plain HTTP is refused, and found by the live key', async () => {
    const answer = await shop.send('GET', '/v1/products', {
      key: live.secret,
      headers: { 'x-forwarded-proto': 'http' },
    })
    expect(answer.status).toBe(401)
    expect(await shop.get(answer.requestId, live.secret)).toMatchObject({
      status_code: 401,
      secure: false,
      sandbox: false,
    })
  })

  it('without a valid key belongs to nobody', async () => {
    const keys = [undefined, 'nonsense', `sk_test_${'0'.repeat(40)}`]
    const ids: string[] = []
    for (const key of keys) {
      const answer = await app.call('GET', '/v1/products', { key })
      expect(answer.status).toBe(401)
      ids.push(String(answer.headers['x-request-id']))
    }
    await shop.get((await shop.send('GET', '/v1/categories')).requestId)
    const { rows } = await administer(
      connection,
      `select id from request_log where id in (${ids.map((id) => `'${id}'`)})`,
    )
    expect(rows).toEqual([])
  })

  it('is found by the id that a trusted proxy gave it; where that repeats, the newest', async () => {
    const headers = { 'x-request-id': 'edge-1234567' }
    await shop.send('GET', '/v1/products?first', { headers })
    await new Promise((resolve) => setTimeout(resolve, 20))
    await shop.send('GET', '/v1/products?second', { headers })
    await expect
      .poll(async () => ((await shop.find('edge-1234567')).body as { url?: string }).url, { timeout: patient(2_000) })
      .toBe('/v1/products?second')
    const { data } = await shop.list('?path=/v1/products%3F')
    expect(data.map(({ id, url }) => [id, url]).slice(0, 2)).toEqual([
      ['edge-1234567', '/v1/products?second'],
      ['edge-1234567', '/v1/products?first'],
    ])
  })

  it('with a large body keeps its first 16 KB as text, and of a huge one how large it was', async () => {
    const large = await shop.send('POST', '/v1/categories', { body: { slug: 7, name: 'é'.repeat(20_000) } })
    const huge = await shop.send('POST', '/v1/categories', { body: { slug: 7, name: 'é'.repeat(100_000) } })
    const { request } = await shop.get(large.requestId)
    expect(request).toMatch(/^\{"slug":7,"name":"é+$/)
    expect(Buffer.byteLength(String(request))).toBeLessThanOrEqual(16_384)
    expect(Buffer.byteLength(String(request))).toBeGreaterThan(16_300)
    expect((await shop.get(huge.requestId)).request).toBe('(200020 bytes, of which none are kept)')
  })
})

describe('the log', () => {
  it('names the filter that is wrong, and what is accepted', async () => {
    const query = 'status=4x&method=G1&path=v1&version=new&after=nothing'
    const { status, body } = await shop.send('GET', `/v1/developer/logs?${query}`)
    expect([status, body]).toEqual([
      422,
      unprocessable({
        status: ['status must be a status such as 404, or a class of them such as 4xx.'],
        method: ['method must be a method such as GET or POST.'],
        path: ['path must begin with a slash, such as /v1/carts.'],
        version: ['version must be a version of the API, as in the header Service-Version.'],
        after: ['after must be the unchanged `next` value of an earlier page.'],
      }),
    ])
  })
})

/** Rows of a shop of their own, one a second, the newest last. */
async function filled(count: number, of: (n: number) => Partial<LoggedRequest> = () => ({})) {
  const own = await openShop()
  const begun = Math.floor(Date.now() / 1_000) * 1_000 - count * 1_000 - 60_000
  const entries = Array.from({ length: count }, (_, n) =>
    loggedEntry(own.id, begun + n * 1_000, { url: `/v1/things/${n}`, ...of(n) }),
  )
  await keepEntries(app.db, entries)
  return { own, ids: entries.map(({ id }) => id).reverse(), begun }
}

describe('the list', () => {
  it('is filtered by status and its class, method, path, key, version and time', async () => {
    const { own, ids, begun } = await filled(12, (n) => ({
      status: [200, 404, 422, 503][n % 4] ?? 0,
      method: n % 2 === 0 ? 'GET' : 'POST',
      version: n < 6 ? '2021-03-31' : '2022-07-21',
      keyId: n < 3 ? 'key_1' : 'key_2',
    }))
    const asked = async (query: string) => (await own.list(`?path=/v1/things&${query}`)).data.map(({ id }) => id)
    const those = (is: (n: number) => boolean) => ids.filter((_, index) => is(11 - index))
    expect(await asked('status=404')).toEqual(those((n) => n % 4 === 1))
    expect(await asked('status=4xx')).toEqual(those((n) => n % 4 === 1 || n % 4 === 2))
    expect(await asked('method=post')).toEqual(those((n) => n % 2 === 1))
    expect(await asked('version=2021-03-31')).toEqual(those((n) => n < 6))
    expect(await asked('key=key_1')).toEqual(those((n) => n < 3))
    expect((await own.list('?path=/v1/things/1')).data.map(({ url }) => url)).toEqual([
      '/v1/things/11',
      '/v1/things/10',
      '/v1/things/1',
    ])
    const second = begun / 1_000
    expect(await asked(`from=${second + 3}&to=${second + 6}`)).toEqual(those((n) => n >= 3 && n < 6))
    expect(await asked('status=4xx&method=GET&key=key_1')).toEqual(those((n) => n === 2))
    expect(await asked('status=301')).toEqual([])
  })

  it('looks at so many rows for a page: it may be short while next says where to go on', async () => {
    const { own, ids } = await filled(30, (n) => ({ status: n === 0 || n === 29 ? 500 : 200 }))
    const scope = { merchant_id: own.id, is_sandbox: true }
    const filter = { method: null, path: '', keyId: null, version: null, from: 0, status: [500, 599] as const }
    type Place = { at: number; id: string }
    const page = (before: Place | null, rows: number) =>
      listRows(app.db, scope, { ...filter, before: before ?? { at: 253_402_300_799_000, id: '' } }, 20, rows)
    const first = await page(null, 10)
    expect([first.rows.map(({ id }) => id), first.next?.id]).toEqual([[ids[0]], ids[9]])
    const second = await page(first.next, 10)
    expect(second).toEqual({ rows: [], next: { at: expect.any(Number), id: ids[19] } })
    const third = await page(second.next, 11)
    expect([third.rows.map(({ id }) => id), third.next]).toEqual([[ids[29]], null])
  })
})

describe('a day', () => {
  it('is dropped as a whole once so many have passed since, and no other', async () => {
    const today = Date.now()
    const daysAgo = (days: number) => today - days * 86_400_000
    const own = await openShop()
    for (const days of [9, 8, 7, 1])
      await keepEntries(app.db, [loggedEntry(own.id, daysAgo(days), { url: `/v1/${days}` })])
    const clock = { now: () => new Date(today) }
    const run = () => sweepLogDays(7).run({ db: app.db, clock, signal: AbortSignal.timeout(60_000) })
    expect(await run()).toBe(2)
    expect(await run()).toBe(0)
    expect((await own.list()).data.map(({ url }) => url).filter((url) => /^\/v1\/\d$/.test(url))).toEqual([
      '/v1/1',
      '/v1/7',
    ])
  })

  it('is made once, however many come to it at the same moment', async () => {
    expect((await atOnce(4, () => openLogDay(app.db, '2030-02-03'))).length).toBe(4)
    const { rows } = await administer(
      connection,
      "select count(*)::integer from pg_class where relname = 'request_log_20300203'",
    )
    expect(rows).toEqual([{ count: 1 }])
  })
})
