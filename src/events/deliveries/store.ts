// The SQL of deliveries: found when they are due, taken under a lease, put in line, and ended by what their receiver said. They are written
// with their events (../store.ts). What is in each decides nothing by itself: api/webhooks says what follows of an answer.

import { type Db, statement, type Tx } from '../../db/db.ts'
import { HOLDS_A_LOGIN } from '../catalogue.ts'

export type DeliveryState = 'pending' | 'sending' | 'retrying' | 'delivered' | 'failed' | 'skipped'

export type DueDelivery = { readonly merchant_id: number; readonly webhook_id: string; readonly id: string }

const findDue = statement<DueDelivery>(
  'deliveries.find_due',
  `select merchant_id, webhook_id, id
   from deliveries
   where due_at is not null and not is_in_line and due_at <= :now
   order by due_at limit :limit`,
)

/** Of all shops. What is found is either sent or put in line, so that a receiver that is slow never hides what is due for others. */
export const findDueDeliveries = (db: Db, now: Date, limit: number) => db.many(findDue, { now, limit })

/** All that is needed to send one: the delivery, its event and its webhook. */
export type TakenDelivery = {
  readonly merchantId: number
  readonly webhookId: string
  readonly id: string
  readonly claim: number
  /** Made before this one, and those of them before it was last asked to be sent. */
  readonly attempts: number
  readonly earlierAttempts: number
  readonly eventId: string
  readonly event: string
  readonly kind: string
  /** JSON. */
  readonly payload: string
  readonly responseCode: number
  readonly isSandbox: boolean
  readonly url: string | null
  readonly version: string
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousUntil: Date | null
  /** Something has failed since the last one that arrived. */
  readonly isFailing: boolean
  readonly lastDeliveredAt: Date | null
  /** False for a login link whose webhook no longer subscribes to them. */
  readonly isWanted: boolean
}

const WAITS_AGAIN = `case when deliveries.attempts > deliveries.earlier_attempts then 'retrying' else 'pending' end`

/** SQL for a login link whose webhook no longer names the event: it may have another receiver by now. */
const unwantedLogin = (name: string, webhook: string) =>
  `(${name} = '${HOLDS_A_LOGIN}' and ${name} <> all(${webhook}.subscribed_events))`

const TAKEN = `taken.merchant_id as "merchantId", taken.webhook_id as "webhookId", taken.id, taken.claim, taken.attempts,
     taken.earlier_attempts as "earlierAttempts",
     event.id as "eventId", event.name as event, event.kind, event.payload::text as payload, event.response_code as "responseCode",
     webhook.is_sandbox as "isSandbox", webhook.url, webhook.version, webhook.secret,
     webhook.previous_secret as "previousSecret", webhook.previous_until as "previousUntil",
     webhook.failing_since is not null as "isFailing", webhook.last_delivered_at as "lastDeliveredAt",
     not ${unwantedLogin('event.name', 'webhook')} as "isWanted"`

const WITH_THEIR_EVENTS = `from taken
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

/*
 * What of a shop is due is looked at with its webhook: it is sent; or put in line, where the receiver is taken for dead or comes and
 * fetches; or skipped, where the webhook is off or gone, or the event has been swept, or is a login link that is no longer wanted. What somebody else has taken meanwhile is left alone.
 */
const takeDue = statement<TakenDelivery>(
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
     set state = case due.fate when 'send' then 'sending' when 'skip' then 'skipped' else ${WAITS_AGAIN} end,
       due_at = case when due.fate = 'send' then :leased_until::timestamptz end,
       is_in_line = due.fate = 'line',
       claim = deliveries.claim + 1,
       updated_at = :now
     from due
     where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = due.webhook_id and deliveries.id = due.id
     returning deliveries.merchant_id, deliveries.webhook_id, deliveries.id, deliveries.event_id, deliveries.claim,
       deliveries.attempts, deliveries.earlier_attempts, deliveries.state
   )
   select ${TAKEN}
   ${WITH_THEIR_EVENTS}
   where taken.state = 'sending'`,
)

export const takeDueDeliveries = (
  db: Db,
  merchantId: number,
  due: readonly DueDelivery[],
  now: Date,
  leasedUntil: Date,
): Promise<TakenDelivery[]> =>
  db.many(takeDue, {
    merchant_id: merchantId,
    webhook_ids: due.map(({ webhook_id }) => webhook_id),
    ids: due.map(({ id }) => id),
    now,
    leased_until: leasedUntil,
  })

const putInLine = statement(
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
   set state = ${WAITS_AGAIN}, due_at = null, is_in_line = true, claim = deliveries.claim + 1
   from due
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = due.webhook_id and deliveries.id = due.id`,
)

/** What is due and finds no place to be sent from. Whoever calls it announces the line to the webhook in the same transaction. */
export const putDeliveriesInLine = (tx: Tx, merchantId: number, due: readonly DueDelivery[], now: Date) =>
  tx.run(putInLine, {
    merchant_id: merchantId,
    webhook_ids: due.map(({ webhook_id }) => webhook_id),
    ids: due.map(({ id }) => id),
    now,
  })

/** Those of a line that come next: what was tried least, the oldest of it. */
export const NEXT_IN_LINE = `next as materialized (
     select webhook_id, id
     from deliveries
     where merchant_id = :merchant_id and webhook_id = :webhook_id and is_in_line
     order by attempts, id
     limit :limit
     for update skip locked
   )`

const takeLine = statement<TakenDelivery>(
  'deliveries.take_line',
  `with ${NEXT_IN_LINE}, taken as (
     update deliveries
     set state = 'sending', due_at = :leased_until, is_in_line = false, claim = deliveries.claim + 1, updated_at = :now
     from next
     where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = next.webhook_id and deliveries.id = next.id
     returning deliveries.merchant_id, deliveries.webhook_id, deliveries.id, deliveries.event_id, deliveries.claim,
       deliveries.attempts, deliveries.earlier_attempts
   )
   select ${TAKEN}
   ${WITH_THEIR_EVENTS}
   order by taken.id`,
)

type LineShare = { readonly merchantId: number; readonly webhookId: string; readonly limit: number }

/** The next of a webhook's line: those that were tried least, the oldest first. */
export const takeFromLine = (db: Db, { merchantId, webhookId, limit }: LineShare, now: Date, leasedUntil: Date) =>
  db.many(takeLine, { merchant_id: merchantId, webhook_id: webhookId, limit, now, leased_until: leasedUntil })

/** What an attempt sent and heard, as it is kept. */
export type AttemptEntry = {
  readonly number: number
  /** Unix seconds. */
  readonly at: number
  readonly ms: number
  readonly status: number | null
  readonly error: string | null
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of what the receiver answered, as text. */
  readonly answer: string | null
}

/** So many attempts of a delivery are remembered: more are made only where somebody asks for them again and again. */
const REMEMBERED = 20

const APPENDED = (entry: string) =>
  `case when jsonb_array_length(coalesce(deliveries.log, '[]')) >= ${REMEMBERED} then deliveries.log - 0
         else coalesce(deliveries.log, '[]') end || ${entry}::jsonb`

/** The one that was taken, by nobody else since. */
type Claimed = Pick<TakenDelivery, 'merchantId' | 'webhookId' | 'id' | 'claim'>

const endDelivered = statement(
  'deliveries.end_delivered',
  `update deliveries
   set state = 'delivered', due_at = null, attempts = deliveries.attempts + 1, last_status = arrived.status, last_error = null,
     log = ${APPENDED('arrived.entry')}, updated_at = :now
   from unnest(:webhook_ids::text[], :ids::text[], :claims::integer[], :statuses::integer[], :entries::text[])
     as arrived (webhook_id, id, claim, status, entry)
   where deliveries.merchant_id = :merchant_id and deliveries.webhook_id = arrived.webhook_id and deliveries.id = arrived.id
     and deliveries.claim = arrived.claim and deliveries.state = 'sending'`,
)

export type Arrival = Claimed & { readonly entry: AttemptEntry }

/** Several of one shop at once. One that was taken by another meanwhile is left to that one. */
export const endDeliveredDeliveries = (db: Db, merchantId: number, arrivals: readonly Arrival[], now: Date) =>
  db.run(endDelivered, {
    merchant_id: merchantId,
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
     last_status = :status, last_error = :error, log = ${APPENDED(':entry')}, updated_at = :now
   where merchant_id = :merchant_id and webhook_id = :webhook_id and id = :id and claim = :claim and state = 'sending'
   returning attempts`,
)

/** What becomes of a delivery after an attempt that failed. */
export type AfterFailure =
  | { readonly state: 'retrying'; readonly retryAt: Date }
  | { readonly state: 'retrying'; readonly isInLine: true }
  | { readonly state: 'failed' }

/** False when another has taken it meanwhile. */
export const endFailedDelivery = async (
  tx: Tx,
  { merchantId, webhookId, id, claim }: Claimed,
  entry: AttemptEntry,
  after: AfterFailure,
  now: Date,
): Promise<boolean> =>
  (await tx.maybe(endFailed, {
    merchant_id: merchantId,
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

const lockSending = statement<TakenDelivery>(
  'deliveries.lock_sending',
  `with taken as materialized (
     select merchant_id, webhook_id, id, event_id, claim, attempts, earlier_attempts
     from deliveries
     where merchant_id = :merchant_id and webhook_id = :webhook_id and id = :id and state = 'sending'
     for update
   )
   select ${TAKEN}
   ${WITH_THEIR_EVENTS}`,
)

/** For an answer that somebody else has fetched. Null where it is not being sent. */
export const lockSendingDelivery = (tx: Tx, merchantId: number, webhookId: string, id: string) =>
  tx.maybe(lockSending, { merchant_id: merchantId, webhook_id: webhookId, id })

// An attempt that somebody asks for is one more than those that are made anyway: the waits go on where they were.
const hasten = statement(
  'deliveries.hasten',
  `update deliveries
   set due_at = :now, earlier_attempts = least(earlier_attempts + 1, attempts), updated_at = :now
   where merchant_id = :merchant_id and webhook_id = :webhook_id and id = :id
     and state in ('pending', 'retrying') and not is_in_line and due_at > :now`,
)

/** One that waits for its next attempt is due now; one that waits in line, or does not wait, stays as it is. */
export const hastenDelivery = (tx: Tx, merchantId: number, webhookId: string, id: string, now: Date) =>
  tx.run(hasten, { merchant_id: merchantId, webhook_id: webhookId, id, now })
