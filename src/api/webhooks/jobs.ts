// Jobs of webhooks that change many rows, in batches. An aborted run rejects, because a resolved job counts as done; the next run
// continues. After some batches another job continues, so that other shops get their turn.

import { deleteDeliveriesOf, skipDeliveriesInLine } from '../../events/deliveries/bulk/store.ts'
import type { JobContext, JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { REPLAY_REST, REPLAYED_AT_ONCE, type ReplayRest, replaySome } from './delivery.ts'
import { SKIP_LINE } from './sending/record.ts'
import { DELETE_DELIVERIES } from './webhook.ts'

const BATCH = 1_000

type OfWebhook = { readonly webhookId: string }

/**
 * Skips the queued deliveries of a disabled webhook, so that they can be replayed later. Not in the bulk lane: delayed by an import, it
 * could skip deliveries from after the webhook is on again.
 */
const skipLine: JobHandler<OfWebhook> = {
  kind: SKIP_LINE,
  async handle(context) {
    const { db, clock, merchantId, payload } = context
    const step = () => skipDeliveriesInLine(db, merchantId, payload.webhookId, BATCH, clock.now())
    await runBatches(BATCH, context, SKIP_LINE, step)
  },
}

const deleteDeliveries: JobHandler<OfWebhook> = {
  kind: DELETE_DELIVERIES,
  lane: 'bulk',
  async handle(context) {
    const { db, merchantId, payload } = context
    await runBatches(BATCH, context, DELETE_DELIVERIES, () =>
      deleteDeliveriesOf(db, merchantId, payload.webhookId, BATCH),
    )
  },
}

const replayRest: JobHandler<ReplayRest> = {
  kind: REPLAY_REST,
  lane: 'bulk',
  async handle(context) {
    const { db, clock, merchantId, payload } = context
    await runBatches(REPLAYED_AT_ONCE, context, REPLAY_REST, () =>
      db.transaction((tx) => replaySome(tx, merchantId, payload, clock.now())),
    )
  },
}

/** Batches of a thousand rows per run, which take some seconds. */
const STEPS_A_RUN = 5

/** Runs steps until one is not full. After some steps another job continues. */
async function runBatches(most: number, context: JobContext<object>, kind: string, step: () => Promise<number>) {
  const { db, clock, merchantId, payload, signal } = context
  for (let steps = 0; steps < STEPS_A_RUN; steps++) {
    signal.throwIfAborted()
    if ((await step()) < most) return
  }
  await db.transaction(async (tx) => {
    await enqueue(tx, { merchantId, kind, payload, runAt: clock.now() })
    await context.finish(tx)
  })
}

export const webhookJobs = [skipLine, deleteDeliveries, replayRest] as readonly JobHandler[]
