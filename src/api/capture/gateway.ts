// Calls to the gateway about one attempt: charge, confirm, look up and cancel. The result of each call is an event for the attempt (attempt.ts).
// All calls are built from the attempt's row, so every process sends the gateway the same request. Also the jobs that call the gateway
// about a released attempt: they poll its payment, and refund money that came too late.

import type { GatewayCall, GatewayConfig, Money } from '../../gateways/call.ts'
import type { AwaitingShopper, ChargedOutcome, LookupOutcome, PaymentInput } from '../../gateways/gateway.ts'
import type { ProviderHistory } from '../../gateways/provider/history.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { timeOfId } from '../../lib/ids.ts'
import { messagePath } from '../payment-methods/payment-method.ts'
import { throwIfUndecided, withStoredConfig } from '../payments/call-gateway.ts'
import {
  type ChargeAnswer,
  type ChargeEntry,
  lookUpPayment,
  lookUpPaymentOfAnySum,
  readProviderHistory,
  requestCharge,
  requestChargeCancel,
  requestChargeConfirmation,
  requestRefund,
  requestRelease,
} from '../payments/calls.ts'
import { MAX_PROVIDER_FAILURES } from '../payments/movement.ts'
import { nextRefundPollAt, POLL_INTERVAL_MS } from '../payments/polls.ts'
import { throwNotAnswered } from './answer.ts'
import {
  type AttemptEvent,
  applyEvent,
  POLL_JOB,
  type PollPayload,
  REFUND_JOB,
  type RefundPayload,
  schedulePoll,
  scheduleRefund,
} from './attempt.ts'
import type { ChosenGateway } from './body/payment.ts'
import { isFromHostedCheckout } from './body/schema.ts'
import { buildAttemptDemand, NO_DEMAND, NoFreeSlot, retryUntilSlotIsFree } from './declines/slots.ts'
import type { SlotDemand } from './declines/store.ts'
import type { CaptureServices } from './order.ts'
import type { CaptureContext } from './reserve.ts'
import {
  type AttemptKey,
  type AttemptRow,
  findAttempt,
  type OpenAttemptRow,
  resumeAttempt,
  returnAttemptSlots,
} from './store.ts'

/** The attempt as a request to its gateway. */
const buildChargeEntry = (attempt: AttemptRow): ChargeEntry => ({
  merchant_id: attempt.merchant_id,
  key: attempt.id,
  is_sandbox: attempt.is_sandbox,
  gateway: attempt.gateway,
  methodId: attempt.payment_method_id,
  isSimulated: attempt.is_simulated,
  amount: attempt.amount,
  currency: attempt.currency,
  begunAt: new Date(timeOfId('paymentAttempt', attempt.id)),
  confirmation: readConfirmation(attempt),
  reference: attempt.payment_reference,
})

/** The name of the waiting charge. It stays in the row until the attempt ends, even while the charge is confirmed. */
export const readConfirmation = ({ gateway_state: state }: AttemptRow): string | null =>
  typeof state?.confirmation === 'string' ? state.confirmation : null

/** Query parameter of the return URL of a shopper who pays on our own page. */
export const ON_PAGE = 'hosted'

/** Names the attempt, because an earlier attempt of the token has its own outcome. */
const returnPath = (
  { merchant_id, checkout_id, id }: Pick<AttemptRow, 'merchant_id' | 'checkout_id' | 'id'>,
  isHosted: boolean,
): string => `/checkout/${merchant_id}/pay/${checkout_id}/back?payment=${id}${isHosted ? `&${ON_PAGE}=1` : ''}`

/** The merchant's return URL leads to its storefront. A shopper who pays on our own page must come back to that page. */
function configFor({ return_url: returnUrl, ...config }: GatewayConfig, isHosted: boolean): GatewayConfig {
  return isHosted || returnUrl === undefined ? config : { ...config, return_url: returnUrl }
}

/** Null without a lasting origin: then the provider could not reach us. */
const messageUrlOf = (
  { lastingOrigin }: Pick<CaptureContext, 'lastingOrigin'>,
  { merchant_id, payment_method_id: methodId }: OpenAttemptRow,
): string | null =>
  lastingOrigin === '' || methodId === null ? null : lastingOrigin + messagePath(merchant_id, methodId)

/** Charges a new attempt. `open`: the gateway did not answer, and the completer will look the charge up. */
export async function chargeAttempt(
  context: CaptureContext,
  attempt: OpenAttemptRow,
  gateway: ChosenGateway,
  payment: PaymentInput,
  begunAt: number,
): Promise<ChargeAnswer> {
  const isHosted = isFromHostedCheckout(context.caller)
  const entry = { ...buildChargeEntry(attempt), config: configFor(gateway.config, isHosted) }
  const returnUrl = context.origin + returnPath(attempt, isHosted)
  const answer = await requestCharge(context, entry, begunAt, (adapter, call) =>
    adapter.charge({ ...call, payment, returnUrl, messageUrl: messageUrlOf(context, attempt) }),
  )
  await checkpoint('capture.charged')
  if (answer.kind === 'open') await freeHeldSlots(context, attempt)
  return answer
}

/** A decline is not known yet, and others of the network need not wait for it. Only for the process that took the slots. */
async function freeHeldSlots({ db }: CaptureServices, attempt: OpenAttemptRow): Promise<void> {
  // If the database is down the request fails with its own error. A slot that stays taken expires within the hour.
  if (buildAttemptDemand(attempt).slots.length > 0) await returnAttemptSlots(db, attempt).catch(() => undefined)
}

/** Looks up the charge of an attempt. Throws the error of the gateway. */
export const lookUpCharge = (services: CaptureServices, attempt: AttemptRow): Promise<LookupOutcome> =>
  lookUpPayment(services, buildChargeEntry(attempt))

/** Cancels the charge of an attempt. An attempt that was paid after all gives that payment as its event. Throws the error of the gateway. */
export async function cancelCharge(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  kind: 'expired' | 'failed' = 'expired',
): Promise<AttemptEvent> {
  const answer = await requestChargeCancel(services, buildChargeEntry(attempt))
  await checkpoint('capture.called_off')
  return answer.kind === 'cancelled' ? { kind, payableUntil: answer.payableUntil } : answer
}

/** True if `payment` names the waiting charge, or if the provider says that it was made for that charge. */
export async function isConfirmation(
  services: CaptureServices,
  attempt: AttemptRow,
  payment: PaymentInput | null,
): Promise<boolean> {
  const confirmation = readConfirmation(attempt)
  const adapter = services.payments.findAdapter(attempt.gateway ?? '', attempt.is_simulated)
  if (payment === null || confirmation === null) return false
  const name = adapter?.confirmationOf?.(payment) ?? null
  if (name !== null || adapter?.history?.findConfirmation === undefined) return name === confirmation
  const find = async (history: ProviderHistory, call: GatewayCall) =>
    (await history.findConfirmation?.(call, payment)) ?? null
  const nameAtProvider = await readProviderHistory(services, buildChargeEntry(attempt), find).catch(throwNotAnswered)
  return nameAtProvider === confirmation
}

/** False if a payment cannot confirm a charge at this gateway. Then the charge is looked up instead. */
export const canConfirm = ({ payments }: CaptureServices, { gateway, is_simulated: isSimulated }: AttemptRow) =>
  payments.findAdapter(gateway ?? '', isSimulated)?.confirm !== undefined

/** Confirms a waiting charge by the shopper's payment. Null if the attempt no longer waits. Throws `tooManyRequests` after too many declines. */
export async function confirmCharge(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  payment: PaymentInput,
): Promise<ChargeAnswer | null> {
  // Read first: without the config the gateway could not be called, and the attempt must then stay as it is.
  const entry = await withStoredConfig(services, buildChargeEntry(attempt))
  const demand = buildAttemptDemand(attempt)
  const resumed = await retryUntilSlotIsFree(services, attempt, async (begunAt) => {
    const outcome = await resume(services, attempt, demand)
    return outcome && { ...outcome, begunAt }
  })
  if (resumed === null) return null
  const answer = await continueCharge(services, entry, resumed.begunAt, payment)
  // Slots taken by another confirmation of this attempt belong to that one.
  if (resumed.hasTaken && (answer.kind === 'open' || isAwaitingShopper(answer))) await freeHeldSlots(services, attempt)
  return answer
}

/** Takes a payment that the shopper approved at the provider. Null if the attempt no longer waits. Throws the error of the gateway. */
export async function takeApprovedCharge(
  services: CaptureServices,
  attempt: OpenAttemptRow,
): Promise<AttemptEvent | null> {
  // No process works on the attempt, and the completer would poll it only at the end of the shopper's time.
  const isLeftAlone = attempt.state === 'waiting' && attempt.settle_after.getTime() === attempt.gives_up_at.getTime()
  if (isLeftAlone && (await resume(services, attempt)) === null) return null
  const answer = await continueCharge(services, buildChargeEntry(attempt), performance.now(), null)
  if (answer.kind === 'open') throw answer.cause
  return answer.kind === 'failed' ? cancelCharge(services, attempt, 'failed') : answer
}

/**
 * Call it before the gateway: if this process dies while the money is taken, the completer soon makes the order. Null if the attempt no
 * longer waits. `hasTaken`: this call has taken the slots.
 */
async function resume(
  { db, clock, payments }: CaptureServices,
  attempt: AttemptKey,
  demand: SlotDemand = NO_DEMAND,
): Promise<{ readonly hasTaken: boolean } | null> {
  const now = clock.now()
  const outcome = await resumeAttempt(db, attempt, demand, new Date(now.getTime() + payments.settleAfterMs), now)
  await checkpoint('capture.confirming')
  if (outcome === 'no_slot') throw new NoFreeSlot()
  return outcome === 'not_waiting' ? null : { hasTaken: outcome === 'taken' }
}

/** `payment` is null if the shopper has only approved at the provider. */
async function continueCharge(
  services: CaptureServices,
  entry: ChargeEntry,
  begunAt: number,
  payment: PaymentInput | null,
): Promise<ChargeAnswer> {
  const answer = await requestChargeConfirmation(services, entry, begunAt, payment)
  await checkpoint('capture.confirmed')
  return answer
}

export const isAwaitingShopper = (event: { readonly kind: string }): event is AwaitingShopper =>
  event.kind === 'redirect' || event.kind === 'requires_verification'

// Jobs for released attempts.

/** Looks up the payment of a released attempt, of any sum. If it was paid, the money goes back. */
export async function pollLatePayment(services: CaptureServices, attempt: AttemptRow): Promise<LookupOutcome> {
  const outcome = await lookUpPaymentOfAnySum(services, buildChargeEntry(attempt))
  if (isPaid(outcome)) await applyEvent(services, { ...attempt, state: 'released' }, outcome, 'lookup')
  return outcome
}

export const isPaid = (outcome: LookupOutcome): outcome is ChargedOutcome =>
  outcome.kind === 'charged' || outcome.kind === 'authorized'

export const pollReleasedAttempts = (services: CaptureServices): JobHandler => ({
  kind: POLL_JOB,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MAX_PROVIDER_FAILURES,
  async handle({ payload, merchant_id }) {
    const { attemptId, until = 0 } = payload as PollPayload
    const attempt = await findAttempt(services.db, { merchant_id, id: attemptId })
    if (attempt?.state !== 'released') return
    const outcome = await pollLatePayment(services, attempt)
    if (isPaid(outcome)) return
    const now = services.clock.now()
    if (now.getTime() < until) return schedulePoll(services.db, attempt, new Date(until))
    // A pending payment without an id is paid by hand, and the provider does not know it.
    if (outcome.kind === 'redirect' || (outcome.kind === 'pending' && outcome.payment !== undefined))
      await schedulePoll(services.db, attempt, new Date(now.getTime() + POLL_INTERVAL_MS))
  },
})

const REFUND = '_refund'
/** A refund has its own key, because a gateway may remember a key together with its first request. */
const refundKeyOf = (attemptId: string) => attemptId + REFUND
/** Reads the attempt's id from the key of its refund. Null for any other key. */
export const readRefundKey = (key: string): string | null =>
  key.endsWith(REFUND) ? key.slice(0, -REFUND.length) : null

export const refundLatePayments = (services: CaptureServices): JobHandler => ({
  kind: REFUND_JOB,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MAX_PROVIDER_FAILURES,
  async handle({ payload, merchant_id, signal }) {
    const { attemptId, kind, transactionId, ...sum } = payload as RefundPayload
    const attempt = await findAttempt(services.db, { merchant_id, id: attemptId })
    if (attempt?.state !== 'released') throw new Error(`The attempt ${attemptId} has not been given up.`)
    const context = { ...services, signal }
    const entry = buildChargeEntry(attempt)
    const { amount = attempt.amount, currency = attempt.currency } = sum
    const payment = { transactionId, amount, currency }
    const charged = kind === 'charged' ? payment : await releaseOrFindTaken(context, entry, transactionId)
    if (charged === null) return
    const answer = await requestRefund(context, { ...entry, key: refundKeyOf(attemptId) }, charged)
    throwIfUndecided(answer)
    // The job tries again. In the end it is logged, and a person has to act.
    if (answer.kind === 'declined') throw new Error(`The payment of ${attemptId} is not given back: ${answer.message}`)
    if (services.payments.findAdapter(attempt.gateway ?? '', attempt.is_simulated)?.history === undefined) return
    // An accepted refund may fail days later, and no order would show it. The same request under the same key tells.
    const now = services.clock.now()
    const acceptedAt = sum.acceptedAt ?? now.getTime()
    const runAt = nextRefundPollAt(new Date(acceptedAt), now)
    if (runAt !== null) await scheduleRefund(services.db, attempt, { ...charged, kind: 'charged', acceptedAt }, runAt)
  },
})

/** Releases authorized money. If the money has been taken meanwhile, gives that payment, so that it is refunded. */
async function releaseOrFindTaken(
  context: CaptureServices & { readonly signal: AbortSignal },
  entry: ChargeEntry,
  transactionId: string,
): Promise<({ transactionId: string } & Money) | null> {
  const answer = await requestRelease(context, entry, transactionId)
  throwIfUndecided(answer)
  const outcome = await lookUpPaymentOfAnySum(context, entry)
  if (outcome.kind === 'charged') {
    const { amount, currency } = outcome
    return { transactionId: outcome.transactionId ?? entry.key, amount, currency }
  }
  // The job tries again. A provider without a release call releases the money by itself after some days.
  if (outcome.kind === 'authorized' && answer.kind === 'declined')
    throw new Error(`Money stays held for ${entry.key}: ${answer.message}`)
  return null
}
