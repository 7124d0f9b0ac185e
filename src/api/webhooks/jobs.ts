// Jobs of webhooks that change many rows, in batches. An aborted run rejects, because a resolved job counts as done; the next run
// continues. After some batches another job continues, so that other shops get their turn.

import { deleteDeliveriesOf, skipQueuedDeliveries } from '../../events/deliveries/bulk/store.ts'
import type { JobContext, JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { REPLAY_BATCH, REPLAY_JOB, type ReplayJob, replaySome } from './delivery.ts'
import { SKIP_QUEUE } from './sending/record.ts'
import { DELETE_DELIVERIES } from './webhook.ts'

const BATCH = 1_000

type OfWebhook = { readonly webhookId: string }

/**
 * Skips the queued deliveries of a disabled webhook, so that they can be replayed later. Not in the bulk lane: delayed by an import, it
 * could skip deliveries from after the webhook is on again.
 */
const skipQueue: JobHandler<OfWebhook> = {
  kind: SKIP_QUEUE,
  async handle(context) {
    const { db, clock, merchant_id, payload } = context
    const runBatch = () => skipQueuedDeliveries(db, { merchant_id }, payload.webhookId, BATCH, clock.now())
    await runBatches(BATCH, context, SKIP_QUEUE, runBatch)
  },
}

const deleteDeliveries: JobHandler<OfWebhook> = {
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
      db.transaction((tx) => replaySome(tx, merchant_id, payload, clock.now())),
    )
  },
}

/** Batches per run, of a thousand rows each; together they take some seconds. */
const BATCHES_PER_RUN = 5

/** Runs batches until one is not full. After some batches another job continues. */
async function runBatches(most: number, context: JobContext<object>, kind: string, runBatch: () => Promise<number>) {
  const { db, clock, merchant_id, payload, signal } = context
  for (let batches = 0; batches < BATCHES_PER_RUN; batches++) {
    signal.throwIfAborted()
    if ((await runBatch()) < most) return
  }
  await db.transaction(async (tx) => {
    await enqueue(tx, { merchant_id, kind, payload, runAt: clock.now() })
    await context.finish(tx)
  })
}

export const webhookJobs = [skipQueue, deleteDeliveries, replayRest] as readonly JobHandler[]
