// SQL for events: inserts them with their deliveries, in the transaction of the change, sends them again, and deletes old ones.

import { type Shop, statement, type Tx } from '../db/db.ts'
import { deletionOf, sweepOf } from '../jobs/sweeps.ts'
import { EVERY_EVENT, LOGIN_TOKEN_EVENT } from './catalogue.ts'

export type NewEventRow = {
  readonly id: string
  readonly name: string
  readonly kind: string
  /** Id of the object that the event is about. */
  readonly object_id: string | null
  /** Null for an object that both modes share. */
  readonly sandbox: boolean | null
  /** Payload as JSON text. */
  readonly payload: string
  readonly response_code: number
}

/** Sort key of the index that has the events of one object in order. */
export const OBJECT_EVENT_KEY = "(id || '')"

/** SQL of a delivery id: the event id plus enough of the webhook id to be unique within a shop. It is as long as other ids. */
export const deliveryIdSql = (event: string, webhook: string) =>
  `'dlvr_' || substr(${event}.id, 5, 20) || right(${webhook}.id, 6)`

/**
 * Initial state of a delivery, as columns and as SQL over a webhooks row. Deliveries to a receiver that counts as dead (`is_held`), or to a
 * `listen` webhook, are queued.
 */
export const INITIAL_DELIVERY_STATE = {
  columns: 'state, due_at, is_in_line',
  values: (webhook: string) => `
     case when ${webhook}.disabled_at is null then 'pending' else 'skipped' end,
     case when ${webhook}.disabled_at is null and ${webhook}.transport = 'http' and not ${webhook}.is_held
       then :now::timestamptz end,
     ${webhook}.disabled_at is null and (${webhook}.transport = 'listen' or ${webhook}.is_held)`,
}

/** SQL: true if a webhooks row subscribes to the event; `name` is SQL for the event's name. */
export const subscribesSql = (webhook: string, name: string) => `(
         ${name} = any(${webhook}.subscribed_events)
         or ('${EVERY_EVENT}' = any(${webhook}.subscribed_events) and ${name} <> '${LOGIN_TOKEN_EVENT}')
       )`

/**
 * Parts of a `with` that insert the events, and a delivery for each subscribed webhook. The statement of a new order includes these parts,
 * because a second statement would hold its locks for longer. The parameters are :merchant_id, :now and those of `eventParameters`.
 * Payloads are text[], so that PostgreSQL checks their syntax and keeps their text. A shop without webhooks costs one index lookup.
 */
export const INSERT_EVENTS_SQL = `event as materialized (
     select *
     from unnest(
       :event_ids::text[], :event_names::text[], :event_kinds::text[], :event_objects::text[], :event_modes::boolean[],
       :event_payloads::text[], :event_codes::integer[]
     ) as new_event (id, name, kind, object_id, sandbox, payload, response_code)
   ), inserted_event as (
     insert into events (merchant_id, id, name, kind, object_id, sandbox, payload, response_code, request_id, actor, created_at)
     select :merchant_id::integer, id, name, kind, object_id, sandbox, payload::json, response_code, :event_request, :event_actor,
       :now::timestamptz
     from event
   ), inserted_delivery as (
     insert into deliveries (merchant_id, webhook_id, id, event_id, event, object_id, ${INITIAL_DELIVERY_STATE.columns}, created_at, updated_at)
     select :merchant_id::integer, webhook.id, ${deliveryIdSql('event', 'webhook')}, event.id, event.name, event.object_id,
       ${INITIAL_DELIVERY_STATE.values('webhook')}, :now::timestamptz, :now::timestamptz
     from webhooks webhook
     cross join event
     where webhook.merchant_id = :merchant_id and (event.sandbox is null or event.sandbox = webhook.is_sandbox)
       and ${subscribesSql('webhook', 'event.name')}
   )`

export type EventParameters = ReturnType<typeof eventParameters>

/** Parameters of `INSERT_EVENTS_SQL`. The first argument names the request that caused the events, and the person who sent it. */
export const eventParameters = (
  { requestId, actor }: Pick<Tx, 'requestId' | 'actor'>,
  events: readonly NewEventRow[],
) => ({
  event_request: requestId,
  event_actor: actor,
  event_ids: events.map(({ id }) => id),
  event_names: events.map(({ name }) => name),
  event_kinds: events.map(({ kind }) => kind),
  event_objects: events.map(({ object_id }) => object_id),
  event_modes: events.map(({ sandbox }) => sandbox),
  event_payloads: events.map(({ payload }) => payload),
  event_codes: events.map(({ response_code }) => response_code),
})

const insert = statement('events.insert', `with ${INSERT_EVENTS_SQL} select 1`)

export const insertEvents = (tx: Tx, { merchant_id }: Shop, events: EventParameters, now: Date) =>
  tx.run(insert, { merchant_id, ...events, now })

const insertForOne = statement<{ id: string }>(
  'events.insert_for_one',
  `with event as materialized (
     select :id::text as id
   ), inserted_event as (
     insert into events (merchant_id, id, name, kind, object_id, sandbox, payload, response_code, request_id, created_at)
     select :merchant_id::integer, id, :name, :kind, :object_id, :sandbox::boolean, :payload::json, :response_code::integer,
       :request_id, :now::timestamptz
     from event
   ), inserted_delivery as (
     insert into deliveries (merchant_id, webhook_id, id, event_id, event, object_id, ${INITIAL_DELIVERY_STATE.columns}, created_at, updated_at)
     select :merchant_id::integer, webhook.id, ${deliveryIdSql('event', 'webhook')}, event.id, :name, null,
       ${INITIAL_DELIVERY_STATE.values('webhook')}, :now::timestamptz, :now::timestamptz
     from webhooks webhook
     cross join event
     where webhook.merchant_id = :merchant_id and webhook.id = :webhook_id
     returning id
   )
   select id from inserted_delivery`,
)

/** Inserts an event with one delivery, to this webhook only. Subscriptions do not matter. Returns the id of the delivery. */
export const insertEventForWebhook = async (
  tx: Tx,
  { merchant_id }: Shop,
  event: NewEventRow,
  webhookId: string,
  now: Date,
) =>
  (
    await tx.one(insertForOne, {
      merchant_id,
      ...event,
      webhook_id: webhookId,
      request_id: tx.requestId,
      now,
    })
  ).id

/** SQL: assignments that restart a finished delivery. Its backoff begins with the first wait again. */
export const REPLAY_ASSIGNMENTS = `state = 'pending', earlier_attempts = deliveries.attempts, updated_at = :now`

const replay = statement<{ id: string }>(
  'deliveries.replay_event',
  `insert into deliveries (merchant_id, webhook_id, id, event_id, event, object_id, ${INITIAL_DELIVERY_STATE.columns}, created_at, updated_at)
   select webhook.merchant_id, webhook.id, ${deliveryIdSql('event', 'webhook')}, event.id, event.name, event.object_id,
     ${INITIAL_DELIVERY_STATE.values('webhook')}, event.created_at, :now::timestamptz
   from webhooks webhook
   cross join lateral (
     select id, name, object_id, created_at from events where merchant_id = :merchant_id and id = :event_id offset 0
   ) event
   where webhook.merchant_id = :merchant_id and webhook.id = any(:webhook_ids::text[])
   on conflict (merchant_id, webhook_id, id) do update
   set ${REPLAY_ASSIGNMENTS}, due_at = excluded.due_at, is_in_line = excluded.is_in_line
   where deliveries.state in ('delivered', 'failed', 'skipped')
   returning id`,
)

/**
 * Sends an event again to these webhooks. It ignores their subscriptions, because a person requests it. Deliveries that wait or are being
 * sent stay unchanged.
 */
export const replayEvent = (tx: Tx, { merchant_id }: Shop, eventId: string, webhookIds: readonly string[], now: Date) =>
  tx.many(replay, { merchant_id, event_id: eventId, webhook_ids: webhookIds, now })

const OLD_EVENTS = { name: 'old-events', everySeconds: 3_600, column: 'created_at' } as const

const deletion = deletionOf('events', { ...OLD_EVENTS, keptDays: 0 })

/** Deletes events after this number of days, whether or not they were delivered. */
export const sweepOldEvents = (keptDays: number) => sweepOf('events', { ...OLD_EVENTS, keptDays }, deletion)
