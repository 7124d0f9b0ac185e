// The events table: what happened, written in the transaction of the change itself.
// Webhooks read it from there; a change and its event therefore exist together or not at all.

import { type Db, type Scope, statement, type Tx } from '../db/db.ts'
import { newId } from '../lib/ids.ts'
import { EVENTS, type EventName } from './catalogue.ts'

/** Whose event it is. One of something that both modes share needs no mode. */
type ScopeOf<Name extends EventName> = (typeof EVENTS)[Name]['isShared'] extends true
  ? Pick<Scope, 'merchantId'>
  : Scope

/** The payload is the HEAD body as it is now: a later change of the object must not change what is delivered. */
export type Event<Name extends EventName = EventName> = { readonly name: Name; readonly payload: unknown }

const insertEvent = statement(
  'events.insert',
  `insert into events (merchant_id, id, name, kind, sandbox, payload, response_code, created_at)
   values (:merchant_id, :id, :name, :kind, :sandbox, :payload, :response_code, :now)`,
)

/** Asks for a transaction, because an event written beside its change is lost, or invented, when the process dies in between. */
export async function emit<Name extends EventName>(
  tx: Tx,
  scope: ScopeOf<Name>,
  name: Name,
  payload: unknown,
  now: Date,
): Promise<void> {
  const { kind, responseCode } = EVENTS[name]
  await tx.run(insertEvent, {
    merchant_id: scope.merchantId,
    id: newId('event', now),
    name,
    kind,
    sandbox: modeOf(scope, name),
    payload: JSON.stringify(payload),
    response_code: responseCode,
    now,
  })
}

const modeOf = (scope: Partial<Scope>, name: EventName): boolean | null =>
  EVENTS[name].isShared ? null : (scope.isSandbox ?? null)

// As text[]: PostgreSQL parses each payload and keeps its text, as it does with one.
const insertEvents = statement(
  'events.insert_many',
  `insert into events (merchant_id, id, name, kind, sandbox, payload, response_code, created_at)
   select :merchant_id, id, name, kind, sandbox, payload::json, response_code, :now
   from unnest(
     :ids::text[], :names::text[], :kinds::text[], :sandbox::boolean[], :payloads::text[], :response_codes::integer[]
   ) as event (id, name, kind, sandbox, payload, response_code)`,
)

/** `emit` for many at once: a change that moves a thousand things must not send a thousand statements while it holds its locks. */
export async function emitMany<Name extends EventName>(
  tx: Tx,
  scope: ScopeOf<Name>,
  events: readonly Event<Name>[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return
  await tx.run(insertEvents, {
    merchant_id: scope.merchantId,
    ids: events.map(() => newId('event', now)),
    names: events.map(({ name }) => name),
    kinds: events.map(({ name }) => EVENTS[name].kind),
    sandbox: events.map(({ name }) => modeOf(scope, name)),
    payloads: events.map(({ payload }) => JSON.stringify(payload)),
    response_codes: events.map(({ name }) => EVENTS[name].responseCode),
    now,
  })
}

const deleteOldEvents = statement(
  'sweep.events',
  `delete from events where (merchant_id, id) in (
     select merchant_id, id from events where created_at < :moment order by created_at limit :limit
   )`,
)

/** Deletes at most `limit` events written before `moment`, and returns how many it deleted. */
export const deleteEventsBefore = (db: Db, moment: Date, limit: number): Promise<number> =>
  db.run(deleteOldEvents, { moment, limit })
