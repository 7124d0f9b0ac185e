// What runs without being asked: the jobs and the sweeps of everything that is served, in lanes that do not hold up one another.

import type { Slice } from './api/slice.ts'
import { sweepOldEvents } from './events/store.ts'
import type { Services } from './http/endpoint/endpoint.ts'
import { sweepOldIdempotencyKeys } from './http/endpoint/idempotency-store.ts'
import type { Log } from './http/server/log.ts'
import type { JobHandler } from './jobs/job.ts'
import { sweepFailedJobs } from './jobs/queue.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { sweepSpentSessionKeys } from './keys/session-keys.ts'
import { sweepEndedCounters } from './limits/store.ts'

/** How many at a time: connections we open to one mail server, files that are fetched. */
const LANES: Readonly<Record<NonNullable<JobHandler['lane']>, number>> = { mail: 4, fetch: 4 }

/** Mails, and files that are fetched, have a worker of their own: servers that are slow must not hold up other jobs. */
export function startWorkers(served: readonly Slice[], services: Services, log: Log): Worker {
  const common = { db: services.db, clock: services.clock, log }
  const handlers = served.flatMap((slice) => slice.jobs?.(services) ?? [])
  const others = startWorker({
    ...common,
    handlers: handlers.filter(({ lane }) => lane === undefined),
    sweeps: [
      sweepOldEvents,
      sweepEndedCounters,
      sweepFailedJobs,
      sweepOldIdempotencyKeys,
      sweepSpentSessionKeys,
      ...served.flatMap((slice) => slice.sweeps?.(services) ?? []),
    ],
  })
  const waiting = Object.entries(LANES).map(([name, concurrency]) =>
    startWorker({ ...common, handlers: handlers.filter(({ lane }) => lane === name), sweeps: [], concurrency }),
  )
  return workersAsOne([others, ...waiting])
}

const workersAsOne = (workers: readonly Worker[]): Worker => ({
  async stop(waitMs) {
    await Promise.all(workers.map((worker) => worker.stop(waitMs)))
  },
  poke() {
    for (const worker of workers) worker.poke()
  },
})
