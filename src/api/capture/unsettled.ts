// What has become of an attempt that nobody is at any more: its gateway is asked, and it ends. Where nobody can ever know whether it was paid, it
// becomes an order that says so: there the merchant sees it, with the goods still set aside, and decides.

import { GatewayUnavailable } from '../../gateways/call.ts'
import type { FoundOutcome } from '../../gateways/gateway.ts'
import { ProviderLeftAlone } from '../../gateways/provider/breaker.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import type { PaymentMade } from '../orders/make.ts'
import { GatewayGone, isUndecided, lookUp } from '../payments/ask.ts'
import { unknownBecause } from '../payments/look-later.ts'
import { entryOf } from './entry.ts'
import { giveBackIfPaid, isPaid } from './late.ts'
import { type CaptureServices, callOff, finish, record, type Settlement, settlementOf, takeApproved } from './settle.ts'
import { type AttemptKey, type AttemptRow, findOpenAttempt, type OpenAttemptRow, postponeAttempt } from './store.ts'

const DAY_MS = 86_400_000
/**
 * Long enough to notice that credentials are wrong, and to enter those again that the payment was begun with. Like the other it runs from the end
 * of the attempt's time: when a refusal began is kept nowhere, so that one that follows on an outage of a week counts at once.
 */
const REFUSED_FOR_MS = 7 * DAY_MS
/** A provider that does not answer at all comes back, or is no more. */
const SILENT_FOR_MS = 30 * DAY_MS

/**
 * Asks the gateway what has become of an attempt and acts on it. Once its time is over, what is not paid is called off and given back.
 * Throws what the gateway throws: then it stays as it is, and is asked again later. `unknown`: it is not asked any more.
 */
export async function settleAttempt(services: CaptureServices, key: AttemptKey): Promise<'known' | 'unknown'> {
  const attempt = await findOpenAttempt(services.db, key)
  if (attempt === null) return 'known'
  try {
    await askAndAct(services, attempt)
    return 'known'
  } catch (error) {
    if (!isBeyondKnowing(attempt, error, services.clock.now())) throw error
    await finish(services, attempt, unknownPayment(attempt, error))
    return 'unknown'
  }
}

/** What comes of it when its shopper is back from a provider's page. Null: nobody knows yet. */
export async function endOfAttempt(services: CaptureServices, attempt: AttemptRow): Promise<Settlement | null> {
  try {
    await settleAttempt(services, attempt)
    const settlement = await settlementOf(services, attempt)
    // Its time was over, but at some providers it could still be paid.
    const isLate = settlement.kind === 'expired' && isPaid(await giveBackIfPaid(services, attempt))
    return isLate ? { kind: 'too_late' } : settlement
  } catch {
    // The provider has not answered, or another process is at it: the completer sees it through, and the page can be loaded again.
    return null
  }
}

async function askAndAct(services: CaptureServices, attempt: OpenAttemptRow): Promise<void> {
  if (attempt.gateway === null) return void (await finish(services, attempt, null))
  const found = await lookUp(services, entryOf(attempt))
  // The shopper has agreed, and may never come back to say so. What then cannot be taken, as from a card that the shopper has to replace by
  // another, waits as before: it must not be tried for ever.
  const isTaken = found.kind === 'approved' && !isAwaited(await takeApproved(services, attempt))
  if (isTaken) return
  const isOver = services.clock.now() >= attempt.gives_up_at
  const isOpen = isUndecided(found) || (attempt.state === 'waiting' && isAwaited(found))
  if (!isOpen) return void (await record(services, attempt, found, 'found'))
  if (isOver) return void (await callOff(services, attempt))
  await postponeAttempt(services.db, attempt)
  await checkpoint('capture.postponed')
}

const isAwaited = ({ kind }: Pick<FoundOutcome | Settlement, 'kind'>): boolean =>
  kind === 'redirect' || kind === 'requires_verification'

/** Only what a gateway has said, also of another sum than was asked for, or kept silent about: an outage of ours says nothing of it. */
function isBeyondKnowing({ gives_up_at }: OpenAttemptRow, error: unknown, now: Date): error is GatewayUnavailable {
  if (!(error instanceof GatewayUnavailable)) return false
  // Who is left alone for a moment is down, and has refused nothing.
  const isSilent = error.isOutage || error instanceof ProviderLeftAlone
  const bound = error instanceof GatewayGone ? 0 : isSilent ? SILENT_FOR_MS : REFUSED_FOR_MS
  return now.getTime() - gives_up_at.getTime() >= bound
}

const unknownPayment = (attempt: OpenAttemptRow, cause: GatewayUnavailable): PaymentMade => ({
  kind: 'unknown',
  gateway: attempt.gateway ?? '',
  paymentMethodId: attempt.payment_method_id,
  isSimulated: attempt.is_simulated,
  amount: attempt.amount,
  transactionId: null,
  reference: null,
  source: null,
  notes: unknownBecause(cause, [attempt.id, entryOf(attempt).confirmation, attempt.payment_reference]),
})
