// Jobs of webhooks that change many rows, in batches. A run that is told to stop rejects: if it resolved, the job would count as done. After
// some batches a run enqueues another job for the rest, so that other shops get their turn.

import { deleteDeliveriesOf, skipQueuedDeliveries } from '../../events/deliveries/bulk/store.ts'
import type { JobContext, JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { REPLAY_BATCH, REPLAY_JOB, type ReplayJob, replayBatch } from './delivery.ts'
import { SKIP_QUEUE } from './sending/record.ts'
import { DELETE_DELIVERIES } from './webhook.ts'

const BATCH = 1_000

type WebhookPayload = { readonly webhookId: string }

/**
 * Skips the queued deliveries of a disabled webhook, so that they can be replayed later. The job is not in the bulk lane. There an import
 * could delay it until the webhook is enabled again, and it would skip newer deliveries.
 */
const skipQueue: JobHandler<WebhookPayload> = {
  kind: SKIP_QUEUE,
  async handle(context) {
    const { db, clock, merchant_id, payload } = context
    const runBatch = () => skipQueuedDeliveries(db, { merchant_id }, payload.webhookId, BATCH, clock.now())
    await runBatches(BATCH, context, SKIP_QUEUE, runBatch)
  },
}

const deleteDeliveries: JobHandler<WebhookPayload> = {
  kind: DELETE_DELIVERIES,
  lane: 'bulk',
  async handle(context) {
    const { db, merchant_id, payload } = context
    await runBatches(BATCH, context, DELETE_DELIVERIES, () =>
      deleteDeliveriesOf(db, { merchant_id }, payload.webhookId, BATCH),
    )
  },
}

const replayRest: JobHandler<ReplayJob> = {
  kind: REPLAY_JOB,
  lane: 'bulk',
  async handle(context) {
    const { db, clock, merchant_id, payload } = context
    await runBatches(REPLAY_BATCH, context, REPLAY_JOB, () =>
      db.transaction((tx) => replayBatch(tx, merchant_id, payload, clock.now())),
    )
  },
}

/** Batches per run, of a thousand rows each. Together they take some seconds. */
const BATCHES_PER_RUN = 5

/** Runs batches until one is not full, which ends the job. After some batches it enqueues another job for the rest. */
async function runBatches(
  batchSize: number,
  context: JobContext<object>,
  kind: string,
  runBatch: () => Promise<number>,
) {
  const { db, clock, merchant_id, payload, signal } = context
  for (let batches = 0; batches < BATCHES_PER_RUN; batches++) {
    signal.throwIfAborted()
    if ((await runBatch()) < batchSize) return
  }
  await db.transaction(async (tx) => {
    await enqueue(tx, { merchant_id, kind, payload, runAt: clock.now() })
    await context.finish(tx)
  })
}

export const webhookJobs = [skipQueue, deleteDeliveries, replayRest] as readonly JobHandler[]
