// Emits events. An event and its deliveries are inserted in the transaction of the change itself. So the change, its event and its
// deliveries exist together or not at all.

import type { Scope, Shop, Tx } from '../db/db.ts'
import { newId } from '../lib/ids.ts'
import { EVENTS, type EventName, objectIdOf } from './catalogue.ts'
import { type EventParameters, eventParameters, insertEvents, type NewEventRow } from './store.ts'

/** Shop and mode of an event. Events about shared objects need no mode. */
type ScopeOf<Name extends EventName> = (typeof EVENTS)[Name]['isShared'] extends true ? Shop : Scope

/** An event to emit. The payload is the object now, in the newest version: a later change must not alter the delivery. */
export type EmittedEvent<Name extends EventName = EventName> = { readonly name: Name; readonly payload: unknown }

/** Emits an event. It takes a transaction: otherwise a crash could lose the event, or emit it without its change. */
export async function emit<Name extends EventName>(
  tx: Tx,
  scope: ScopeOf<Name>,
  name: Name,
  payload: unknown,
  now: Date,
): Promise<void> {
  await emitMany(tx, scope, [{ name, payload }], now)
}

/** Like `emit`, for many events: a change of a thousand objects must not send a thousand statements while it holds its locks. */
export async function emitMany<Name extends EventName>(
  tx: Tx,
  scope: ScopeOf<Name>,
  events: readonly EmittedEvent<Name>[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return
  await insertEvents(tx, scope, createEventParameters(tx, scope, events, now), now)
}

/** Parameters for a statement that inserts its own events (`INSERT_EVENTS_SQL`). Like `emit`, the statement must be in a transaction. */
export const createEventParameters = <Name extends EventName>(
  causedBy: Pick<Tx, 'requestId' | 'actor'>,
  scope: ScopeOf<Name>,
  events: readonly EmittedEvent<Name>[],
  now: Date,
): EventParameters =>
  eventParameters(
    causedBy,
    events.map((event) => createEventRow(scope, event, now)),
  )

/** Row of a new event, with a new id. */
export function createEventRow(scope: Partial<Scope>, { name, payload }: EmittedEvent, now: Date): NewEventRow {
  const { kind, responseCode, isShared } = EVENTS[name]
  return {
    id: newId('event', now),
    name,
    kind,
    object_id: objectIdOf(kind, payload),
    sandbox: isShared ? null : (scope.is_sandbox ?? null),
    payload: JSON.stringify(payload),
    response_code: responseCode,
  }
}
