// The events table: what happened, written in the transaction of the change itself.
// Webhooks read it from there; a change and its event therefore exist together or not at all.

import { newId } from '../lib/ids.ts'
import { type Db, statement, type Tx } from './db.ts'

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

const deleteOldEvents = statement(
  'sweep.events',
  `delete from events where (merchant_id, id) in (
     select merchant_id, id from events where created_at < $1 order by created_at limit $2
   )`,
)

/** Deletes at most `limit` events written before `moment`, and returns how many it deleted. */
export const deleteEventsBefore = (db: Db, moment: Date, limit: number): Promise<number> =>
  db.run(deleteOldEvents, [moment, limit])
