// The sweeps of the events, attempts, jobs and Idempotency-Key tables, and the loop that every deleting sweep uses.
// Each batch is a statement of its own: one long delete would hold its locks, and the vacuum, for as long as it runs.

import { deleteEventsBefore } from '../events/emit.ts'
import { deleteOldKeys } from '../http/endpoint/idempotency-store.ts'
import { deleteAttemptsEndedBy } from '../limits/guesses.ts'
import { deleteFailedJobsBefore } from './queue.ts'
import type { Sweep } from './schedule.ts'

const BATCH = 1_000
const KEPT_DAYS = 30
const DAY_MS = 86_400_000

const daysBefore = (moment: Date, days: number) => new Date(moment.getTime() - days * DAY_MS)

/** Repeats `deleteBatch` until it finds less than a full batch, and returns the sum. Stops early when the signal fires. */
export async function inBatches(signal: AbortSignal, deleteBatch: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  while (!signal.aborted) {
    const deleted = await deleteBatch(BATCH)
    total += deleted
    if (deleted < BATCH) break
  }
  return total
}

/** Events are kept 30 days, delivered or not. */
export const sweepOldEvents: Sweep = {
  name: 'old-events',
  everySeconds: 3_600,
  run({ db, clock, signal }) {
    const oldest = daysBefore(clock.now(), KEPT_DAYS)
    return inBatches(signal, (limit) => deleteEventsBefore(db, oldest, limit))
  },
}

/** Jobs that were given up are kept 30 days for whoever looks into them. */
export const sweepFailedJobs: Sweep = {
  name: 'failed-jobs',
  everySeconds: 3_600,
  run({ db, clock, signal }) {
    const oldest = daysBefore(clock.now(), KEPT_DAYS)
    return inBatches(signal, (limit) => deleteFailedJobsBefore(db, oldest, limit))
  },
}

/** Counters of guesses mean nothing once their window has ended. Often, as a stranger can make many of them. */
export const sweepEndedAttempts: Sweep = {
  name: 'ended-attempts',
  everySeconds: 300,
  run({ db, clock, signal }) {
    const moment = clock.now()
    return inBatches(signal, (limit) => deleteAttemptsEndedBy(db, moment, limit))
  },
}

/** Answers kept for an Idempotency-Key. Often, as a stranger can have many kept. */
export const sweepOldIdempotencyKeys: Sweep = {
  name: 'old-idempotency-keys',
  everySeconds: 900,
  run({ db, clock, signal }) {
    const moment = clock.now()
    return inBatches(signal, (limit) => deleteOldKeys(db, moment, limit))
  },
}
