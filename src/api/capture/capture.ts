// Captures a checkout for the endpoint or the hosted checkout. An earlier attempt of the token decides first, so a capture that is sent
// twice gets one answer. Otherwise the body is prepared, the hold is reserved, the gateway is called and its event is applied. If this
// process dies on the way, the completer ends the attempt, or the same capture sent again does.

import { setTimeout as pause } from 'node:timers/promises'
import { isUndecided, type PaymentInput } from '../../gateways/gateway.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { ApiError, accountLimitation } from '../../lib/errors.ts'
import { jsonDigest } from '../../lib/json.ts'
import { completeCheckout, findBareCheckout } from '../checkouts/read-store.ts'
import type { Order } from '../orders/schema.ts'
import {
  alreadyCaptured,
  answerAttemptOutcome,
  beingCaptured,
  type CaptureResult,
  gatewayFailed,
  throwNotAnswered,
  viewCapturedOrder,
} from './answer.ts'
import { type AttemptOutcome, applyEvent, readAttemptOutcome } from './attempt.ts'
import { readPayment, refuseConfirmation } from './body/payment.ts'
import { type CaptureRequest, type PreparedCapture, prepareCapture } from './body/prepare.ts'
import type { CaptureBody, PaymentRedirect } from './body/schema.ts'
import { settleAttempt } from './completer.ts'
import {
  canConfirm,
  cancelCharge,
  chargeAttempt,
  confirmCharge,
  isConfirmation,
  lookUpCharge,
  takeApprovedCharge,
} from './gateway.ts'
import { findOrderOfAttempt } from './order.ts'
import { type CaptureContext, reserveOnceSlotIsFree } from './reserve.ts'
import {
  type AttemptKey,
  type AttemptRow,
  findAttempt,
  findCurrentAttempt,
  findOpenAttempt,
  hastenAttempt,
  type OpenAttemptRow,
} from './store.ts'

/** Gives the order, or the redirect to the provider. Throws 402, 404, 409, 422, 429, 503 or 504. */
export async function captureCheckout(
  context: Context,
  body: CaptureBody,
  checkoutId: string,
): Promise<Order | PaymentRedirect> {
  const request: CaptureRequest = {
    checkoutId,
    bodyDigest: await digestBody(context, body),
    payment: readPayment(body.payment),
  }
  const result = await resumeOrBegin(context, request, body)
  if (result.kind === 'order') return viewCapturedOrder(context.caller, result)
  // The same capture, sent again after the shopper has paid, gives the order.
  context.markNotFinal()
  const { redirect_url: url } = result.redirect
  return url.startsWith('/') ? { ...result.redirect, redirect_url: context.origin + url } : result.redirect
}

/** Keyed, because the digest is stored and the body may have a card number. */
const digestBody = async ({ signingSecret }: Pick<Context, 'signingSecret'>, body: CaptureBody) =>
  jsonDigest(await signingSecret('captures'), body)

/** True if this very body began the attempt, so it comes from the same shopper. */
export const isBegunWith = async (
  context: Pick<Context, 'signingSecret'>,
  { body_digest }: Pick<AttemptRow, 'body_digest'>,
  body: CaptureBody,
): Promise<boolean> => body_digest.equals(await digestBody(context, body))

/** How often another capture of the token may begin or end before this one gives up. */
const ROUNDS = 3

/**
 * Answers with the outcome of an earlier capture, or prepares the body and runs a new one. A refused body leaves a waiting attempt as it is.
 *
 * The same capture may be sent twice at once, or while an earlier one ends. It must not be refused for the hold of the other one, such
 * as the last use of a code. So if the attempt has changed since, the capture starts again.
 */
async function resumeOrBegin(context: Context, request: CaptureRequest, body: CaptureBody): Promise<CaptureResult> {
  const { db, caller } = context
  let current = await findTokenAndAttempt(context, request)
  for (let round = 1; round <= ROUNDS; round++) {
    const { result, waiting } = await resumeCapture(context, request, current.attempt)
    if (result !== null) return result
    const token = current.bare && (await completeCheckout(db, caller, current.bare))
    const prepared = await prepareCapture(context, request, token, body, waiting).catch(catchRefusal)
    if (!(prepared instanceof ApiError)) return runCapture(context, prepared, waiting)
    const before = current.attempt
    current = await findTokenAndAttempt(context, request)
    if (current.attempt?.id === before?.id && current.attempt?.state === before?.state) throw prepared
  }
  throw beingCaptured()
}

async function findTokenAndAttempt({ db, clock, caller }: Context, { checkoutId }: CaptureRequest) {
  const [attempt, bare] = await db.together((all) => [
    findCurrentAttempt(all, caller, checkoutId),
    findBareCheckout(all, caller, checkoutId, clock.now()),
  ])
  return { attempt, bare }
}

/** Gives a refusal that another capture of the token may have caused: the goods are gone, or the total is another. */
function catchRefusal(error: unknown): ApiError {
  if (error instanceof ApiError && (error.status === 422 || error.status === 409)) return error
  throw error
}

/**
 * `result`: the answer of the earlier capture, which answers this one too. `waiting`: an attempt of another body that waits for the shopper, and
 * that a new attempt will replace. With neither, a new attempt can begin.
 */
type EarlierCapture = { readonly result: CaptureResult | null; readonly waiting: AttemptKey | null }

/**
 * Runs before the body is checked. A capture that is sent again must not be refused for the hold of its own first attempt. `attempt`: the
 * attempt of the token that is not released. Throws the errors of the earlier capture.
 */
export async function resumeCapture(
  context: CaptureContext,
  request: CaptureRequest,
  attempt: AttemptRow | null,
): Promise<EarlierCapture> {
  if (context.caller.isDisabled) throw accountLimitation()
  if (attempt === null) return { result: null, waiting: null }
  // Known before anything else: a confirmation taken for another payment would cancel the very charge that it pays.
  const isConfirmed = await isConfirmation(context, attempt, request.payment)
  if (isConfirmed) refuseConfirmation(attempt.gateway, request.payment)
  const isSame = isConfirmed || attempt.body_digest.equals(request.bodyDigest)
  if (!isSame && attempt.state === 'waiting') return { result: null, waiting: attempt }
  if (!isSame) throw attempt.state === 'done' ? alreadyCaptured() : beingCaptured()
  return { result: await resumeEarlier(context, attempt, isConfirmed ? request.payment : null), waiting: null }
}

/** Gives an order or a redirect. Throws 402, 409, 422, 503 or 504. `earlier`: the waiting attempt that this one replaces. */
export async function runCapture(
  context: CaptureContext,
  prepared: PreparedCapture,
  earlier: AttemptKey | null,
): Promise<CaptureResult> {
  if (context.caller.isDisabled) throw accountLimitation()
  let waiting = earlier
  for (let round = 1; round <= ROUNDS; round++) {
    if (waiting !== null) await cancelWaiting(context, waiting)
    const { attempt, begunAt } = await reserveOnceSlotIsFree(context, prepared)
    if (attempt !== null) return answerAttemptOutcome(attempt, await pay(context, attempt, prepared, begunAt))
    const current = await findCurrentAttempt(context.db, context.caller, prepared.checkoutId)
    const other = await resumeCapture(context, prepared, current)
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
): Promise<AttemptOutcome> {
  if (gateway === null || payment === null) return applyEvent(context, attempt, { kind: 'free' })
  const event = await chargeAttempt(context, attempt, gateway, payment, begunAt)
  if (event.kind === 'open') return throwNotAnswered(event.cause)
  const outcome = await applyEvent(context, attempt, event)
  if (outcome.kind === 'failed' && event.kind === 'failed') throw gatewayFailed(event.cause)
  return outcome
}

/** `confirmation`: the payment, if it confirms a waiting charge. */
async function resumeEarlier(
  context: CaptureContext,
  attempt: AttemptRow,
  confirmation: PaymentInput | null,
): Promise<CaptureResult> {
  switch (attempt.state) {
    case 'done':
      return findOrderOfAttempt(context, attempt)
    case 'waiting':
      return resumeWaiting(context, attempt, confirmation)
    default:
      return answerAttemptOutcome(attempt, await waitForOutcome(context, attempt))
  }
}

/** How long a repeated capture waits for the first one to end. */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 400

/** A refusal of the first capture answers the repeated one too: the same card would only be declined again. */
async function waitForOutcome(context: CaptureContext, attempt: AttemptRow): Promise<AttemptOutcome> {
  const { db, clock, payments } = context
  // No process works on the attempt any more. The completer logs why the gateway does not answer.
  if (attempt.settle_after <= clock.now()) await settleAttempt(context, attempt).catch(() => undefined)
  const end = performance.now() + Math.min(PATIENCE_MS, payments.settleAfterMs)
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const state = (await findAttempt(db, attempt))?.state
    if (state !== 'charging') return readAttemptOutcome(context, attempt)
    if (performance.now() > end) throw beingCaptured()
    await pause(wait)
  }
}

/** The shopper is back, or the same capture was sent again. The gateway knows if the attempt is paid. */
async function resumeWaiting(
  context: CaptureContext,
  key: AttemptKey,
  confirmation: PaymentInput | null,
): Promise<CaptureResult> {
  const attempt = await findOpenAttempt(context.db, key)
  if (attempt === null) return answerAttemptOutcome({ gateway: null }, await readAttemptOutcome(context, key))
  return answerAttemptOutcome(
    attempt,
    confirmation !== null && canConfirm(context, attempt)
      ? await confirm(context, attempt, confirmation)
      : await lookAgain(context, attempt),
  )
}

async function lookAgain(context: CaptureContext, attempt: OpenAttemptRow): Promise<AttemptOutcome> {
  const event = await lookUpCharge(context, attempt).catch(throwNotAnswered)
  if (event.kind === 'approved') return takeApproved(context, attempt).catch(throwNotAnswered)
  return isUndecided(event) ? readAttemptOutcome(context, attempt) : applyEvent(context, attempt, event, 'lookup')
}

const takeApproved = async (context: CaptureContext, attempt: OpenAttemptRow): Promise<AttemptOutcome> =>
  applyEvent(context, attempt, await takeApprovedCharge(context, attempt), 'lookup')

async function confirm(
  context: CaptureContext,
  attempt: OpenAttemptRow,
  payment: PaymentInput,
): Promise<AttemptOutcome> {
  const event = await confirmCharge(context, attempt, payment)
  if (event?.kind === 'open') return throwNotAnswered(event.cause)
  // A failed confirmation does not end the waiting charge: somebody could still confirm it.
  if (event?.kind === 'failed') return cancelAndApply(context, attempt, 'failed').catch(throwNotAnswered)
  return applyEvent(context, attempt, event)
}

/** Another body came while an attempt waits: the shopper now pays in another way. Call it just before the new attempt begins. */
async function cancelWaiting(context: CaptureContext, key: AttemptKey): Promise<void> {
  const { db, clock, payments } = context
  const attempt = await findOpenAttempt(db, key)
  if (attempt === null) return
  // If this process dies after the cancel call, the completer soon releases the hold.
  await hastenAttempt(db, attempt, new Date(clock.now().getTime() + payments.settleAfterMs))
  await checkpoint('capture.calling_off')
  const outcome = await cancelAndApply(context, attempt, 'expired').catch(throwNotAnswered)
  // The shopper paid in the last moment.
  if (outcome.kind === 'order') throw alreadyCaptured()
}

const cancelAndApply = async (
  context: CaptureContext,
  attempt: OpenAttemptRow,
  kind: 'expired' | 'failed',
): Promise<AttemptOutcome> => applyEvent(context, attempt, await cancelCharge(context, attempt, kind), 'lookup')
