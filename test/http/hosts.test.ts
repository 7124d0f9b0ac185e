// The Host header: what is no host is refused before anything else happens, on every address; what is one is written in one form.

import { describe, expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { replyOf } from '../support/shop.ts'
import { badRequest, Connection, errorBody, exchange, listen, probe, slice, until } from './harness.ts'

const endpoints = slice([
  probe({
    operation: 'probes.get',
    path: '/v1/probes',
    returns: { type: 'object', additionalProperties: true } as never,
    handle: async ({ origin, lastingOrigin, url }) => ({ origin, lastingOrigin, url }),
  }),
])
const app = await testApp({ slices: [endpoints] })
const port = await listen(app)
const proxied = await testApp({ slices: [endpoints], trustProxy: ['loopback'], publicHosts: ['shop.example'] })
const named = await testApp({ slices: [endpoints], publicUrl: 'https://api.shop.example' })
const key = (await app.merchant()).keys.sandbox.public
const proxiedKey = (await proxied.merchant()).keys.sandbox.public
const namedKey = (await named.merchant()).keys.sandbox.public

const notAHost = (header = 'Host') =>
  badRequest(
    `The ${header} header must be a host name or an IP address, with or without a port, such as api.shop.example or 127.0.0.1:4000.`,
  )

// Which texts name a host is test/lib/host.test.ts.
const EVIL = ['evil"><script>alert(1)</script>', 'a b', 'user@evil.example', 'evil.example:0', '1.2.3', '']

const askedAs = async (host: string, target = '/v1/probes', more = '') =>
  exchange(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Authorization: ${key}\r\n${more}\r\n`)

describe('a Host that is no host', () => {
  test.each(['/v1/probes', '/v1/nothing', '/', '/openapi.json', '/health/live', '/metrics', '/files/1/ast_1/a.png'])(
    'is 400 at %s, readable in any browser',
    async (target) => {
      for (const host of EVIL) {
        const { status, headers, body } = await askedAs(host, target)
        expect([host, status, body]).toEqual([host, 400, notAHost()])
        expect(headers['access-control-allow-origin']).toBe('*')
      }
    },
  )

  test('is 400 where PUBLIC_URL makes it matter to nobody, and behind a proxy that names another', async () => {
    for (const [one, from] of [
      [named, namedKey],
      [proxied, proxiedKey],
    ] as const) {
      const headers = { host: 'evil"><script>', 'x-forwarded-host': 'shop.example' }
      expect(await replyOf(one.call('GET', '/v1/probes', { key: from, headers }))).toEqual([400, notAHost()])
    }
  })

  test('is 400 when there are two of them, be they equal or not', async () => {
    for (const second of ['evil.example', 'shop.example']) {
      const answer = askedAs('shop.example', '/v1/probes', `HOST: ${second}\r\n`)
      expect(await replyOf(answer)).toEqual([400, badRequest('Send one Host header, not several.')])
    }
  })

  test('of a trusted proxy is 400, too, by the name of its header', async () => {
    for (const host of ['evil"><script>', 'shop.example, evil/', 'shop.example,']) {
      const headers = { 'x-forwarded-host': host }
      const { status, body } = await proxied.call('GET', '/v1/probes', { key: proxiedKey, headers })
      expect([host, status, body]).toEqual([host, 400, notAHost('X-Forwarded-Host')])
      expect((await app.call('GET', '/v1/probes', { key, headers })).status).toBe(200)
    }
  })
})

describe('a Host that is one', () => {
  test.each([
    ['Shop.EXAMPLE:08080', 'http://shop.example:8080', ''],
    ['shop.example.', 'http://shop.example', ''],
    ['[2001:DB8::1]', 'http://[2001:db8::1]', ''],
    ['LOCALHOST:4000', 'http://localhost:4000', 'http://localhost:4000'],
    ['127.0.0.9', 'http://127.0.0.9', 'http://127.0.0.9'],
    ['[::1]:4000', 'http://[::1]:4000', 'http://[::1]:4000'],
    ['127.0.0.1.evil.example', 'http://127.0.0.1.evil.example', ''],
  ])('%s is named %s in the reply, and %j in what outlives it', async (host, origin, lastingOrigin) => {
    expect((await askedAs(host, '/v1/probes?a=1')).body).toEqual({
      origin,
      lastingOrigin,
      url: `${origin}/v1/probes?a=1`,
    })
  })

  test('is believed for good where PUBLIC_HOSTS names it, at the port it names', async () => {
    const listed = await testApp({ slices: [endpoints], publicHosts: ['shop.example', 'api.example:8443'] })
    const from = (await listed.merchant()).keys.sandbox.public
    for (const [host, isBelieved] of [
      ['shop.example', true],
      ['SHOP.example:80', true],
      ['shop.example:443', false],
      ['api.example:8443', true],
      ['api.example', false],
      ['www.shop.example', false],
      ['shop.example.evil.example', false],
    ] as const) {
      const { body } = await listed.call('GET', '/v1/probes', { key: from, headers: { host } })
      const { origin, lastingOrigin } = body as { origin: string; lastingOrigin: string }
      expect([host, lastingOrigin]).toEqual([host, isBelieved ? origin : ''])
    }
  })

  test('behind a proxy is the last that it names, by its scheme, which is http or https', async () => {
    const from = proxiedKey
    for (const [headers, origin, lastingOrigin] of [
      [{ 'x-forwarded-host': 'evil.example, Shop.Example' }, 'http://shop.example', 'http://shop.example'],
      [{ 'x-forwarded-host': 'shop.example, evil.example' }, 'http://evil.example', ''],
      [
        { 'x-forwarded-proto': 'https', host: 'shop.example:443' },
        'https://shop.example:443',
        'https://shop.example:443',
      ],
      [{ 'x-forwarded-proto': 'javascript', host: 'shop.example' }, 'http://shop.example', 'http://shop.example'],
      [{ 'x-forwarded-proto': 'evil"><script>', host: 'shop.example' }, 'http://shop.example', 'http://shop.example'],
    ] as const) {
      const { body } = await proxied.call('GET', '/v1/probes', { key: from, headers })
      expect(body).toEqual({ origin, lastingOrigin, url: `${origin}/v1/probes` })
    }
  })

  test('may be missing in HTTP/1.0, and an absolute target needs it all the same', async () => {
    const old = await exchange(port, `GET /v1/probes HTTP/1.0\r\nX-Authorization: ${key}\r\n\r\n`)
    expect(old.body).toMatchObject({ origin: `http://localhost:${port}` })
    expect(await replyOf(askedAs('shop.example', 'http://other.example/v1/probes'))).toEqual([
      200,
      { origin: 'http://shop.example', lastingOrigin: '', url: 'http://shop.example/v1/probes' },
    ])
    expect((await askedAs('a b', 'http://shop.example/v1/probes')).body).toEqual(notAHost())
  })
})

test('a change under a host that nobody has vouched for is in the log once', async () => {
  const one = await testApp()
  const secret = (await one.merchant()).keys.sandbox.secret
  const warned = () => one.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('PUBLIC_HOSTS'))
  let made = 0
  const create = (host: string, from = secret) =>
    one.call('POST', '/v1/categories', { key: from, body: { slug: `c${made++}`, name: 'C' }, headers: { host } })
  expect((await create('localhost')).status).toBe(201)
  await one.call('GET', '/v1/categories', { key: secret, headers: { host: 'shop.example' } })
  await create('a.example', 'sk_test_nobody')
  expect(warned()).toEqual([])
  for (const host of ['shop.example', 'evil.example', 'shop.example']) expect((await create(host)).status).toBe(201)
  expect(warned()).toMatchObject([{ level: 'warn', origin: 'http://shop.example' }])
})

describe('CONNECT', () => {
  const NO_TUNNEL = errorBody(
    405,
    'method_not_allowed',
    'This is not a proxy: CONNECT is not accepted. Send the request itself.',
  )

  test.each(['evil.example:443', '/v1/probes', 'localhost:1'])(
    'to %s is 405 with an error body, and ends',
    async (target) => {
      const connection = new Connection(port).send(
        `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\nGET / HTTP/1.1\r\n`,
      )
      const answer = await connection.answer()
      expect([answer.status, answer.body]).toEqual([405, NO_TUNNEL])
      expect(answer.headers).toMatchObject({
        allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
        connection: 'close',
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
      await connection.closed
      expect(connection.rest).toBe('')
      await until(() => app.logged.some((line) => line.includes(String(answer.headers['x-request-id']))), 'a log line')
    },
  )

  test('whose client hangs up at once harms nobody', async () => {
    for (let at = 0; at < 20; at++) {
      const connection = new Connection(port)
      connection.send('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
      connection.socket.resetAndDestroy()
    }
    expect((await askedAs('localhost')).status).toBe(200)
  })

  test('behind a request that has no answer yet never takes the place of that answer', async () => {
    const connection = new Connection(port)
    connection.send(
      `GET /v1/probes HTTP/1.1\r\nHost: a\r\nX-Authorization: ${key}\r\n\r\nCONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
    )
    await connection.closed
    expect(connection.rest).not.toMatch(/^HTTP\/1\.1 405/)
  })
})

test('a request that would upgrade is answered as it is', async () => {
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  const { status, body } = await askedAs('localhost:1', '/v1/probes', upgrade)
  expect([status, body]).toMatchObject([200, { origin: 'http://localhost:1' }])
})
