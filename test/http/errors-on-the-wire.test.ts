// @alone: it counts what the process logs.
// Errors as bytes on a real connection: what is not HTTP, what arrives too slowly, and what becomes of the connection.

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import {
  Connection,
  countConnections,
  errorBody,
  exchange,
  listen,
  probe,
  type RawAnswer,
  REQUEST_ID,
  slice,
  until,
} from './harness.ts'

const HEADERS_MS = 150
const REQUEST_MS = 300

const endpoints = slice([
  probe({
    operation: 'probes.get',
    path: '/v1/probes/:id',
    params: Type.Object({ id: Type.String() }),
    returns: Type.Object({ id: Type.String(), url: Type.String() }),
    handle: async ({ params, url }) => ({ id: (params as { id: string }).id, url }),
  }),
  probe({
    operation: 'probes.create',
    method: 'POST',
    path: '/v1/probes',
    body: Type.Object({ name: Type.Optional(Type.String()) }),
  }),
  probe({ operation: 'probes.hang', path: '/v1/hang', handle: () => new Promise(() => undefined) }),
])
const app = await testApp({ limits: { bodyBytes: 2_000 }, slices: [endpoints] })
const port = await listen(app)
const impatient = await testApp({ limits: { headersMs: HEADERS_MS, requestMs: REQUEST_MS }, slices: [endpoints] })
const impatientPort = await listen(impatient)
const key = (await app.merchant()).keys.sandbox.public
const otherKey = (await impatient.merchant()).keys.sandbox.public

const request = (line: string, ...headers: string[]) =>
  [line, 'Host: shop.example', `X-Authorization: ${key}`, ...headers, '', ''].join('\r\n')

const NOT_HTTP = errorBody(400, 'bad_request', 'The request is not valid HTTP.')
const TOO_SLOW = errorBody(408, 'request_timeout', 'The request did not arrive in time.')

function expectError(answer: RawAnswer, body: ReturnType<typeof errorBody>) {
  expect(answer.body).toEqual(body)
  expect(answer.status).toBe(body.status_code)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['x-request-id']).toMatch(REQUEST_ID)
}

describe('what is not HTTP', () => {
  test.each([
    ['a method nobody knows', 'FOO / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a blank in a header name', 'GET / HTTP/1.1\r\nHost: a\r\nBad Name: 1\r\n\r\n'],
    ['two lengths', 'POST /v1/probes HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    ['a length and chunks', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0'],
  ])('%s is 400, and the connection closes although the client keeps its side open', async (_name, bytes) => {
    const connection = new Connection(port).send(bytes)
    const answer = await connection.answer()
    expectError(answer, NOT_HTTP)
    expect(answer.headers).toMatchObject({
      connection: 'close',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    await connection.closed
    await until(() => app.logged.some((line) => line.includes(String(answer.headers['x-request-id']))), 'a log line')
  })

  test('is not written into an answer that has begun: the connection just ends', async () => {
    const [connection, already] = [new Connection(port), app.logged.length]
    app.server.server.prependOnceListener('request', (_request, response) => response.writeHead(200).write('part'))
    connection.send(request('GET /v1/hang HTTP/1.1'))
    await until(() => connection.rest.includes('part'), 'the first part of the answer')
    connection.send('nonsense\r\n\r\n')
    await connection.closed
    expect(connection.rest).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n4\r\npart\r\n$/s)
    expect(app.logged.slice(already).filter((line) => line.includes('request refused'))).toEqual([])
  })

  test('is counted', async () => {
    const counted = async () => {
      const text = await app.metrics.text()
      return Number(
        /^cartwright_http_requests_total\{method="none",route="none",status="400"\} (\d+)$/m.exec(text)?.[1] ?? 0,
      )
    }
    const before = await counted()
    await exchange(port, 'nonsense\r\n\r\n')
    expect(await counted()).toBe(before + 1)
  })

  test('headers of more than 16 KB are 431', async () => {
    const connection = new Connection(port).send(request('GET /v1/probes/1 HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`))
    const message = 'The request headers must be at most 16 KB.'
    expectError(await connection.answer(), errorBody(431, 'headers_too_large', message))
    await connection.closed
  })

  test('a refused connection does not stay open on the server when the client never closes it', async () => {
    const before = await countConnections(app)
    const halves = Array.from({ length: 5 }, () => new Connection(port).send('nonsense\r\n\r\n'))
    for (const half of halves) {
      // Keeps its own side open after the server has ended its own.
      half.socket.allowHalfOpen = true
      await half.answer()
    }
    await expect.poll(() => countConnections(app)).toBeLessThanOrEqual(before)
  })

  test('HTTP/1.1 without a Host header is 400', async () => {
    const answer = await exchange(port, `GET /v1/probes/1 HTTP/1.1\r\nX-Authorization: ${key}\r\n\r\n`)
    expectError(answer, errorBody(400, 'bad_request', 'Send a Host header; HTTP/1.1 requires one.'))
  })

  test('an expectation that nobody knows is ignored', async () => {
    expect(await exchange(port, request('GET /v1/probes/1 HTTP/1.1', 'Expect: miracles'))).toMatchObject({
      status: 200,
      body: { id: '1' },
    })
  })
})

describe('what arrives too slowly', () => {
  test('X21: headers that trickle in are 408', async () => {
    const connection = new Connection(impatientPort).send('GET /v1/probes/1 HTTP/1.1\r\nHost: a\r\nX-Slow: ')
    const drip = setInterval(() => connection.send('a'), 20)
    try {
      const started = performance.now()
      expectError(await connection.answer(), TOO_SLOW)
      // Unless it was told, the server would wait for ten seconds.
      expect(performance.now() - started).toBeLessThan(9_900)
      await connection.closed
    } finally {
      clearInterval(drip)
    }
  })

  test('X21: a body that trickles in, or never ends, is 408', async () => {
    const head = (length: string) =>
      `POST /v1/probes HTTP/1.1\r\nHost: a\r\nX-Authorization: ${otherKey}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`
    const drip = async (connection: Connection, piece: string) => {
      const timer = setInterval(() => connection.send(piece), 20)
      try {
        expectError(await connection.answer(), TOO_SLOW)
        await connection.closed
        expect(connection.rest).toBe('')
      } finally {
        clearInterval(timer)
      }
    }
    await Promise.all([
      drip(new Connection(impatientPort).send(`${head('Content-Length: 1000')}{"name":"`), 'a'),
      drip(new Connection(impatientPort).send(`${head('Transfer-Encoding: chunked')}9\r\n{"name":"\r\n`), '1\r\na\r\n'),
    ])
    expect(impatient.logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  test('a client that leaves in the middle of its body is no failure of ours', async () => {
    const already = app.logged.length
    const head = request('POST /v1/probes HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 100')
    const arrived = once(app.server.server, 'request') as Promise<[IncomingMessage]>
    const connection = new Connection(port).send(`${head}{"name":`)
    const [incoming] = await arrived
    const left = once(incoming, 'close').catch(() => undefined)
    await once(incoming, 'data')
    connection.socket.resetAndDestroy()
    await left
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(app.logged.slice(already)).toEqual([])
  })
})

describe('forms of requests', () => {
  test('errors of HEAD have the headers of those of GET and no body', async () => {
    const connection = new Connection(port)
    for (const [path, status] of [
      ['/nothing', 404],
      ['/v1/probes', 405],
      ['/v1/probes/%zz', 400],
      ['/v1/probes/1?q=%zz', 400],
    ] as const) {
      const get = await connection.send(request(`GET ${path} HTTP/1.1`)).answer()
      const head = await connection.send(request(`HEAD ${path} HTTP/1.1`)).answer({ hasBody: false })
      expect([get.status, head.status]).toEqual([status, status])
      const { 'x-request-id': id, date: _, ...others } = head.headers
      expect(id).toMatch(REQUEST_ID)
      expect(get.headers).toMatchObject(others)
      expect(connection.rest).toBe('')
    }
  })

  test('nonsense behind a request ends the connection after one whole answer', async () => {
    const connection = new Connection(port).send(`${request('GET /v1/probes/1 HTTP/1.1')}nonsense\r\n\r\n`)
    expect([200, 400]).toContain((await connection.answer()).status)
    await connection.closed
    expect(connection.rest).toBe('')
  })
})
