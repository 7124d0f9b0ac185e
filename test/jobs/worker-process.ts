// A worker in a process of its own, for process.test.ts to kill and to stop. Its jobs write to the table `effects`.

import type { Database } from '../../src/db/db.ts'
import { statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import type { JobHandler } from '../../src/jobs/job.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { systemClock } from '../../src/lib/clock.ts'

/** A machine that pauses for some seconds loses no lease. */
export const FAST = { leaseMs: 8_000, renewMs: 1_000, pollMs: 20 }

const addEffect = statement('test.effect', 'insert into effects (n, step, pid) values (:n, :step, :pid)')
const note = (db: Pick<Database, 'run'>, n: number, step: string) => db.run(addEffect, { n, step, pid: process.pid })
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Delivers, and is marked as done only afterwards. */
const deliver: JobHandler<{ n: number }> = {
  kind: 'deliver',
  async handle({ db, payload }) {
    await note(db, payload.n, 'delivered')
    await pause(10)
  },
}

/** Takes its time, then changes something in the transaction in which the job ends. */
const change: JobHandler<{ n: number }> = {
  kind: 'change',
  async handle({ db, payload, signal, finish }) {
    signal.addEventListener('abort', () => note(db, payload.n, 'told'))
    await note(db, payload.n, 'begun')
    await pause(500)
    await db.transaction(async (tx) => {
      await note(tx, payload.n, 'changed')
      await finish(tx)
    })
  },
}

export function startTestWorker(db: Database) {
  const silent = { info() {}, warn() {}, error() {} }
  return startWorker({ db, clock: systemClock, log: silent, handlers: [deliver, change], sweeps: [], ...FAST })
}

const { CARTWRIGHT_TEST_WORKER } = process.env
if (CARTWRIGHT_TEST_WORKER) startTestWorker(openPool(JSON.parse(CARTWRIGHT_TEST_WORKER)))
