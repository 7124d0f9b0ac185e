// What goes on behind webhooks besides sending: what is many rows, done so many at a time. A run that is told to stop in between rejects, since one
// that resolves is done for good; the next one finds what is left.

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
    await untilFewer(BATCH, signal, () => skipDeliveriesInLine(db, merchantId, payload.webhookId, BATCH, clock.now()))
  },
}

const deleteDeliveries: JobHandler<OfWebhook> = {
  kind: DELETE_DELIVERIES,
  async handle({ db, merchantId, payload, signal }) {
    await untilFewer(BATCH, signal, () => deleteDeliveriesOf(db, merchantId, payload.webhookId, BATCH))
  },
}

const replayRest: JobHandler<ReplayRest> = {
  kind: REPLAY_REST,
  async handle({ db, clock, merchantId, payload, signal }) {
    await untilFewer(REPLAYED_AT_ONCE, signal, () =>
      db.transaction((tx) => replaySome(tx, merchantId, payload, clock.now())),
    )
  },
}

/** Takes the next step while there may be more to do. */
async function untilFewer(most: number, signal: AbortSignal, step: () => Promise<number>) {
  do signal.throwIfAborted()
  while ((await step()) === most)
}

export const webhookJobs = [skipLine, deleteDeliveries, replayRest] as readonly JobHandler[]
