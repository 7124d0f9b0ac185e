// @proof @alone: it stops servers.
// Stopping: what is under way is finished, what comes after is refused, and nothing holds up the stop for longer than its time limit.

import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import { readMigrations } from '../../src/db/migrate.ts'
import { createLog } from '../../src/http/server/log.ts'
import { UNCHANGED_VERSIONS } from '../support/app.ts'
import { cloneDatabase, openMerchant } from '../support/database.ts'
import { Connection, errorBody, gate, listen, openConnection, probe, REQUEST_ID, slice } from './harness.ts'
import { holdTimers } from './held-timers.ts'

const STOPPING = errorBody(503, 'unavailable', 'This server is stopping. Send the request again.')

/** An app that a test closes itself, with a request that waits at a gate. */
async function start() {
  const entered = gate()
  const wait = gate()
  const logged: string[] = []
  const app = await createApp({
    connection: await cloneDatabase(),
    // No file is stored here.
    dataDir: tmpdir(),
    migrations: await readMigrations(),
    log: createLog('info', (line) => void logged.push(line)),
    versions: UNCHANGED_VERSIONS,
    limits: { keepAliveMs: 600_000, requestMs: 600_000, stallMs: 600_000 },
    slices: [
      slice([
        probe({
          operation: 'probes.wait',
          path: '/v1/wait',
          handle: async () => {
            entered.open()
            await wait.opened
            return { ok: true }
          },
        }),
        probe({ operation: 'probes.get', path: '/v1/probes', access: 'secret' }),
      ]),
    ],
  })
  const port = await listen(app)
  const { keys } = await openMerchant(app.db)
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Authorization: ${keys.sandbox.secret}\r\n\r\n`
  return { app, port, get, entered, wait, logged }
}

const timed = async (work: Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await work
  return performance.now() - started
}

const refused = (port: number) =>
  new Promise<unknown>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    socket.once('connect', () => {
      socket.destroy()
      resolve('connected')
    })
  })

const [busy, idle, hanging] = await Promise.all([start(), start(), start()])

describe('closing', () => {
  test('lets a request in flight finish and lets go of its connection; a new request is 503', async () => {
    const { app, port, get, entered, wait, logged } = busy
    const connection = new Connection(port).send(get('/v1/wait'))
    const late = await openConnection(port)
    await entered.opened
    // A connection that is silent is let go of after 200 ms, which do not pass here: a slow machine needs longer to ask.
    const letGo = holdTimers(200)
    const closed = app.close()
    await expect.poll(() => refused(port)).toBe('ECONNREFUSED')
    letGo()

    expect(await late.send(get('/v1/probes')).answer()).toMatchObject({
      status: 503,
      body: STOPPING,
      headers: {
        'retry-after': '1',
        connection: 'close',
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': expect.stringMatching(REQUEST_ID),
        // A browser would otherwise see a network error and not the 503.
        'access-control-allow-origin': '*',
      },
    })
    wait.open()
    // Kept open, it would hold up the stop until the client lets go of it.
    expect(await connection.answer()).toMatchObject({
      status: 200,
      body: { ok: true },
      headers: { connection: 'close' },
    })
    await Promise.all([connection.closed, late.closed, closed])
    expect(logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  test('is quick when nothing is in flight, kept-alive connections and silent ones included', async () => {
    const { app, port, get } = idle
    const kept = new Connection(port)
    expect(await kept.send(get('/v1/probes')).answer()).toMatchObject({ status: 200 })
    const silent = await openConnection(port)
    // Whoever waited for one of them would wait for minutes.
    expect(await timed(app.close(600_000))).toBeLessThan(60_000)
    await Promise.all([kept.closed, silent.closed])
    expect(await refused(port)).toBe('ECONNREFUSED')
  })

  test('gives up on a handler that hangs when the time is over', async () => {
    const { app, port, get, entered } = hanging
    const connection = new Connection(port).send(get('/v1/wait'))
    await entered.opened
    const took = await timed(app.close(500))
    expect(took).toBeGreaterThan(400)
    // Unless it was told, it would wait for ten seconds.
    expect(took).toBeLessThan(9_900)
    await connection.closed
    expect(connection.rest).toBe('')
  })
})
