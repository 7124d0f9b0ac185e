import { beforeEach, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { keepLease, LEASE } from '../../src/jobs/lease.ts'
import { LeaseLostError } from '../../src/jobs/queue.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { testDatabase } from '../support/database.ts'
import {
  addRevision,
  clearJobs,
  gate,
  handler,
  jobsOf,
  MINUTE_MS,
  onlyJob,
  pause,
  put,
  revision,
  START,
  type TestClock,
  testClock,
  testLog,
  until,
  worker,
} from './harness.ts'

const db = await testDatabase({ size: 8 })
beforeEach(() => clearJobs(db))

const isEmpty = async () => (await jobsOf(db)).length === 0
/** A worker that was stopped by the system renews nothing; with one place, it does not take its own job over either. */
const PAUSED = { renewMs: 600_000, concurrency: 1 }

describe('the lease', () => {
  it('lasts 15 seconds at most, with the time until the next poll, and is renewed three times in it', () => {
    expect(LEASE.leaseMs + 500).toBeLessThan(15_000)
    expect(LEASE.renewMs * 3).toBeLessThan(LEASE.leaseMs)
  })

  it('is renewed while the handler runs, so that a long job stays with its worker', async () => {
    const clock = testClock()
    const finish = gate()
    let runs = 0
    await put(db)
    const slow = handler(async () => {
      runs++
      await finish.opened
    })
    for (let n = 0; n < 2; n++) worker({ db, clock, renewMs: 20, handlers: [slow] })
    await until(() => runs === 1)
    for (let lease = 0; lease < 5; lease++) {
      clock.advance(LEASE.leaseMs - 1)
      const expected = clock.now().getTime() + LEASE.leaseMs
      await until(async () => (await onlyJob(db)).dueAt.getTime() === expected)
    }
    finish.open()
    await until(isEmpty)
    expect(runs).toBe(1)
  })
})

describe('a job whose worker is paused', () => {
  async function pausedWorker(work: Parameters<typeof handler>[0]) {
    const clock = testClock()
    const log = testLog()
    const started = gate()
    const wakeUp = gate()
    let signal: AbortSignal | undefined
    await put(db, { payload: { n: 1 } })
    const waiting = handler(async (context) => {
      signal = context.signal
      started.open()
      await wakeUp.opened
      await work(context)
    })
    const paused = worker({ db, clock, log, ...PAUSED, handlers: [waiting] })
    await started.opened
    return { clock, log, paused, wakeUp, signal: () => signal }
  }

  it('is taken over within 15 seconds, not before the end of its lease', async () => {
    const { clock } = await pausedWorker(async () => {})
    let takenOver = 0
    worker({ db, clock, handlers: [handler(async () => void takenOver++)] })
    clock.advance(LEASE.leaseMs - 1)
    await pause(60)
    expect(takenOver).toBe(0)
    clock.advance(15_000 - LEASE.leaseMs + 1)
    await until(isEmpty)
    expect(takenOver).toBe(1)
  })

  it.each<[string, () => Promise<void>, object[]]>([
    ['completed', async () => {}, [{ level: 'warn', message: expect.stringContaining('its lease had run out') }]],
    ['failed, and thereby run again,', () => Promise.reject(new Error('late')), [{}]],
  ])('cannot be %s by it afterwards', async (_, work, lines) => {
    const { clock, log, paused, wakeUp } = await pausedWorker(work)
    const finish = gate()
    let takenOver = 0
    const second = handler(async () => {
      takenOver++
      await finish.opened
    })
    clock.advance(5 * MINUTE_MS)
    worker({ db, clock, handlers: [second] })
    await until(() => takenOver === 1)
    const before = await onlyJob(db)
    wakeUp.open()
    await until(() => log.lines.length > 0)
    expect(log.lines).toMatchObject(lines)
    expect(await onlyJob(db)).toEqual(before)
    finish.open()
    await until(isEmpty)
    await paused.stop()
    await pause(30)
    expect(takenOver).toBe(1)
  })

  it('cannot commit its change afterwards, when it finishes in the transaction', async () => {
    const before = await db.one(revision, { name: 'merchants' })
    const change: Parameters<typeof handler>[0] = ({ db, finish }) =>
      db.transaction(async (tx) => {
        await tx.run(addRevision, { name: 'merchants' })
        await finish(tx)
      })
    const { clock, log, wakeUp } = await pausedWorker(change)
    clock.advance(5 * MINUTE_MS)
    worker({ db, clock, handlers: [handler(change)] })
    await until(isEmpty)
    wakeUp.open()
    await until(() => log.lines.length > 0)
    expect(await db.one(revision, { name: 'merchants' })).toEqual({ value: before.value + 1 })
  })
})

describe('the signal', () => {
  const lease = (renew: () => Promise<boolean>, clock: Clock = testClock(), leaseMs = 80) =>
    keepLease({ clock, leaseMs, renewMs: 20, leasedUntil: new Date(clock.now().getTime() + leaseMs), renew })
  const realClock = { now: () => new Date() }

  it('fires when a renewal finds the job taken over', async () => {
    const { signal } = lease(async () => false)
    await until(() => signal.aborted)
    expect(signal.reason).toBeInstanceOf(LeaseLostError)
  })

  it('fires when the lease runs out because the database is out of reach, after several tries', async () => {
    // Each try takes a quarter of the lease, whatever else the machine does meanwhile.
    const clock = testClock()
    let tries = 0
    const kept = lease(async () => {
      tries++
      clock.advance(20)
      throw new Error('unreachable')
    }, clock)
    await until(() => kept.signal.aborted)
    expect(tries).toBe(4)
  })

  it('fires when the lease runs out while a renewal hangs', async () => {
    const { signal } = lease(() => new Promise(() => {}), realClock)
    await until(() => signal.aborted)
  })

  it('does not wait for the database when the clock says that the lease has run out', async () => {
    const clock = testClock()
    let renewals = 0
    const { signal } = lease(
      async () => {
        renewals++
        return true
      },
      clock,
      60_000,
    )
    clock.advance(60_000)
    await until(() => signal.aborted)
    expect(renewals).toBe(0)
  })

  it('does not fire when the work has ended', async () => {
    const kept = lease(async () => false)
    kept.end()
    await pause(120)
    expect(kept.signal.aborted).toBe(false)
  })
})

describe('a job that ends its process every time', () => {
  const setRuns = statement(
    'test.vanish',
    'update jobs set claim = :runs, is_running = true, due_at = :due_at where merchant_id = :merchant_id',
  )
  /** A job that has vanished 79 times, and a worker that runs it once more and is not heard of again. */
  async function vanishing(clock: TestClock) {
    let runs = 0
    await put(db)
    await db.run(setRuns, { merchant_id: 1, due_at: START, runs: 79 })
    const first = worker({ db, clock, ...PAUSED, handlers: [handler(() => new Promise<void>(() => void runs++))] })
    await until(() => runs === 1)
    return first
  }

  it('is given up after eighty such runs, which take about twenty minutes', async () => {
    const clock = testClock()
    await vanishing(clock)
    clock.advance(MINUTE_MS)
    let runs = 0
    worker({ db, clock, handlers: [handler(async () => void runs++)] })
    await until(async () => (await onlyJob(db)).failedAt !== null)
    expect(runs).toBe(0)
    expect((await onlyJob(db)).lastError).toBe('VanishedError: 80 runs of this job ended because their process ended.')
  })

  it('is told from one that ran when its worker stopped in order', async () => {
    const clock = testClock()
    const { stop } = await vanishing(clock)
    await stop(1)
    clock.advance(MINUTE_MS)
    worker({ db, clock, handlers: [handler(async () => {})] })
    await until(isEmpty)
  })
})
