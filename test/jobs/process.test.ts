// @alone
import { type ChildProcess, spawn } from 'node:child_process'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import type { Worker } from '../../src/jobs/worker.ts'
import { bundle } from '../support/bundle.ts'
import { administer, cloneDatabase, PATIENT_POOL, patient } from '../support/database.ts'
import { jobsOf, pause, put, until } from './harness.ts'
import { FAST, startTestWorker } from './worker-process.ts'

const connection = await cloneDatabase()
const db = openPool(connection, PATIENT_POOL)
const program = await bundle(`import './test/jobs/worker-process.ts'`)

const children: ChildProcess[] = []
const local: Worker[] = []

beforeAll(async () => {
  await administer(
    connection,
    'create table effects (n int, step text, pid int, at timestamptz default clock_timestamp())',
  )
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(local.splice(0).map((worker) => worker.stop()))
})

function spawnWorker(): ChildProcess {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, CARTWRIGHT_TEST_WORKER: JSON.stringify(connection) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  return child
}

const selectEffects = statement<{ n: number; pid: number; at: Date }>(
  'test.effects',
  'select n, pid, at from effects where step = :step order by at',
)
const effects = (step: string) => db.many(selectEffects, { step })
const isEmpty = async () => (await jobsOf(db)).length === 0

describe('a worker process', () => {
  it('killed while it works, again and again, loses no job', { timeout: patient(60_000) }, async () => {
    await db.transaction(async (tx) => {
      for (let n = 0; n < 400; n++) await put(tx, { kind: 'deliver', payload: { n } })
    })
    let held = 0
    for (let kill = 1; kill <= 3; kill++) {
      const child = spawnWorker()
      const before = (await effects('delivered')).length
      await until(async () => (await effects('delivered')).length > before + 20)
      child.kill('SIGKILL')
      held += (await jobsOf(db)).filter(({ isRunning }) => isRunning).length
    }
    local.push(startTestWorker(db))
    await until(isEmpty)
    const delivered = (await effects('delivered')).map(({ n }) => n)
    expect(held).toBeGreaterThan(0)
    expect(new Set(delivered).size).toBe(400)
    // Delivered twice is only what a killed process had delivered but could not mark: two places, three kills.
    expect(delivered.length - 400).toBeLessThanOrEqual(6)
  })

  it('stopped by the system is replaced when its lease ends, and takes no effect when it wakes', {
    timeout: patient(60_000),
  }, async () => {
    const child = spawnWorker()
    await put(db, { kind: 'change', payload: { n: 1 } })
    await until(async () => (await effects('begun')).length === 1)
    child.kill('SIGSTOP')
    local.push(startTestWorker(db))
    await until(isEmpty)
    const [first, second] = await effects('begun')
    expect(second?.pid).toBe(process.pid)
    expect(Number(second?.at) - Number(first?.at)).toBeLessThan(FAST.leaseMs + FAST.renewMs + patient(15_000))

    child.kill('SIGCONT')
    await until(async () => (await effects('told')).length === 1)
    await pause(800)
    expect((await effects('told')).map(({ pid }) => pid)).toEqual([child.pid])
    expect((await effects('changed')).map(({ pid }) => pid)).toEqual([process.pid])
  })
})
