// What goes on behind webhooks besides sending: what is many rows, done so many at a time. A run that is told to stop in between rejects, since one
// that resolves is done for good; the next one finds what is left. After some steps another job goes on, so that other shops have their turn.

import { deleteDeliveriesOf, skipDeliveriesInLine } from '../../events/deliveries/bulk/store.ts'
import type { JobContext, JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { REPLAY_REST, REPLAYED_AT_ONCE, type ReplayRest, replaySome } from './delivery.ts'
import { SKIP_LINE } from './sending/record.ts'
import { DELETE_DELIVERIES } from './webhook.ts'

const BATCH = 1_000

type OfWebhook = { readonly webhookId: string }

/**
 * What waits in line for a webhook that was switched off. Sending again, once it is on, finds it as skipped. Not in the lane of bulk work: behind
 * an import it would skip what came after the webhook is on again.
 */
const skipLine: JobHandler<OfWebhook> = {
  kind: SKIP_LINE,
  async handle(context) {
    const { db, clock, merchantId, payload } = context
    const step = () => skipDeliveriesInLine(db, merchantId, payload.webhookId, BATCH, clock.now())
    await untilFewer(BATCH, context, SKIP_LINE, step)
  },
}

const deleteDeliveries: JobHandler<OfWebhook> = {
  kind: DELETE_DELIVERIES,
  lane: 'bulk',
  async handle(context) {
    const { db, merchantId, payload } = context
    await untilFewer(BATCH, context, DELETE_DELIVERIES, () =>
      deleteDeliveriesOf(db, merchantId, payload.webhookId, BATCH),
    )
  },
}

const replayRest: JobHandler<ReplayRest> = {
  kind: REPLAY_REST,
  lane: 'bulk',
  async handle(context) {
    const { db, clock, merchantId, payload } = context
    await untilFewer(REPLAYED_AT_ONCE, context, REPLAY_REST, () =>
      db.transaction((tx) => replaySome(tx, merchantId, payload, clock.now())),
    )
  },
}

/** Steps of a thousand rows each: some seconds. */
const STEPS_A_RUN = 5

/** Takes the next step while there may be more to do. What is left after some steps is the work of another job. */
async function untilFewer(most: number, context: JobContext<object>, kind: string, step: () => Promise<number>) {
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
