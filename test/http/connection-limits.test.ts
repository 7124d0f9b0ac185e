// @proof @alone: it waits for deadlines.
// What one client may hold of the connections and of the memory behind them, on real sockets.

import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { CERT, KEY } from './fixtures/localhost.ts'
import { Connection, countConnections, listen, openConnection, probe, slice } from './harness.ts'

const tls = { cert: Buffer.from(CERT), key: Buffer.from(KEY) }

describe('requests on one connection that wait for their answers', async () => {
  const MOST = 3
  let runs = 0
  const app = await testApp({
    limits: { unansweredRequests: MOST },
    slices: [
      slice([
        probe({
          operation: 'probes.count',
          path: '/v1/count',
          handle: async () => {
            runs++
            return { ok: true }
          },
        }),
      ]),
    ],
  })
  const port = await listen(app)
  const { keys } = await app.merchant()
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Authorization: ${keys.sandbox.public}\r\n\r\n`

  test('are answered while they are few, and again once they are', async () => {
    const connection = new Connection(port)
    for (let round = 0; round < 5; round++) {
      connection.send(get('/v1/count').repeat(MOST))
      for (let asked = 0; asked < MOST; asked++)
        expect(await connection.answer()).toMatchObject({ status: 200, body: { ok: true } })
    }
  })

  test.each(['/v1/count', '/openapi.json', '/nothing', '/v1/%'])(
    'close it when there are more, and no more of them run: %s',
    async (path) => {
      runs = 0
      const connection = new Connection(port).send(get(path).repeat(200))
      await connection.closed
      expect(connection.rest.split('HTTP/1.1 ').length - 1).toBeLessThanOrEqual(MOST)
      expect(runs).toBeLessThanOrEqual(MOST)
      expect(app.logged.filter((line) => line.includes('unanswered requests')).length).toBeGreaterThan(0)
    },
  )
})

describe("a client's share of the connections", async () => {
  const SHARE = 3
  const app = await testApp({ limits: { clientConnections: SHARE }, slices: [slice([])] })
  const port = await listen(app)

  test('is not exceeded: what is beyond it is closed, said once, and free again when another has gone', async () => {
    const held = await Promise.all(Array.from({ length: SHARE }, () => openConnection(port)))
    await expect.poll(() => countConnections(app)).toBe(SHARE)
    for (let more = 0; more < 4; more++) await new Connection(port).closed
    expect(app.logged.filter((line) => line.includes('TRUST_PROXY'))).toHaveLength(1)

    held.pop()?.socket.destroy()
    await expect.poll(() => countConnections(app)).toBe(SHARE - 1)
    const next = new Connection(port).send('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(await next.answer()).toMatchObject({ status: 200 })
    for (const { socket } of [...held, next]) socket.destroy()
  })

  test('does not bind a trusted proxy', async () => {
    const behind = await testApp({
      limits: { clientConnections: SHARE },
      trustProxy: ['loopback'],
      slices: [slice([])],
    })
    const proxied = await listen(behind)
    const all = await Promise.all(Array.from({ length: SHARE * 2 }, () => openConnection(proxied)))
    for (const connection of all)
      expect(await connection.send('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n').answer()).toMatchObject({
        status: 200,
      })
  })

  test('holds with TLS, whose handshakes count', async () => {
    const secure = await testApp({ limits: { clientConnections: SHARE }, tls, slices: [slice([])] })
    const securePort = await listen(secure)
    await Promise.all(Array.from({ length: SHARE }, () => openConnection(securePort)))
    await expect.poll(() => countConnections(secure)).toBe(SHARE)
    await new Connection(securePort).closed
    expect(await countConnections(secure)).toBe(SHARE)
  })
})

describe('an answer', async () => {
  // More than the buffers of a loopback connection hold.
  const LENGTH = 30_000_000
  const large = probe({
    operation: 'probes.large',
    path: '/v1/large',
    returns: Type.Object({ text: Type.String() }),
    handle: async () => ({ text: 'x'.repeat(LENGTH) }),
  })
  const app = await testApp({ limits: { stallMs: 6_000 }, slices: [slice([large])] })
  const port = await listen(app)
  const { keys } = await app.merchant()
  const ask = () =>
    new Connection(port).send(`GET /v1/large HTTP/1.1\r\nHost: a\r\nX-Authorization: ${keys.sandbox.public}\r\n\r\n`)

  test('that nobody reads ends with its connection', async () => {
    const connection = ask()
    connection.socket.pause()
    await expect.poll(() => countConnections(app)).toBe(1)
    await expect.poll(() => countConnections(app)).toBe(0)
  })

  test('that is read slowly arrives whole', async () => {
    const connection = ask()
    for (let piece = 0; piece < 12; piece++) {
      connection.socket.pause()
      await pause(550)
      connection.socket.resume()
      await pause(5)
    }
    expect(await connection.answer()).toMatchObject({ status: 200 })
  })
})

describe('a TLS handshake that does not go on', () => {
  test('is ended as headers that do not come are', async () => {
    const app = await testApp({ limits: { headersMs: 100 }, tls, slices: [slice([])] })
    await (await openConnection(await listen(app))).closed
  })

  test('does not hold up a stop', async () => {
    const app = await testApp({ limits: { headersMs: 60_000 }, tls, slices: [slice([])] })
    const half = await openConnection(await listen(app))
    await expect.poll(() => countConnections(app)).toBe(1)
    await Promise.all([app.close(), half.closed])
  })
})
