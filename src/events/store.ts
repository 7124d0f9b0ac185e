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

/**
 * Inserts events as part of another statement too, where one more would keep locks for longer. The parameters beside :merchant_id and :now
 * are those of `eventParameters`. As text[]: PostgreSQL parses each payload and keeps its text, as it does for a single one.
 */
export const INSERT_EVENTS = `insert into events (merchant_id, id, name, kind, sandbox, payload, response_code, created_at)
   select :merchant_id::integer, id, name, kind, sandbox, payload::json, response_code, :now::timestamptz
   from unnest(
     :event_ids::text[], :event_names::text[], :event_kinds::text[], :event_modes::boolean[], :event_payloads::text[],
     :event_codes::integer[]
   ) as event (id, name, kind, sandbox, payload, response_code)`

export type EventParameters = ReturnType<typeof eventParameters>

export const eventParameters = (events: readonly EventRow[]) => ({
  event_ids: events.map(({ id }) => id),
  event_names: events.map(({ name }) => name),
  event_kinds: events.map(({ kind }) => kind),
  event_modes: events.map(({ sandbox }) => sandbox),
  event_payloads: events.map(({ payload }) => payload),
  event_codes: events.map(({ response_code }) => response_code),
})

const insertMany = statement('events.insert_many', INSERT_EVENTS)

export const insertEvents = (tx: Tx, merchantId: number, events: readonly EventRow[], now: Date) =>
  tx.run(insertMany, { merchant_id: merchantId, ...eventParameters(events), now })

/** Events are kept 30 days, delivered or not. */
export const sweepOldEvents = sweepOf('events', {
  name: 'old-events',
  everySeconds: 3_600,
  column: 'created_at',
  keptDays: 30,
})
