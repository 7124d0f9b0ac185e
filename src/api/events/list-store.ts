// SQL that reads events for display: lists in pages by key, newest first, and one event with its deliveries.

import { type Db, type Scope, type Shop, statement } from '../../db/db.ts'
import { type KeyRows, keyListSql } from '../../db/key-lists.ts'
import { LOGIN_TOKEN_EVENT } from '../../events/catalogue.ts'
import { deliveryIdSql, OBJECT_EVENT_KEY } from '../../events/store.ts'
import { type DeliveryFilter, type DeliveryRow, deliveryColumns } from '../webhooks/list-store.ts'

export type EventRow = {
  id: string
  event: string
  object_id: string | null
  sandbox: boolean | null
  request_id: string | null
  response_code: number
  created: number
}

const eventColumns = (event: string) => `${event}.id, ${event}.name as event, ${event}.object_id, ${event}.sandbox,
  ${event}.request_id, ${event}.response_code, unix_seconds(${event}.created_at) as created`

/** SQL condition: true for an event of this mode, or of an object that both modes share. */
const IS_IN_MODE = '(sandbox is null or sandbox = :is_sandbox)'
const WANTED_EVENT = `(:event::text is null or name = :event) and ${IS_IN_MODE} and (:has_logins::boolean or name <> '${LOGIN_TOKEN_EVENT}')`

const EVENT_LIST = {
  from: 'events',
  columns: 'id, name, object_id, sandbox, request_id, response_code, created_at',
  wanted: WANTED_EVENT,
  row: eventColumns('shown'),
}

const listAll = statement<KeyRows<EventRow>>(
  'events.list',
  keyListSql({ ...EVENT_LIST, where: 'merchant_id = :merchant_id' }),
)

const listOfObject = statement<KeyRows<EventRow>>(
  'events.list_of_object',
  keyListSql({ ...EVENT_LIST, key: OBJECT_EVENT_KEY, where: 'merchant_id = :merchant_id and object_id = :object' }),
)

export type EventFilter = Pick<
  DeliveryFilter,
  'event' | 'object' | 'has_logins' | 'before' | 'from' | 'limit' | 'reach'
>

export const listEvents = (db: Db, scope: Scope, filter: EventFilter) =>
  db.one(filter.object === null ? listAll : listOfObject, { ...scope, ...filter })

const listOfRequest = statement<{ id: string }>(
  'events.list_of_request',
  `select id
   from (
     select id, request_id from events
     where merchant_id = :merchant_id and id >= :from and id < :before
     order by id limit :reach
   ) of_that_time
   where request_id = :request_id
   order by id`,
)

/** Bounds of ids for the time of a request, and the maximum number of events to read. */
export type RequestTime = { readonly from: string; readonly before: string; readonly reach: number }

/** Ids of the events that a request has caused. The search reads at most `reach` events of the time in which the request ran. */
export const listEventsOfRequest = async (
  db: Db,
  { merchant_id }: Shop,
  requestId: string,
  time: RequestTime,
): Promise<string[]> =>
  (await db.many(listOfRequest, { merchant_id, request_id: requestId, ...time })).map(({ id }) => id)

export type EventDetailsRow = EventRow & { payload: unknown; deliveries: DeliveryRow[] }

const find = statement<EventDetailsRow>(
  'events.find',
  `select ${eventColumns('event')}, event.payload,
     coalesce((
       select json_agg(delivery order by delivery.created, delivery.webhook_id)
       from webhooks webhook
       cross join lateral (
         select ${deliveryColumns('delivery')} from deliveries delivery
         where delivery.merchant_id = :merchant_id and delivery.webhook_id = webhook.id
           and delivery.id = ${deliveryIdSql('event', 'webhook')}
         offset 0
       ) delivery
       where webhook.merchant_id = :merchant_id and webhook.is_sandbox = :is_sandbox
     ), '[]') as deliveries
   from events event
   where event.merchant_id = :merchant_id and event.id = :id and (event.sandbox is null or event.sandbox = :is_sandbox)`,
)

export const findEvent = (db: Db, scope: Scope, id: string) => db.maybe(find, { ...scope, id })
