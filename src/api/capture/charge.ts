// The middle phase of a capture: what an earlier one of the same token has come to, else reserve, charge, and record what came of it.
// Whatever dies on the way leaves an attempt behind, which the completer, or the same capture sent again, brings to its end.

import { setTimeout as pause } from 'node:timers/promises'
import type { GatewayCall } from '../../gateways/call.ts'
import { isUndecided, type PaymentInput } from '../../gateways/gateway.ts'
import { ProviderLeftAlone } from '../../gateways/provider/breaker.ts'
import type { ProviderStory } from '../../gateways/provider/story.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { accountLimitation, conflict, providerDown } from '../../lib/errors.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { messagePath } from '../payment-methods/payment-method.ts'
import { askCharge, askStory, lookUp, withConfig } from '../payments/ask.ts'
import { refuseContinuation } from './body/payment.ts'
import { demandOf } from './declines/slots.ts'
import { configFor, entryOf, isOnPage, returnPath } from './entry.ts'
import type { CaptureRequest, PreparedCapture } from './prepare.ts'
import { type CaptureContext, reserveOnceSlotIsFree } from './reserve.ts'
import {
  answerTo,
  type CaptureResult,
  type CaptureServices,
  finish,
  notAnsweredYet,
  orderOf,
  paymentFailed,
  RETRY_SECONDS,
  record,
  type Settlement,
  settlementOf,
} from './settle.ts'
import {
  type AttemptKey,
  type AttemptRow,
  findAttempt,
  findKeptAttempt,
  findOpenAttempt,
  freeSlots,
  hastenAttempt,
  type OpenAttemptRow,
} from './store.ts'
import { callOff, confirmCharge, goOnOnceSlotIsFree, isAwaited, settleAttempt, takeApproved } from './unsettled.ts'

/**
 * What an earlier capture of the token means for this one. `result`: that is the answer to this one too. `waiting`: it has another body and
 * waits for the shopper; a new attempt takes its place, a refused body leaves it. Neither: a new attempt is due.
 */
type EarlierCapture = { readonly result: CaptureResult | null; readonly waiting: AttemptKey | null }

/**
 * Asked before any rule looks at a body: one that is sent again must not be refused for the stock, the last use of a code or the credit that
 * its own first attempt holds. `attempt`: the one of the token that was not released. The refusals of the earlier one are thrown.
 */
export async function resumeCapture(
  context: CaptureContext,
  request: CaptureRequest,
  attempt: AttemptRow | null,
): Promise<EarlierCapture> {
  if (context.caller.isDisabled) throw accountLimitation()
  if (attempt === null) return { result: null, waiting: null }
  const isConfirmed = await confirms(context, attempt, request)
  if (isConfirmed) refuseContinuation(attempt.gateway, request.payment)
  const isSame = isConfirmed || attempt.body_digest.equals(request.bodyDigest)
  if (!isSame && attempt.state === 'waiting') return { result: null, waiting: attempt }
  if (!isSame) throw attempt.state === 'done' ? alreadyCaptured() : beingCaptured()
  return { result: await resultOf(context, attempt, isConfirmed ? request.payment : null), waiting: null }
}

/** How often another capture of the token may come first and be declined. */
const ROUNDS = 3

/** An order or a redirect. Refusals are thrown: 402, 409, 422, 503, 504. `earlier`: the waiting attempt that it takes the place of. */
export async function runCapture(
  context: CaptureContext,
  prepared: PreparedCapture,
  earlier: AttemptKey | null,
): Promise<CaptureResult> {
  if (context.caller.isDisabled) throw accountLimitation()
  let waiting = earlier
  for (let round = 1; round <= ROUNDS; round++) {
    if (waiting !== null) await callOffWaiting(context, waiting)
    const { attempt, begunAt } = await reserveOnceSlotIsFree(context, prepared)
    if (attempt !== null) return pay(context, attempt, prepared, begunAt)
    const kept = await findKeptAttempt(context.db, context.caller, prepared.checkoutId)
    const other = await resumeCapture(context, prepared, kept)
    if (other.result !== null) return other.result
    waiting = other.waiting
  }
  throw beingCaptured()
}

async function pay(
  context: CaptureContext,
  attempt: OpenAttemptRow,
  { gateway, payment }: PreparedCapture,
  begunAt: number,
): Promise<CaptureResult> {
  if (gateway === null || payment === null) return answerTo(attempt, await finish(context, attempt, null))
  const isHosted = isOnPage(context.caller)
  const entry = { ...entryOf(attempt), config: configFor(gateway.config, isHosted) }
  const returnUrl = context.origin + returnPath(attempt, isHosted)
  const answer = await askCharge(context, entry, begunAt, (charging, call) =>
    charging.charge({ ...call, payment, returnUrl, messageUrl: messageUrlOf(context, attempt) }),
  )
  await checkpoint('capture.charged')
  if (answer.kind === 'open') {
    await letGoOfSlots(context, attempt)
    throw notAnsweredYet(answer)
  }
  const settlement = await record(context, attempt, answer, 'told')
  if (settlement.kind === 'failed' && answer.kind === 'failed') throw refusalOf(answer.cause)
  return answerTo(attempt, settlement)
}

/**
 * Nothing was charged, and nothing is held any more. Another capture may have begun to try a provider that is down after this one was let
 * through: it hears what all others hear who are turned away. The rest is logged with the request: wrong credentials, say, are for the
 * merchant to mend.
 */
const refusalOf = (cause: unknown) => (cause instanceof ProviderLeftAlone ? providerDown(cause) : paymentFailed(cause))

/** Nobody knows yet whether it is declined: others of the network need not wait for that. Only for who has taken the slots. */
async function letGoOfSlots({ db }: CaptureContext, attempt: OpenAttemptRow): Promise<void> {
  // A database that is out is told by the request's own error; a slot that stays taken is forgotten within the hour.
  if (demandOf(attempt).slots.length > 0) await freeSlots(db, attempt).catch(() => undefined)
}

const messageUrlOf = (
  { lastingOrigin }: Pick<CaptureContext, 'lastingOrigin'>,
  { merchant_id: merchantId, payment_method_id: methodId }: OpenAttemptRow,
): string | null =>
  lastingOrigin === '' || methodId === null ? null : lastingOrigin + messagePath(merchantId, methodId)

/** The payment names the very charge that waits, or waited, for the shopper; or it was made for that one, as its provider says. */
async function confirms(services: CaptureServices, attempt: AttemptRow, { payment }: CaptureRequest): Promise<boolean> {
  const confirmation = attempt.gateway_state?.confirmation
  const charging = services.payments.charging(attempt.gateway ?? '', attempt.is_simulated)
  if (payment === null || typeof confirmation !== 'string') return false
  const named = charging?.confirmationOf?.(payment) ?? null
  if (named !== null || charging?.story?.findConfirmation === undefined) return named === confirmation
  // Before anything is decided: taken for another payment, it would call off the very charge that it pays.
  const find = async (story: ProviderStory, call: GatewayCall) =>
    (await story.findConfirmation?.(call, payment)) ?? null
  return (await askStory(services, entryOf(attempt), find).catch(throwNotAnswered)) === confirmation
}

/** `confirmation`: the payment, where it confirms a charge that waits. */
async function resultOf(
  context: CaptureContext,
  attempt: AttemptRow,
  confirmation: PaymentInput | null,
): Promise<CaptureResult> {
  switch (attempt.state) {
    case 'done':
      return orderOf(context, attempt)
    case 'waiting':
      return resume(context, attempt, confirmation)
    default:
      return answerTo(attempt, await outcomeOf(context, attempt))
  }
}

/** How long the same capture, sent again, waits for the first to end. */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 400

/** Waits for an attempt that is being charged. Also for its refusal: trying the same card again would only be declined again. */
async function outcomeOf(context: CaptureContext, attempt: AttemptRow): Promise<Settlement> {
  const { db, clock, payments } = context
  // Nobody works on it any more. Why the gateway does not answer is for the completer to log.
  if (attempt.settle_after <= clock.now()) await settleAttempt(context, attempt).catch(() => undefined)
  const end = performance.now() + Math.min(PATIENCE_MS, payments.settleAfterMs)
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const state = (await findAttempt(db, attempt))?.state
    if (state !== 'charging') return settlementOf(context, attempt)
    if (performance.now() > end) throw beingCaptured()
    await pause(wait)
  }
}

/** The shopper is back, or the same capture was sent again: the gateway says whether it is paid. */
async function resume(
  context: CaptureContext,
  key: AttemptKey,
  confirmation: PaymentInput | null,
): Promise<CaptureResult> {
  const attempt = await findOpenAttempt(context.db, key)
  if (attempt === null) return answerTo({ gateway: null }, await settlementOf(context, key))
  const { gateway, is_simulated: isSimulated } = attempt
  const canConfirm = context.payments.charging(gateway ?? '', isSimulated)?.confirm !== undefined
  return answerTo(
    attempt,
    confirmation !== null && canConfirm
      ? await confirm(context, attempt, confirmation)
      : await lookAgain(context, attempt),
  )
}

async function lookAgain(context: CaptureContext, attempt: OpenAttemptRow): Promise<Settlement> {
  const found = await lookUp(context, entryOf(attempt)).catch(throwNotAnswered)
  if (found.kind === 'approved') return takeApproved(context, attempt).catch(throwNotAnswered)
  return isUndecided(found) ? settlementOf(context, attempt) : record(context, attempt, found, 'found')
}

async function confirm(context: CaptureContext, attempt: OpenAttemptRow, payment: PaymentInput): Promise<Settlement> {
  // Before the attempt is moved on: without it the gateway could not be asked.
  const entry = await withConfig(context, entryOf(attempt))
  const gone = await goOnOnceSlotIsFree(context, attempt)
  if (gone === null) return settlementOf(context, attempt)
  const answer = await confirmCharge(context, entry, gone.begunAt, payment)
  // Slots that another has taken who confirms it too are not this one's to give back.
  if (gone.hasTaken && (answer.kind === 'open' || isAwaited(answer))) await letGoOfSlots(context, attempt)
  if (answer.kind === 'open') throw notAnsweredYet(answer)
  // A confirmation that charged nothing does not end the waiting charge: somebody could still confirm it.
  return answer.kind === 'failed'
    ? callOff(context, attempt, { kind: 'failed' }).catch(throwNotAnswered)
    : record(context, attempt, answer, 'told')
}

/**
 * Another body while an attempt waits for the shopper: the shopper pays in another way now. Call it just before the new payment is tried.
 */
async function callOffWaiting(context: CaptureContext, key: AttemptKey): Promise<void> {
  const { db, clock, payments } = context
  const attempt = await findOpenAttempt(db, key)
  if (attempt === null) return
  // If this process dies after calling it off, the completer gives everything back soon, not only when the shopper's time is over.
  await hastenAttempt(db, attempt, new Date(clock.now().getTime() + payments.settleAfterMs))
  await checkpoint('capture.calling_off')
  const settlement = await callOff(context, attempt).catch(throwNotAnswered)
  // It was paid in the last moment.
  if (settlement.kind === 'order') throw alreadyCaptured()
}

const throwNotAnswered = (cause: unknown): never => {
  throw notAnsweredYet({ cause })
}

const alreadyCaptured = () =>
  conflict(
    'There is an order for this checkout token already, and it was captured with another body.',
    undefined,
    refusal('already_ordered'),
  )

export const beingCaptured = () =>
  conflict(
    'This checkout token is being captured at the moment. Send the same capture again shortly.',
    RETRY_SECONDS,
    refusal('being_ordered'),
  )
