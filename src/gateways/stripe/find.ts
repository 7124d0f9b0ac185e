// Finds Stripe's intent for our key.
// Repeating an idempotent create returns the intent of the first request, immediately and reliably. If there was none, it creates an
// unconfirmed one, which charges nobody.
// Stripe may have forgotten the key, or have stored only a failure. Then we search by metadata before we conclude that there is no intent.

import { unknownOutcomeError } from '../call.ts'
import type { ChargeCall } from '../gateway.ts'
import { requestRefusedError, type StripeApi } from './api.ts'
import type { Intent, IntentStatus } from './objects.ts'

/** Stripe forgets keys after a day or later. The margin allows for differing clocks. */
const KEY_LIFETIME_MS = 23 * 3_600_000

/** Current intent of a charge; null if there is none. */
export async function findIntent(api: StripeApi, call: ChargeCall, now: Date): Promise<Intent | null> {
  if (call.confirmation !== null) return requireOwnIntent(await api.getIntent(call.confirmation), call)
  if (now.getTime() - call.begunAt.getTime() >= KEY_LIFETIME_MS) return searchIntent(api, call)
  const creation = await api.createIntent(call, 'open')
  if (creation.kind === 'done') return requireOwnIntent(await api.getIntent(creation.object.id), call)
  // A refused intent was never created, but another release may have created it with other fields.
  const existingIntent = await searchIntent(api, call)
  // Stripe has an intent under the key, and its search may not show it yet.
  const isCreatedOtherwise = creation.kind === 'refused' && creation.error.type === 'idempotency_error'
  if (existingIntent === null && isCreatedOtherwise) throw requestRefusedError(creation)
  return existingIntent
}

/** Refuses to touch an intent that belongs to another charge. */
export function requireOwnIntent(intent: Intent, { key }: Pick<ChargeCall, 'key'>): Intent {
  if (intent.key === key) return intent
  throw unknownOutcomeError('The payment at Stripe does not belong to this charge.')
}

/** Maximum time between the start of a charge and its intent. Clocks may differ, and a request may be late. */
const CREATED_WITHIN_S = 600

async function searchIntent(api: StripeApi, call: ChargeCall): Promise<Intent | null> {
  const searchReply = await api.searchIntents(call.key)
  const candidates = searchReply.kind === 'done' ? searchReply.object : await listAround(api, call)
  // Search results may be outdated, so load each intent again.
  const intents: Intent[] = []
  for (const { id } of candidates.filter(({ key }) => key === call.key)) intents.push(await api.getIntent(id))
  intents.sort((a, b) => WEIGHTS[b.status] - WEIGHTS[a.status])
  return intents[0] ?? null
}

/** For accounts without search. */
function listAround(api: StripeApi, { begunAt }: ChargeCall): Promise<readonly Intent[]> {
  const startSeconds = Math.floor(begunAt.getTime() / 1_000)
  return api.listIntents(startSeconds - CREATED_WITHIN_S, startSeconds + CREATED_WITHIN_S)
}

/** If a key has several intents, prefer the one that may have moved money. */
const WEIGHTS: Readonly<Record<IntentStatus, number>> = {
  succeeded: 6,
  requires_capture: 5,
  processing: 4,
  requires_action: 3,
  requires_confirmation: 2,
  requires_payment_method: 1,
  canceled: 0,
}
