// Tells what happened: an event in the transaction of the change itself. Webhooks read it from the events table; a change and its event
// therefore exist together or not at all.

import type { Scope, Tx } from '../db/db.ts'
import type { Shop } from '../db/records.ts'
import { newId } from '../lib/ids.ts'
import { EVENTS, type EventName } from './catalogue.ts'
import { type EventParameters, type EventRow, eventParameters, insertEvent, insertEvents } from './store.ts'

/** Whose event it is. One of something that both modes share needs no mode. */
type ScopeOf<Name extends EventName> = (typeof EVENTS)[Name]['isShared'] extends true ? Shop : Scope

/** The payload is the HEAD body as it is now: a later change of the object must not change what is delivered. */
export type Event<Name extends EventName = EventName> = { readonly name: Name; readonly payload: unknown }

/** Asks for a transaction, because an event written beside its change is lost, or invented, when the process dies in between. */
export async function emit<Name extends EventName>(
  tx: Tx,
  scope: ScopeOf<Name>,
  name: Name,
  payload: unknown,
  now: Date,
): Promise<void> {
  await insertEvent(tx, scope.merchantId, rowOf(scope, { name, payload }, now), now)
}

/** `emit` for many at once: a change that moves a thousand things must not send a thousand statements while it holds its locks. */
export async function emitMany<Name extends EventName>(
  tx: Tx,
  scope: ScopeOf<Name>,
  events: readonly Event<Name>[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => rowOf(scope, event, now))
  await insertEvents(tx, scope.merchantId, rows, now)
}

/** What a statement that inserts its own events (`INSERT_EVENTS`) takes. It is to be sent in a transaction, for the same reason. */
export const eventsOf = <Name extends EventName>(
  scope: ScopeOf<Name>,
  events: readonly Event<Name>[],
  now: Date,
): EventParameters => eventParameters(events.map((event) => rowOf(scope, event, now)))

function rowOf(scope: Partial<Scope>, { name, payload }: Event, now: Date): EventRow {
  const { kind, responseCode, isShared } = EVENTS[name]
  return {
    id: newId('event', now),
    name,
    kind,
    sandbox: isShared ? null : (scope.isSandbox ?? null),
    payload: JSON.stringify(payload),
    response_code: responseCode,
  }
}
