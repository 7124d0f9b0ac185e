// Emits events. An event and its deliveries are inserted in the transaction of the change itself. So the change, its event and its
// deliveries exist together or not at all.

import type { Scope, Shop, Tx } from '../db/db.ts'
import { newId } from '../lib/ids.ts'
import { EVENTS, type EventName, objectIdOf } from './catalogue.ts'
import { type EventParameters, eventParameters, insertEvents, type NewEventRow } from './store.ts'

/** Shop and mode of an event. Events about shared objects need no mode. */
type ScopeOf<Name extends EventName> = (typeof EVENTS)[Name]['isShared'] extends true ? Shop : Scope

/** The payload is the newest version's body as it is now: a later change must not alter the delivery. */
export type EmittedEvent<Name extends EventName = EventName> = { readonly name: Name; readonly payload: unknown }

/** Requires a transaction: otherwise a crash could lose the event, or emit one without its change. */
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

/** Parameters for a statement that inserts its own events (`INSERT_EVENTS_SQL`). Send it in a transaction, for the same reason. */
export const createEventParameters = <Name extends EventName>(
  causedBy: Pick<Tx, 'requestId' | 'actor'>,
  scope: ScopeOf<Name>,
  events: readonly EmittedEvent<Name>[],
  now: Date,
): EventParameters =>
  eventParameters(
    causedBy,
    events.map((event) => eventRow(scope, event, now)),
  )

export function eventRow(scope: Partial<Scope>, { name, payload }: EmittedEvent, now: Date): NewEventRow {
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
