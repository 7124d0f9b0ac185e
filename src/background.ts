// Background work: the jobs and sweeps of all slices. Separate lanes keep slow work from delaying the rest.

import type { Slice } from './api/slice.ts'
import { type Dispatcher, startDispatcher } from './api/webhooks/sending/dispatcher.ts'
import { createSender } from './api/webhooks/sending/send.ts'
import { sweepOldDeliveries } from './events/deliveries/bulk/store.ts'
import { sweepOldEvents } from './events/store.ts'
import type { Services } from './http/endpoint/endpoint.ts'
import { sweepOldIdempotencyKeys } from './http/endpoint/idempotency-store.ts'
import type { Log } from './http/server/log.ts'
import { type JobHandler, storedKind } from './jobs/job.ts'
import { sweepFailedJobs } from './jobs/queue.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { sweepSpentSessionKeys } from './keys/session-keys.ts'
import { sweepEndedCounters } from './limits/store.ts'

/** Concurrent jobs per lane: connections to one mail server, and file downloads. */
const LANES = { mail: 4, fetch: 4 } as const

/** Shops with bulk work at a time in one process. Bulk work gets half of the job connections; the other lanes share the rest. */
const BULK = 2

/** Concurrent requests to one payment provider. */
const PROVIDER_CONCURRENCY = 8

/**
 * Mails, file downloads and each payment provider have a worker of their own. A slow server must not delay other jobs or other servers'
 * jobs. Bulk work has a worker too: an import must not delay a refund. Webhook deliveries are not jobs; the dispatcher has its own slots.
 */
export function startWorkers(
  slices: readonly Slice[],
  services: Services,
  providers: readonly string[],
  log: Log,
  webhookPollMs?: number,
): Worker {
  const common = { db: services.db, clock: services.clock, log }
  const handlers = slices.flatMap((slice) => slice.jobs?.(services) ?? [])
  const inLane = (name: JobHandler['lane']) => handlers.filter(({ lane }) => lane === name)
  const generalWorker = startWorker({
    ...common,
    // Includes payment jobs without a provider, and those of an earlier release, which did not name it.
    handlers: [...inLane(undefined), ...inLane('provider')],
    sweeps: [
      sweepOldEvents(services.retention.eventDays),
      sweepOldDeliveries(services.retention.eventDays),
      sweepEndedCounters,
      sweepFailedJobs,
      sweepOldIdempotencyKeys,
      sweepSpentSessionKeys,
      ...slices.flatMap((slice) => slice.sweeps?.(services) ?? []),
    ],
  })
  const laneWorkers = Object.entries(LANES).map(([name, concurrency]) =>
    startWorker({ ...common, handlers: inLane(name as keyof typeof LANES), sweeps: [], concurrency }),
  )
  const bulkWorker = startWorker({
    ...common,
    handlers: inLane('bulk'),
    sweeps: [],
    concurrency: BULK,
    isOnePerShop: true,
  })
  const providerWorkers = providers.map((provider) =>
    startWorker({
      ...common,
      handlers: inLane('provider').map((handler) => ({ ...handler, kind: storedKind(handler.kind, provider) })),
      sweeps: [],
      concurrency: PROVIDER_CONCURRENCY,
    }),
  )
  const { webhooks } = services
  const send = createSender({ allowPrivateAddresses: webhooks.allowsPrivateAddresses })
  const dispatcher = startDispatcher({ ...common, ...webhooks, send, pollMs: webhookPollMs })
  return workersAsOne([generalWorker, bulkWorker, ...laneWorkers, ...providerWorkers], dispatcher)
}

const workersAsOne = (workers: readonly Worker[], dispatcher: Dispatcher): Worker => ({
  async stop(waitMs) {
    await Promise.all([...workers, dispatcher].map((worker) => worker.stop(waitMs)))
  },
  poke() {
    for (const worker of workers) worker.poke()
  },
})
