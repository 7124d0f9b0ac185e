// @proof @alone: it waits for outages.
// The heartbeat: it hears of changes made elsewhere, knows the database's time, and knows when it knows nothing.

import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { announceChange } from '../../src/api/merchants/store.ts'
import { statement } from '../../src/db/db.ts'
import { databaseClock, type Heartbeat, startHeartbeat } from '../../src/db/health/heartbeat.ts'
import { openPool, type PoolOptions } from '../../src/db/pool.ts'
import { cloneDatabase, testDatabase } from '../support/database.ts'

const connection = await cloneDatabase()
const db = openPool(connection)
afterAll(() => db.close())

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Looks until it is so, and tells after how many milliseconds it last looked in vain. */
async function until(isSo: () => boolean): Promise<number> {
  const started = performance.now()
  for (let inVain = 0; ; ) {
    const looked = performance.now() - started
    if (isSo()) return inVain
    if (looked > 60_000) throw new Error('it did not come about in time')
    inVain = looked
    await pause(5)
  }
}

const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

function start(options: PoolOptions = {}, target: Parameters<typeof openPool>[0] = connection): Heartbeat {
  const heartbeat = startHeartbeat(openPool(target, { size: 1, ...options }))
  endings.push(() => heartbeat.stop())
  return heartbeat
}

/** A road to the database that can be closed, or left open with nothing coming through. */
async function road() {
  const pairs = new Set<[Socket, Socket]>()
  let isFrozen = false
  const server: Server = createServer((near) => {
    const far = createConnection(`${connection.host}/.s.PGSQL.${connection.port}`)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    near.on('data', (data) => isFrozen || far.write(data))
    far.on('data', (data) => isFrozen || near.write(data))
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      one.on('error', () => undefined)
      one.on('close', () => {
        pairs.delete(pair)
        other.destroy()
      })
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as { port: number }
  const cut = () => {
    for (const [near] of pairs) near.destroy()
  }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      cut()
    })
  endings.push(async () => (server.listening ? close() : undefined))
  return {
    connection: { ...connection, host: '127.0.0.1', port },
    close,
    reopen: () => listen(port),
    /** As when a host dies: connections stay, and nothing on them is ever answered. */
    freeze: () => {
      isFrozen = true
    },
    /** What is new gets through; what was there before stays dead. */
    thaw: () => {
      for (const [near, far] of pairs) {
        near.removeAllListeners('data').resume()
        far.removeAllListeners('data').resume()
      }
      isFrozen = false
    },
  }
}

describe('the revision', () => {
  it('rises by itself when another process announces a change, within a second or the silence is known', async () => {
    const heartbeat = start()
    await heartbeat.beat()
    for (let change = 0; change < 3; change++) {
      const before = heartbeat.revision
      await db.transaction(announceChange)
      expect(await until(() => heartbeat.revision > before || !heartbeat.isFresh())).toBeLessThan(1_000)
      await until(() => heartbeat.revision > before)
      expect(heartbeat.revision).toBe(before + 1)
    }
  })
})

describe('freshness', () => {
  it('lasts while the database answers', async () => {
    const heartbeat = start()
    await heartbeat.beat()
    // A beat lasts for 900 ms: each time it was another one, which came by itself. A machine that stalls may miss some.
    for (let time = 0; time < 3; time++) {
      await pause(1_000)
      await until(() => heartbeat.isFresh())
    }
  })

  it('ends within a second after the database becomes unreachable, and comes back with it', async () => {
    const { connection: through, close, reopen } = await road()
    const heartbeat = start({}, through)
    await heartbeat.beat()
    await close()
    expect(await until(() => !heartbeat.isFresh())).toBeLessThan(1_000)
    await expect(heartbeat.beat()).rejects.toMatchObject({ status: 503 })
    await pause(500)
    expect(heartbeat.isFresh()).toBe(false)
    await db.transaction(announceChange)
    const missed = heartbeat.revision + 1
    await reopen()
    await until(() => heartbeat.isFresh())
    expect(heartbeat.revision).toBe(missed)
  })

  it('ends within a second when the database stays connected and answers no more, and comes back', async () => {
    const { connection: through, freeze, thaw } = await road()
    const heartbeat = start({ statementTimeoutMs: 300, waitMs: 300 }, through)
    await until(() => heartbeat.isFresh())
    freeze()
    expect(await until(() => !heartbeat.isFresh())).toBeLessThan(1_000)
    await pause(500)
    thaw()
    // The old connection stays dead, as after a failover; the heartbeat must give it up and make another.
    await until(() => heartbeat.isFresh())
  })

  it('that has ended for good does not keep the process from stopping', async () => {
    const { connection: through, freeze } = await road()
    const heartbeat = startHeartbeat(openPool(through, { size: 1, statementTimeoutMs: 300 }))
    await until(() => heartbeat.isFresh())
    freeze()
    await until(() => !heartbeat.isFresh())
    const asked = performance.now()
    await heartbeat.stop()
    expect(performance.now() - asked).toBeLessThan(60_000)
  })

  it('counts from the moment of asking: an answer that took long is not fresh', async () => {
    const heartbeat = start()
    let locked = false
    let unlock = () => {}
    const unlocked = new Promise<void>((resolve) => {
      unlock = resolve
    })
    const lock = db.transaction(async (tx) => {
      await tx.run(statement('test.lock_revisions', 'lock table revisions in access exclusive mode'), {})
      locked = true
      await unlocked
    })
    await until(() => locked)
    const beat = heartbeat.beat()
    await pause(1_000)
    unlock()
    await beat
    expect(heartbeat.isFresh()).toBe(false)
    await lock
  })
})

/** A machine may pause between two looks at the clock; where one of them is wrong, it is wrong by an hour. */
const ABOUT_MS = 60_000

describe('the clock', () => {
  it("follows the database when this machine's clock is wrong", async () => {
    const heartbeat = start()
    await heartbeat.beat()
    const real = Date.now
    // An hour ahead.
    Date.now = () => real() + 3_600_000
    try {
      await heartbeat.beat()
      expect(Math.abs(heartbeat.clock.now().getTime() - real())).toBeLessThan(ABOUT_MS)
    } finally {
      Date.now = real
    }
    await heartbeat.beat()
    expect(Math.abs(heartbeat.clock.now().getTime() - Date.now())).toBeLessThan(ABOUT_MS)
  })

  it("of a command is the database's, too", async () => {
    const real = Date.now
    Date.now = () => real() + 3_600_000
    try {
      const clock = await databaseClock(db)
      expect(Math.abs(clock.now().getTime() - real())).toBeLessThan(ABOUT_MS)
    } finally {
      Date.now = real
    }
  })
})

describe('stop', () => {
  it('ends the beating and lets go of the connection', async () => {
    const pool = await testDatabase({ size: 1 })
    let closed = 0
    const heartbeat = startHeartbeat({
      ...pool,
      close: async () => {
        closed++
      },
      get usage() {
        return pool.usage
      },
    })
    await heartbeat.beat()
    await heartbeat.stop()
    expect(closed).toBe(1)
    const { revision } = heartbeat
    await pool.transaction(announceChange)
    await pause(600)
    expect(heartbeat.revision).toBe(revision)
  })
})
