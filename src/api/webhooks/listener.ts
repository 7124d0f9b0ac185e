// Creates a listening webhook with one waiting delivery, as an example in the demo shop. Its secret is stored unsealed: nothing real
// depends on it, and the first start of a service has no key.

import type { Scope, Tx } from '../../db/db.ts'
import { TEST_EVENT } from '../../events/catalogue.ts'
import { eventRow } from '../../events/emit.ts'
import { insertEventForWebhook } from '../../events/store.ts'
import { newId } from '../../lib/ids.ts'
import { newSecret } from './secret.ts'
import { insertWebhook } from './store.ts'

export type ExampleListener = {
  /** The API version of its payloads. */
  readonly version: string
  readonly description: string
  readonly events: readonly string[]
  /** Message in the payload of the delivery. */
  readonly message: string
}

export async function createExampleListener(tx: Tx, scope: Scope, listener: ExampleListener, now: Date): Promise<void> {
  const { version, description, events, message } = listener
  const id = newId('webhook', now)
  const kind = { transport: 'listen', url: null, disabled_reason: null } as const
  await insertWebhook(
    tx,
    scope,
    id,
    { ...kind, subscribed_events: [...events], description, version },
    newSecret(),
    now,
  )
  const event = eventRow(scope, { name: TEST_EVENT, payload: { message } }, now)
  await insertEventForWebhook(tx, scope, event, id, now)
}
