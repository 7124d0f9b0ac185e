// @proof @alone: it stops servers.
// F2 and F10: a server that stops, and a pool without free connections. Nothing acknowledged is lost; all others are told to retry.

import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { MAX_SHARED_STATEMENTS } from '../../src/db/round-trips/sharing.ts'
import { beginRequest } from '../cli/begun-request.ts'
import { start as startCommand } from '../cli/support.ts'
import { patient, urlOf } from '../support/database.ts'
import { programOf } from './processes.ts'
import { beginProof, seconds, timeout } from './prove.ts'
import { buy, cardPayment, inTurns, openWorld, orderIn, tally, times } from './world.ts'

const world = await openWorld()

describe('SIGTERM', { timeout }, () => {
  it('with a hundred captures in flight lets each of them finish or says 503, and none is lost', async () => {
    const [count, rounds] = [100, 2]
    const conclude = beginProof(
      'F2',
      'SIGTERM to `cartwright start` with captures in flight',
      `${count} captures × ${rounds}`,
    )
    const statuses: { status: number }[] = []
    const left: number[] = []
    for (let round = 0; round < rounds; round++) {
      const command = await startReal()
      world.servers.push(command)
      const product = await world.product(count)
      const tokens = await inTurns(count, () => world.token(product))
      const bodies = tokens.map(() => world.body(cardPayment()))
      const requests = await times(count, (index) =>
        beginRequest(command.url, `/v1/checkouts/${tokens[index]}`, world.public, bodies[index] ?? {}),
      )
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
    expect(Math.max(...left)).toBeLessThan(patient(10))
    conclude(`${tally(statuses)}, 0 cut; ended within ${seconds(Math.max(...left))} with exit code 0`)
  })
})

describe('a pool without connections', { timeout }, () => {
  it('answers 503 with Retry-After, stays alive, and is well again when the database is', async () => {
    const [poolSize, clients] = [10, 500]
    const conclude = beginProof(
      'F10',
      'every connection of the pool waits for a lock',
      `${poolSize} connections, ${clients} clients`,
    )
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
    // Each connection pipelines a limited number of reads. All others are refused while no connection is free.
    while (refusedAfter.length < clients - poolSize * MAX_SHARED_STATEMENTS || alive.length <= 10) await pause(20)
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
    expect(Math.max(...refusedAfter)).toBeLessThan(patient(10))
    expect(alive.filter(({ status }) => status !== 200)).toEqual([])
    expect(recovered).toBeLessThan(patient(10))
    await world.kill(server, 'SIGTERM')
    const slowest = Math.max(...alive.map(({ ms }) => ms))
    conclude(
      `${tally(replies)}, each 503 with Retry-After after at most ${seconds(Math.max(...refusedAfter))}; ${alive.length} × 200 of /health/live, the slowest ${slowest.toFixed(0)} ms; well again after ${seconds(recovered)}`,
    )
  })
})

/** Starts the real command, as released. */
async function startReal() {
  const command = await programOf('command')
  const DATABASE_URL = urlOf(world.connection as Parameters<typeof urlOf>[0])
  return startCommand({ command: [process.execPath, command], home: '', env: { DATABASE_URL } })
}

/** Locks a table against reads until it is released. */
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
