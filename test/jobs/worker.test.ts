import { beforeEach, describe, expect, it } from 'vitest'
import type { JobContext } from '../../src/jobs/job.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { testDatabase } from '../support/database.ts'
import {
  clearJobs,
  gate,
  handler,
  jobsOf,
  MINUTE_MS,
  onlyJob,
  pause,
  put,
  START,
  testClock,
  testLog,
  until,
  worker,
} from './harness.ts'

const db = await testDatabase({ size: 12 })
beforeEach(() => clearJobs(db))

const isEmpty = async () => (await jobsOf(db)).length === 0

describe('a worker', () => {
  it('hands the job to its handler and deletes it afterwards', async () => {
    const seen: Omit<JobContext, 'finish' | 'endWith'>[] = []
    let rowsDuring = 0
    const [clock, log] = [testClock(), testLog()]
    await put(db, { merchant_id: 7, payload: { order: 'ord_1' } })
    const looking = handler(async ({ finish: _, endWith: __, ...context }) => {
      rowsDuring = (await jobsOf(db, 7)).length
      seen.push(context)
    })
    worker({ db, clock, log, handlers: [looking] })
    await until(async () => (await jobsOf(db, 7)).length === 0)
    expect(seen).toEqual([
      {
        db,
        clock,
        log,
        payload: { order: 'ord_1' },
        merchant_id: 7,
        jobId: expect.stringMatching(/^job_/),
        run: 1,
        signal: expect.any(AbortSignal),
      },
    ])
    expect(rowsDuring).toBe(1)
  })

  it('handles each of many jobs once, together with two others', async () => {
    const handled: unknown[] = []
    await db.transaction(async (tx) => {
      for (let n = 0; n < 150; n++) await put(tx, { payload: { n } })
    })
    const [clock, log] = [testClock(), testLog()]
    const by = [0, 0, 0]
    for (const index of by.keys()) {
      const counting = handler(async ({ payload }) => {
        by[index] = (by[index] ?? 0) + 1
        handled.push((payload as { n: number }).n)
      })
      worker({ db, clock, log, concurrency: 3, handlers: [counting] })
    }
    await until(isEmpty)
    expect(handled).toHaveLength(150)
    expect(new Set(handled).size).toBe(150)
    expect(Math.min(...by)).toBeGreaterThan(0)
    expect(log.lines).toEqual([])
  })

  it('finds a job at once when it is poked', async () => {
    let runs = 0
    const { poke } = worker({ db, clock: testClock(), pollMs: 600_000, handlers: [handler(async () => void runs++)] })
    await pause(80)
    await put(db)
    poke()
    await until(() => runs === 1)
  })

  it('leaves a kind that it does not know as it is', async () => {
    await put(db, { kind: 'from-a-newer-version' })
    await put(db)
    const clock = testClock()
    clock.advance(10 * MINUTE_MS)
    worker({ db, clock, handlers: [handler(async () => {})] })
    await until(async () => (await jobsOf(db)).length === 1)
    await pause(50)
    expect(await onlyJob(db)).toMatchObject({ claim: 0, attempts: 0, isRunning: false, failedAt: null, dueAt: START })
  })

  it('refuses two handlers for one kind', () => {
    const twice = [handler(async () => {}), handler(async () => {})]
    expect(() => startWorker({ db, clock: testClock(), log: testLog(), handlers: twice, sweeps: [] })).toThrow(
      'same name',
    )
  })
})

describe('finish', () => {
  it('ends nothing when the transaction is rolled back', async () => {
    await put(db)
    const refusing = handler(({ db, finish }) =>
      db.transaction(async (tx) => {
        await finish(tx)
        throw new Error('refused')
      }),
    )
    worker({ db, clock: testClock(), handlers: [refusing] })
    await until(async () => (await jobsOf(db))[0]?.lastError === 'Error: refused')
    expect(await onlyJob(db)).toMatchObject({ attempts: 1, isRunning: false })
  })
})

describe('stop', () => {
  it('waits for what runs and claims no more', async () => {
    const started = gate()
    const finish = gate()
    let runs = 0
    await put(db)
    const waiting = handler(async () => {
      runs++
      started.open()
      await finish.opened
    })
    const { stop } = worker({ db, clock: testClock(), concurrency: 1, handlers: [waiting] })
    await started.opened
    await put(db)
    let hasStopped = false
    const stopped = stop().then(() => {
      hasStopped = true
    })
    await pause(60)
    expect(hasStopped).toBe(false)
    finish.open()
    await stopped
    expect(await onlyJob(db)).toMatchObject({ claim: 0 })
    expect(runs).toBe(1)
  })

  it('leaves what runs too long to the end of its lease, without counting a failure', async () => {
    const started = gate()
    await put(db)
    const clock = testClock()
    const endless = handler(async ({ signal }) => {
      started.open()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const { stop } = worker({ db, clock, handlers: [endless] })
    await started.opened
    const began = Date.now()
    await stop(50)
    // Without a word it would be eight seconds, and with no end at all until the job ends, which it never does.
    expect(Date.now() - began).toBeLessThan(7_900)
    await pause(50)
    // A claim that the interrupted run does not have any more: whatever it still tries is refused.
    expect(await onlyJob(db)).toMatchObject({ isRunning: true, attempts: 0, claim: 2 })

    clock.advance(MINUTE_MS)
    worker({ db, clock, handlers: [handler(async () => {})] })
    await until(isEmpty)
  })
})
