// @alone: it reads what the process writes.
// What is written to the log: one line per request, found by the id the client was given, and never a secret.

import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { crash, exchange, listen, probe, REQUEST_ID, slice, until } from './harness.ts'

type Line = Record<string, unknown> & { err?: Record<string, unknown> }

let thrown: unknown
const app = await testApp({
  limits: { bodyBytes: 2_000 },
  slices: [
    slice([
      probe({
        operation: 'probes.get',
        path: '/v1/probes/:id',
        params: Type.Object({ id: Type.String() }),
        query: Type.Object({}),
      }),
      probe({ operation: 'probes.delete', method: 'DELETE', path: '/v1/probes/:id', access: 'secret', status: 204 }),
      probe({
        operation: 'probes.create',
        method: 'POST',
        path: '/v1/probes',
        body: Type.Object({ name: Type.Optional(Type.String()) }),
      }),
      crash(() => thrown),
    ]),
  ],
})
const port = await listen(app)
const behind = await testApp({ trustProxy: ['127.0.0.1'], slices: [slice([])] })
const picky = await testApp({ trustProxy: ['10.0.0.0/8'], slices: [slice([])] })
const merchant = await app.merchant()
const key = merchant.keys.sandbox.public

/** The lines about one request, in order. They are complete when the request line is there. */
async function linesOf(id: unknown): Promise<Line[]> {
  const find = () => app.logged.map((line) => JSON.parse(line) as Line).filter((line) => line.request_id === id)
  await until(() => find().some(({ msg }) => msg === 'request' || msg === 'request refused'), 'a line for the request')
  return find()
}

const requestLine = (more: object) => ({
  level: 'info',
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  request_id: expect.stringMatching(REQUEST_ID),
  ms: expect.any(Number),
  version: '2022-07-21',
  msg: 'request',
  ...more,
})

describe('one line per request, with the id of the answer', () => {
  const merchant_id = merchant.id
  test.each([
    ['GET', '/v1/probes/7?a=1', { route: '/v1/probes/:id', status: 200, merchant_id }],
    ['GET', '/v1/probes/7?a=%', { route: '/v1/probes/:id', status: 400, merchant_id }],
    ['GET', '/v1/probes/%', { route: null, status: 400 }],
    ['GET', '/nothing', { route: null, status: 404 }],
    ['PUT', '/v1/probes/7', { route: '/v1/probes/:id', status: 405 }],
    ['DELETE', '/v1/probes/7', { route: '/v1/probes/:id', status: 403 }],
    ['OPTIONS', '/v1/probes/7', { route: '/v1/probes/:id', status: 204 }],
    ['GET', '/health/live', { route: '/health/live', status: 200 }],
  ] as const)('for %s %s', async (method, url, line) => {
    const { status, headers } = await app.call(method, url, { key })
    expect(status).toBe(line.status)
    expect(await linesOf(headers['x-request-id'])).toEqual([requestLine({ method, ...line })])
  })

  test('what is not HTTP', async () => {
    const { headers } = await exchange(port, 'nonsense\r\n\r\n')
    expect(await linesOf(headers['x-request-id'])).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        request_id: headers['x-request-id'],
        status: 400,
        reason: 'HPE_INVALID_METHOD',
        msg: 'request refused',
      },
    ])
  })
})

describe('a failure of ours', () => {
  test('is an error line with the stack and the id, besides the line of the request', async () => {
    thrown = new TypeError('nothing is as it was', { cause: new Error('the tide') })
    const { status, headers } = await app.call('GET', '/v1/crash', { key })
    expect(status).toBe(500)
    const id = headers['x-request-id']
    expect(await linesOf(id)).toEqual([
      {
        level: 'error',
        time: expect.any(String),
        request_id: id,
        err: {
          name: 'TypeError',
          message: 'nothing is as it was',
          cause: 'the tide',
          stack: expect.stringMatching(/^TypeError: nothing is as it was\n\s+at .*logging\.test\.ts/),
        },
        operation: 'probes.crash',
        msg: 'request failed',
      },
      requestLine({ method: 'GET', route: '/v1/crash', status: 500, merchant_id: merchant.id }),
    ])
  })

  test.each([
    ['plain text', 'plain text'],
    [7, '7'],
    [null, '[object Null]'],
    [Object.create(null), '[object Object]'],
    [{ toString: () => 'sly' }, '[object Object]'],
    [Symbol('s'), 'Symbol(s)'],
  ])('that is not an Error is logged all the same: %o', async (value, message) => {
    thrown = value
    const { headers } = await app.call('GET', '/v1/crash', { key })
    const [line] = await linesOf(headers['x-request-id'])
    expect(line).toMatchObject({ level: 'error', err: { message }, msg: 'request failed' })
  })

  test('does not log what PostgreSQL quotes of a row', async () => {
    thrown = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (email)=(jane@example.com) already exists.',
      where: 'row jane@example.com',
    })
    const { headers } = await app.call('GET', '/v1/crash', { key })
    const [line] = await linesOf(headers['x-request-id'])
    expect(line?.err).toEqual({ name: 'Error', message: 'duplicate key', code: '23505', stack: expect.any(String) })
    expect(JSON.stringify(line)).not.toContain('jane')
  })
})

describe('X17: no secret reaches the log', () => {
  const CARD = '4242424242424242'
  const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJjaWQiOiJjc3Rtcl8xIn0.c2lnbmF0dXJl'
  const KEY = merchant.keys.live.secret
  const MARK = 'findme'
  const SECRETS = [CARD, '4242 4242 4242 4242', JWT, KEY, key, MARK, merchant.keys.live.public]
  const everything = `${CARD} 4242 4242 4242 4242 ${JWT} ${KEY} ${key}`

  function expectClean(lines: readonly string[]) {
    expect(lines.length).toBeGreaterThan(0)
    for (const secret of SECRETS) expect(lines.filter((line) => line.includes(secret))).toEqual([])
  }

  const headers = {
    authorization: `Bearer ${JWT}`,
    cookie: `a=${JWT}; b=${MARK}`,
    referer: `https://shop.example/?q=${MARK}&key=${KEY}`,
    'user-agent': `${MARK} ${CARD}`,
    'x-request-id': `${MARK}-${CARD}`,
    'x-forwarded-for': MARK,
    origin: `https://${MARK}.example`,
  }

  test.each([
    ['in the query of a success', 'GET', `/v1/probes/1?q=${MARK}&card=${CARD}&jwt=${JWT}&key=${KEY}`, 200],
    ['in an unreadable query', 'GET', `/v1/probes/1?${MARK}=%zz&card=${CARD}`, 400],
    ['in the path', 'GET', `/v1/probes/${MARK}-${CARD}`, 200],
    ['in an unknown path', 'GET', `/${MARK}/${KEY}/${JWT}?${MARK}=${CARD}`, 404],
    ['in an unreadable path', 'GET', `/${MARK}/%zz/${KEY}?q=${MARK}`, 400],
    ['in an overlong path', 'GET', `/v1/probes/${MARK.repeat(500)}${KEY}`, 404],
    ['in the body', 'POST', '/v1/probes', 200],
    ['in a body that is refused', 'POST', '/v1/probes', 422],
  ] as const)('that stands %s', async (_where, method, url, status) => {
    const already = app.logged.length
    const name = `${MARK} ${everything}`
    const body = { name: status === 422 ? [name] : name, card: { number: CARD } }
    const answer = await app.call(method, url, { key, headers, ...(method === 'POST' ? { body } : {}) })
    expect(answer.status).toBe(status)
    await linesOf(answer.headers['x-request-id'])
    expectClean(app.logged.slice(already))
  })

  test('in a key that is refused', async () => {
    const already = app.logged.length
    for (const wrong of [KEY, `${KEY}x`, MARK, `sk_test_${'A'.repeat(40)}`])
      expect((await app.call('GET', '/v1/probes/1', { key: wrong })).status).toBe(401)
    await until(() => app.logged.length === already + 4, 'four lines')
    expectClean(app.logged.slice(already))
  })

  test('in the message, the cause, the code or the fields of what a handler throws', async () => {
    const secretive = everything
    const cause = new Error(`cause ${secretive}`, { cause: new Error(secretive) })
    for (const value of [
      Object.assign(new Error(`message ${secretive}`, { cause }), { code: secretive, query: MARK, body: MARK }),
      new AggregateError([cause], secretive),
      secretive,
      { message: secretive, [MARK]: MARK },
    ]) {
      thrown = value
      const already = app.logged.length
      const answer = await app.call('GET', `/v1/crash?q=${MARK}`, { key, headers })
      expect(answer.status).toBe(500)
      await linesOf(answer.headers['x-request-id'])
      expectClean(app.logged.slice(already))
    }
  })

  test('in bytes that are not HTTP', async () => {
    const already = app.logged.length
    await exchange(port, `${MARK} ${KEY}\r\nX-Authorization: ${KEY}\r\n\r\n`)
    await until(() => app.logged.length > already, 'a line')
    expectClean(app.logged.slice(already))
  })
})

describe('the id of a request', () => {
  test("is ours, whatever the client sends; behind a trusted proxy it is the proxy's", async () => {
    const headers = { 'x-request-id': 'from-the-proxy-1' }
    expect((await app.call('GET', '/health/live', { headers })).headers['x-request-id']).toMatch(REQUEST_ID)
    const { headers: answered } = await behind.call('GET', '/health/live', { headers })
    expect(answered['x-request-id']).toBe('from-the-proxy-1')
    await until(() => behind.logged.length === 1, 'a line')
    expect(JSON.parse(behind.logged[0] ?? '')).toMatchObject({ request_id: 'from-the-proxy-1' })
    for (const strange of ['short', 'x'.repeat(101), 'with blanks here', 'quote"quote"quote', 'a/b/c/d/e/f'])
      expect(
        (await behind.call('GET', '/health/live', { headers: { 'x-request-id': strange } })).headers['x-request-id'],
      ).toMatch(REQUEST_ID)
  })

  test('is ours where the peer is not one of the proxies, whoever it says it speaks for', async () => {
    const id = async (remoteAddress: string, more: Record<string, string> = {}) => {
      const headers = { 'x-request-id': 'from-the-proxy-1', ...more }
      return (await picky.server.inject({ url: '/health/live', remoteAddress, headers })).headers['x-request-id']
    }
    expect(await id('10.1.2.3')).toBe('from-the-proxy-1')
    expect(await id('::ffff:10.1.2.3')).toBe('from-the-proxy-1')
    expect(await id('203.0.113.7')).toMatch(REQUEST_ID)
    expect(await id('203.0.113.7', { 'x-forwarded-for': '10.1.2.3' })).toMatch(REQUEST_ID)
  })
})
