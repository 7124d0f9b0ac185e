// SQL for deliveries: finds due ones, leases them, queues them, and records the receiver's answer. store.ts of src/events inserts them with
// their events. The code in api/webhooks decides the next state after an answer.

import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'
import { LOGIN_TOKEN_EVENT } from '../catalogue.ts'

export type DeliveryState = 'pending' | 'sending' | 'retrying' | 'delivered' | 'failed' | 'skipped'

export type DueDelivery = { readonly merchant_id: number; readonly webhook_id: string; readonly id: string }

const findDue = statement<DueDelivery>(
  'deliveries.find_due',
  `select merchant_id, webhook_id, id
   from deliveries
   where due_at is not null and not is_in_line and due_at <= :now
   order by due_at limit :limit`,
)

/** Due deliveries of all shops. Each is then sent or queued, so that a slow receiver never hides those of others. */
export const findDueDeliveries = (db: Db, now: Date, limit: number) => db.many(findDue, { now, limit })

/** Everything needed to send a delivery: the delivery, its event and its webhook. */
export type LeasedDelivery = {
  readonly merchant_id: number
  readonly webhookId: string
  readonly id: string
  readonly claim: number
  /** Attempts before this one; `earlierAttempts` are those before the last request to send it again. */
  readonly attempts: number
  readonly earlierAttempts: number
  readonly eventId: string
  readonly event: string
  readonly kind: string
  /** Payload as JSON text. */
  readonly payload: string
  readonly responseCode: number
  readonly is_sandbox: boolean
  readonly url: string | null
  readonly version: string
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousUntil: Date | null
  /** True if an attempt has failed since the last success. */
  readonly isFailing: boolean
  readonly lastDeliveredAt: Date | null
  /** False for a login link if the webhook no longer subscribes to them. */
  readonly isWanted: boolean
}

const WAITING_STATE = `case when deliveries.attempts > deliveries.earlier_attempts then 'retrying' else 'pending' end`

/** SQL: true for a login link if the webhook no longer names the event. It may have another receiver by now. */
const unwantedLogin = (name: string, webhook: string) =>
  `(${name} = '${LOGIN_TOKEN_EVENT}' and ${name} <> all(${webhook}.subscribed_events))`

const TAKEN_COLUMNS = `taken.merchant_id, taken.webhook_id as "webhookId", taken.id, taken.claim, taken.attempts,
     taken.earlier_attempts as "earlierAttempts",
     event.id as "eventId", event.name as event, event.kind, event.payload::text as payload, event.response_code as "responseCode",
     webhook.is_sandbox, webhook.url, webhook.version, webhook.secret,
     webhook.previous_secret as "previousSecret", webhook.previous_until as "previousUntil",
     webhook.failing_since is not null as "isFailing", webhook.last_delivered_at as "lastDeliveredAt",
     not ${unwantedLogin('event.name', 'webhook')} as "isWanted"`

const JOIN_EVENT_AND_WEBHOOK = `from taken
   cross join lateral (
     select id, name, kind, payload, response_code
     from events
     where merchant_id = :merchant_id and id = taken.event_id
     offset 0
   ) event
   cross join lateral (
     select is_sandbox, url, version, subscribed_events, secret, previous_secret, previous_until, failing_since, last_delivered_at
     from webhooks
     where merchant_id = :merchant_id and id = taken.webhook_id
     offset 0
   ) webhook`

/**
 * Decides the fate of due deliveries of one shop. "send": the delivery is leased. "line": it is queued, because the receiver fails or the
 * transport is `listen`. "skip": the webhook is disabled or deleted, the event was swept, or a login link is no longer wanted. Rows locked
 * by others are left alone.
 */
const takeDue = statement<LeasedDelivery>(
  'deliveries.take_due',
  `with due as materialized (
     select held.webhook_id, held.id, held.event_id,
       case
         when webhook.id is null or webhook.disabled_at is not null or event.id is null then 'skip'
         when ${unwantedLogin('event.name', 'webhook')} then 'skip'
         when webhook.transport = 'listen' or webhook.is_held then 'line'
         else 'send'
       end as fate
     from unnest(:webhook_ids::text[], :ids::text[]) as found (webhook_id, id)
     cross join lateral (
       select webhook_id, id, event_id
       from deliveries
       where merchant_id = :merchant_id and webhook_id = found.webhook_id and id = found.id
         and due_at <= :now and not is_in_line
       offset 0
       for update skip locked
     ) held
     left join lateral (
       select id, disabled_at, transport, is_held, subscribed_events
       from webhooks
       where merchant_id = :merchant_id and id = held.webhook_id
       offset 0
     ) webhook on true
     left join lateral (
       select id, name from events where merchant_id = :merchant_id and id = held.event_id offset 0
     ) event on true
   ), taken as (
     update deliveries
     set state = case due.fate when 'send' then 'sending' when 'skip' then 'skipped' else ${WAITING_STATE} end,
       due_at = case when due.fate = 'send' then :leased_until::timestamptz end,
       is_in_line = due.fate = 'line',
       claim = deliveries.claim + 1,
       updated_at = :now
     from due
     where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = due.webhook_id and deliveries.id = due.id
     returning deliveries.merchant_id, deliveries.webhook_id, deliveries.id, deliveries.event_id, deliveries.claim,
       deliveries.attempts, deliveries.earlier_attempts, deliveries.state
   )
   select ${TAKEN_COLUMNS}
   ${JOIN_EVENT_AND_WEBHOOK}
   where taken.state = 'sending'`,
)

export const leaseDueDeliveries = (
  db: Db,
  { merchant_id }: Shop,
  due: readonly DueDelivery[],
  now: Date,
  leasedUntil: Date,
): Promise<LeasedDelivery[]> =>
  db.many(takeDue, {
    merchant_id,
    webhook_ids: due.map(({ webhook_id }) => webhook_id),
    ids: due.map(({ id }) => id),
    now,
    leased_until: leasedUntil,
  })

const queueDue = statement(
  'deliveries.put_in_line',
  `with due as materialized (
     select held.webhook_id, held.id
     from unnest(:webhook_ids::text[], :ids::text[]) as found (webhook_id, id)
     cross join lateral (
       select webhook_id, id
       from deliveries
       where merchant_id = :merchant_id and webhook_id = found.webhook_id and id = found.id
         and due_at <= :now and not is_in_line
       offset 0
       for update skip locked
     ) held
   )
   update deliveries
   set state = ${WAITING_STATE}, due_at = null, is_in_line = true, claim = deliveries.claim + 1
   from due
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = due.webhook_id and deliveries.id = due.id`,
)

/** Queues due deliveries that find no free slot. The caller announces the queue to the webhook in the same transaction. */
export const queueDeliveries = (tx: Tx, { merchant_id }: Shop, due: readonly DueDelivery[], now: Date) =>
  tx.run(queueDue, {
    merchant_id,
    webhook_ids: due.map(({ webhook_id }) => webhook_id),
    ids: due.map(({ id }) => id),
    now,
  })

/** The next queued deliveries: fewest attempts first, then oldest. */
export const NEXT_QUEUED = `next as materialized (
     select webhook_id, id
     from deliveries
     where merchant_id = :merchant_id and webhook_id = :webhook_id and is_in_line
     order by attempts, id
     limit :limit
     for update skip locked
   )`

const takeQueued = statement<LeasedDelivery>(
  'deliveries.take_line',
  `with ${NEXT_QUEUED}, taken as (
     update deliveries
     set state = 'sending', due_at = :leased_until, is_in_line = false, claim = deliveries.claim + 1, updated_at = :now
     from next
     where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = next.webhook_id and deliveries.id = next.id
     returning deliveries.merchant_id, deliveries.webhook_id, deliveries.id, deliveries.event_id, deliveries.claim,
       deliveries.attempts, deliveries.earlier_attempts
   )
   select ${TAKEN_COLUMNS}
   ${JOIN_EVENT_AND_WEBHOOK}
   order by taken.id`,
)

type LineShare = { readonly merchant_id: number; readonly webhookId: string; readonly limit: number }

/** Leases the next deliveries of a webhook's queue: fewest attempts first, then oldest. */
export const leaseQueuedDeliveries = (
  db: Db,
  { merchant_id, webhookId, limit }: LineShare,
  now: Date,
  leasedUntil: Date,
) => db.many(takeQueued, { merchant_id, webhook_id: webhookId, limit, now, leased_until: leasedUntil })

/** Request and answer of an attempt, as stored. */
export type AttemptEntry = {
  readonly number: number
  /** Unix time in seconds. */
  readonly at: number
  readonly ms: number
  readonly status: number | null
  readonly error: string | null
  readonly headers: Readonly<Record<string, string>>
  /** First part of the receiver's answer, as text. */
  readonly answer: string | null
}

/** Number of stored attempts. Only repeated manual requests cause more. */
const MAX_LOGGED = 20

const appendToLog = (entry: string) =>
  `case when jsonb_array_length(coalesce(deliveries.log, '[]')) >= ${MAX_LOGGED} then deliveries.log - 0
         else coalesce(deliveries.log, '[]') end || ${entry}::jsonb`

/** A leased delivery. `claim` shows that nobody else has leased it since. */
type Claimed = Pick<LeasedDelivery, 'merchant_id' | 'webhookId' | 'id' | 'claim'>

const endDelivered = statement(
  'deliveries.end_delivered',
  `update deliveries
   set state = 'delivered', due_at = null, attempts = deliveries.attempts + 1, last_status = arrived.status, last_error = null,
     log = ${appendToLog('arrived.entry')}, updated_at = :now
   from unnest(:webhook_ids::text[], :ids::text[], :claims::integer[], :statuses::integer[], :entries::text[])
     as arrived (webhook_id, id, claim, status, entry)
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = arrived.webhook_id and deliveries.id = arrived.id
     and deliveries.claim = arrived.claim and deliveries.state = 'sending'`,
)

export type DeliverySuccess = Claimed & { readonly entry: AttemptEntry }

/** Ends several deliveries of one shop. Skips those that another process has leased meanwhile. */
export const endDeliveredDeliveries = (
  db: Db,
  { merchant_id }: Shop,
  arrivals: readonly DeliverySuccess[],
  now: Date,
) =>
  db.run(endDelivered, {
    merchant_id,
    webhook_ids: arrivals.map(({ webhookId }) => webhookId),
    ids: arrivals.map(({ id }) => id),
    claims: arrivals.map(({ claim }) => claim),
    statuses: arrivals.map(({ entry }) => entry.status),
    entries: arrivals.map(({ entry }) => JSON.stringify(entry)),
    now,
  })

const endFailed = statement<{ attempts: number }>(
  'deliveries.end_failed',
  `update deliveries
   set state = :state, due_at = :retry_at, is_in_line = :is_in_line, attempts = deliveries.attempts + 1,
     last_status = :status, last_error = :error, log = ${appendToLog(':entry')}, updated_at = :now
   where merchant_id = :merchant_id and webhook_id = :webhook_id and id = :id and claim = :claim and state = 'sending'
   returning attempts`,
)

/** State of a delivery after a failed attempt. */
export type AfterFailure =
  | { readonly state: 'retrying'; readonly retryAt: Date }
  | { readonly state: 'retrying'; readonly isInLine: true }
  | { readonly state: 'failed' }

/** False if another process has leased it meanwhile. */
export const endFailedDelivery = async (
  tx: Tx,
  { merchant_id, webhookId, id, claim }: Claimed,
  entry: AttemptEntry,
  after: AfterFailure,
  now: Date,
): Promise<boolean> =>
  (await tx.maybe(endFailed, {
    merchant_id,
    webhook_id: webhookId,
    id,
    claim,
    state: after.state,
    retry_at: 'retryAt' in after ? after.retryAt : null,
    is_in_line: 'isInLine' in after,
    status: entry.status,
    error: entry.error,
    entry: JSON.stringify(entry),
    now,
  })) !== null

const lockSending = statement<LeasedDelivery>(
  'deliveries.lock_sending',
  `with taken as materialized (
     select merchant_id, webhook_id, id, event_id, claim, attempts, earlier_attempts
     from deliveries
     where merchant_id = :merchant_id and webhook_id = :webhook_id and id = :id and state = 'sending'
     for update
   )
   select ${TAKEN_COLUMNS}
   ${JOIN_EVENT_AND_WEBHOOK}`,
)

/** Locks a delivery to record the answer of a pulled one. Null if it is not being sent. */
export const lockSendingDelivery = (tx: Tx, { merchant_id }: Shop, webhookId: string, id: string) =>
  tx.maybe(lockSending, { merchant_id, webhook_id: webhookId, id })

// A manual attempt is added to the automatic ones, so it does not change the backoff.
const hasten = statement(
  'deliveries.hasten',
  `update deliveries
   set due_at = :now, earlier_attempts = least(earlier_attempts + 1, attempts), updated_at = :now
   where merchant_id = :merchant_id and webhook_id = :webhook_id and id = :id
     and state in ('pending', 'retrying') and not is_in_line and due_at > :now`,
)

/** Makes a delivery due now if it waits for its next attempt. Queued or finished ones stay unchanged. */
export const makeDeliveryDue = (tx: Tx, { merchant_id }: Shop, webhookId: string, id: string, now: Date) =>
  tx.run(hasten, { merchant_id, webhook_id: webhookId, id, now })
