// @proof @alone: it waits for deadlines.
// Requests and answers that take their time on a real connection: each request has one answer, and one answer only.

import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import fastify from 'fastify'
import { afterAll, describe, expect, test } from 'vitest'
import { setDeadlines } from '../../src/http/server/deadline.ts'
import { filesOnDisk, pathOf, png, pngOf, upload } from '../api/assets/support.ts'
import { testApp } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'
import { Connection, errorBody, listen } from './harness.ts'

const REQUEST_MS = 8_000
/** Of a busy machine it may be asked too. */
const HANDLER_MS = 6_000
const LIMITS = { headersMs: 4_000, requestMs: REQUEST_MS, handlerMs: HANDLER_MS }

const connection = await cloneDatabase()
/** What is not about time goes through this one. */
const patient = await testApp({ connection })
const app = await testApp({ connection, dataDir: patient.dataDir, limits: LIMITS })
const port = await listen(app)
const patientPort = await listen(patient)
const shop = await patient.merchant()
const key = shop.keys.sandbox.secret
const presign = () => upload(patient, key, { filename: 'a.png', pending: true })
const get = async (id: string) => (await patient.call('GET', `/v1/assets/${id}`, { key })).body

const TOO_SLOW = errorBody(408, 'request_timeout', 'The request did not arrive in time.')

/** Long enough for Node to refuse what has not arrived. */
const expectOneAnswer = async (connection: Connection) => {
  await Promise.race([
    connection.closed,
    pause(60_000).then(() => {
      throw new Error('The connection stays open.')
    }),
  ])
  expect(connection.rest).toBe('')
}

describe('a presigned upload', () => {
  const head = (url: string, length: number) =>
    `PUT ${pathOf(url)} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

  test('that does not arrive in time is answered once, with 408, and the connection closes', async () => {
    const { id, upload_url } = await presign()
    const connection = new Connection(port).send(head(upload_url, 1_000_000)).send(png().subarray(0, 20))
    const drip = setInterval(() => connection.send('a'), 20)
    try {
      const answer = await connection.answer()
      expect([answer.status, answer.headers.connection, answer.body]).toEqual([408, 'close', TOO_SLOW])
      await expectOneAnswer(connection)
    } finally {
      clearInterval(drip)
    }
    expect(await get(id)).toMatchObject({ pending: true, file_size: 0 })
    await expect.poll(() => filesOnDisk(app)).toEqual([])
  })

  test('that arrives in time is stored, although it took longer than a handler may', async () => {
    const { id, upload_url } = await presign()
    const bytes = pngOf(1_000)
    const slowly = await testApp({ connection, dataDir: patient.dataDir, limits: { handlerMs: 1_000 } })
    const slowPort = await listen(slowly)
    const sender = new Connection(slowPort).send(head(upload_url, bytes.length)).send(bytes.subarray(0, 500))
    await pause(1_100)
    expect((await sender.send(bytes.subarray(500)).answer()).status).toBe(204)
    expect(await get(id)).toMatchObject({ file_size: bytes.length })
  })
})

describe('an answer to a request that is still arriving', () => {
  const headers = (secret: string) =>
    `Host: x\r\nX-Authorization: ${secret}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`

  test.each([
    [404, 'an unknown address', 'POST /nothing', key],
    [400, 'an unreadable address', 'POST /v1/assets/%zz', key],
    [405, 'another method', 'PATCH /v1/assets', key],
    [401, 'a wrong key', 'POST /v1/assets', 'sk_test_wrong'],
    [403, 'a wrong signature', `PUT /uploads/${shop.id}/ast_0000000000000000000000000?expires=1`, key],
  ])('%i, to %s, is the only one, and closes the connection', async (status, _name, line, secret) => {
    const connection = new Connection(port).send(`${line} HTTP/1.1\r\n${headers(secret)}`)
    const answer = await connection.answer()
    expect([answer.status, answer.headers.connection]).toEqual([status, 'close'])
    await expectOneAnswer(connection)
  })

  test('200, to a GET whose body nobody needs, is the only one when that does not come, and the connection closes', async () => {
    const connection = new Connection(port).send(`GET /v1/assets HTTP/1.1\r\n${headers(key)}`)
    const answer = await connection.answer()
    expect([answer.status, answer.headers.connection]).toEqual([200, 'keep-alive'])
    await expectOneAnswer(connection)
  })

  test('reaches a client that goes on sending', async () => {
    const body = Buffer.alloc(2_500_000, 0x20)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        fetch(`http://127.0.0.1:${patientPort}/v1/assets`, {
          method: 'POST',
          headers: { 'x-authorization': 'sk_test_wrong', 'content-type': 'application/json' },
          body,
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(401))
  })

  test('keeps the connection when there is no more to come', async () => {
    const connection = new Connection(patientPort)
    const refused = `POST /v1/assets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
    for (const request of [refused, 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n', refused]) {
      const answer = await connection.send(request).answer()
      expect([401, 404]).toContain(answer.status)
      expect(answer.headers.connection).toBe('keep-alive')
    }
  })
})

describe('a file', () => {
  test('that is read slowly arrives whole, although it took longer than a handler may', async () => {
    // More than the buffers of a loopback connection hold, so that the answer is not over at once.
    const stored = await testApp({ limits: LIMITS })
    const storedPort = await listen(stored)
    const secret = (await stored.merchant()).keys.sandbox.secret
    const { id, url, upload_url } = await upload(stored, secret, { filename: 'a.png', pending: true })
    const bytes = pngOf(10_000_000)
    await stored.server.inject({ method: 'PUT', url: pathOf(upload_url), payload: bytes })
    await stored.call('PUT', `/v1/assets/${id}`, { key: secret, body: { pending: false } })
    const connection = new Connection(storedPort).send(`GET ${pathOf(url)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    connection.socket.pause()
    await pause(HANDLER_MS + 200)
    connection.socket.resume()
    await expect.poll(() => connection.socket.bytesRead).toBeGreaterThan(bytes.length)
    const answer = await connection.answer()
    expect([answer.status, answer.headers['content-length']]).toEqual([200, String(bytes.length)])
  })

  test("that is still on its way at its route's own deadline ends with its connection", async () => {
    const server = fastify()
    afterAll(() => server.close())
    setDeadlines(server, { requestMs: 10_000, handlerMs: 10_000 })
    const endless = new Readable({ read: () => undefined })
    server.get('/endless', { config: { deadlineMs: 100 } }, (_request, reply) => {
      endless.push('begun')
      return reply.send(endless)
    })
    const connection = new Connection(await listen({ server })).send('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')
    await connection.closed
    expect(connection.rest).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n5\r\nbegun\r\n$/s)
    await expect.poll(() => endless.destroyed).toBe(true)
  })
})
