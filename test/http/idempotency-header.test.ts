// The header `Idempotency-Key`: its form, who understands it, and what it costs.

import { randomBytes } from 'node:crypto'
import fastify from 'fastify'
import { Type } from 'typebox'
import { beforeEach, describe, expect, it } from 'vitest'
import { slices } from '../../src/app.ts'
import type { Db, Values } from '../../src/db/db.ts'
import { idempotencyHooks } from '../../src/http/endpoint/idempotency.ts'
import { setDeadlines } from '../../src/http/server/deadline.ts'
import { versions } from '../../src/versions/index.ts'
import { type CallOptions, TestClock, testApp } from '../support/app.ts'
import { errorBody, exchange, listen, probe, slice } from './harness.ts'

let runs = 0
const counting = {
  method: 'POST' as const,
  body: Type.Object({}),
  returns: Type.Object({ run: Type.Integer() }),
  handle: async () => ({ run: ++runs }),
}
const app = await testApp({
  versions,
  slices: [
    ...slices,
    slice([
      probe({ ...counting, operation: 'probes.create', path: '/v1/probes' }),
      probe({ ...counting, operation: 'probes.create_in', path: '/v1/probes/:id/parts/:part' }),
    ]),
  ],
})
const port = await listen(app)
const { id: merchantId, keys } = await app.merchant()
const key = keys.sandbox.secret
const post = (url: string, name: string, options: CallOptions = {}) =>
  app.call('POST', url, { key, body: {}, ...options, headers: { 'idempotency-key': name } })

const BAD_KEY = 'Idempotency-Key must be 1 to 255 printable ASCII characters, such as a UUID.'
const badKey = errorBody(422, 'unprocessable_entity', BAD_KEY, { 'Idempotency-Key': [BAD_KEY] })

beforeEach(() => {
  runs = 0
})

describe('the header', () => {
  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['not ASCII', 'schlüssel'],
    ['with a tab inside', 'a\tb'],
  ])('%s is refused by name', async (_what, name) => {
    expect(await post('/v1/probes', name)).toMatchObject({ status: 422, body: badKey })
    const raw = [
      'POST /v1/probes HTTP/1.1',
      'Host: x',
      `X-Authorization: ${key}`,
      'Content-Type: application/json',
      `Idempotency-Key: ${name}`,
      'Content-Length: 2',
      '',
      '{}',
    ].join('\r\n')
    expect(await exchange(port, Buffer.from(raw, 'latin1'))).toMatchObject({ status: 422, body: badKey })
    expect(runs).toBe(0)
  })

  it('may be 255 characters of any printable ASCII', async () => {
    const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')
    const name = `${printable} ${printable}`.padEnd(255, 'x')
    for (let time = 0; time < 2; time++) expect((await post('/v1/probes', name)).body).toEqual({ run: 1 })
    expect((await post('/v1/probes', name.toUpperCase())).body).toEqual({ run: 2 })
  })

  it('on an address longer than any that exists is no trouble', async () => {
    // Random, as an index would press a repeated letter together.
    const id = encodeURIComponent(Array.from(randomBytes(1_000), (byte) => String.fromCharCode(0x4e00 + byte)).join(''))
    const part = randomBytes(500).toString('hex')
    expect(id).toHaveLength(9_000)
    for (let time = 0; time < 2; time++)
      expect((await post(`/v1/probes/${id}/parts/${part}`, 'long')).body).toEqual({ run: 1 })
  })

  it('is understood by every POST of the API and by no other method', async () => {
    for (const { method, path, access } of slices.flatMap(({ endpoints }) => endpoints)) {
      // No key gets as far as that.
      if (access === 'session') continue
      const url = path.replace(/:\w+/g, 'x')
      const { status, body } = await app.call(method, url, {
        key,
        ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
        headers: { 'idempotency-key': '' },
      })
      if (method === 'POST') expect([url, status, body]).toEqual([url, 422, badKey])
      else expect([url, body]).not.toEqual([url, badKey])
    }
  })

  it('is allowed to browsers, who may read whether an answer is a repetition', async () => {
    const headers = {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'idempotency-key',
    }
    const preflight = await app.call('OPTIONS', '/v1/probes', { headers })
    expect(preflight.headers['access-control-allow-headers']).toBe('idempotency-key')
    await post('/v1/probes', 'browser')
    const { headers: exposed } = await post('/v1/probes', 'browser')
    expect(exposed['access-control-expose-headers']).toContain('Idempotency-Replayed')
  })

  it('never opens an address to a key that may not use it', async () => {
    const name = 'mine'
    const body = { name: 'Size', description: 'Of a thing', type: 'short_text' }
    expect((await post('/v1/attributes', name, { body })).status).toBe(201)
    const { status, headers } = await post('/v1/attributes', name, { body, key: keys.sandbox.public })
    expect([status, headers['idempotency-replayed']]).toEqual([403, undefined])
    expect((await post('/v1/attributes', name, { body, key: 'sk_test_wrong' })).status).toBe(401)
  })
})

describe('the cost', () => {
  it('is nothing without the header, one statement before and one after with it, and one for a repetition', async () => {
    const asked: string[] = []
    const watch =
      <Verb extends 'one' | 'run'>(verb: Verb): Db[Verb] =>
      (statement: { name: string }, values: Values) => {
        asked.push(statement.name)
        return app.db[verb](statement as never, values) as never
      }
    const db = new Proxy(app.db, { get: (_target, verb) => watch(verb as 'one' | 'run') })
    const secret = async (name: string) => {
      asked.push(name)
      return Buffer.alloc(32)
    }
    const server = fastify()
    setDeadlines(server, { requestMs: 60_000, handlerMs: 60_000 })
    server.decorate('otherVersionHeader', 'x-version')
    server.decorateRequest('heldKey', null)
    server.decorateRequest('version', 'v1')
    server.decorateRequest('call', null)
    const { claim, keep } = idempotencyHooks({ db, clock: new TestClock(), signingSecret: secret }, 1_000)
    server.post('/', {
      onRequest: async (request) => {
        request.call = { caller: { merchantId, isSandbox: true, isSecret: true } } as never
      },
      preValidation: claim,
      onSend: keep,
      handler: async () => ({}),
    })
    const send = async (headers: Record<string, string>) => {
      asked.splice(0)
      expect((await server.inject({ method: 'POST', url: '/', headers })).statusCode).toBe(200)
      return [...asked]
    }
    expect(await send({})).toEqual([])
    const headers = { 'idempotency-key': 'counted' }
    expect(await send(headers)).toEqual(['idempotency', 'idempotency_keys.claim', 'idempotency_keys.keep'])
    expect(await send(headers)).toEqual(['idempotency', 'idempotency_keys.claim'])
  })
})
