// SQL that sends deliveries: the health of a receiver, the leases of a webhook's queue, and the data of a notice. The start of ../store.ts
// explains the columns.
//
// The dispatcher checks a queue only while `turn_at` is set. Two races could leave a delivery in a queue that nobody checks.
//
// A delivery is added while the dispatcher ends the queue:
// 1. The dispatcher leases the queue and reads the change counter `turn`.
// 2. It takes the queued deliveries. There are fewer than it has slots, so the queue is empty now.
// 3. A transaction adds a delivery and announces it, which raises `turn`.
// 4. The dispatcher ends the queue. Without a check it would clear `turn_at`, and the delivery would wait forever.
// So the dispatcher ends a queue only if `turn` is still the one that it has read.
//
// A delivery is added without an announcement:
// 1. A change of the shop inserts an event. The receiver counts as dead, so the event's delivery is queued. The transaction does not
//    announce it, because that would lock the webhook during every change of the shop.
// 2. Before it commits, a probe succeeds. The dispatcher serves the queue. It cannot see the new delivery and finds the queue empty.
// 3. The transaction commits. If the dispatcher had ended the queue in step 2, the delivery would wait forever.
// So an empty queue is still checked for some time after its receiver has recovered, until `line_kept_until`.

import { type Db, type Shop, statement, type Tx } from '../../../db/db.ts'
import { BY_KEY, keyOf } from '../../../db/records.ts'
import { NOT_DELIVERED } from '../../../events/deliveries/store.ts'
import type { WebhookKey } from '../secret.ts'
import type { DisabledReason, Health } from './outcome.ts'

const keyValues = ({ merchant_id, webhookId }: WebhookKey) => keyOf({ merchant_id }, webhookId)

// The health of a receiver.

/** Must exceed the longest transaction that inserts events: the second race above. */
const EMPTY_QUEUE_CHECKS_MS = 10 * 60_000

/** End of the time in which an empty queue is still checked, if its receiver recovers now. */
export const endOfEmptyQueueChecks = (now: Date) => new Date(now.getTime() + EMPTY_QUEUE_CHECKS_MS)

export type HealthRow = Health & { readonly is_disabled: boolean }

const lockHealth = statement<HealthRow>(
  'webhooks.lock_health',
  `select failing_since, failures, first_failures, warnings, is_held, probes, turn_at, disabled_at is not null as is_disabled
   from webhooks
   where ${BY_KEY}
   for update`,
)

export const lockWebhookHealth = (tx: Tx, webhook: WebhookKey) => tx.maybe(lockHealth, keyValues(webhook))

const setHealth = statement(
  'webhooks.set_health',
  `update webhooks
   set failing_since = :failing_since, failures = :failures, first_failures = :first_failures, warnings = :warnings,
     is_held = :is_held, probes = :probes, turn_at = :turn_at, turn = turn + 1,
     disabled_reason = coalesce(disabled_reason, :disabled_reason),
     disabled_at = coalesce(disabled_at, case when :disabled_reason::text is not null then :now::timestamptz end)
   where ${BY_KEY}`,
)

/** Sets the health of a webhook that the transaction has locked. */
export const setWebhookHealth = (
  tx: Tx,
  webhook: WebhookKey,
  health: Health,
  disabled_reason: DisabledReason | null,
  now: Date,
) => tx.run(setHealth, { ...keyValues(webhook), ...health, disabled_reason, now })

const recordSuccess = statement(
  'webhooks.note_arrival',
  `update webhooks
   set last_delivered_at = :now, failing_since = null, failures = 0, first_failures = 0, warnings = 0, probes = 0,
     turn_at = case when is_held then :now else turn_at end,
     line_kept_until = case when is_held then :checked_until::timestamptz else line_kept_until end, is_held = false
   where ${BY_KEY}`,
)

/** Records that a delivery has arrived, which ends an outage. If the receiver counted as dead, its queue is due at once. */
export const recordWebhookSuccess = (db: Db, webhook: WebhookKey, now: Date) =>
  db.run(recordSuccess, { ...keyValues(webhook), now, checked_until: endOfEmptyQueueChecks(now) })

export type NoticeRow = {
  readonly url: string
  readonly is_sandbox: boolean
  readonly failingSince: Date | null
  readonly disabledReason: DisabledReason | null
  /** Error of the newest delivery that is being retried. */
  readonly lastError: string | null
}

const selectNotice = statement<NoticeRow>(
  'webhooks.find_notice',
  `select coalesce(url, description) as url, is_sandbox, failing_since as "failingSince",
     disabled_reason as "disabledReason",
     (
       select last_error from deliveries
       where merchant_id = :merchant_id and webhook_id = :id and state = 'retrying' and ${NOT_DELIVERED}
       order by id desc limit 1
     ) as "lastError"
   from webhooks
   where ${BY_KEY}`,
)

/** Data of a notice about a failing or disabled webhook. */
export const findNotice = (db: Db, webhook: WebhookKey) => db.maybe(selectNotice, keyValues(webhook))

// The queue of a webhook.

type QueueKey = { readonly merchant_id: number; readonly id: string }

const findDue = statement<QueueKey>(
  'webhooks.find_lines',
  `select merchant_id, id from webhooks
   where turn_at is not null and turn_at <= :now
   order by turn_at limit :limit`,
)

/** Webhooks of all shops with a due queue that no process serves. */
export const findDueQueues = (db: Db, now: Date, limit: number) => db.many(findDue, { now, limit })

const announce = statement(
  'webhooks.announce_lines',
  `update webhooks
   set turn = turn + 1,
     turn_at = case when is_held and not :retries_at_once::boolean then coalesce(turn_at, :now) else least(coalesce(turn_at, :now), :now) end
   where merchant_id = :merchant_id and id = any(:ids::text[]) and transport = 'http'`,
)

/**
 * Makes the queues due. Call it in the transaction that queues the deliveries. The queue of a dead receiver waits for its next probe, unless
 * `retriesAtOnce` is true.
 */
export const announceWebhookQueues = (
  tx: Tx,
  { merchant_id }: Shop,
  ids: readonly string[],
  now: Date,
  { retriesAtOnce = false }: { readonly retriesAtOnce?: boolean } = {},
) => tx.run(announce, { merchant_id, ids, retries_at_once: retriesAtOnce, now })

/** Facts about a queue at the time of its lease. `changes` is the change counter. */
export type QueueLease = { readonly changes: number; readonly isReceiverDead: boolean }

const lease = statement<QueueLease>(
  'webhooks.take_turn',
  `update webhooks set turn_at = :leased_until
   where ${BY_KEY} and disabled_at is null and (turn_at <= :now or turn_at = :current_lease_end)
   returning turn as changes, is_held as "isReceiverDead"`,
)

/**
 * Leases a due queue, or extends the caller's own lease. `currentLeaseEnd` is the end of that lease; null if the caller has none. Returns
 * null if another process serves the queue, or it is not due.
 */
export const leaseWebhookQueue = (
  db: Db,
  webhook: WebhookKey,
  currentLeaseEnd: Date | null,
  now: Date,
  leasedUntil: Date,
) => db.maybe(lease, { ...keyValues(webhook), current_lease_end: currentLeaseEnd, now, leased_until: leasedUntil })

// `turn_at is not distinct from` makes the planner find the webhook by its key. With `=`, it would use the index on `turn_at`, in which the
// queues of many shops may have the same time.
const end = statement(
  'webhooks.end_line',
  `update webhooks set turn_at = null
   where ${BY_KEY} and turn = :changes and turn_at is not distinct from :lease_end and not is_held
     and (line_kept_until is null or line_kept_until <= :lease_end)`,
)

/**
 * Ends a queue that was found empty, so that nobody checks it. `changes` is the change counter from before. Nothing changes if a delivery
 * was announced meanwhile. While an unannounced one is possible, nothing changes either: the queue is checked again when the lease ends.
 */
export const endWebhookQueue = (db: Db, webhook: WebhookKey, changes: number, leaseEnd: Date) =>
  db.run(end, { ...keyValues(webhook), changes, lease_end: leaseEnd })
