// What runs without being asked: the jobs and the sweeps of everything that is served, in lanes that do not hold up one another.

import type { Slice } from './api/slice.ts'
import { type Dispatcher, startDispatcher } from './api/webhooks/sending/dispatcher.ts'
import { sender } from './api/webhooks/sending/send.ts'
import { sweepOldDeliveries } from './events/deliveries/bulk/store.ts'
import { sweepOldEvents } from './events/store.ts'
import type { Services } from './http/endpoint/endpoint.ts'
import { sweepOldIdempotencyKeys } from './http/endpoint/idempotency-store.ts'
import type { Log } from './http/server/log.ts'
import { type JobHandler, kindAt } from './jobs/job.ts'
import { sweepFailedJobs } from './jobs/queue.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { sweepSpentSessionKeys } from './keys/session-keys.ts'
import { sweepEndedCounters } from './limits/store.ts'

/** How many at a time: connections we open to one mail server, files that are fetched. */
const LANES = { mail: 4, fetch: 4 } as const

/** How many shops at a time have bulk work done in one process. Half of the connections that jobs have: the other lanes share the rest. */
const BULK = 2

/** How many at a time ask one payment provider. */
const OF_PROVIDER = 8

/**
 * Mails, files that are fetched, and each payment provider have a worker of their own: servers that are slow must not hold up other
 * jobs, nor one another's. So has bulk work: an import must not delay a refund. Deliveries to webhooks are no jobs: what sends them has
 * places of its own.
 */
export function startWorkers(
  served: readonly Slice[],
  services: Services,
  providers: readonly string[],
  log: Log,
  webhookPollMs?: number,
): Worker {
  const common = { db: services.db, clock: services.clock, log }
  const handlers = served.flatMap((slice) => slice.jobs?.(services) ?? [])
  const inLane = (name: JobHandler['lane']) => handlers.filter(({ lane }) => lane === name)
  const others = startWorker({
    ...common,
    // With those about payments without a provider, and of an earlier release, which did not name it.
    handlers: [...inLane(undefined), ...inLane('provider')],
    sweeps: [
      sweepOldEvents(services.retention.eventDays),
      sweepOldDeliveries(services.retention.eventDays),
      sweepEndedCounters,
      sweepFailedJobs,
      sweepOldIdempotencyKeys,
      sweepSpentSessionKeys,
      ...served.flatMap((slice) => slice.sweeps?.(services) ?? []),
    ],
  })
  const waiting = Object.entries(LANES).map(([name, concurrency]) =>
    startWorker({ ...common, handlers: inLane(name as keyof typeof LANES), sweeps: [], concurrency }),
  )
  const bulk = startWorker({ ...common, handlers: inLane('bulk'), sweeps: [], concurrency: BULK, isAlone: true })
  const atProviders = providers.map((provider) =>
    startWorker({
      ...common,
      handlers: inLane('provider').map((handler) => ({ ...handler, kind: kindAt(handler.kind, provider) })),
      sweeps: [],
      concurrency: OF_PROVIDER,
    }),
  )
  const { webhooks } = services
  const send = sender({ allowPrivateAddresses: webhooks.allowsPrivateAddresses })
  const dispatcher = startDispatcher({ ...common, ...webhooks, send, pollMs: webhookPollMs })
  return workersAsOne([others, bulk, ...waiting, ...atProviders], dispatcher)
}

const workersAsOne = (workers: readonly Worker[], dispatcher: Dispatcher): Worker => ({
  async stop(waitMs) {
    await Promise.all([...workers, dispatcher].map((worker) => worker.stop(waitMs)))
  },
  poke() {
    for (const worker of workers) worker.poke()
  },
})
