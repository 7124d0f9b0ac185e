// What goes on behind webhooks besides sending: what is many rows, done so many at a time.

import { deleteDeliveriesOf, skipDeliveriesInLine } from '../../events/deliveries/bulk/store.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { REPLAY_REST, REPLAYED_AT_ONCE, type ReplayRest, replaySome } from './delivery.ts'
import { SKIP_LINE } from './sending/record.ts'
import { DELETE_DELIVERIES } from './webhook.ts'

const BATCH = 1_000

type OfWebhook = { readonly webhookId: string }

/** What waits in line for a webhook that was switched off. Sending again, once it is on, finds it as skipped. */
const skipLine: JobHandler<OfWebhook> = {
  kind: SKIP_LINE,
  async handle({ db, clock, merchantId, payload, signal }) {
    let skipped = BATCH
    while (skipped === BATCH && !signal.aborted)
      skipped = await skipDeliveriesInLine(db, merchantId, payload.webhookId, BATCH, clock.now())
  },
}

const deleteDeliveries: JobHandler<OfWebhook> = {
  kind: DELETE_DELIVERIES,
  async handle({ db, merchantId, payload, signal }) {
    let deleted = BATCH
    while (deleted === BATCH && !signal.aborted)
      deleted = await deleteDeliveriesOf(db, merchantId, payload.webhookId, BATCH)
  },
}

const replayRest: JobHandler<ReplayRest> = {
  kind: REPLAY_REST,
  async handle({ db, clock, merchantId, payload, signal }) {
    let replayed = REPLAYED_AT_ONCE
    while (replayed === REPLAYED_AT_ONCE && !signal.aborted)
      replayed = await db.transaction((tx) => replaySome(tx, merchantId, payload, clock.now()))
  },
}

export const webhookJobs = [skipLine, deleteDeliveries, replayRest] as readonly JobHandler[]
