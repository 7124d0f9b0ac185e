// SQL that reads deliveries for display: lists in pages by key, newest first, and one delivery with its details.

import { type Db, type Scope, type Shop, statement } from '../../db/db.ts'
import { type KeyRows, keyListSql } from '../../db/key-lists.ts'
import { LOGIN_TOKEN_EVENT } from '../../events/catalogue.ts'
import { type AttemptEntry, type DeliveryState, NOT_DELIVERED } from '../../events/deliveries/store.ts'
import { OBJECT_EVENT_KEY } from '../../events/store.ts'

export type DeliveryRow = {
  id: string
  webhook_id: string
  event_id: string
  event: string
  object_id: string | null
  state: DeliveryState
  attempts: number
  last_status: number | null
  last_error: string | null
  next_attempt: number | null
  created: number
  updated: number
}

/** Columns of a delivery with the alias `delivery`. In the state `sending`, `due_at` is the end of the lease, not the next attempt. */
export const deliveryColumns = (
  delivery: string,
) => `${delivery}.id, ${delivery}.webhook_id, ${delivery}.event_id, ${delivery}.event,
  ${delivery}.object_id, ${delivery}.state, ${delivery}.attempts, ${delivery}.last_status, ${delivery}.last_error,
  case when ${delivery}.state <> 'sending' then unix_seconds(${delivery}.due_at) end as next_attempt,
  unix_seconds(${delivery}.created_at) as created, unix_seconds(${delivery}.updated_at) as updated`

const COLUMNS = `webhook_id, id, event_id, event, object_id, state, due_at, attempts, last_status, last_error, created_at,
       updated_at`
const OF_WEBHOOK = 'merchant_id = :merchant_id and webhook_id = :webhook_id'
const WANTED_DELIVERY = `(:event::text is null or event = :event) and (:status::integer is null or last_status = :status)
       and (:has_logins::boolean or event <> '${LOGIN_TOKEN_EVENT}')`

const listAll = statement<KeyRows<DeliveryRow>>(
  'deliveries.list',
  keyListSql({
    from: 'deliveries',
    columns: COLUMNS,
    where: OF_WEBHOOK,
    wanted: `(:state::text is null or state = :state) and ${WANTED_DELIVERY}`,
    row: deliveryColumns('shown'),
  }),
)

const listOfState = statement<KeyRows<DeliveryRow>>(
  'deliveries.list_of_state',
  keyListSql({
    from: 'deliveries',
    columns: COLUMNS,
    where: `${OF_WEBHOOK} and state = :state and ${NOT_DELIVERED}`,
    wanted: WANTED_DELIVERY,
    row: deliveryColumns('shown'),
  }),
)

// No index has the deliveries of an object. The query reads the object's events instead: each has at most one delivery per webhook.
const listOfObject = statement<KeyRows<DeliveryRow>>(
  'deliveries.list_of_object',
  `with event as materialized (
     select id from events
     where merchant_id = :merchant_id and object_id = :object
       and ${OBJECT_EVENT_KEY} < :before_event and ${OBJECT_EVENT_KEY} >= :from_event
     order by ${OBJECT_EVENT_KEY} desc limit :reach
   ), candidate as materialized (
     select delivery.*
     from event
     cross join lateral (
       select ${COLUMNS} from deliveries
       where merchant_id = :merchant_id and webhook_id = :webhook_id
         and id = 'dlvr_' || substr(event.id, 5, 20) || right(:webhook_id::text, 6)
       offset 0
     ) delivery
   ), shown as (
     select * from candidate
     where id < :before and (:state::text is null or state = :state) and ${WANTED_DELIVERY}
     order by id desc limit :limit
   )
   select (select count(*)::integer from event) as seen,
     (select 'dlvr_' || substr(min(id), 5, 20) || right(:webhook_id::text, 6) from event) as last,
     coalesce((select json_agg(shown) from (select ${deliveryColumns('shown')} from shown order by id desc) shown), '[]') as rows`,
)

export type DeliveryFilter = {
  readonly state: DeliveryState | null
  readonly event: string | null
  readonly status: number | null
  readonly object: string | null
  /** True to include login links. */
  readonly has_logins: boolean
  /** Bounds of ids: below `before`, and from `from` on. */
  readonly before: string
  readonly from: string
  readonly limit: number
  readonly reach: number
}

const eventIdOf = (deliveryId: string) => deliveryId.replace(/^dlvr_/, 'evt_')

export function listDeliveries(db: Db, { merchant_id }: Scope, webhookId: string, filter: DeliveryFilter) {
  const values = { merchant_id, webhook_id: webhookId, ...filter }
  if (filter.object !== null)
    // A delivery's id starts like that of its event and ends differently. The bound ends in `~`, so that no earlier event is missed. It
    // includes the event of the delivery `before`; the condition on delivery ids drops that delivery.
    return db.one(listOfObject, {
      ...values,
      before_event: `${eventIdOf(filter.before).slice(0, 24)}~`,
      from_event: eventIdOf(filter.from),
    })
  return db.one(filter.state === null || filter.state === 'delivered' ? listAll : listOfState, values)
}

export type DeliveryDetailsRow = DeliveryRow & {
  log: readonly AttemptEntry[] | null
  kind: string | null
  payload: unknown
  request_id: string | null
}

const find = statement<DeliveryDetailsRow>(
  'deliveries.find',
  `select ${deliveryColumns('delivery')}, delivery.log, event.kind, event.payload, event.request_id
   from deliveries delivery
   left join lateral (
     select kind, payload, request_id from events where merchant_id = :merchant_id and id = delivery.event_id offset 0
   ) event on true
   where delivery.merchant_id = :merchant_id and delivery.webhook_id = :webhook_id and delivery.id = :id`,
)

export const findDelivery = (db: Db, { merchant_id }: Shop, webhookId: string, id: string) =>
  db.maybe(find, { merchant_id, webhook_id: webhookId, id })

export type ArrivalsRow = { webhook_id: string; deliveries: number; delivered: number; oldest_waiting: number | null }

// The oldest waiting delivery is found by its state, because an index has each state in order of age. Only the newest deliveries are
// counted.
const selectArrivals = statement<ArrivalsRow>(
  'webhooks.list_arrivals',
  `select webhook.id as webhook_id, counted.deliveries, counted.delivered, waiting.oldest_waiting
   from webhooks webhook
   cross join lateral (
     select count(*)::integer as deliveries, (count(*) filter (where newest.state = 'delivered'))::integer as delivered
     from (
       select state from deliveries
       where merchant_id = :merchant_id and webhook_id = webhook.id and id >= :from
       order by id desc limit :reach
     ) newest
   ) counted
   cross join lateral (
     select min(oldest.created) as oldest_waiting
     from unnest('{pending,sending,retrying}'::text[]) as under_way (state)
     cross join lateral (
       select unix_seconds(created_at) as created from deliveries
       where merchant_id = :merchant_id and webhook_id = webhook.id and state = under_way.state and ${NOT_DELIVERED}
       order by id limit 1
     ) oldest
   ) waiting
   where webhook.merchant_id = :merchant_id and webhook.is_sandbox = :is_sandbox
   order by webhook.id`,
)

/** `from` is the lower bound for the ids of recent deliveries. */
export const listArrivals = (db: Db, { merchant_id, is_sandbox }: Scope, from: string, reach: number) =>
  db.many(selectArrivals, { merchant_id, is_sandbox, from, reach })
