// SQL for deliveries: finds due ones, leases them, queues them, and records the receiver's answer. store.ts of src/events inserts deliveries
// with their events. The code in api/webhooks decides the next state after an answer.
//
// These columns of `deliveries` need an explanation:
//
// is_in_line        True while the delivery is in the queue of its webhook. A delivery is queued if its receiver counts as dead, or if there
//                   is no free slot when it is due. A delivery to a `listen` webhook is queued until a client fetches it.
// due_at            Time of the next attempt. In the state `sending`, the end of the lease. Null if the delivery is queued or finished.
// claim             Rises with each lease. A process whose lease has expired can therefore not record its answer.
// attempts          Number of finished attempts, including manual ones.
// earlier_attempts  Number of these that do not count for the backoff: manual ones, and all before the last replay.

import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'
import { LOGIN_TOKEN_EVENT } from '../catalogue.ts'

export type DeliveryState = 'pending' | 'sending' | 'retrying' | 'delivered' | 'failed' | 'skipped'

/**
 * SQL: the condition of the partial index `deliveries_not_delivered`. The planner uses that index only for a query that repeats the
 * condition, even if the query names another state.
 */
export const NOT_DELIVERED = "state <> 'delivered'"

export type DueDelivery = { readonly merchant_id: number; readonly webhook_id: string; readonly id: string }

const findDue = statement<DueDelivery>(
  'deliveries.find_due',
  `select merchant_id, webhook_id, id
   from deliveries
   where due_at is not null and not is_in_line and due_at <= :now
   order by due_at limit :limit`,
)

/** Due deliveries of all shops. The caller sends or queues each of them, so that those of a slow receiver never hide others. */
export const findDueDeliveries = (db: Db, now: Date, limit: number) => db.many(findDue, { now, limit })

/** Everything needed to send a delivery: the delivery, its event and its webhook. */
export type LeasedDelivery = {
  readonly merchant_id: number
  readonly webhookId: string
  readonly id: string
  readonly claim: number
  /** Number of attempts before this one, and the number of these that do not count for the backoff. */
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

/** SQL: true for a login link if the webhook no longer subscribes to login links. The webhook may have another receiver by now. */
const unwantedLogin = (name: string, webhook: string) =>
  `(${name} = '${LOGIN_TOKEN_EVENT}' and ${name} <> all(${webhook}.subscribed_events))`

const LEASED_COLUMNS = `leased.merchant_id, leased.webhook_id as "webhookId", leased.id, leased.claim, leased.attempts,
     leased.earlier_attempts as "earlierAttempts",
     event.id as "eventId", event.name as event, event.kind, event.payload::text as payload, event.response_code as "responseCode",
     webhook.is_sandbox, webhook.url, webhook.version, webhook.secret,
     webhook.previous_secret as "previousSecret", webhook.previous_until as "previousUntil",
     webhook.failing_since is not null as "isFailing", webhook.last_delivered_at as "lastDeliveredAt",
     not ${unwantedLogin('event.name', 'webhook')} as "isWanted"`

const JOIN_EVENT_AND_WEBHOOK = `from leased
   cross join lateral (
     select id, name, kind, payload, response_code
     from events
     where merchant_id = :merchant_id and id = leased.event_id
     offset 0
   ) event
   cross join lateral (
     select is_sandbox, url, version, subscribed_events, secret, previous_secret, previous_until, failing_since, last_delivered_at
     from webhooks
     where merchant_id = :merchant_id and id = leased.webhook_id
     offset 0
   ) webhook`

/**
 * Decides what happens to due deliveries of one shop. "send": the delivery is leased. "queue": it is queued, because the receiver counts as
 * dead or the transport is `listen`. "skip": the webhook is disabled or deleted, the event was deleted, or a login link is no longer wanted.
 * The statement skips rows that another process has locked.
 */
const leaseDue = statement<LeasedDelivery>(
  'deliveries.take_due',
  `with due as materialized (
     select locked.webhook_id, locked.id, locked.event_id,
       case
         when webhook.id is null or webhook.disabled_at is not null or event.id is null then 'skip'
         when ${unwantedLogin('event.name', 'webhook')} then 'skip'
         when webhook.transport = 'listen' or webhook.is_held then 'queue'
         else 'send'
       end as decision
     from unnest(:webhook_ids::text[], :ids::text[]) as candidate (webhook_id, id)
     cross join lateral (
       select webhook_id, id, event_id
       from deliveries
       where merchant_id = :merchant_id and webhook_id = candidate.webhook_id and id = candidate.id
         and due_at <= :now and not is_in_line
       offset 0
       for update skip locked
     ) locked
     left join lateral (
       select id, disabled_at, transport, is_held, subscribed_events
       from webhooks
       where merchant_id = :merchant_id and id = locked.webhook_id
       offset 0
     ) webhook on true
     left join lateral (
       select id, name from events where merchant_id = :merchant_id and id = locked.event_id offset 0
     ) event on true
   ), leased as (
     update deliveries
     set state = case due.decision when 'send' then 'sending' when 'skip' then 'skipped' else ${WAITING_STATE} end,
       due_at = case when due.decision = 'send' then :leased_until::timestamptz end,
       is_in_line = due.decision = 'queue',
       claim = deliveries.claim + 1,
       updated_at = :now
     from due
     where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = due.webhook_id and deliveries.id = due.id
     returning deliveries.merchant_id, deliveries.webhook_id, deliveries.id, deliveries.event_id, deliveries.claim,
       deliveries.attempts, deliveries.earlier_attempts, deliveries.state
   )
   select ${LEASED_COLUMNS}
   ${JOIN_EVENT_AND_WEBHOOK}
   where leased.state = 'sending'`,
)

/** Leases the deliveries that can be sent now, and returns them. The others are queued or skipped. */
export const leaseDueDeliveries = (
  db: Db,
  { merchant_id }: Shop,
  due: readonly DueDelivery[],
  now: Date,
  leasedUntil: Date,
): Promise<LeasedDelivery[]> =>
  db.many(leaseDue, {
    merchant_id,
    webhook_ids: due.map(({ webhook_id }) => webhook_id),
    ids: due.map(({ id }) => id),
    now,
    leased_until: leasedUntil,
  })

const queueDue = statement(
  'deliveries.put_in_line',
  `with due as materialized (
     select locked.webhook_id, locked.id
     from unnest(:webhook_ids::text[], :ids::text[]) as candidate (webhook_id, id)
     cross join lateral (
       select webhook_id, id
       from deliveries
       where merchant_id = :merchant_id and webhook_id = candidate.webhook_id and id = candidate.id
         and due_at <= :now and not is_in_line
       offset 0
       for update skip locked
     ) locked
   )
   update deliveries
   set state = ${WAITING_STATE}, due_at = null, is_in_line = true, claim = deliveries.claim + 1
   from due
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = due.webhook_id and deliveries.id = due.id`,
)

/** Queues due deliveries for which there is no free slot. The caller announces the queue (`announceWebhookQueues`) in the same transaction. */
export const queueDeliveries = (tx: Tx, { merchant_id }: Shop, due: readonly DueDelivery[], now: Date) =>
  tx.run(queueDue, {
    merchant_id,
    webhook_ids: due.map(({ webhook_id }) => webhook_id),
    ids: due.map(({ id }) => id),
    now,
  })

/** Part of a `with`: locks the next queued deliveries, fewest attempts first, then oldest. */
export const NEXT_QUEUED = `next as materialized (
     select webhook_id, id
     from deliveries
     where merchant_id = :merchant_id and webhook_id = :webhook_id and is_in_line
     order by attempts, id
     limit :limit
     for update skip locked
   )`

const leaseQueued = statement<LeasedDelivery>(
  'deliveries.take_line',
  `with ${NEXT_QUEUED}, leased as (
     update deliveries
     set state = 'sending', due_at = :leased_until, is_in_line = false, claim = deliveries.claim + 1, updated_at = :now
     from next
     where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = next.webhook_id and deliveries.id = next.id
     returning deliveries.merchant_id, deliveries.webhook_id, deliveries.id, deliveries.event_id, deliveries.claim,
       deliveries.attempts, deliveries.earlier_attempts
   )
   select ${LEASED_COLUMNS}
   ${JOIN_EVENT_AND_WEBHOOK}
   order by leased.id`,
)

type QueuePart = { readonly merchant_id: number; readonly webhookId: string; readonly limit: number }

/** Leases the next deliveries of a webhook's queue: fewest attempts first, then oldest. */
export const leaseQueuedDeliveries = (
  db: Db,
  { merchant_id, webhookId, limit }: QueuePart,
  now: Date,
  leasedUntil: Date,
) => db.many(leaseQueued, { merchant_id, webhook_id: webhookId, limit, now, leased_until: leasedUntil })

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

/** Maximum number of stored attempts. Only repeated manual requests cause more attempts. */
const MAX_LOGGED = 20

const appendToLog = (entry: string) =>
  `case when jsonb_array_length(coalesce(deliveries.log, '[]')) >= ${MAX_LOGGED} then deliveries.log - 0
         else coalesce(deliveries.log, '[]') end || ${entry}::jsonb`

/** Key of a leased delivery. With `claim`, a statement matches only if nobody else has leased the delivery since. */
type DeliveryClaim = Pick<LeasedDelivery, 'merchant_id' | 'webhookId' | 'id' | 'claim'>

const endDelivered = statement(
  'deliveries.end_delivered',
  `update deliveries
   set state = 'delivered', due_at = null, attempts = deliveries.attempts + 1, last_status = success.status, last_error = null,
     log = ${appendToLog('success.entry')}, updated_at = :now
   from unnest(:webhook_ids::text[], :ids::text[], :claims::integer[], :statuses::integer[], :entries::text[])
     as success (webhook_id, id, claim, status, entry)
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = success.webhook_id and deliveries.id = success.id
     and deliveries.claim = success.claim and deliveries.state = 'sending'`,
)

export type DeliverySuccess = DeliveryClaim & { readonly entry: AttemptEntry }

/** Marks deliveries of one shop as delivered. Skips those that another process has leased meanwhile. */
export const endDeliveredDeliveries = (
  db: Db,
  { merchant_id }: Shop,
  successes: readonly DeliverySuccess[],
  now: Date,
) =>
  db.run(endDelivered, {
    merchant_id,
    webhook_ids: successes.map(({ webhookId }) => webhookId),
    ids: successes.map(({ id }) => id),
    claims: successes.map(({ claim }) => claim),
    statuses: successes.map(({ entry }) => entry.status),
    entries: successes.map(({ entry }) => JSON.stringify(entry)),
    now,
  })

const endFailed = statement<{ attempts: number }>(
  'deliveries.end_failed',
  `update deliveries
   set state = :state, due_at = :retry_at, is_in_line = :is_queued, attempts = deliveries.attempts + 1,
     last_status = :status, last_error = :error, log = ${appendToLog(':entry')}, updated_at = :now
   where merchant_id = :merchant_id and webhook_id = :webhook_id and id = :id and claim = :claim and state = 'sending'
   returning attempts`,
)

/** State of a delivery after a failed attempt. */
export type AfterFailure =
  | { readonly state: 'retrying'; readonly retryAt: Date }
  | { readonly state: 'retrying'; readonly isQueued: true }
  | { readonly state: 'failed' }

/** Records a failed attempt. Returns false if another process has leased the delivery meanwhile. */
export const endFailedDelivery = async (
  tx: Tx,
  { merchant_id, webhookId, id, claim }: DeliveryClaim,
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
    is_queued: 'isQueued' in after,
    status: entry.status,
    error: entry.error,
    entry: JSON.stringify(entry),
    now,
  })) !== null

const lockSending = statement<LeasedDelivery>(
  'deliveries.lock_sending',
  `with leased as materialized (
     select merchant_id, webhook_id, id, event_id, claim, attempts, earlier_attempts
     from deliveries
     where merchant_id = :merchant_id and webhook_id = :webhook_id and id = :id and state = 'sending'
     for update
   )
   select ${LEASED_COLUMNS}
   ${JOIN_EVENT_AND_WEBHOOK}`,
)

/** Locks a delivery that a client has fetched, to record its result. Returns null if the delivery is not being sent. */
export const lockSendingDelivery = (tx: Tx, { merchant_id }: Shop, webhookId: string, id: string) =>
  tx.maybe(lockSending, { merchant_id, webhook_id: webhookId, id })

// An attempt that a person requests does not count for the backoff, so `earlier_attempts` rises too.
const makeDue = statement(
  'deliveries.hasten',
  `update deliveries
   set due_at = :now, earlier_attempts = least(earlier_attempts + 1, attempts), updated_at = :now
   where merchant_id = :merchant_id and webhook_id = :webhook_id and id = :id
     and state in ('pending', 'retrying') and not is_in_line and due_at > :now`,
)

/** Makes a delivery due now if it waits for its next attempt. A queued or finished delivery stays unchanged. */
export const makeDeliveryDue = (tx: Tx, { merchant_id }: Shop, webhookId: string, id: string, now: Date) =>
  tx.run(makeDue, { merchant_id, webhook_id: webhookId, id, now })
