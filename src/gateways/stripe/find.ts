// From our key to Stripe's intent. An idempotent create that is sent again answers with the very intent that the first has made, at once and
// for certain; where there was none it makes an empty one, which charges nobody. Where Stripe no longer remembers the key, or remembers only
// a failure of its own, the intent is searched for by its metadata before anybody believes that there is none.

import { open } from '../call.ts'
import type { ChargeCall } from '../gateway.ts'
import { refusedQuestion, type StripeApi } from './api.ts'
import type { Intent, IntentStatus } from './objects.ts'

/** Stripe forgets keys when they are a day old, or later; clocks differ. */
const REMEMBERED_MS = 23 * 3_600_000

/** The intent of a charge as it is now; null where there is none. */
export async function findIntent(api: StripeApi, call: ChargeCall, now: Date): Promise<Intent | null> {
  if (call.confirmation !== null) return ownIntent(await api.getIntent(call.confirmation), call)
  if (now.getTime() - call.begunAt.getTime() >= REMEMBERED_MS) return searchIntent(api, call)
  const made = await api.createIntent(call, 'open')
  if (made.kind === 'done') return ownIntent(await api.getIntent(made.object.id), call)
  // A refused one was never made; but another release may have asked for it in other words.
  const found = await searchIntent(api, call)
  // Then Stripe has something under the key, which its search may not show yet.
  const isMadeOtherwise = made.kind === 'refused' && made.error.type === 'idempotency_error'
  if (found === null && isMadeOtherwise) throw refusedQuestion(made)
  return found
}

/** Nothing is done to an intent that was made for something else. */
export function ownIntent(intent: Intent, { key }: Pick<ChargeCall, 'key'>): Intent {
  if (intent.key === key) return intent
  throw open('The payment at Stripe is not the one of this charge.')
}

/** How far from its beginning a charge can have made its intent: our clock and Stripe's may differ, and a request may be late. */
const MADE_WITHIN_S = 600

async function searchIntent(api: StripeApi, call: ChargeCall): Promise<Intent | null> {
  const found = await api.searchIntents(call.key)
  const candidates = found.kind === 'done' ? found.object : await listAround(api, call)
  // What a search shows may be old: each is read anew.
  const intents: Intent[] = []
  for (const { id } of candidates.filter(({ key }) => key === call.key)) intents.push(await api.getIntent(id))
  intents.sort((a, b) => WEIGHTS[b.status] - WEIGHTS[a.status])
  return intents[0] ?? null
}

/** For accounts without search. */
function listAround(api: StripeApi, { begunAt }: ChargeCall): Promise<readonly Intent[]> {
  const begun = Math.floor(begunAt.getTime() / 1_000)
  return api.listIntents(begun - MADE_WITHIN_S, begun + MADE_WITHIN_S)
}

/** Should a key have several, that one counts which money may have moved by. */
const WEIGHTS: Readonly<Record<IntentStatus, number>> = {
  succeeded: 6,
  requires_capture: 5,
  processing: 4,
  requires_action: 3,
  requires_confirmation: 2,
  requires_payment_method: 1,
  canceled: 0,
}
