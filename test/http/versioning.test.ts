// Versions over HTTP, with made-up endpoints and changes: which version is served, and what is done for it.

import { describe, expect, test } from 'vitest'
import { type Answer, testApp } from '../support/app.ts'
import { badRequest, errorBody } from './harness.ts'
import { aged, DATES, fresh, given, HEAD, MIDDLE, OLD, QUIET, ran, versioned } from './versioned-probes.ts'

const app = await testApp(versioned)
const { keys } = await app.merchant()
const key = keys.sandbox.public
const settled = (await app.merchant({ email: 'old@example.com', apiVersion: OLD })).keys.sandbox.public

/** A version that exists, but not for the made-up API, as one of a newer release does not for an older. */
const BEYOND = '2021-09-22'

const namesOf = ({ headers }: Answer) => [headers['service-version'], headers['chec-version']]

describe('which version', () => {
  test.each([
    ["the merchant's setting", {}, HEAD],
    ['Service-Version', { 'service-version': MIDDLE }, MIDDLE],
    ['Chec-Version', { 'chec-version': QUIET }, QUIET],
    ['Service-Version before Chec-Version', { 'service-version': MIDDLE, 'chec-version': OLD }, MIDDLE],
    ['Service-Version before a wrong Chec-Version', { 'service-version': MIDDLE, 'chec-version': 'x' }, MIDDLE],
    ['blanks around it', { 'service-version': `  ${MIDDLE} ` }, MIDDLE],
  ] as [string, Record<string, string>, string][])('%s', async (_what, headers, version) => {
    const answer = await app.call('GET', '/v1/plains/1', { key, headers })
    expect([answer.status, ...namesOf(answer)]).toEqual([200, version, version])
  })

  test("an older setting of the merchant's counts, and a header overrules it", async () => {
    const set = await app.call('GET', '/v1/things/a', { key: settled })
    expect([set.body, ...namesOf(set)]).toEqual([aged('a'), OLD, OLD])
    const overruled = await app.call('GET', '/v1/things/a', { key: settled, version: HEAD })
    expect([overruled.body, ...namesOf(overruled)]).toEqual([fresh('a'), HEAD, HEAD])
  })

  test('a setting that a newer release has written counts as the newest version, with one warning', async () => {
    const { id, keys } = await app.merchant({ email: 'ahead@example.com', apiVersion: BEYOND })
    for (const url of ['/v1/things/a', '/v1/things', '/v1/things/a']) {
      const answer = await app.call('GET', url, { key: keys.sandbox.public })
      expect([answer.status, ...namesOf(answer)]).toEqual([200, HEAD, HEAD])
    }
    const refused = await app.call('GET', '/v1/things/none', { key: keys.sandbox.public })
    expect([refused.status, ...namesOf(refused)]).toEqual([404, HEAD, HEAD])
    const older = await app.call('GET', '/v1/things/a', { key: keys.sandbox.public, version: OLD })
    expect(older.body).toEqual(aged('a'))
    const warnings = app.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')
    expect(warnings).toEqual([
      {
        level: 'warn',
        time: expect.any(String),
        api_version: BEYOND,
        served: HEAD,
        merchant_id: id,
        msg: "a merchant's API version is unknown to this release; it is served the newest",
      },
    ])
    const header = await app.call('GET', '/v1/things/a', { key: keys.sandbox.public, version: BEYOND })
    expect(header.status).toBe(400)
  })

  test.each(['2022-07-20', '2099-01-01', '2022-7-21', 'latest', '', 'null', `${HEAD}T00:00:00Z`, `${HEAD}, ${HEAD}`])(
    'V9: %j is 400 that lists them all',
    async (version) => {
      const message = `The Service-Version header must name one of these versions: ${DATES.join(', ')}.`
      for (const headers of [{ 'service-version': version }, { 'chec-version': version }] as Record<string, string>[]) {
        const answer = await app.call('GET', '/v1/things/a', { key, headers })
        expect([answer.status, answer.body]).toEqual([400, badRequest(message)])
        expect(namesOf(answer)).toEqual([HEAD, HEAD])
      }
    },
  )

  test('a wrong version does not hide that an address does not exist', async () => {
    expect((await app.call('GET', '/nothing', { version: 'x' })).status).toBe(404)
  })

  test.each([
    ['/v1/things/none', 404, { key }],
    ['/v1/things/a', 401, {}],
    ['/v1/things/a', 401, { key: keys.live.public }],
    ['/v1/things/a?q=%', 400, { key }],
    ['/v1/broken/up', 500, { key }],
    ['/nothing', 404, {}],
    ['/v1/things/%', 400, {}],
  ])('the answer names it on errors too: %s %d', async (url, status, options) => {
    const answer = await app.call('GET', url, { ...options, version: OLD })
    expect([answer.status, ...namesOf(answer)]).toEqual([status, OLD, OLD])
  })
})

describe('a request', () => {
  const create = async (body: unknown, version: string) => {
    given.length = 0
    const answer = await app.call('POST', '/v1/things', { key, version, body })
    return { ...answer, given: given[0] }
  }

  test('is brought forward before it is checked: the old name does, the new one wins', async () => {
    const title = await create({ title: 'old' }, MIDDLE)
    expect([title.status, title.given]).toMatchObject([200, { body: { name: 'old' } }])
    expect((await create({ title: 'old', name: 'new' }, MIDDLE)).given).toMatchObject({ body: { name: 'new' } })
    expect((await create({ name: 'new' }, OLD)).given).toMatchObject({ body: { name: 'new' } })
  })

  test('may have its query brought forward; it is typed afterwards', async () => {
    given.length = 0
    await app.call('GET', '/v1/things?order_by=name&limit=3', { key, version: OLD })
    await app.call('GET', '/v1/things?order_by=name&limit=3', { key, version: HEAD })
    expect(given).toEqual([{ query: { sort: 'name', limit: 3 } }, { query: { limit: 3 } }])
  })
})

describe('a success', () => {
  test('204 becomes 200 with a body', async () => {
    const newest = await app.call('DELETE', '/v1/things/a', { key })
    expect([newest.status, newest.text, newest.headers['content-type']]).toEqual([204, '', undefined])
    const older = await app.call('DELETE', '/v1/things/a', { key, version: MIDDLE })
    expect([older.status, older.body]).toEqual([200, { deleted: true, id: 'a' }])
    expect(older.headers['content-type']).toBe('application/json; charset=utf-8')
    const untouched = await app.call('DELETE', '/v1/plains/a', { key, version: OLD })
    expect([untouched.status, untouched.text]).toEqual([204, ''])
  })

  test('HEAD requests of an older version have no body', async () => {
    const { status, text, headers } = await app.call('HEAD', '/v1/things/a', { key, version: OLD })
    expect([status, text, headers['service-version']]).toEqual([200, '', OLD])
  })
})

describe('an error', () => {
  const old = (status: number, type: string, message: string) => ({
    error: expect.objectContaining({ type, message, code: `E_${type}` }),
    status_code: status,
  })

  test.each([
    ['GET', '/nothing', 404, 'not_found', {}],
    ['GET', '/v1/things/%', 400, 'bad_request', { key }],
    ['PUT', '/v1/things', 405, 'method_not_allowed', { key }],
    ['GET', '/v1/things/a', 401, 'unauthorized', {}],
    ['GET', '/v1/things/a', 401, 'unauthorized', { key: 'x' }],
    ['GET', '/v1/plains/1?a=%', 400, 'bad_request', { key }],
    ['GET', '/v1/broken/up', 500, 'server_error', { key }],
    ['GET', '/v1/broken/down', 500, 'server_error', { key }],
  ] as const)('ages wherever it arises: %s %s %d %s', async (method, url, status, type, options) => {
    for (const name of ['service-version', 'chec-version']) {
      const answer = await app.call(method, url, { ...options, headers: { [name]: OLD } })
      expect(answer.body).toEqual(old(status, type, expect.any(String) as never))
      expect(answer.status).toBe(status)
    }
  })

  test('in a change is a 500 in the form of every error, and is logged', async () => {
    for (const url of ['/v1/broken/up', '/v1/broken/down', '/v1/broken/error']) {
      const answer = await app.call('GET', url, { key, version: MIDDLE })
      const id = answer.headers['x-request-id']
      const message = `Something went wrong on our side. Please report it with the request id ${id}.`
      expect([answer.status, answer.body]).toEqual([500, errorBody(500, 'server_error', message)])
      const lines = app.logged.filter((line) => line.includes(String(id)) && line.includes('a mistake in a change'))
      expect(lines).toHaveLength(1)
    }
  })
})

describe('the newest version', () => {
  test('runs no version code at all', async () => {
    const before = ran.times
    const answers = [
      await app.call('GET', '/v1/things/a', { key }),
      await app.call('GET', '/v1/things?order_by=x', { key, version: HEAD }),
      await app.call('POST', '/v1/things', { key, body: { name: 'x' }, headers: { 'chec-version': HEAD } }),
      await app.call('POST', '/v1/things', { key, body: { name: 'taken' } }),
      await app.call('DELETE', '/v1/things/a', { key }),
      await app.call('GET', '/v1/broken/up', { key }),
      await app.call('GET', '/v1/broken/down', { key }),
      await app.call('GET', '/v1/broken/error', { key }),
      await app.call('GET', '/v1/things/a', { key: 'wrong' }),
      await app.call('GET', '/nothing', { version: HEAD }),
      await app.call('GET', '/v1/things/%', { key }),
      await app.call('GET', '/v1/things/a', { key: settled, version: HEAD }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 422, 204, 200, 200, 404, 401, 404, 400, 200])
    expect(ran.times).toBe(before)
    await app.call('GET', '/v1/things/a', { key, version: OLD })
    expect(ran.times).toBeGreaterThan(before)
  })
})
