// @proof @alone: it breaks connections and waits for leases.
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { administer, cloneDatabase } from '../support/database.ts'
import { clearJobs, gate, handler, jobsOf, pause, put, testClock, testLog, until, worker } from './harness.ts'

const connection = await cloneDatabase()
const server = { ...connection, database: 'postgres' }
const pools: Database[] = []
afterAll(() => Promise.all(pools.map((pool) => pool.close().catch(() => undefined))))

function open(): Database {
  const pool = openPool(connection, { size: 4, waitMs: 10_000 })
  pools.push(pool)
  return pool
}
const db = open()
beforeEach(() => clearJobs(db))

const terminateAll = () =>
  administer(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${connection.database}'`)
const setReachable = (is: boolean) =>
  administer(server, `alter database ${connection.database} with allow_connections ${is}`)

describe('a worker', () => {
  it('logs an outage once, polls ever more slowly, and goes on when it is over', async () => {
    const workerDb = open()
    const log = testLog()
    let polls = 0
    let runs = 0
    const counted: typeof workerDb = {
      ...workerDb,
      together: (asks) => {
        polls++
        return workerDb.together(asks)
      },
      get usage() {
        return workerDb.usage
      },
    }
    await setReachable(false)
    await terminateAll()
    worker({ db: counted, clock: testClock(), log, handlers: [handler(async () => void runs++)] })
    await until(() => polls > 2)
    await pause(1_500)
    expect(polls).toBeLessThan(12)
    expect(log.lines).toMatchObject([{ level: 'error', message: expect.stringContaining('cannot be read') }])
    await setReachable(true)
    const writer = open()
    await put(writer)
    await until(() => runs === 1)
    expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info'])
  })

  it('records the end of a job after an outage longer than its lease, where nobody has taken it over', async () => {
    const [workerDb, writer, clock] = [open(), open(), testClock()]
    let runs = 0
    const [started, finish] = [gate(), gate()]
    await put(writer)
    const slow = handler(async () => {
      runs++
      started.open()
      await finish.opened
    })
    // With one slot it does not claim what it holds.
    const leaseMs = 300
    worker({ db: workerDb, clock, concurrency: 1, leaseMs, renewMs: 600_000, handlers: [slow] })
    await started.opened
    await setReachable(false)
    await terminateAll()
    finish.open()
    clock.advance(leaseMs + 1)
    await pause(1_500)
    await setReachable(true)
    const reader = open()
    await until(async () => (await jobsOf(reader)).length === 0)
    expect(runs).toBe(1)
  })

  it('can be stopped while the database is out of reach', async () => {
    const workerDb = open()
    await workerDb.close()
    const { stop } = worker({ db: workerDb, clock: testClock(), pollMs: 600_000, handlers: [handler(async () => {})] })
    await pause(100)
    const began = Date.now()
    await stop()
    expect(Date.now() - began).toBeLessThan(60_000)
  })
})
