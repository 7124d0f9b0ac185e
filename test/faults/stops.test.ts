// @alone
// F2 and F10: what a stop of the server and a pool without connections do to requests. Nothing that was acknowledged is lost, and whoever
// gets no answer of worth is told to come again.

import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { MOST_TOGETHER } from '../../src/db/round-trips/sharing.ts'
import { start as startCommand } from '../cli/support.ts'
import { patient, urlOf } from '../support/database.ts'
import { programOf } from './processes.ts'
import { prove, seconds, size } from './prove.ts'
import { type Body, buy, cardPayment, inTurns, openWorld, orderIn, tally, times } from './world.ts'

const timeout = patient(size(90_000, 600_000))
const world = await openWorld()

describe('SIGTERM', () => {
  it('with a hundred captures in flight lets each of them finish or says 503, and none is lost', { timeout }, () => {
    const [count, rounds] = [100, size(1, 5)]
    return prove(
      {
        id: 'F2',
        done: 'SIGTERM to `cartwright start` with captures in flight',
        size: `${count} captures × ${rounds}`,
      },
      async () => {
        const statuses: { status: number }[] = []
        const left: number[] = []
        for (let round = 0; round < rounds; round++) {
          const command = await startReal()
          world.servers.push(command)
          const product = await world.product(count)
          const tokens = await inTurns(count, () => world.token(product))
          const bodies = tokens.map(() => world.body(cardPayment()))
          const requests = await times(count, (index) => begin(command.url, tokens[index] ?? '', bodies[index] ?? {}))
          for (const request of requests) request.finish()
          await Promise.race(requests.map(({ answer }) => answer))
          const askedAt = performance.now()
          const ended = command.stop('SIGTERM')
          world.servers.pop()
          const answers = await Promise.all(requests.map(({ answer }) => answer))
          expect(await ended).toMatchObject({ code: 0 })
          left.push((performance.now() - askedAt) / 1_000)
          expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
          statuses.push(...answers)

          const next = await world.start()
          await inTurns(count, async (index) => {
            const { order } = await buy(world, tokens[index] ?? '', bodies[index] ?? {})
            const told = orderIn({ ...(answers[index] ?? { status: 0, body: null }), headers: {} })
            if (told !== null) expect(order.id).toBe(told.id)
          })
          expect(await world.available(product)).toBe(0)
          await world.expectOracles()
          await world.kill(next, 'SIGTERM')
        }
        expect(Math.max(...left)).toBeLessThan(size(patient(10), 10))
        return `${tally(statuses)}, 0 cut; ended within ${seconds(Math.max(...left))} with exit code 0`
      },
    )
  })
})

describe('a pool without connections', () => {
  it('answers 503 with Retry-After, stays alive, and is well again when the database is', { timeout }, () => {
    const [poolSize, clients] = [size(4, 10), size(200, 500)]
    return prove(
      {
        id: 'F10',
        done: 'every connection of the pool waits for a lock',
        size: `${poolSize} connections, ${clients} clients`,
      },
      async () => {
        const server = await world.start({ poolSize, waitMs: 2_000 })
        const token = await world.token(await world.product(null))
        const read = () => world.ask('GET', `/v1/checkouts/tokens/${token}`)
        expect((await read()).status).toBe(200)
        const lock = await lockCheckouts()
        let isLocked = true
        const startedAt = performance.now()
        const refusedAfter: number[] = []
        const reading = times(clients, async () => {
          const reply = await read()
          if (reply.status === 503) refusedAfter.push((performance.now() - startedAt) / 1_000)
          return reply
        })
        const alive: { status: number; ms: number }[] = []
        const watching = (async () => {
          while (isLocked) {
            const from = performance.now()
            alive.push({ status: (await world.ask('GET', '/health/live')).status, ms: performance.now() - from })
            await pause(50)
          }
        })()
        // Each connection may have as many reads under way as share a round trip. The others are refused while nothing becomes free.
        while (refusedAfter.length < clients - poolSize * MOST_TOGETHER || alive.length <= 10) await pause(20)
        const freedAt = performance.now()
        await lock.release()
        isLocked = false
        const replies = await reading
        await watching
        while ((await read()).status !== 200) await pause(20)
        const recovered = (performance.now() - freedAt) / 1_000
        const refused = replies.filter(({ status }) => status === 503)
        expect(replies.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
        expect(refused.filter(({ headers }) => !headers['retry-after'])).toEqual([])
        expect(Math.max(...refusedAfter)).toBeLessThan(size(patient(10), 10))
        expect(alive.filter(({ status }) => status !== 200)).toEqual([])
        expect(recovered).toBeLessThan(size(patient(10), 10))
        await world.kill(server, 'SIGTERM')
        const slowest = Math.max(...alive.map(({ ms }) => ms))
        return `${tally(replies)}, each 503 with Retry-After after at most ${seconds(Math.max(...refusedAfter))}; ${alive.length} × 200 of /health/live, the slowest ${slowest.toFixed(0)} ms; well again after ${seconds(recovered)}`
      },
    )
  })
})

/** The command itself, as it is released. */
async function startReal() {
  const command = await programOf('command')
  const DATABASE_URL = urlOf(world.connection as Parameters<typeof urlOf>[0])
  return startCommand({ command: [process.execPath, command], home: '', env: { DATABASE_URL } })
}

type Request = { finish(): void; answer: Promise<{ status: number; body: unknown }> }

/** A capture whose head the server has accepted, and whose body is still to come: it is in flight for certain. */
async function begin(url: string, token: string, body: Body): Promise<Request> {
  const text = JSON.stringify(body)
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8')
  let received = ''
  let accept = () => {}
  const isAccepted = new Promise<void>((resolve) => {
    accept = resolve
  })
  const answer = new Promise<{ status: number; body: unknown }>((resolve) => {
    socket.once('error', () => undefined)
    socket.once('close', () => resolve(wholeAnswer(received)))
    socket.on('data', (more: string) => {
      received += more
      if (received.startsWith(CONTINUE)) accept()
    })
  })
  socket.write(
    `POST /v1/checkouts/${token} HTTP/1.1\r\nHost: x\r\nX-Authorization: ${world.public}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  )
  await Promise.race([isAccepted, answer])
  return { answer, finish: () => void socket.write(text) }
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

/** Status 0 if it was cut. */
function wholeAnswer(received: string): { status: number; body: unknown } {
  const text = received.replace(CONTINUE, '')
  const end = text.indexOf('\r\n\r\n')
  const [head, body] = [text.slice(0, end), text.slice(end + 4)]
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
  if (end < 0 || Buffer.byteLength(body) !== length) return { status: 0, body: received }
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), body: JSON.parse(body) }
}

/** A table that nobody can read until it is let go of. */
async function lockCheckouts() {
  const client = new pg.Client(world.connection)
  await client.connect()
  await client.query('begin')
  await client.query('lock table checkouts in access exclusive mode')
  return {
    release: async () => {
      await client.query('rollback')
      await client.end()
    },
  }
}
