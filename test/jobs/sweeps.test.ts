import { beforeEach, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { LEASE } from '../../src/jobs/lease.ts'
import { sweepFailedJobs } from '../../src/jobs/queue.ts'
import type { Sweep } from '../../src/jobs/schedule.ts'
import { testDatabase } from '../support/database.ts'
import { clearJobs, gate, jobsOf, MINUTE_MS, pause, put, START, testClock, testLog, until, worker } from './harness.ts'

const db = await testDatabase({ size: 8 })
const clear = statement('test.clear_schedules', 'delete from schedules')
beforeEach(() => db.run(clear, {}))

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const selectSchedules = statement<{ name: string; next_run_at: Date; leased_until: Date | null; claim: number }>(
  'test.schedules',
  'select * from schedules order by name',
)
const schedules = () => db.many(selectSchedules, {})
/** The run with this number has ended. */
const hasEnded = async (run: number) => {
  const [schedule] = await schedules()
  return schedule?.claim === run && schedule.leased_until === null
}
const at = (ms: number) => new Date(START.getTime() + ms)

const sweep = (run: Sweep['run'], more: Partial<Sweep> = {}): Sweep => ({
  name: 'test',
  everySeconds: 3_600,
  run,
  ...more,
})

describe('a sweep', () => {
  it('runs once per period, however many workers there are', async () => {
    const clock = testClock()
    let runs = 0
    const counting = sweep(async () => {
      await pause(5)
      return ++runs
    })
    // A worker that registers the sweep only after the clock has moved would make it due again.
    const registered = new Set<number>()
    for (let n = 0; n < 3; n++) {
      const noting = sweep(async () => registered.add(n).size, { name: `test-${n}`, everySeconds: DAY_MS })
      worker({ db, clock, sweeps: [counting, noting] })
    }
    await until(() => registered.size === 3)
    for (let period = 1; period <= 5; period++) {
      await until(() => runs === period)
      await until(() => hasEnded(period))
      clock.advance(HOUR_MS - 1)
      await pause(50)
      expect(runs).toBe(period)
      clock.advance(1)
    }
  })

  it('is due one period after the start of its last run', async () => {
    const clock = testClock()
    const slow = sweep(async () => {
      clock.advance(5_000)
      return 3
    })
    const log = testLog()
    worker({ db, clock, log, sweeps: [slow] })
    await until(() => hasEnded(1))
    expect(await schedules()).toEqual([
      { name: 'test', next_run_at: at(HOUR_MS), leased_until: null, claim: 1, places: {} },
    ])
    expect(log.lines).toEqual([{ level: 'info', message: 'A sweep has run.', details: { sweep: 'test', rows: 3 } }])
  })

  it('that throws is logged and runs again after its period', async () => {
    const clock = testClock()
    const log = testLog()
    let runs = 0
    const failing = sweep(async () => {
      runs++
      throw new Error('no luck')
    })
    worker({ db, clock, log, sweeps: [failing] })
    await until(() => hasEnded(1))
    await pause(50)
    expect(runs).toBe(1)
    expect(log.lines).toMatchObject([{ level: 'error', details: { sweep: 'test', err: { message: 'no luck' } } }])
    clock.advance(HOUR_MS)
    await until(() => runs === 2)
  })

  it('whose process died is repeated within 15 seconds', async () => {
    const clock = testClock()
    const finish = gate()
    let repeated = 0
    let signal: AbortSignal | undefined
    const dying = sweep(async (context) => {
      signal = context.signal
      await finish.opened
      return 0
    })
    const first = worker({ db, clock, renewMs: 600_000, sweeps: [dying] })
    await until(() => signal !== undefined)
    worker({ db, clock, sweeps: [sweep(async () => ++repeated)] })
    await pause(50)
    expect(repeated).toBe(0)
    clock.advance(15_000)
    await until(() => repeated === 1)
    await until(() => hasEnded(2))
    const after = await schedules()
    expect(after).toMatchObject([{ claim: 2, next_run_at: at(15_000 + HOUR_MS) }])
    finish.open()
    await first.stop()
    expect(await schedules()).toEqual(after)
  })

  it('keeps its lease while it runs', async () => {
    const clock = testClock()
    const finish = gate()
    let runs = 0
    const long = sweep(async () => {
      runs++
      await finish.opened
      return 0
    })
    for (let n = 0; n < 2; n++) worker({ db, clock, renewMs: 20, sweeps: [long] })
    await until(() => runs === 1)
    for (let n = 0; n < 3; n++) {
      clock.advance(LEASE.leaseMs - 1)
      const expected = clock.now().getTime() + LEASE.leaseMs
      await until(async () => (await schedules())[0]?.leased_until?.getTime() === expected)
    }
    finish.open()
    expect(runs).toBe(1)
  })

  it('is told when the worker stops, and is repeated when its lease ends', async () => {
    const clock = testClock()
    const started = gate()
    const obedient = sweep(async ({ signal }) => {
      started.open()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 0
    })
    const { stop } = worker({ db, clock, sweeps: [obedient] })
    await started.opened
    await stop(20)
    await pause(30)
    expect(await schedules()).toMatchObject([{ next_run_at: START, leased_until: at(LEASE.leaseMs) }])
  })

  it('whose period became shorter does not wait for the longer one', async () => {
    const clock = testClock()
    let runs = 0
    const daily = worker({ db, clock, sweeps: [sweep(async () => ++runs, { everySeconds: 86_400 })] })
    await until(() => hasEnded(1))
    await daily.stop()
    worker({ db, clock, sweeps: [sweep(async () => ++runs, { everySeconds: 60 })] })
    await until(async () => (await schedules())[0]?.next_run_at.getTime() === START.getTime() + MINUTE_MS)
    clock.advance(MINUTE_MS)
    await until(() => runs === 2)
  })
})

describe('the sweep of failed jobs', () => {
  const giveUp = statement(
    'test.give_up',
    'update jobs set failed_at = :failed_at where merchant_id = :merchant_id and key = :key',
  )
  const run = () => sweepFailedJobs.run({ db, clock: testClock(), signal: new AbortController().signal })

  it('deletes jobs given up over 30 days ago and leaves all others', async () => {
    await clearJobs(db)
    const ages: Record<string, number> = { old: 30 * DAY_MS + 1, edge: 30 * DAY_MS, young: DAY_MS }
    for (const [key, age] of Object.entries(ages)) {
      await put(db, { key, runAt: at(-age) })
      await db.run(giveUp, { merchant_id: 1, key, failed_at: at(-age) })
    }
    await put(db, { key: 'waiting', runAt: at(-400 * DAY_MS) })
    expect(await run()).toBe(1)
    expect((await jobsOf(db)).map(({ key }) => key)).toEqual(['waiting', 'edge', 'young'])
  })
})
