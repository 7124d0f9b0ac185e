// SQL for many deliveries at once: skipping those of a disabled webhook, deleting those of a deleted one, replaying after an outage, and
// sweeping old ones.

import { type Db, type Shop, statement, type Tx } from '../../../db/db.ts'
import { deletionOf, sweepOf } from '../../../jobs/sweeps.ts'
import { REPLAY_ASSIGNMENTS } from '../../store.ts'
import { NEXT_QUEUED, NOT_DELIVERED } from '../store.ts'

const skipQueued = statement(
  'deliveries.skip_line',
  `with ${NEXT_QUEUED}
   update deliveries
   set state = 'skipped', is_in_line = false, due_at = null, updated_at = :now
   from next
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = next.webhook_id and deliveries.id = next.id`,
)

/** Skips up to `limit` queued deliveries of a disabled webhook. Returns their number; less than `limit` means that none are left. */
export const skipQueuedDeliveries = (db: Db, { merchant_id }: Shop, webhookId: string, limit: number, now: Date) =>
  db.run(skipQueued, { merchant_id, webhook_id: webhookId, limit, now })

const deleteBatch = statement(
  'deliveries.delete_of_webhook',
  `with next as materialized (
     select webhook_id, id
     from deliveries
     where merchant_id = :merchant_id and webhook_id = :webhook_id
     order by id
     limit :limit
     for update skip locked
   )
   delete from deliveries using next
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = next.webhook_id and deliveries.id = next.id`,
)

/** Deletes up to `limit` deliveries of a deleted webhook. Returns their number; less than `limit` means that none are left. */
export const deleteDeliveriesOf = (db: Db, { merchant_id }: Shop, webhookId: string, limit: number) =>
  db.run(deleteBatch, { merchant_id, webhook_id: webhookId, limit })

const replayMany = statement<{ id: string }>(
  'deliveries.replay_many',
  `with next as materialized (
     select webhook_id, id
     from deliveries
     where merchant_id = :merchant_id and webhook_id = :webhook_id and state = :state and ${NOT_DELIVERED}
       and id > :after and id < :before
     order by id
     limit :limit
     for update
   )
   update deliveries
   set ${REPLAY_ASSIGNMENTS}, due_at = null, is_in_line = true
   from next
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = next.webhook_id and deliveries.id = next.id
   returning deliveries.id`,
)

export type ReplayRange = {
  readonly merchant_id: number
  readonly webhookId: string
  readonly state: 'failed' | 'skipped'
  readonly after: string
  readonly before: string
  readonly limit: number
}

/** Queues deliveries again, oldest first. The caller announces the queue (`announceWebhookQueues`) in the same transaction. */
export const replayDeliveries = (tx: Tx, { merchant_id, webhookId, ...range }: ReplayRange, now: Date) =>
  tx.many(replayMany, { merchant_id, webhook_id: webhookId, ...range, now })

const OLD_DELIVERIES = {
  name: 'old-deliveries',
  everySeconds: 3_600,
  column: 'created_at',
  key: { webhook_id: 'text', id: 'text' },
} as const

const deletion = deletionOf('deliveries', { ...OLD_DELIVERIES, keptDays: 0 })

/** Deletes deliveries at the same age as events: without the event's payload, a delivery cannot be sent again. */
export const sweepOldDeliveries = (keptDays: number) => sweepOf('deliveries', { ...OLD_DELIVERIES, keptDays }, deletion)
