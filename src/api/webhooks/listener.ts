// Creates a `listen` webhook with one queued delivery, as an example in the demo shop. Its secret is stored unencrypted: nothing real
// depends on it, and the service has no key at its first start.

import type { Scope, Tx } from '../../db/db.ts'
import { TEST_EVENT } from '../../events/catalogue.ts'
import { createEventRow } from '../../events/emit.ts'
import { insertEventForWebhook } from '../../events/store.ts'
import { newId } from '../../lib/ids.ts'
import { newSecret } from './secret.ts'
import { insertWebhook } from './store.ts'

export type ExampleListener = {
  /** API version of the webhook's payloads. */
  readonly version: string
  readonly description: string
  readonly events: readonly string[]
  /** Message in the payload of the delivery. */
  readonly message: string
}

export async function createExampleListener(tx: Tx, scope: Scope, listener: ExampleListener, now: Date): Promise<void> {
  const { version, description, events, message } = listener
  const id = newId('webhook', now)
  const settings = { transport: 'listen', url: null, disabled_reason: null } as const
  await insertWebhook(
    tx,
    scope,
    id,
    { ...settings, subscribed_events: [...events], description, version },
    newSecret(),
    now,
  )
  const event = createEventRow(scope, { name: TEST_EVENT, payload: { message } }, now)
  await insertEventForWebhook(tx, scope, event, id, now)
}
