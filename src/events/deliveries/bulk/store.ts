// The SQL of many deliveries at once: skipped when their webhook goes off, deleted with it, sent again after an outage, swept when they are old.

import { type Db, statement, type Tx } from '../../../db/db.ts'
import { deletionOf, sweepOf } from '../../../jobs/sweeps.ts'
import { SENT_AGAIN } from '../../store.ts'
import { NEXT_IN_LINE } from '../store.ts'

const skipLine = statement(
  'deliveries.skip_line',
  `with ${NEXT_IN_LINE}
   update deliveries
   set state = 'skipped', is_in_line = false, due_at = null, updated_at = :now
   from next
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = next.webhook_id and deliveries.id = next.id`,
)

/** Of a webhook that is off, so many; it is done when it returns less than `limit`. */
export const skipDeliveriesInLine = (db: Db, merchantId: number, webhookId: string, limit: number, now: Date) =>
  db.run(skipLine, { merchant_id: merchantId, webhook_id: webhookId, limit, now })

const removeSome = statement(
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

/** Of a webhook that is gone, so many; it is done when it returns less than `limit`. */
export const deleteDeliveriesOf = (db: Db, merchantId: number, webhookId: string, limit: number) =>
  db.run(removeSome, { merchant_id: merchantId, webhook_id: webhookId, limit })

const replayMany = statement<{ id: string }>(
  'deliveries.replay_many',
  `with next as materialized (
     select webhook_id, id
     from deliveries
     where merchant_id = :merchant_id and webhook_id = :webhook_id and state = :state and state <> 'delivered'
       and id > :after and id < :before
     order by id
     limit :limit
     for update
   )
   update deliveries
   set ${SENT_AGAIN}, due_at = null, is_in_line = true
   from next
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = next.webhook_id and deliveries.id = next.id
   returning deliveries.id`,
)

export type ReplayRange = {
  readonly merchantId: number
  readonly webhookId: string
  readonly state: 'failed' | 'skipped'
  readonly after: string
  readonly before: string
  readonly limit: number
}

/** Puts them in line, the oldest first. Whoever calls it announces the line to the webhook in the same transaction. */
export const replayDeliveries = (tx: Tx, { merchantId, webhookId, ...range }: ReplayRange, now: Date) =>
  tx.many(replayMany, { merchant_id: merchantId, webhook_id: webhookId, ...range, now })

const OLD_DELIVERIES = {
  name: 'old-deliveries',
  everySeconds: 3_600,
  column: 'created_at',
  key: { webhook_id: 'text', id: 'text' },
} as const

const deletion = deletionOf('deliveries', { ...OLD_DELIVERIES, keptDays: 0 })

/** With their events: without the payload there is nothing to send again. */
export const sweepOldDeliveries = (keptDays: number) => sweepOf('deliveries', { ...OLD_DELIVERIES, keptDays }, deletion)
