// Bulk work: one job at a time for each shop, whichever workers there are.

import { beforeEach, describe, expect, it } from 'vitest'
import { claimJobs } from '../../src/jobs/claim.ts'
import { completeJob, failJob } from '../../src/jobs/queue.ts'
import { newTurns } from '../../src/jobs/turns.ts'
import { testDatabase } from '../support/database.ts'
import { clearJobs, gate, jobsOf, put, START, testClock, until, worker } from './harness.ts'

const db = await testDatabase({ size: 16 })
beforeEach(() => clearJobs(db))

const at = (ms: number) => new Date(START.getTime() + ms)
const LEASE_MS = 13_000

/** As a worker of another process does: it has turns of its own. */
const claim = (now = START, kinds = ['test'], limit = 5) =>
  claimJobs(db, kinds, limit, now, new Date(now.getTime() + LEASE_MS), newTurns({ isOnePerShop: true }))

async function claimOne(now = START) {
  const [job, ...others] = await claim(now)
  if (!job || others.length > 0) throw new Error(`${others.length + (job ? 1 : 0)} jobs were claimed`)
  return job
}

describe('bulk jobs of one shop', () => {
  it('are claimed one at a time, by however many workers at once', async () => {
    for (let n = 0; n < 20; n++) await put(db, { merchant_id: 1 + (n % 2), runAt: at(-20 + n) })
    for (let round = 0; round < 5; round++) {
      const claimed = (await Promise.all(Array.from({ length: 12 }, () => claim()))).flat()
      expect(claimed.map(({ merchant_id }) => merchant_id).sort()).toEqual([1, 2])
      for (const job of claimed) expect(await completeJob(db, job)).toBe(true)
    }
    expect((await jobsOf(db)).length + (await jobsOf(db, 2)).length).toBe(10)
  })

  it('are claimed one at a time across kinds', async () => {
    await put(db, { kind: 'import', runAt: at(-2) })
    await put(db, { kind: 'replay', runAt: at(-1) })
    const claimed = (await Promise.all([claim(START, ['import', 'replay']), claim(START, ['import', 'replay'])])).flat()
    expect(claimed).toHaveLength(1)
    expect(await claim(START, ['import', 'replay'])).toEqual([])
  })

  it('go on with the one of a dead process, before any that waits', async () => {
    for (let n = 0; n < 3; n++) await put(db, { runAt: at(-3 + n), payload: { n } })
    const dead = await claimOne()
    expect(await claim(at(LEASE_MS - 1))).toEqual([])
    const next = await claimOne(at(LEASE_MS))
    expect(next).toEqual({ ...dead, claim: 2 })
    expect(await claim(at(LEASE_MS))).toEqual([])
  })

  it('leave the one that failed to its wait', async () => {
    for (let n = 0; n < 2; n++) await put(db, { runAt: at(-2 + n), payload: { n } })
    const first = await claimOne()
    await failJob(db, first, { error: new Error('no'), failedAt: START, retryAt: at(60_000) })
    const second = await claimOne()
    expect(second.payload).toEqual({ n: 1 })
    await failJob(db, second, { error: new Error('no'), gaveUpAt: START })
    expect((await claimOne(at(60_000))).payload).toEqual({ n: 0 })
  })

  it('do not go before those of other shops: sixty of one, and one of another', async () => {
    for (let n = 0; n < 60; n++) await put(db, { merchant_id: 1, runAt: at(-100 + n) })
    await put(db, { merchant_id: 2, runAt: at(-1) })
    const runs: number[] = []
    const running = new Map<number, number>()
    let most = 0
    const first = gate()
    const bulk = {
      kind: 'test',
      async handle({ merchant_id }: { merchant_id: number }) {
        runs.push(merchant_id)
        running.set(merchant_id, (running.get(merchant_id) ?? 0) + 1)
        most = Math.max(most, running.get(merchant_id) ?? 0)
        if (runs.length <= 2) await first.opened
        await new Promise((resolve) => setImmediate(resolve))
        running.set(merchant_id, (running.get(merchant_id) ?? 0) - 1)
      },
    }
    // Two processes with two slots each. The first job of each shop waits for the other, whichever comes first.
    for (let n = 0; n < 2; n++) worker({ db, clock: testClock(), concurrency: 2, isOnePerShop: true, handlers: [bulk] })
    await until(() => runs.length === 2)
    expect([...runs].sort()).toEqual([1, 2])
    first.open()
    await until(async () => (await jobsOf(db)).length === 0)
    expect([runs.length, most]).toEqual([61, 1])
  })
})
