// What the tests of the queue share: a clock to set, a log to read, workers that poll fast, and waiting for a state.

import { onTestFinished } from 'vitest'
import { type Database, type Db, statement } from '../../src/db/db.ts'
import type { JobHandler, WorkerLog } from '../../src/jobs/job.ts'
import { enqueue, type NewJob } from '../../src/jobs/queue.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../src/jobs/worker.ts'
import type { Clock } from '../../src/lib/clock.ts'

export { gate, pause, until } from '../support/waiting.ts'

export const START = new Date('2026-03-01T12:00:00Z')
export const MINUTE_MS = 60_000

export type TestClock = Clock & { advance(ms: number): void }

export function testClock(start = START): TestClock {
  let time = start.getTime()
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms
    },
  }
}

export type Line = { level: string; message: string; details: object }

export function testLog(): WorkerLog & { lines: Line[] } {
  const lines: Line[] = []
  const at = (level: string) => (details: object, message: string) => {
    lines.push({ level, message, details })
  }
  return { lines, info: at('info'), warn: at('warn'), error: at('error') }
}

const workers: Worker[] = []
const stopAll = () => Promise.all(workers.splice(0).map((worker) => worker.stop(1_000)))

/** A worker that is stopped after the test. */
export function worker(options: Partial<WorkerOptions> & Pick<WorkerOptions, 'db' | 'clock'>): Worker {
  const started = startWorker({ log: testLog(), handlers: [], sweeps: [], pollMs: 10, ...options })
  if (workers.length === 0) onTestFinished(async () => void (await stopAll()))
  workers.push(started)
  return started
}

export const handler = (handle: JobHandler['handle'], more: Partial<JobHandler> = {}): JobHandler => ({
  kind: 'test',
  handle,
  ...more,
})

export const put = (db: Db, job: Partial<NewJob> = {}) =>
  enqueue(db, { merchant_id: 1, kind: 'test', payload: {}, runAt: START, ...job })

export type JobRow = {
  id: string
  key: string | null
  dueAt: Date
  isRunning: boolean
  claim: number
  attempts: number
  lastError: string | null
  failedAt: Date | null
}

const selectJobs = statement<JobRow>(
  'test.jobs',
  `select id, key, due_at as "dueAt", is_running as "isRunning", claim, attempts, last_error as "lastError",
     failed_at as "failedAt"
   from jobs where merchant_id = :merchant_id order by due_at`,
)

export const jobsOf = (db: Db, merchant_id = 1) => db.many(selectJobs, { merchant_id })

export async function onlyJob(db: Db): Promise<JobRow> {
  const [job, ...others] = await jobsOf(db)
  if (!job || others.length > 0) throw new Error(`there are ${others.length + (job ? 1 : 0)} jobs`)
  return job
}

const clear = statement('sweep.test_jobs', 'delete from jobs')
export const clearJobs = (db: Database) => db.run(clear, {})

/** A change that can be counted, in a table that is there anyway. */
export const addRevision = statement('test.revise', 'update revisions set value = value + 1 where name = :name')
export const revision = statement<{ value: number }>('test.revision', 'select value from revisions where name = :name')
