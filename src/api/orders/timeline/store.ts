// SQL of an order's history: notes, sent mails, and the events of the order that are still stored.

import { type Db, type Scope, statement } from '../../../db/db.ts'
import { OBJECT_EVENT_KEY } from '../../../events/store.ts'

export type HistoryRow = {
  id: string
  kind: 'note' | 'mail'
  content: string
  person: string
  created: number
  /** The same time in milliseconds, which sorts the entries of one second. */
  created_ms: number
}

// The insert looks up the order in the same statement. So it stores no note for an order that is missing or belongs to another shop. It
// stores no mail for an order that was deleted meanwhile.
const insert = statement<{ id: string }>(
  'orders.insert_history',
  `insert into order_history (merchant_id, order_id, id, kind, content, person, created_at)
   select o.merchant_id, o.id, :entry_id, :kind, :content, :person, :now::timestamptz
   from orders o
   where o.merchant_id = :merchant_id and o.is_sandbox = :is_sandbox and o.id = :order_id
   on conflict (merchant_id, order_id, id) do nothing
   returning id`,
)

type NewEntry = Omit<HistoryRow, 'created' | 'created_ms'> & { readonly orderId: string }

/** False if the order does not exist or already has the entry. */
export const insertOrderHistory = async (db: Db, scope: Scope, entry: NewEntry, now: Date): Promise<boolean> => {
  const { orderId, id, kind, content, person } = entry
  const values = { ...scope, order_id: orderId, entry_id: id, kind, content, person, now }
  return (await db.many(insert, values)).length > 0
}

// Uses a subquery: a delete that joins the order could be planned to begin with the shop's orders.
const remove = statement<{ id: string }>(
  'orders.delete_note',
  `delete from order_history
   where merchant_id = :merchant_id and order_id = :order_id and id = :note_id and kind = 'note'
     and exists (
       select 1 from orders o
       where o.merchant_id = :merchant_id and o.is_sandbox = :is_sandbox and o.id = :order_id
     )
   returning id`,
)

/** False if the order has no such note. */
export const deleteNoteRow = async (db: Db, scope: Scope, orderId: string, id: string): Promise<boolean> =>
  (await db.many(remove, { ...scope, order_id: orderId, note_id: id })).length > 0

// Sorts by time first, because the ids of notes and of mails do not sort together.
const list = statement<HistoryRow>(
  'orders.list_history',
  `select id, kind, content, person, unix_seconds(created_at) as created,
     (extract(epoch from created_at) * 1000)::bigint as created_ms
   from order_history
   where merchant_id = :merchant_id and order_id = :order_id
     and (created_at, id) < (:before_at::timestamptz, :before_id::text)
   order by created_at desc, id desc
   limit :limit`,
)

/** Upper bound of a page: only older entries are listed, newest first. */
export type HistoryBound = { readonly at: Date; readonly id: string }

/** The caller must have found the order in its own mode. */
export const listOrderHistory = (
  db: Db,
  { merchant_id }: Scope,
  orderId: string,
  before: HistoryBound,
  limit: number,
) => db.many(list, { merchant_id, order_id: orderId, before_at: before.at, before_id: before.id, limit })

export type OrderEventRow = { id: string; name: string; actor: string | null; created: number }

const listOfOrder = statement<OrderEventRow>(
  'events.list_of_order',
  `select id, name, actor, unix_seconds(created_at) as created
   from events
   where merchant_id = :merchant_id and object_id = :order_id and ${OBJECT_EVENT_KEY} < :before
   order by ${OBJECT_EVENT_KEY} desc
   limit :limit`,
)

/** `before` is an id or the prefix of one. */
export const listOrderEvents = (db: Db, { merchant_id }: Scope, orderId: string, before: string, limit: number) =>
  db.many(listOfOrder, { merchant_id, order_id: orderId, before, limit })
