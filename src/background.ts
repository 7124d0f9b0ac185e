// Background work: the jobs and sweeps of all slices, the completer of captures, the encryption of credentials. Separate lanes keep slow
// work from delaying the rest.

import { setTimeout as pause } from 'node:timers/promises'
import { startCompleter } from './api/capture/completer.ts'
import { startSealing } from './api/payment-methods/reseal.ts'
import type { Slice } from './api/slice.ts'
import { type Dispatcher, startDispatcher } from './api/webhooks/sending/dispatcher.ts'
import { createSender } from './api/webhooks/sending/send.ts'
import { sweepOldDeliveries } from './events/deliveries/bulk/store.ts'
import { sweepOldEvents } from './events/store.ts'
import { providers } from './gateways/index.ts'
import { openAccountSlots } from './gateways/provider/call-slots.ts'
import type { Services } from './http/endpoint/endpoint.ts'
import { sweepOldIdempotencyKeys } from './http/endpoint/idempotency-store.ts'
import type { Log } from './http/server/log.ts'
import { type JobHandler, storedKind } from './jobs/job.ts'
import { sweepFailedJobs } from './jobs/queue.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import type { CredentialKeys } from './keys/credential-keys.ts'
import { sweepSpentSessionKeys } from './keys/session-keys.ts'
import { sweepEndedCounters } from './limits/store.ts'

/** Concurrent jobs per lane: connections to one mail server, and file downloads. */
const LANES = { mail: 4, fetch: 4 } as const

/** Shops with bulk work at a time in one process. Bulk work gets half of the job connections; the other lanes share the rest. */
const BULK = 2

/** Concurrent requests to one payment provider. */
const PROVIDER_CONCURRENCY = 8

/** Default time that a stop gives running jobs. */
const JOBS_STOP_MS = 8_000

type BackgroundWork = {
  readonly slices: readonly Slice[]
  /** With the pool of the jobs. */
  readonly services: Services
  readonly credentialKeys: CredentialKeys
  readonly log: Log
  readonly webhookPollMs: number | undefined
}

/** Starts the jobs, the completer of captures, and the encryption of stored credentials. */
export function startBackground(work: BackgroundWork): Worker {
  const { services, credentialKeys, log } = work
  if (!services.mailer.goesOut)
    log.warn('Live mails are not sent: SMTP_URL is not set. Customers of live shops get no receipts and cannot log in.')
  const { credentials } = services.webhooks
  const tasks = [
    startCompleter(services, log),
    startSealing({ db: services.db, credentials, keys: credentialKeys }, log),
  ]
  const jobs = startWorkers(work)
  return {
    poke: jobs.poke,
    async stop(waitMs = JOBS_STOP_MS) {
      const tasksStop = Promise.all(tasks.map((each) => each.stop()))
      // Any process later resumes work that they leave unfinished.
      await Promise.all([jobs.stop(waitMs), Promise.race([tasksStop, pause(waitMs, undefined, { ref: false })])])
    },
  }
}

/**
 * Mails, file downloads and each payment provider have a worker of their own. A slow server must not delay other jobs or other servers'
 * jobs. Bulk work has a worker too: an import must not delay a refund. Webhook deliveries are not jobs; the dispatcher has its own slots.
 */
function startWorkers({ slices, services: shared, log, webhookPollMs }: BackgroundWork): Worker {
  const services = { ...shared, payments: { ...shared.payments, accountSlots: openAccountSlots() } }
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
