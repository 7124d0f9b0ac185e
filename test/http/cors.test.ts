// Cross-origin access: open wherever a public key may call, absent everywhere else, never with credentials, never for a live secret key.

import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { type CallOptions, type TestApp, testApp } from '../support/app.ts'
import { crash, errorBody, probe, slice } from './harness.ts'

const Body = Type.Object({ name: Type.String() })
const slices = [
  slice([
    probe({ operation: 'open.get', path: '/v1/open/:id' }),
    probe({ operation: 'open.create', method: 'POST', path: '/v1/open', body: Body, status: 201 }),
    crash(),
    probe({ operation: 'mixed.get', path: '/v1/mixed' }),
    probe({ operation: 'mixed.create', method: 'POST', path: '/v1/mixed', access: 'secret', body: Body }),
    probe({ operation: 'shut.get', path: '/v1/shut', access: 'secret' }),
    probe({ operation: 'shut.create', method: 'POST', path: '/v1/shut', access: 'secret', body: Body }),
  ]),
]
const app = await testApp({ limits: { bodyBytes: 200 }, slices })
const { keys } = await app.merchant()
const key = keys.sandbox.public
const secret = keys.sandbox.secret
const Origin = { origin: 'https://shop.example' }

const cors = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Service-Version, Chec-Version, X-Request-Id, Retry-After, Idempotency-Replayed, ETag',
}

type Case = [what: string, method: 'GET' | 'HEAD' | 'POST' | 'PUT', url: string, status: number, options?: CallOptions]

describe('public routes are open', () => {
  test.each<Case>([
    ['a success', 'GET', '/v1/open/1', 200, { key }],
    ['a success with the secret key of the sandbox', 'GET', '/v1/open/1', 200, { key: secret }],
    ['HEAD', 'HEAD', '/v1/open/1', 200, { key }],
    ['201', 'POST', '/v1/open', 201, { key, body: { name: 'x' } }],
    ['400 for the version', 'GET', '/v1/open/1', 400, { key, version: '1999-01-01' }],
    ['400 for the query', 'GET', '/v1/open/1?a=%', 400, { key }],
    ['400 for the path', 'GET', '/v1/open/%', 400, { key }],
    ['401 without a key', 'GET', '/v1/open/1', 401],
    ['401 for a wrong key', 'GET', '/v1/open/1', 401, { key: 'undefined' }],
    ['404 for a long id', 'GET', `/v1/open/${'x'.repeat(1_100)}`, 404, { key }],
    ['405', 'PUT', '/v1/open/1', 405, { key }],
    ['413', 'POST', '/v1/open', 413, { key, body: { name: 'x'.repeat(300) } }],
    ['415', 'POST', '/v1/open', 415, { key, body: {}, headers: { 'content-type': 'text/plain' } }],
    ['422', 'POST', '/v1/open', 422, { key, body: {} }],
    ['500', 'GET', '/v1/crash', 500, { key }],
    ['an unknown route', 'GET', '/v1/nothing', 404, { key }],
    ['an unknown route without a key', 'POST', '/nothing', 404, { body: {} }],
    ['the public method of a mixed address', 'GET', '/v1/mixed', 200, { key }],
    ['405 of a mixed address', 'PUT', '/v1/mixed', 405],
  ])('to any origin: %s', async (_what, method, url, status, options = {}) => {
    for (const headers of [Origin, {}]) {
      const answer = await app.call(method, url, { ...options, headers: { ...options.headers, ...headers } })
      expect(answer.status).toBe(status)
      expect(cors(answer.headers)).toEqual(OPEN)
    }
  })
})

describe('secret routes have no CORS headers', () => {
  test.each<Case>([
    ['a success', 'GET', '/v1/shut', 200, { key: secret }],
    ['401', 'GET', '/v1/shut', 401],
    ['403', 'GET', '/v1/shut', 403, { key }],
    ['405', 'PUT', '/v1/shut', 405, { key: secret }],
    ['415', 'POST', '/v1/shut', 415, { key: secret, body: {}, headers: { 'content-type': 'text/plain' } }],
    ['422', 'POST', '/v1/shut', 422, { key: secret, body: {} }],
    ['the secret method of a mixed address', 'POST', '/v1/mixed', 200, { key: secret, body: { name: 'x' } }],
    ['the same, refused', 'POST', '/v1/mixed', 403, { key, body: { name: 'x' } }],
    ['health', 'GET', '/health/live', 200],
    ['metrics', 'GET', '/metrics', 200],
  ])('on any answer: %s', async (_what, method, url, status, options = {}) => {
    const answer = await app.call(method, url, { ...options, headers: { ...options.headers, ...Origin } })
    expect(answer.status).toBe(status)
    expect(cors(answer.headers)).toEqual({})
  })
})

describe('a live secret key that a page sends', () => {
  const REFUSED = errorBody(
    401,
    'unauthorized',
    'This secret key was sent by a browser, where everybody can read it. Revoke it, and use the public key there; secret keys are for servers.',
  )
  const behind = (options: Parameters<typeof testApp>[0] = {}) =>
    testApp({ trustProxy: ['loopback'], slices, ...options })
  const https = { 'x-forwarded-proto': 'https', host: 'api.shop.example' }
  const ask = (one: TestApp, from: string, origin: string, more: Record<string, string> = {}) =>
    one.call('GET', '/v1/open/1', { key: from, headers: { ...https, origin, ...more } })

  test('is 401 on every route, readable by the page, over HTTP and HTTPS; the other keys and servers are served', async () => {
    const one = await behind()
    const { keys: own } = await one.merchant()
    const shops = ['http://api.shop.example', 'https://api.shop.example:8443', 'https://api.shop.example.evil.example']
    for (const origin of ['https://shop.example', 'null', '', 'http://localhost:3000', ...shops, 'evil"><script>'])
      for (const answer of [
        await ask(one, own.live.secret, origin),
        await ask(one, own.live.secret, origin, { 'x-forwarded-proto': 'http', host: 'api.example' }),
        await one.call('POST', '/v1/shut', { key: own.live.secret, body: {}, headers: { ...https, origin } }),
      ]) {
        expect([origin, answer.status, answer.body]).toEqual([origin, 401, REFUSED])
        expect(cors(answer.headers)).toEqual(OPEN)
      }
    const { origin } = Origin
    for (const key of [own.live.public, own.sandbox.public, own.sandbox.secret])
      expect((await ask(one, key, origin)).status).toBe(200)
    for (const headers of [https, { ...https, referer: 'https://shop.example/' }])
      expect((await one.call('GET', '/v1/open/1', { key: own.live.secret, headers })).status).toBe(200)
  })

  test('is served where the page is our own: by the request, by PUBLIC_URL or by PUBLIC_HOSTS', async () => {
    const one = await behind()
    const { keys: own } = await one.merchant()
    expect((await ask(one, own.live.secret, 'https://api.shop.example')).status).toBe(200)
    const two = await behind({
      publicUrl: 'https://shop.example',
      publicHosts: ['admin.example', 'admin.example:8443'],
    })
    const { keys: others } = await two.merchant()
    for (const origin of [
      'https://shop.example',
      'https://api.shop.example',
      'https://admin.example:8443',
      'http://admin.example',
    ])
      expect([origin, (await ask(two, others.live.secret, origin)).status]).toEqual([origin, 200])
    for (const origin of ['http://shop.example', 'https://admin.example:9443', 'https://www.shop.example'])
      expect([origin, (await ask(two, others.live.secret, origin)).status]).toEqual([origin, 401])
  })

  test('is in the log once a minute, by its id and the page, never itself', async () => {
    const one = await behind()
    const { keys: own } = await one.merchant()
    const second = (await one.merchant({ email: 'second@example.com' })).keys.live.secret
    const warned = () =>
      one.logged.map((line) => JSON.parse(line)).filter(({ level, key: id }) => level === 'warn' && id !== undefined)
    for (let at = 0; at < 20; at++) await ask(one, own.live.secret, `https://${at}.example/${'x'.repeat(3_000)}`)
    expect(warned()).toMatchObject([
      {
        key: expect.stringMatching(/^key_/),
        merchant_id: 1,
        origin: expect.stringMatching(/^https:\/\/0\.example\/x{182}$/),
      },
    ])
    await ask(one, second, 'https://b.example')
    one.clock.advance(59)
    await ask(one, own.live.secret, 'https://c.example')
    expect(warned()).toHaveLength(2)
    one.clock.advance(1)
    await ask(one, own.live.secret, 'https://d.example')
    expect(warned().map(({ origin }) => origin.slice(0, 17))).toEqual([
      'https://0.example',
      'https://b.example',
      'https://d.example',
    ])
    expect(one.logged.join('')).not.toContain(own.live.secret.slice(-20))
  })
})

describe('a preflight needs no key', () => {
  const preflight = (url: string, headers: Record<string, string> = {}) =>
    app.call('OPTIONS', url, { headers: { ...Origin, 'access-control-request-method': 'GET', ...headers } })
  const wanted = 'chec-version,content-type,x-authorization,x-chec-agent,authorization,service-version'

  test.each([
    ['/v1/open/1', 'GET'],
    ['/v1/open/1?a=%', 'GET'],
    ['//v1//open/1', 'GET'],
    ['/v1/open', 'POST'],
    ['/v1/mixed', 'GET'],
    ['/v1/nothing', 'GET, POST, PUT, DELETE'],
    ['/', 'GET, POST, PUT, DELETE'],
  ])('%s allows %s and echoes the headers asked for', async (url, methods) => {
    const { status, text, headers } = await preflight(url, { 'access-control-request-headers': wanted })
    expect([status, text]).toEqual([204, ''])
    expect(cors(headers)).toEqual({
      ...OPEN,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': wanted,
      'access-control-max-age': '86400',
    })
    expect(headers.vary).toBe('Access-Control-Request-Headers')
  })

  test('what is no list of header names is not echoed', async () => {
    for (const strange of ['<script>', 'a;b', 'x'.repeat(1_001), '*', 'é'])
      expect(cors((await preflight('/v1/open/1', { 'access-control-request-headers': strange })).headers)).toEqual({
        ...OPEN,
        'access-control-allow-methods': 'GET',
        'access-control-max-age': '86400',
      })
  })

  test('for a secret route is answered without opening it', async () => {
    const { status, headers } = await preflight('/v1/shut', { 'access-control-request-headers': wanted })
    expect(status).toBe(204)
    expect(cors(headers)).toEqual({})
  })
})
