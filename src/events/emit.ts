// Tells what happened: an event in the transaction of the change itself, and with it what is to be delivered to the webhooks that want it. A
// change, its event and its deliveries therefore exist together or not at all.

import type { Scope, Tx } from '../db/db.ts'
import type { Shop } from '../db/records.ts'
import { newId } from '../lib/ids.ts'
import { EVENTS, type EventName, objectIdOf } from './catalogue.ts'
import { type EventParameters, type EventRow, eventParameters, insertEvents } from './store.ts'

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
  await emitMany(tx, scope, [{ name, payload }], now)
}

/** `emit` for many at once: a change that moves a thousand things must not send a thousand statements while it holds its locks. */
export async function emitMany<Name extends EventName>(
  tx: Tx,
  scope: ScopeOf<Name>,
  events: readonly Event<Name>[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return
  await insertEvents(tx, scope.merchantId, eventsOf(tx, scope, events, now), now)
}

/** What a statement that tells of its own events (`TELL_EVENTS`) takes. It is to be sent in a transaction, for the same reason. */
export const eventsOf = <Name extends EventName>(
  by: Pick<Tx, 'requestId' | 'actor'>,
  scope: ScopeOf<Name>,
  events: readonly Event<Name>[],
  now: Date,
): EventParameters =>
  eventParameters(
    by,
    events.map((event) => eventRow(scope, event, now)),
  )

export function eventRow(scope: Partial<Scope>, { name, payload }: Event, now: Date): EventRow {
  const { kind, responseCode, isShared } = EVENTS[name]
  return {
    id: newId('event', now),
    name,
    kind,
    object_id: objectIdOf(kind, payload),
    sandbox: isShared ? null : (scope.isSandbox ?? null),
    payload: JSON.stringify(payload),
    response_code: responseCode,
  }
}
