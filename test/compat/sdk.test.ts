// Requests as existing clients send them: bodies on GET and DELETE, `null` for nothing, doubled slashes, absolute addresses, the old version header.

import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { rewriteTarget } from '../../src/compat/sdk.ts'
import { Connection, exchange, listen, probe, slice } from '../http/harness.ts'
import { testApp } from '../support/app.ts'

const Echo = Type.Object({ body: Type.Unknown(), query: Type.Unknown(), url: Type.String() })
const echo = {
  returns: Echo,
  handle: async ({ body = 'none', query, url }: { body?: unknown; query: unknown; url: string }) => ({
    body,
    query,
    url,
  }),
} as object
const Query = Type.Object({ to: Type.Optional(Type.String()) })
const Body = Type.Object({ name: Type.Optional(Type.String()) })

const app = await testApp({
  limits: { bodyBytes: 1_000 },
  slices: [
    slice([
      probe({ operation: 'probes.list', path: '/v1/probes', query: Query, ...echo }),
      probe({ operation: 'probes.get', path: '/v1/probes/:id', ...echo }),
      probe({ operation: 'probes.delete', method: 'DELETE', path: '/v1/probes/:id', ...echo }),
      probe({ operation: 'probes.create', method: 'POST', path: '/v1/probes', body: Body, ...echo }),
      probe({ operation: 'probes.update', method: 'PUT', path: '/v1/probes/:id', body: Body, ...echo }),
      probe({ operation: 'probes.act', method: 'POST', path: '/v1/act', ...echo }),
      probe({
        operation: 'probes.drop',
        method: 'DELETE',
        path: '/v1/drop',
        status: 204,
        handle: async () => undefined,
      }),
    ]),
  ],
})
const port = await listen(app)
const key = (await app.merchant()).keys.sandbox.public

const raw = (line: string, headers: readonly string[], body = '') =>
  [`${line} HTTP/1.1`, 'Host: shop.example', `X-Authorization: ${key}`, ...headers, '', body].join('\r\n')

const withBody = (line: string, type: string, body: string, ...more: string[]) =>
  raw(line, [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, ...more], body)

describe('bodies of GET and DELETE are ignored', () => {
  const bodies: [string, string, string][] = [
    ['null, as the SDK sends it', 'application/json', 'null'],
    ['garbage', 'application/json', '{"a":'],
    ['a wrong content type', 'text/plain', 'hello'],
    ['a form', 'application/x-www-form-urlencoded', 'name=1'],
    ['a body over the limit', 'application/json', ' '.repeat(5_000)],
    ['a poisoned body', 'application/json', '{"__proto__":{}}'],
    ['nothing but the content type', 'application/json', ''],
  ]

  test.each(bodies)('%s, on a connection that is used again afterwards', async (_what, type, body) => {
    const connection = new Connection(port)
    for (const method of ['GET', 'DELETE', 'GET']) {
      const answer = await connection.send(withBody(`${method} /v1/probes/1`, type, body)).answer()
      expect(answer).toMatchObject({ status: 200, body: { body: 'none' } })
    }
    expect((await connection.send(withBody('DELETE /v1/drop', type, body)).answer()).status).toBe(204)
    expect((await connection.send(withBody('GET /nothing', type, body)).answer()).status).toBe(404)
    expect(await connection.send(raw('GET /v1/probes?to=x', [])).answer()).toMatchObject({
      body: { query: { to: 'x' } },
    })
  })

  test('a packed body, a chunked one, and one that comes late', async () => {
    const connection = new Connection(port)
    const packed = withBody('GET /v1/probes/1', 'application/json', 'null', 'Content-Encoding: gzip')
    expect((await connection.send(packed).answer()).status).toBe(200)
    const chunked = raw('DELETE /v1/probes/1', ['Transfer-Encoding: chunked'], '4\r\nnull\r\n0\r\n\r\n')
    expect((await connection.send(chunked).answer()).status).toBe(200)
    connection.send(raw('DELETE /v1/probes/1', ['Content-Type: application/json', 'Content-Length: 4']))
    expect((await connection.answer()).status).toBe(200)
    connection.send('null').send(raw('GET /v1/probes/2', []))
    expect((await connection.answer()).status).toBe(200)
  })
})

describe('null and nothing count as an empty object', () => {
  test.each(['null', '', ' null '])('%j on POST and PUT', async (payload) => {
    for (const [method, url] of [
      ['POST', '/v1/probes'],
      ['PUT', '/v1/probes/1'],
    ] as const) {
      const headers = { 'x-authorization': key, 'content-type': 'application/json' }
      const response = await app.server.inject({ method, url, headers, payload })
      expect([response.statusCode, response.json().body]).toEqual([200, {}])
      const chunked = await exchange(
        port,
        raw(
          `${method} ${url}`,
          ['Content-Type: application/json', 'Transfer-Encoding: chunked'],
          `${payload ? `${payload.length}\r\n${payload}\r\n` : ''}0\r\n\r\n`,
        ),
      )
      expect(chunked).toMatchObject({ status: 200, body: { body: {} } })
    }
  })

  test('no body and no content type', async () => {
    for (const line of ['POST /v1/probes', 'PUT /v1/probes/1'])
      for (const headers of [[], ['Content-Length: 0']])
        expect(await exchange(port, raw(line, headers))).toMatchObject({ status: 200, body: { body: {} } })
  })

  test('an endpoint that takes no body is called with null, nothing or an object', async () => {
    for (const body of [null, undefined, {}, { a: 1 }])
      expect((await app.call('POST', '/v1/act', { key, body })).status).toBe(200)
  })
})

describe('addresses', () => {
  test.each([
    ['//v1/probes', '/v1/probes'],
    ['/v1//probes///1', '/v1/probes/1'],
    ['//v1/probes?to=a//b', '/v1/probes?to=a//b'],
    ['/v1/probes?to=http://x//y?z', '/v1/probes?to=http://x//y?z'],
    ['//', '/'],
    ['http://api.example/v1/probes', '/v1/probes'],
    ['https://api.example:8443//v1//probes?to=//', '/v1/probes?to=//'],
    ['http://api.example', '/'],
    ['http://user:pw@api.example/v1', '/v1'],
    ['*', '*'],
    ['ftp://api.example/v1', 'ftp:/api.example/v1'],
    ['', ''],
  ])('%j is read as %j', (target, path) => {
    expect(rewriteTarget(target)).toBe(path)
  })

  test('doubled slashes collapse in the path and stay in the query', async () => {
    const { status, body } = await app.call('GET', '//v1///probes?to=http://x//y', { key })
    expect(status).toBe(200)
    expect(body).toMatchObject({ query: { to: 'http://x//y' }, url: 'http://localhost:80/v1/probes?to=http://x//y' })
  })
})
