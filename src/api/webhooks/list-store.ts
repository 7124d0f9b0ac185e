// The SQL that shows deliveries and events: lists by key, newest first, which cost the same however much there is.

import { type Db, type Scope, statement } from '../../db/db.ts'
import { scopeValues } from '../../db/records.ts'
import type { AttemptEntry, DeliveryState } from '../../events/delivery-store.ts'
import { deliveryIdOf } from '../../events/store.ts'

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

/** `delivery`: the row's name. While it is sent, `due_at` is the end of the lease, and no attempt of its own. */
const deliveryRow = (
  delivery: string,
) => `${delivery}.id, ${delivery}.webhook_id, ${delivery}.event_id, ${delivery}.event,
  ${delivery}.object_id, ${delivery}.state, ${delivery}.attempts, ${delivery}.last_status, ${delivery}.last_error,
  case when ${delivery}.state <> 'sending' then unix_seconds(${delivery}.due_at) end as next_attempt,
  unix_seconds(${delivery}.created_at) as created, unix_seconds(${delivery}.updated_at) as updated`

/** A part of a list. `seen`: how many rows were looked at, and the last of them, which is where the next part begins. */
export type KeyRows<Row> = { rows: Row[]; seen: number; last: string | null }

type KeyList = {
  readonly from: string
  /** What is read of each row that is looked at: nothing large. */
  readonly columns: string
  readonly where: string
  /** Which of them are shown, and how. */
  readonly wanted: string
  readonly row: string
}

/** Newest first, below `:before`: so many are looked at, and of those that are wanted so many shown. */
const keyList = ({ from, columns, where, wanted, row }: KeyList) => `with looked_at as materialized (
     select ${columns} from ${from} where ${where} and id < :before and id >= :from
     order by id desc limit :reach
   ), shown as (
     select * from looked_at where ${wanted} order by id desc limit :limit
   )
   select (select count(*)::integer from looked_at) as seen, (select min(id) from looked_at) as last,
     coalesce((select json_agg(shown) from (select ${row} from shown order by id desc) shown), '[]') as rows`

const COLUMNS = `webhook_id, id, event_id, event, object_id, state, due_at, attempts, last_status, last_error, created_at,
       updated_at`
const OF_WEBHOOK = 'merchant_id = :merchant_id and webhook_id = :webhook_id'
const WANTED_DELIVERY = `(:event::text is null or event = :event) and (:status::integer is null or last_status = :status)`

const listAll = statement<KeyRows<DeliveryRow>>(
  'deliveries.list',
  keyList({
    from: 'deliveries',
    columns: COLUMNS,
    where: OF_WEBHOOK,
    wanted: `(:state::text is null or state = :state) and ${WANTED_DELIVERY}`,
    row: deliveryRow('shown'),
  }),
)

const listOfState = statement<KeyRows<DeliveryRow>>(
  'deliveries.list_of_state',
  keyList({
    from: 'deliveries',
    columns: COLUMNS,
    where: `${OF_WEBHOOK} and state = :state and state <> 'delivered'`,
    wanted: WANTED_DELIVERY,
    row: deliveryRow('shown'),
  }),
)

// By the events of the object, each of which has one delivery at most to this webhook.
const listOfObject = statement<KeyRows<DeliveryRow>>(
  'deliveries.list_of_object',
  `with looked_at as materialized (
     select delivery.*
     from (
       select id from events
       where merchant_id = :merchant_id and object_id = :object and id < :before_event and id >= :from_event
       order by id desc limit :reach
     ) event
     cross join lateral (
       select ${COLUMNS} from deliveries
       where merchant_id = :merchant_id and webhook_id = :webhook_id
         and id = 'dlvr_' || substr(event.id, 5, 20) || right(:webhook_id::text, 6)
       offset 0
     ) delivery
   ), shown as (
     select * from looked_at
     where id < :before and (:state::text is null or state = :state) and ${WANTED_DELIVERY}
     order by id desc limit :limit
   )
   select (select count(*)::integer from looked_at) as seen, (select min(id) from looked_at) as last,
     coalesce((select json_agg(shown) from (select ${deliveryRow('shown')} from shown order by id desc) shown), '[]') as rows`,
)

export type DeliveryFilter = {
  readonly state: DeliveryState | null
  readonly event: string | null
  readonly status: number | null
  readonly object: string | null
  /** Ids: those below the one, and from the other on. */
  readonly before: string
  readonly from: string
  readonly limit: number
  readonly reach: number
}

const eventIdOf = (deliveryId: string) => deliveryId.replace(/^dlvr_/, 'evt_')

export function listDeliveries(db: Db, { merchantId }: Scope, webhookId: string, filter: DeliveryFilter) {
  const values = { merchant_id: merchantId, webhook_id: webhookId, ...filter }
  if (filter.object !== null)
    // A delivery's id begins as its event's does and ends otherwise, so that its own event is among those below `~`.
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
  `select ${deliveryRow('delivery')}, delivery.log, event.kind, event.payload, event.request_id
   from deliveries delivery
   left join lateral (
     select kind, payload, request_id from events where merchant_id = :merchant_id and id = delivery.event_id offset 0
   ) event on true
   where delivery.merchant_id = :merchant_id and delivery.webhook_id = :webhook_id and delivery.id = :id`,
)

export const findDelivery = (db: Db, { merchantId }: Pick<Scope, 'merchantId'>, webhookId: string, id: string) =>
  db.maybe(find, { merchant_id: merchantId, webhook_id: webhookId, id })

export type EventRow = {
  id: string
  event: string
  object_id: string | null
  sandbox: boolean | null
  request_id: string | null
  response_code: number
  created: number
}

const eventRow = (event: string) => `${event}.id, ${event}.name as event, ${event}.object_id, ${event}.sandbox,
  ${event}.request_id, ${event}.response_code, unix_seconds(${event}.created_at) as created`

/** Of this mode, or of both. */
const OF_MODE = '(sandbox is null or sandbox = :is_sandbox)'
const WANTED_EVENT = `(:event::text is null or name = :event) and ${OF_MODE}`

const EVENT_LIST = {
  from: 'events',
  columns: 'id, name, object_id, sandbox, request_id, response_code, created_at',
  wanted: WANTED_EVENT,
  row: eventRow('shown'),
}

const listEventsOfAll = statement<KeyRows<EventRow>>(
  'events.list',
  keyList({ ...EVENT_LIST, where: 'merchant_id = :merchant_id' }),
)

const listEventsOfObject = statement<KeyRows<EventRow>>(
  'events.list_of_object',
  keyList({ ...EVENT_LIST, where: 'merchant_id = :merchant_id and object_id = :object' }),
)

export type EventFilter = Pick<DeliveryFilter, 'event' | 'object' | 'before' | 'from' | 'limit' | 'reach'>

export const listEvents = (db: Db, scope: Scope, filter: EventFilter) =>
  db.one(filter.object === null ? listEventsOfAll : listEventsOfObject, { ...scopeValues(scope), ...filter })

export type EventDetailsRow = EventRow & { payload: unknown; deliveries: DeliveryRow[] }

const findEventRow = statement<EventDetailsRow>(
  'events.find',
  `select ${eventRow('event')}, event.payload,
     coalesce((
       select json_agg(delivery order by delivery.created, delivery.webhook_id)
       from webhooks webhook
       cross join lateral (
         select ${deliveryRow('delivery')} from deliveries delivery
         where delivery.merchant_id = :merchant_id and delivery.webhook_id = webhook.id
           and delivery.id = ${deliveryIdOf('event', 'webhook')}
         offset 0
       ) delivery
       where webhook.merchant_id = :merchant_id and webhook.is_sandbox = :is_sandbox
     ), '[]') as deliveries
   from events event
   where event.merchant_id = :merchant_id and event.id = :id and (event.sandbox is null or event.sandbox = :is_sandbox)`,
)

export const findEvent = (db: Db, scope: Scope, id: string) => db.maybe(findEventRow, { ...scopeValues(scope), id })
