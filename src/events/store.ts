// The SQL of events: written with what they tell of, deleted after 30 days.

import { statement, type Tx } from '../db/db.ts'
import { sweepOf } from '../jobs/sweeps.ts'

export type EventRow = {
  readonly id: string
  readonly name: string
  readonly kind: string
  /** null of something that both modes share. */
  readonly sandbox: boolean | null
  /** JSON. */
  readonly payload: string
  readonly response_code: number
}

const insert = statement(
  'events.insert',
  `insert into events (merchant_id, id, name, kind, sandbox, payload, response_code, created_at)
   values (:merchant_id, :id, :name, :kind, :sandbox, :payload, :response_code, :now)`,
)

export const insertEvent = (tx: Tx, merchantId: number, event: EventRow, now: Date) =>
  tx.run(insert, { ...event, merchant_id: merchantId, now })

// As text[]: PostgreSQL parses each payload and keeps its text, as it does for a single one.
const insertMany = statement(
  'events.insert_many',
  `insert into events (merchant_id, id, name, kind, sandbox, payload, response_code, created_at)
   select :merchant_id, id, name, kind, sandbox, payload::json, response_code, :now
   from unnest(
     :ids::text[], :names::text[], :kinds::text[], :sandbox::boolean[], :payloads::text[], :response_codes::integer[]
   ) as event (id, name, kind, sandbox, payload, response_code)`,
)

export const insertEvents = (tx: Tx, merchantId: number, events: readonly EventRow[], now: Date) =>
  tx.run(insertMany, {
    merchant_id: merchantId,
    ids: events.map(({ id }) => id),
    names: events.map(({ name }) => name),
    kinds: events.map(({ kind }) => kind),
    sandbox: events.map(({ sandbox }) => sandbox),
    payloads: events.map(({ payload }) => payload),
    response_codes: events.map(({ response_code }) => response_code),
    now,
  })

/** Events are kept 30 days, delivered or not. */
export const sweepOldEvents = sweepOf('events', {
  name: 'old-events',
  everySeconds: 3_600,
  column: 'created_at',
  keptDays: 30,
})
