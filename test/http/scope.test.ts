// Who may call what: keys that are refused, keys of the wrong kind, and live keys, which need HTTPS.

import { request as httpsRequest } from 'node:https'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { createKey, revokeKey } from '../../src/api/merchants/merchant.ts'
import type { AppOptions } from '../../src/app.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { NO_KEY, unauthorized } from '../support/shop.ts'
import { CERT, KEY } from './fixtures/localhost.ts'
import { errorBody, exchange, listen, probe, slice } from './harness.ts'

const Who = Type.Object({
  merchant_id: Type.Integer(),
  isSecret: Type.Boolean(),
  is_sandbox: Type.Boolean(),
  url: Type.String(),
})
const who = {
  returns: Who,
  handle: async ({ caller, url }: { caller: object; url: string }) => ({ ...caller, url }),
} as object
const endpoints = [
  slice([
    probe({ operation: 'open.get', path: '/v1/open', ...who }),
    probe({ operation: 'shut.get', path: '/v1/shut', access: 'secret', ...who }),
    probe({
      operation: 'shut.create',
      method: 'POST',
      path: '/v1/shut',
      access: 'secret',
      body: Type.Object({ name: Type.String() }),
      ...who,
    }),
  ]),
]
const app = await testApp({ slices: endpoints })
const port = await listen(app)
const merchant = await app.merchant()
const { live, sandbox } = merchant.keys

const secure = await testApp({ slices: endpoints, tls: { cert: Buffer.from(CERT), key: Buffer.from(KEY) } })
const securePort = await listen(secure)
const named = await testApp({ slices: endpoints, publicUrl: 'https://api.shop.example' })
const forms: [name: string, AppOptions['trustProxy'] & object][] = [
  ['its network', ['127.0.0.0/8', '::1']],
  ['how many there are', (_address: string, hop: number) => hop < 1],
]
const apps = await Promise.all(forms.map(([, trustProxy]) => testApp({ slices: endpoints, trustProxy })))

const WRONG_KEY = unauthorized('This API key is not valid. It may have been mistyped or revoked.')
const PUBLIC_KEY = errorBody(403, 'forbidden', 'A public key may not do this; use the secret key, from a server.')
const NEEDS_HTTPS = unauthorized('Live keys work over HTTPS only. Use HTTPS, or a sandbox key (pk_test_…, sk_test_…).')

describe('keys that are refused', () => {
  test('without a key: 401 that says where it goes', async () => {
    for (const url of ['/v1/open', '/v1/shut']) {
      expect(await app.call('GET', url)).toMatchObject({ status: 401, body: NO_KEY })
      expect(await app.call('GET', url, { key: '' })).toMatchObject({ status: 401, body: NO_KEY })
    }
    const bearer = await app.call('GET', '/v1/open', { headers: { authorization: `Bearer ${sandbox.secret}` } })
    expect(bearer).toMatchObject({ status: 401, body: NO_KEY })
    expect(await app.call('GET', `/v1/open?x-authorization=${sandbox.secret}`)).toMatchObject({ status: 401 })
  })

  test.each([
    ['the text undefined', 'undefined'],
    ['a key cut short', sandbox.secret.slice(0, -1)],
    ['a key with more behind it', `${sandbox.secret}x`],
    ['a key in the other case', sandbox.secret.toUpperCase()],
    ['a key with the other prefix', sandbox.public.replace('pk_', 'sk_')],
    ['a sandbox key without its test_', sandbox.public.replace('test_', '')],
    ['a key nobody has', `sk_test_${'A'.repeat(40)}`],
    ['something long', 'x'.repeat(10_000)],
  ])('%s: 401, always in the same words', async (_what, key) => {
    for (const url of ['/v1/open', '/v1/shut'])
      for (let time = 0; time < 2; time++)
        expect(await app.call('GET', url, { key })).toMatchObject({ status: 401, body: WRONG_KEY })
  })

  test('a revoked key: 401 in the same words, within a second', async () => {
    const { id, text } = await createKey(app, merchant.id, { isSecret: true, is_sandbox: true })
    expect((await app.call('GET', '/v1/shut', { key: text })).status).toBe(200)
    await revokeKey(app, merchant.id, id)
    const revoked = performance.now()
    // The moment of asking counts: a busy machine may answer late, but not wrongly.
    let asked = 0
    let answer = await app.call('GET', '/v1/shut', { key: text })
    while (answer.status === 200 && asked < 1_000) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      asked = performance.now() - revoked
      answer = await app.call('GET', '/v1/shut', { key: text })
    }
    expect(answer.body).toEqual(WRONG_KEY)
    const unknown = await app.call('GET', '/v1/shut', { key: `sk_test_${'B'.repeat(40)}` })
    expect(unknown.text).toBe(answer.text)
  })

  test('two keys in one request: 401, whichever comes first', async () => {
    const send = (...keys: string[]) =>
      exchange(
        port,
        ['GET /v1/open HTTP/1.1', 'Host: a', ...keys.map((key) => `X-Authorization: ${key}`), '', ''].join('\r\n'),
      )
    expect(await send(sandbox.public)).toMatchObject({ status: 200 })
    expect(await send(sandbox.public, sandbox.secret)).toMatchObject({ status: 401, body: WRONG_KEY })
    expect(await send(sandbox.public, sandbox.public)).toMatchObject({ status: 401, body: WRONG_KEY })
    expect(await send('undefined', sandbox.public)).toMatchObject({ status: 401, body: WRONG_KEY })
    const headers = { 'x-authorization': [sandbox.public, sandbox.public] as never }
    expect((await app.server.inject({ url: '/v1/open', headers })).statusCode).toBe(401)
  })

  test('blanks around a key are passed over', async () => {
    const answer = await exchange(
      port,
      `GET /v1/open HTTP/1.1\r\nHost: a\r\nX-AUTHORIZATION: \t ${sandbox.public} \r\n\r\n`,
    )
    expect(answer.status).toBe(200)
  })
})

describe('kinds of keys', () => {
  test('each is known for what it is', async () => {
    for (const [key, isSecret] of [
      [sandbox.public, false],
      [sandbox.secret, true],
    ] as const)
      expect((await app.call('GET', '/v1/open', { key })).body).toEqual({
        merchant_id: merchant.id,
        isSecret,
        is_sandbox: true,
        url: 'http://localhost:80/v1/open',
      })
    expect((await app.call('GET', '/v1/shut', { key: sandbox.secret })).status).toBe(200)
  })

  test('a public key on a secret route is 403, before the body is looked at', async () => {
    const key = sandbox.public
    expect(await app.call('GET', '/v1/shut', { key })).toMatchObject({ status: 403, body: PUBLIC_KEY })
    for (const body of [{}, { name: 'x' }, 'text'])
      expect(await app.call('POST', '/v1/shut', { key, body })).toMatchObject({ status: 403, body: PUBLIC_KEY })
    const headers = { 'content-type': 'text/plain' }
    expect(await app.call('POST', '/v1/shut', { key, body: {}, headers })).toMatchObject({ status: 403 })
    expect(await app.call('HEAD', '/v1/shut', { key })).toMatchObject({ status: 403 })
  })
})

describe('live keys', () => {
  test('over plain HTTP are 401 that says so, on every route and whatever the headers claim', async () => {
    for (const key of [live.public, live.secret])
      for (const headers of [
        {},
        { 'x-forwarded-proto': 'https' },
        { forwarded: 'proto=https' },
        { 'x-forwarded-ssl': 'on', 'front-end-https': 'on' },
      ] as Record<string, string>[])
        expect(await app.call('GET', '/v1/open', { key, headers })).toMatchObject({ status: 401, body: NEEDS_HTTPS })
    expect(await app.call('GET', '/v1/shut', { key: live.public })).toMatchObject({ status: 401, body: NEEDS_HTTPS })
    const absolute = `GET https://shop.example/v1/open HTTP/1.1\r\nHost: a\r\nX-Authorization: ${live.public}\r\n\r\n`
    expect(await exchange(port, absolute)).toMatchObject({ status: 401, body: NEEDS_HTTPS })
  })

  test('over HTTPS work', async () => {
    const { keys } = await secure.merchant()
    const get = (path: string, key: string) =>
      new Promise<{ status: number | undefined; sts: unknown; body: unknown }>((resolve, reject) => {
        const options = { host: '127.0.0.1', port: securePort, path, ca: CERT, agent: false }
        httpsRequest({ ...options, headers: { 'x-authorization': key } }, (response) => {
          let text = ''
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => {
            const { statusCode, headers } = response
            resolve({ status: statusCode, sts: headers['strict-transport-security'], body: JSON.parse(text) })
          })
        })
          .on('error', reject)
          .end()
      })
    expect(await get('/v1/shut', keys.live.secret)).toEqual({
      status: 200,
      sts: 'max-age=31536000',
      body: expect.objectContaining({
        is_sandbox: false,
        isSecret: true,
        url: `https://127.0.0.1:${securePort}/v1/shut`,
      }),
    })
    expect(await get('/v1/open', keys.live.public)).toMatchObject({ status: 200, body: { isSecret: false } })
    expect(await get('/v1/open', keys.sandbox.public)).toMatchObject({ status: 200, body: { is_sandbox: true } })
    expect(await get('/v1/shut', keys.live.public)).toMatchObject({ status: 403, body: PUBLIC_KEY })
    expect(await get('/v1/shut/%', keys.live.public)).toMatchObject({ status: 400, sts: 'max-age=31536000' })
  })

  test('plain HTTP promises no transport security', async () => {
    const { headers } = await app.call('GET', '/v1/open', { key: sandbox.public })
    expect(headers).not.toHaveProperty('strict-transport-security')
  })
})

describe('behind a proxy', () => {
  test.each(forms.map(([name], index) => [name, apps[index] as TestApp] as const))(
    'trusted by %s, its word counts',
    async (_name, behind) => {
      const key = (await behind.merchant()).keys.live.public
      const call = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
        behind.server.inject({ url: '/v1/open', headers: { 'x-authorization': key, ...headers }, remoteAddress })

      const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.shop.example' }
      const answer = await call(https)
      expect(answer.statusCode).toBe(200)
      expect(answer.json().url).toBe('https://api.shop.example/v1/open')
      expect(answer.headers['strict-transport-security']).toBe('max-age=31536000')

      for (const headers of [
        {},
        { 'x-forwarded-proto': 'http' },
        { 'x-forwarded-proto': 'https, http' },
        { forwarded: 'proto=https' },
      ])
        expect([(await call(headers as never)).statusCode, headers]).toEqual([401, headers])
      // The last entry is the one our own proxy wrote.
      expect((await call({ 'x-forwarded-proto': 'http, https' })).statusCode).toBe(200)
    },
  )

  test('another address than the trusted one is not believed', async () => {
    const [byNetwork] = apps as [TestApp]
    const key = (await byNetwork.merchant({ email: 'second@example.com' })).keys.live.public
    const headers = { 'x-authorization': key, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' }
    for (const [remoteAddress, status] of [
      ['127.0.0.9', 200],
      ['203.0.113.9', 401],
    ] as const)
      expect((await byNetwork.server.inject({ url: '/v1/open', headers, remoteAddress })).statusCode).toBe(status)
  })

  test('PUBLIC_URL is the address of every link', async () => {
    const key = (await named.merchant()).keys.sandbox.public
    const { body } = await named.call('GET', '/v1/open?a=1', { key, headers: { host: 'evil.example' } })
    expect(body).toMatchObject({ url: 'https://api.shop.example/v1/open?a=1' })
  })
})
