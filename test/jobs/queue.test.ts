import { beforeEach, describe, expect, it } from 'vitest'
import { claimJobs } from '../../src/jobs/claim.ts'
import { completeJob, completeJobIn, failJob, renewJob } from '../../src/jobs/queue.ts'
import { testDatabase } from '../support/database.ts'
import { addRevision, clearJobs, gate, jobsOf, MINUTE_MS, onlyJob, put, revision, START } from './harness.ts'

const db = await testDatabase({ size: 8 })
beforeEach(() => clearJobs(db))

const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const at = (ms: number) => new Date(START.getTime() + ms)
const claim = (now = START, limit = 10, kinds = ['test']) =>
  claimJobs(db, kinds, limit, now, new Date(now.getTime() + MINUTE_MS))

async function claimOne(now = START) {
  const [job] = await claim(now, 1)
  if (!job) throw new Error('nothing to claim')
  return job
}

describe('enqueue', () => {
  it('puts in a job that exists once the transaction commits', async () => {
    await db.transaction(async (tx) => {
      await put(tx, { payload: { b: 1, a: 2 } })
      expect(await jobsOf(tx)).toHaveLength(1)
      expect(await jobsOf(db)).toEqual([])
      expect(await claim()).toEqual([])
    })
    expect(await claim()).toEqual([
      {
        merchant_id: 1,
        id: expect.stringMatching(/^job_[0-9A-Za-z]{26}$/),
        kind: 'test',
        payload: { b: 1, a: 2 },
        claim: 1,
        failures: 0,
        interruptions: 0,
        maxFailures: null,
      },
    ])
  })

  it("gives the service's own jobs merchant 0", async () => {
    await put(db, { merchant_id: null })
    expect(await jobsOf(db, 0)).toHaveLength(1)
  })

  it('keeps text that jsonb would refuse', async () => {
    await put(db, { payload: { text: 'a\u0000b\ud800' } })
    expect((await claimOne()).payload).toEqual({ text: 'a\u0000b\ud800' })
  })
})

describe('a key', () => {
  it('lets one job wait per merchant, kind and key, due at the earliest time asked for', async () => {
    await put(db, { key: 'a', payload: { n: 1 }, runAt: at(5_000) })
    await put(db, { key: 'a', payload: { n: 2 }, runAt: at(1_000) })
    await put(db, { key: 'a', payload: { n: 3 }, runAt: at(9_000) })
    expect(await onlyJob(db)).toMatchObject({ key: 'a', dueAt: at(1_000) })
    expect((await claimOne(at(1_000))).payload).toEqual({ n: 1 })
  })

  it('is separate for every merchant, kind and key, and jobs without one are never joined', async () => {
    await put(db, { key: 'a' })
    await put(db, { key: 'b' })
    await put(db, { key: 'a', kind: 'other' })
    await put(db, { key: 'a', merchant_id: 2 })
    await put(db)
    await put(db)
    expect(await jobsOf(db, 1)).toHaveLength(5)
    expect(await jobsOf(db, 2)).toHaveLength(1)
  })

  it('lets another job wait while one runs, because the running one may have missed the change', async () => {
    await put(db, { key: 'a' })
    await claimOne()
    await put(db, { key: 'a' })
    await put(db, { key: 'a' })
    expect((await jobsOf(db)).map(({ isRunning }) => isRunning).sort()).toEqual([false, true])
  })

  it('holds the waiting job back until the change that joined it has committed', async () => {
    await put(db, { key: 'a' })
    const joined = gate()
    const commit = gate()
    const change = db.transaction(async (tx) => {
      await put(tx, { key: 'a' })
      joined.open()
      await commit.opened
    })
    await joined.opened
    expect(await claim()).toEqual([])
    commit.open()
    await change
    expect(await claim()).toHaveLength(1)
  })

  it('puts in a new job when the waiting one is being claimed at that moment', async () => {
    await put(db, { key: 'a' })
    const claimed = gate()
    const commit = gate()
    const claiming = db.transaction(async (tx) => {
      expect(await claimJobs(tx, ['test'], 1, START, at(MINUTE_MS))).toHaveLength(1)
      claimed.open()
      await commit.opened
    })
    await claimed.opened
    const putting = put(db, { key: 'a' })
    commit.open()
    await Promise.all([claiming, putting])
    expect((await jobsOf(db)).map(({ isRunning }) => isRunning).sort()).toEqual([false, true])
  })

  it.each([
    ['at once', START, at(8_000), at(8_000)],
    ['much later than the retry', at(DAY_MS), at(8_000), at(8_000)],
    // New work waits a minute at most, however long a wait the failing one has earned.
    ['earlier than a long retry', at(2_000), at(HOUR_MS), at(MINUTE_MS)],
  ])('lets the waiting job, due %s, inherit the failures of the running one', async (_, runAt, retryAt, dueAt) => {
    await put(db, { key: 'a' })
    const job = await claimOne()
    await put(db, { key: 'a', runAt })
    expect(await failJob(db, job, { error: new Error('down'), failedAt: START, retryAt })).toBe(true)
    const failed = { attempts: 1, dueAt, lastError: 'Error: down', isRunning: false }
    expect(await onlyJob(db)).toMatchObject(failed)
    await put(db, { key: 'a', runAt: at(1_000) })
    expect(await onlyJob(db)).toMatchObject(failed)
  })

  it('brings a job forward that failed and waits for longer than a minute, and never puts it off', async () => {
    await put(db, { key: 'a' })
    await failJob(db, await claimOne(), { error: new Error('down'), failedAt: START, retryAt: at(HOUR_MS) })
    await put(db, { key: 'a', runAt: at(DAY_MS) })
    expect(await onlyJob(db)).toMatchObject({ attempts: 1, dueAt: at(HOUR_MS) })
    await put(db, { key: 'a', runAt: at(1_000) })
    await put(db, { key: 'a', runAt: at(30_000) })
    expect(await onlyJob(db)).toMatchObject({ attempts: 1, dueAt: at(1_000 + MINUTE_MS) })
  })

  it('retries at the earlier time when the waiting job has failed as well', async () => {
    await put(db, { key: 'a' })
    const one = await claimOne()
    await put(db, { key: 'a' })
    const other = await claimOne()
    await failJob(db, other, { error: new Error('down'), failedAt: START, retryAt: at(HOUR_MS) })
    await failJob(db, one, { error: new Error('down'), failedAt: START, retryAt: at(8_000) })
    expect(await onlyJob(db)).toMatchObject({ attempts: 1, dueAt: at(8_000) })
  })

  it('gives the place of the waiting job to one that replaces it, which begins anew', async () => {
    await put(db, { key: 'a', payload: { n: 1 }, maxFailures: 1 })
    const stale = await claimOne()
    await failJob(db, stale, { error: new Error('down'), failedAt: START, retryAt: at(MINUTE_MS) })
    await put(db, { key: 'a', payload: { n: 2 }, runAt: at(1_000), replaces: true })
    expect(await onlyJob(db)).toMatchObject({ key: 'a', dueAt: at(1_000), lastError: null })
    const job = await claimOne(at(1_000))
    expect(job).toMatchObject({ payload: { n: 2 }, claim: 1, failures: 0, interruptions: 0, maxFailures: null })
    // The same number of a claim, and yet not its own: the run of the other has nothing left to end.
    expect([job.claim, job.id === stale.id, await completeJob(db, stale)]).toEqual([stale.claim, false, false])
    // One that runs is not replaced: what it does may be done already.
    await put(db, { key: 'a', payload: { n: 3 }, runAt: at(2_000), replaces: true })
    expect((await jobsOf(db)).map(({ isRunning }) => isRunning).sort()).toEqual([false, true])
  })

  it('is free again once the job was given up', async () => {
    await put(db, { key: 'a' })
    await failJob(db, await claimOne(), { error: new Error('down'), gaveUpAt: START })
    await put(db, { key: 'a' })
    expect(await claim()).toHaveLength(1)
  })

  it('never loses a change, whatever is put in, claimed and failed at the same time', async () => {
    let isOver = false
    let processed = 0
    const putter = async () => {
      for (let n = 0; n < 60; n++)
        await db.transaction(async (tx) => {
          await put(tx, { key: 'hot' })
          await tx.run(addRevision, { name: 'merchants' })
        })
    }
    const taker = async () => {
      while (!isOver || (await jobsOf(db)).length > 0) {
        for (const job of await claim(at(MINUTE_MS), 3)) {
          const { value } = await db.one(revision, { name: 'merchants' })
          if (Math.random() < 0.5) await failJob(db, job, { error: new Error('down'), failedAt: START, retryAt: START })
          else if (await completeJob(db, job)) processed = Math.max(processed, value)
        }
      }
    }
    const takers = [taker(), taker(), taker()]
    await Promise.all([putter(), putter(), putter()])
    isOver = true
    await Promise.all(takers)
    expect(processed).toBe((await db.one(revision, { name: 'merchants' })).value)
  })
})

describe('a claim', () => {
  it('takes due jobs, the longest due first, up to the limit', async () => {
    await put(db, { runAt: at(2), payload: { n: 2 } })
    await put(db, { runAt: at(1), payload: { n: 1 } })
    await put(db, { runAt: at(3), payload: { n: 3 } })
    await put(db, { runAt: at(99), payload: { n: 99 } })
    const first = await claim(at(3), 2)
    expect(first.map(({ payload }) => payload)).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }]))
    expect((await claim(at(3), 9)).map(({ payload }) => payload)).toEqual([{ n: 3 }])
    expect(await claim(at(3), 9)).toEqual([])
  })

  it('that has ended cannot be ended again while the job waits for its next run', async () => {
    await put(db)
    const job = await claimOne()
    await failJob(db, job, { error: new Error('down'), failedAt: START, retryAt: at(1_000) })
    const before = await onlyJob(db)
    expect(await completeJob(db, job)).toBe(false)
    expect(await renewJob(db, job, at(1e9))).toBe(false)
    expect(await onlyJob(db)).toEqual(before)
  })

  it('lost to another run can no longer be renewed, completed, finished or failed', async () => {
    await put(db)
    const lost = await claimOne()
    await claimOne(at(MINUTE_MS))
    const before = await onlyJob(db)
    expect(await renewJob(db, lost, at(1e9))).toBe(false)
    expect(await completeJob(db, lost)).toBe(false)
    expect(await failJob(db, lost, { error: new Error('late'), failedAt: START, retryAt: START })).toBe(false)
    expect(await failJob(db, lost, { error: new Error('late'), gaveUpAt: START })).toBe(false)
    await expect(db.transaction((tx) => completeJobIn(tx, lost))).rejects.toThrow('Another run has taken over')
    expect(await onlyJob(db)).toEqual(before)
  })
})

it.each<[string, unknown, string]>([
  ['is name and message', Object.assign(new TypeError('no host'), { card: '4242' }), 'TypeError: no host'],
  ['is cut to 500 characters', new Error('x'.repeat(2_000)), `Error: ${'x'.repeat(493)}`],
  ['loses U+0000, which the database would refuse', new Error('a\u0000b'), 'Error: ab'],
  ['does not show a thrown value that is no error', { secret: 'sk_1' }, 'A thrown object'],
])('the stored error %s', async (_, error, stored) => {
  await put(db)
  await failJob(db, await claimOne(), { error, failedAt: START, retryAt: START })
  expect((await onlyJob(db)).lastError).toBe(stored)
})
