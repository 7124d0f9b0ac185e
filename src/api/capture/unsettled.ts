// What has become of an attempt that nobody is at any more: its gateway is asked, and it ends. Where nobody can ever know whether it was paid, it
// becomes an order that says so: there the merchant sees it, with the goods still set aside, and decides.

import { GatewayUnavailable } from '../../gateways/call.ts'
import { type FoundOutcome, isUndecided, type PaymentInput } from '../../gateways/gateway.ts'
import { ProviderLeftAlone } from '../../gateways/provider/breaker.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import type { PaymentMade } from '../orders/make.ts'
import { askCancel, askConfirm, type ChargeAnswer, type ChargeEntry, GatewayGone, lookUp } from '../payments/ask.ts'
import { unknownBecause } from '../payments/look-later.ts'
import { demandOf, NO_DEMAND, NoFreeSlot, onceSlotIsFree } from './declines/slots.ts'
import type { SlotDemand } from './declines/store.ts'
import { entryOf } from './entry.ts'
import { giveBackIfPaid, isPaid } from './late.ts'
import { type CaptureServices, finish, type Refusal, record, release, type Settlement, settlementOf } from './settle.ts'
import {
  type AttemptKey,
  type AttemptRow,
  findOpenAttempt,
  goOnWithAttempt,
  type OpenAttemptRow,
  postponeAttempt,
} from './store.ts'

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

export const isAwaited = ({ kind }: Pick<FoundOutcome | Settlement, 'kind'>): boolean =>
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

// Going on with an attempt that waits, and calling it off.

/**
 * Before the gateway is told to go on: should this process die when the money is taken, the completer soon makes the order. Null when the
 * attempt does not wait any more, else whether this has taken its slots.
 */
async function goOn(
  { db, clock, payments }: CaptureServices,
  attempt: AttemptKey,
  demand: SlotDemand = NO_DEMAND,
): Promise<{ readonly hasTaken: boolean } | null> {
  const now = clock.now()
  const outcome = await goOnWithAttempt(db, attempt, demand, new Date(now.getTime() + payments.settleAfterMs), now)
  await checkpoint('capture.confirming')
  if (outcome === 'no_slot') throw new NoFreeSlot()
  return outcome === 'not_waiting' ? null : { hasTaken: outcome === 'taken' }
}

/**
 * The same for a shopper who has come back to confirm. `begunAt`: when it began, by `performance.now()`. Throws `tooManyRequests` after too many
 * declines.
 */
export function goOnOnceSlotIsFree(services: CaptureServices, attempt: OpenAttemptRow) {
  const demand = demandOf(attempt)
  return onceSlotIsFree(services, { merchantId: attempt.merchant_id }, demand, async (begunAt) => {
    const gone = await goOn(services, attempt, demand)
    return gone && { ...gone, begunAt }
  })
}

/** Tells the gateway to go on. `payment`: what the shopper has come back with; null where nobody has. */
export async function confirmCharge(
  services: CaptureServices,
  entry: ChargeEntry,
  begunAt: number,
  payment: PaymentInput | null,
): Promise<ChargeAnswer> {
  const answer = await askConfirm(services, entry, begunAt, payment)
  await checkpoint('capture.confirmed')
  return answer
}

/** Takes what the shopper has agreed to pay. Throws where the gateway does not answer: then it stays as it is. */
export async function takeApproved(services: CaptureServices, attempt: OpenAttemptRow): Promise<Settlement> {
  // Nobody is at it, and nobody would look before the shopper's time is over.
  const isLeftAlone = attempt.state === 'waiting' && attempt.settle_after.getTime() === attempt.gives_up_at.getTime()
  if (isLeftAlone && (await goOn(services, attempt)) === null) return settlementOf(services, attempt)
  const answer = await confirmCharge(services, entryOf(attempt), performance.now(), null)
  if (answer.kind === 'open') throw answer.cause
  // A confirmation that charged nothing does not end the waiting charge: somebody could still confirm it.
  return answer.kind === 'failed'
    ? callOff(services, attempt, { kind: 'failed' })
    : record(services, attempt, answer, 'found')
}

/** Calls an attempt off at the gateway and gives everything back; one that has been paid after all becomes an order. */
export async function callOff(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  why: Refusal = { kind: 'expired' },
): Promise<Settlement> {
  const answer = await askCancel(services, entryOf(attempt))
  await checkpoint('capture.called_off')
  return answer.kind === 'cancelled'
    ? release(services, attempt, why, answer.payableUntil)
    : record(services, attempt, answer, 'found')
}
