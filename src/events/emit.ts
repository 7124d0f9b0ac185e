// The events table: what happened, written in the transaction of the change itself.
// Webhooks read it from there; a change and its event therefore exist together or not at all.

import { type Db, statement, type Tx } from '../db/db.ts'
import { newId } from '../lib/ids.ts'

export type Event = {
  merchantId: number
  /** null when the object is shared by sandbox and live. */
  sandbox: boolean | null
  /** `attributes.create` */
  name: string
  /** The kind of the payload, by which older API versions are shown it: `attribute`. */
  kind: string
  /** The HEAD body as it is now; a later change of the object must not change what is delivered. */
  payload: unknown
  responseCode: number
  now: Date
}

const insertEvent = statement(
  'events.insert',
  `insert into events (merchant_id, id, name, kind, sandbox, payload, response_code, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

/** Asks for a transaction, because an event written beside its change is lost, or invented, when the process dies in between. */
export async function emit(tx: Tx, event: Event): Promise<void> {
  const { merchantId, name, kind, sandbox, payload, responseCode, now } = event
  const id = newId('event', now)
  await tx.run(insertEvent, [merchantId, id, name, kind, sandbox, JSON.stringify(payload), responseCode, now])
}

// As text[]: PostgreSQL parses each payload and keeps its text, as it does with one.
const insertEvents = statement(
  'events.insert_many',
  `insert into events (merchant_id, id, name, kind, sandbox, payload, response_code, created_at)
   select merchant_id, id, name, kind, sandbox, payload::json, response_code, created_at
   from unnest(
     $1::integer[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::integer[], $8::timestamptz[]
   ) as event (merchant_id, id, name, kind, sandbox, payload, response_code, created_at)`,
)

/** `emit` for many at once: a change that moves a thousand things must not send a thousand statements while it holds its locks. */
export async function emitMany(tx: Tx, events: readonly Event[]): Promise<void> {
  if (events.length === 0) return
  await tx.run(insertEvents, [
    events.map(({ merchantId }) => merchantId),
    events.map(({ now }) => newId('event', now)),
    events.map(({ name }) => name),
    events.map(({ kind }) => kind),
    events.map(({ sandbox }) => sandbox),
    events.map(({ payload }) => JSON.stringify(payload)),
    events.map(({ responseCode }) => responseCode),
    events.map(({ now }) => now),
  ])
}

const deleteOldEvents = statement(
  'sweep.events',
  `delete from events where (merchant_id, id) in (
     select merchant_id, id from events where created_at < $1 order by created_at limit $2
   )`,
)

/** Deletes at most `limit` events written before `moment`, and returns how many it deleted. */
export const deleteEventsBefore = (db: Db, moment: Date, limit: number): Promise<number> =>
  db.run(deleteOldEvents, [moment, limit])
