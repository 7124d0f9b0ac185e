import { beforeEach, describe, expect, it } from 'vitest'
import { doublingBackoff, type JobHandler, withJitter } from '../../src/jobs/job.ts'
import { testDatabase } from '../support/database.ts'
import { clearJobs, handler, onlyJob, pause, put, START, testClock, testLog, until, worker } from './harness.ts'

const db = await testDatabase({ size: 8 })
beforeEach(() => clearJobs(db))

const HOUR_MS = 3_600_000

describe('a failing job', () => {
  const failing = (more: Partial<JobHandler> = {}) => {
    const runs: number[] = []
    const failingHandler = handler(async ({ run }) => {
      runs.push(run)
      throw new Error(`failure ${run}`)
    }, more)
    return { runs, failingHandler }
  }

  it('waits longer each time and runs again', async () => {
    const clock = testClock()
    const { runs, failingHandler } = failing()
    await put(db)
    worker({ db, clock, handlers: [failingHandler] })
    for (let failures = 1; failures <= 4; failures++) {
      await until(async () => (await onlyJob(db)).attempts === failures)
      const { dueAt, lastError, failedAt, isRunning } = await onlyJob(db)
      const wait = dueAt.getTime() - clock.now().getTime()
      expect(wait).toBeGreaterThanOrEqual(0.75 * 1_000 * 2 ** (failures - 1) - 1)
      expect(wait).toBeLessThanOrEqual(1_000 * 2 ** (failures - 1))
      expect({ lastError, failedAt, isRunning }).toEqual({
        lastError: `Error: failure ${failures}`,
        failedAt: null,
        isRunning: false,
      })
      await pause(30)
      expect(runs).toHaveLength(failures)
      clock.advance(wait)
    }
    await until(() => runs.length === 5)
    expect(runs).toEqual([1, 2, 3, 4, 5])
  })

  it("follows the handler's own waits", async () => {
    const clock = testClock()
    const { failingHandler } = failing({ backoff: (failures) => failures * HOUR_MS })
    await put(db)
    worker({ db, clock, handlers: [failingHandler] })
    await until(async () => (await onlyJob(db)).attempts === 1)
    expect((await onlyJob(db)).dueAt.getTime() - START.getTime()).toBeGreaterThanOrEqual(0.75 * HOUR_MS - 1)
  })

  it('is given up after the last failure, kept, and not run again', async () => {
    const clock = testClock()
    const log = testLog()
    const { runs, failingHandler } = failing({ maxFailures: 3, backoff: () => 0 })
    await put(db)
    worker({ db, clock, log, handlers: [failingHandler] })
    await until(async () => (await onlyJob(db)).failedAt !== null)
    clock.advance(24 * HOUR_MS)
    await pause(50)
    expect(runs).toEqual([1, 2, 3])
    expect(await onlyJob(db)).toMatchObject({
      attempts: 3,
      failedAt: START,
      isRunning: false,
      lastError: 'Error: failure 3',
    })
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'error'])
  })

  it('is tried 48 times unless told otherwise, which takes more than a day', async () => {
    const { runs, failingHandler } = failing({ backoff: () => 0 })
    await put(db)
    worker({ db, clock: testClock(), handlers: [failingHandler] })
    await until(async () => (await onlyJob(db)).failedAt !== null)
    expect(runs).toHaveLength(48)
    const leastWait = runs.slice(1).reduce((sum, _, index) => sum + 0.75 * doublingBackoff(index + 1), 0)
    expect(leastWait).toBeGreaterThan(24 * HOUR_MS)
  })

  it('is given up at once when its error is final', async () => {
    const refuse = () => Promise.reject(Object.assign(new Error('refused for good'), { isFinal: true }))
    await put(db)
    worker({ db, clock: testClock(), handlers: [handler(refuse)] })
    await until(async () => (await onlyJob(db)).failedAt !== null)
    expect(await onlyJob(db)).toMatchObject({ attempts: 1, lastError: 'Error: refused for good' })
  })

  it("has the number of failures it was put in with rather than the handler's", async () => {
    const { runs, failingHandler } = failing({ maxFailures: 9, backoff: () => 0 })
    await put(db, { maxFailures: 1 })
    worker({ db, clock: testClock(), handlers: [failingHandler] })
    await until(async () => (await onlyJob(db)).failedAt !== null)
    expect(runs).toEqual([1])
  })
})

describe('the default wait', () => {
  it('doubles from one second up to one hour', () => {
    expect([1, 2, 3, 12, 13, 48].map(doublingBackoff)).toEqual([1_000, 2_000, 4_000, 2_048_000, HOUR_MS, HOUR_MS])
  })

  it('is shortened by up to a quarter at random', () => {
    const waits = Array.from({ length: 200 }, () => withJitter(1_000))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(750)
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000)
    expect(new Set(waits).size).toBeGreaterThan(100)
  })
})
