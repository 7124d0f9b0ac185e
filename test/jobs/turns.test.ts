// Decides which job runs next: shops in turn, urgent kinds first, and nobody hidden behind another shop's backlog.

import { beforeEach, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import type { JobHandler } from '../../src/jobs/job.ts'
import { newTurns } from '../../src/jobs/turns.ts'
import { testDatabase } from '../support/database.ts'
import { clearJobs, gate, put, START, testClock, until, worker } from './harness.ts'

const db = await testDatabase({ size: 8 })
beforeEach(() => clearJobs(db))

const at = (ms: number) => new Date(START.getTime() + ms)

const putMany = statement(
  'test.put_many',
  `insert into jobs (merchant_id, id, kind, payload, due_at)
   select :merchant_id, 'job_' || :name || lpad(n::text, 6, '0'), :kind, '{}', :since::timestamptz + n * interval '1 millisecond'
   from generate_series(1, :count::integer) n`,
)
/** So many jobs of a shop, due one after the other, a millisecond apart. */
const backlog = (merchant_id: number, count: number, since: Date, kind = 'test') =>
  db.run(putMany, { merchant_id, count, since, kind, name: `${merchant_id}_${since.getTime()}_${kind}_` })

/** Runs jobs one after the other, and notes whose they were, until so many have run. */
async function firstRuns(count: number, kinds: readonly Partial<JobHandler>[] = [{}], concurrency = 1) {
  const runs: string[] = []
  const enough = gate()
  const handlers = kinds.map(({ kind = 'test', ...more }) => ({
    kind,
    ...more,
    async handle({ merchant_id }: { merchant_id: number }) {
      // What comes after those that are asked for waits until the worker is stopped.
      if (runs.length >= count) return new Promise<void>(() => undefined)
      runs.push(kind === 'test' ? String(merchant_id) : `${kind} of ${merchant_id}`)
      if (runs.length === count) enough.open()
    },
  }))
  const { stop } = worker({ db, clock: testClock(), concurrency, handlers })
  await enough.opened
  await stop(1)
  return runs
}

describe('a shop with a long backlog', () => {
  it('does not hide another shop, due between its jobs', async () => {
    await backlog(7, 500, at(-60_000))
    await put(db, { merchant_id: 9, runAt: at(-30_000) })
    await put(db, { merchant_id: 3, runAt: at(-30_000) })
    await backlog(7, 500, at(-20_000))
    const runs = await firstRuns(6)
    expect(runs).toEqual(expect.arrayContaining(['3', '9']))
  })

  it('does not hide another shop among many that wait for a later time', async () => {
    await backlog(1, 500, at(-60_000))
    await backlog(2, 300, at(3_600_000))
    await put(db, { merchant_id: 2, runAt: at(-30_000) })
    await backlog(1, 500, at(-20_000))
    expect(await firstRuns(6)).toContain('2')
  })

  it('shares slots with the others: each shop has its turn', async () => {
    for (const shop of [1, 2, 3, 4, 5]) await backlog(shop, 200, at(-100_000 + 1_000 * shop))
    const runs = await firstRuns(20)
    const counts = [1, 2, 3, 4, 5].map((shop) => runs.filter((run) => run === String(shop)).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2)
  })

  it('has one of two slots, when another shop has jobs too', async () => {
    await backlog(1, 100, at(-60_000))
    await backlog(2, 100, at(-1_000))
    const running: number[] = []
    let slots = gate()
    const slow = {
      kind: 'test',
      async handle({ merchant_id }: { merchant_id: number }) {
        running.push(merchant_id)
        await slots.opened
      },
    }
    const { stop } = worker({ db, clock: testClock(), concurrency: 2, handlers: [slow] })
    for (let round = 0; round < 4; round++) {
      await until(() => running.length === 2)
      expect([...running].sort()).toEqual([1, 2])
      const before = slots
      slots = gate()
      running.length = 0
      before.open()
    }
    slots.open()
    await stop(1)
  })
})

describe('urgent jobs', () => {
  const KINDS = [{ kind: 'receipt' }, { kind: 'login', isUrgent: true as const }]

  it('go before those of the lane that are due earlier, whoever they belong to', async () => {
    for (const shop of [1, 2, 3]) await backlog(shop, 50, at(-60_000), 'receipt')
    await put(db, { merchant_id: 4, kind: 'login', runAt: at(-2) })
    await put(db, { merchant_id: 1, kind: 'login', runAt: at(-1) })
    expect(await firstRuns(3, KINDS)).toEqual(['login of 4', 'login of 1', expect.stringMatching(/^receipt of [23]$/)])
  })

  it('of one shop do not keep others from their share of the slots', async () => {
    await backlog(1, 100, at(-60_000), 'login')
    await backlog(2, 5, at(-1_000), 'receipt')
    const runs = await firstRuns(12, KINDS, 2)
    expect(runs.filter((run) => run === 'receipt of 2').length).toBeGreaterThanOrEqual(3)
  })
})

describe('the turns of a worker', () => {
  const job = (merchant_id: number, ms: number, kind = 'test') => ({
    merchant_id,
    id: `job_${ms}`,
    kind,
    due_at: at(ms),
  })

  it('go to the shop with the fewest running jobs, then to the one that has waited longest since its last turn', () => {
    const turns = newTurns()
    turns.begin({ merchant_id: 1, kind: 'test' }, at(10))
    turns.begin({ merchant_id: 2, kind: 'test' }, at(20))
    expect(turns.order([job(1, 1), job(2, 2), job(3, 30)]).map((each) => each.merchant_id)).toEqual([3, 1, 2])
    turns.end({ merchant_id: 1, kind: 'test' })
    turns.end({ merchant_id: 2, kind: 'test' })
    // A newcomer waits for those who have waited longer than it, once each.
    expect(turns.order([job(1, 1), job(2, 2), job(3, 15)]).map((each) => each.merchant_id)).toEqual([1, 3, 2])
  })

  it('go to an urgent job of a shop before all others, while ordinary jobs of that shop run', () => {
    const turns = newTurns({ urgentKinds: new Set(['login']) })
    turns.begin({ merchant_id: 1, kind: 'test' }, at(10))
    expect(turns.order([job(2, 1), job(1, 5, 'login'), job(3, 2)]).map((each) => each.merchant_id)).toEqual([1, 2, 3])
    // With an urgent job running, the shop's next one waits for a slot behind the first jobs of others.
    turns.begin({ merchant_id: 1, kind: 'login' }, at(10))
    expect(turns.order([job(2, 1), job(1, 5, 'login'), job(3, 2)]).map((each) => each.merchant_id)).toEqual([2, 3, 1])
  })

  it('are in the order in which jobs became due, for a single shop', () => {
    const order = newTurns().order([job(1, 3), job(1, 1), job(1, 2), job(1, 1)])
    expect(order.map(({ id }) => id)).toEqual(['job_1', 'job_2', 'job_3'])
  })
})
