// What an earlier capture of the same token has come to. Asked before any rule looks at a body: one that is sent again must not be refused
// for the stock, the last use of a code or the credit that its own first attempt holds.

import { setTimeout as pause } from 'node:timers/promises'
import { checkpoint } from '../../lib/checkpoint.ts'
import { accountLimitation } from '../../lib/errors.ts'
import { alreadyCaptured, answerTo, beingCaptured, notAnswered } from './answer.ts'
import { ask, confirmationOf, gatewayOf, lookUp } from './charge.ts'
import type { AskedCapture, CaptureOwner, CaptureResult } from './prepared.ts'
import type { CaptureServices } from './reserve.ts'
import { callOff, orderOf, record, type Settlement, settleAttempt, settlementOf } from './settle.ts'
import {
  type AttemptKey,
  type AttemptRow,
  findAttempt,
  findKeptAttempt,
  findOpenAttempt,
  goOnWithAttempt,
  hastenAttempt,
} from './store.ts'

/** How long the same capture, sent again, waits for the first to end. */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 400

/** An earlier capture with another body waits for the shopper. One that is tried takes its place; one that is refused leaves it. */
export type WaitingCapture = { readonly kind: 'waiting'; readonly attempt: AttemptKey }

/**
 * Null when a new attempt is due; so it is when another waits, once the new body is found good. Otherwise what the earlier one has come to;
 * its refusals are thrown.
 */
export async function resumeCapture(
  services: CaptureServices,
  owner: CaptureOwner,
  asked: AskedCapture,
): Promise<CaptureResult | WaitingCapture | null> {
  if (owner.isDisabled) throw accountLimitation()
  const attempt = await findKeptAttempt(services.db, owner.merchantId, asked.checkoutId, owner.isSandbox)
  if (attempt === null) return null
  const isConfirmed = confirms(services, attempt, asked)
  const isSame = isConfirmed || attempt.body_digest.equals(asked.bodyDigest)
  if (attempt.state === 'done') {
    if (!isSame) throw alreadyCaptured()
    return orderOf(services, attempt)
  }
  if (attempt.state === 'waiting')
    return isSame ? goOn(services, attempt, asked, isConfirmed) : { kind: 'waiting', attempt }
  if (!isSame) throw beingCaptured()
  return answerTo(attempt, await outcomeOf(services, attempt))
}

/** The payment names the very charge that waits, or waited, for the shopper. */
function confirms(services: CaptureServices, attempt: AttemptRow, { payment }: AskedCapture): boolean {
  const confirmation = confirmationOf(services, attempt, payment)
  return confirmation !== null && attempt.gateway_state?.confirmation === confirmation
}

/** Waits for an attempt that is being charged. Also for its refusal: trying the same card again would only be declined again. */
async function outcomeOf(services: CaptureServices, attempt: AttemptRow): Promise<Settlement> {
  const { db, clock, payments } = services
  // Nobody is at it any more. What keeps the gateway from answering is the completer's to tell.
  if (attempt.settle_after <= clock.now()) await settleAttempt(services, attempt).catch(() => undefined)
  const end = performance.now() + Math.min(PATIENCE_MS, payments.settleAfterMs)
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    const state = (await findAttempt(db, attempt))?.state
    if (state !== 'charging') return settlementOf(services, attempt)
    if (performance.now() > end) throw beingCaptured()
    await pause(wait)
  }
}

/** The shopper is back, or the same capture was sent again: the gateway says whether it is paid. */
async function goOn(
  services: CaptureServices,
  key: AttemptKey,
  { payment }: AskedCapture,
  isConfirmed: boolean,
): Promise<CaptureResult> {
  const { db, clock, payments } = services
  const startedAt = performance.now()
  const attempt = await findOpenAttempt(db, key)
  if (attempt === null) return answerTo({ gateway: null }, await settlementOf(services, key))
  const gateway = await gatewayOf(services, attempt)
  const { charging, call } = gateway
  if (!isConfirmed || payment === null || charging.confirm === undefined) {
    const found = await lookUp(charging, call).catch((error) => {
      throw notAnswered(error)
    })
    const isStillOpen = found.kind === 'unknown' || found.kind === 'waiting'
    return answerTo(
      attempt,
      isStillOpen ? await settlementOf(services, attempt) : await record(services, attempt, found),
    )
  }
  const { confirm } = charging
  const now = clock.now()
  const isWaiting = await goOnWithAttempt(db, attempt, new Date(now.getTime() + payments.settleAfterMs), now)
  await checkpoint('capture.confirming')
  if (!isWaiting) return answerTo(attempt, await settlementOf(services, attempt))
  const answer = await ask(services, gateway, startedAt, (signal) => confirm({ ...call, payment, signal }))
  await checkpoint('capture.confirmed')
  if (answer.kind === 'open') throw notAnswered(answer.cause)
  return answerTo(
    attempt,
    // That the confirmation charged nothing does not end the charge that waits: somebody could still confirm it.
    answer.kind === 'failed' ? await calledOff(services, attempt, answer) : await record(services, attempt, answer),
  )
}

const calledOff = (...call: Parameters<typeof callOff>): Promise<Settlement> =>
  callOff(...call).catch((error) => {
    throw notAnswered(error)
  })

/** Another body while the shopper is waited for: the shopper pays in another way now. To be called when that one is about to be tried. */
export async function callOffWaiting(services: CaptureServices, { attempt: key }: WaitingCapture): Promise<void> {
  const { db, clock, payments } = services
  const attempt = await findOpenAttempt(db, key)
  if (attempt === null) return
  // Should this process die once it is called off, the completer gives everything back soon, and not when the shopper's time is over.
  await hastenAttempt(db, attempt, new Date(clock.now().getTime() + payments.settleAfterMs))
  await checkpoint('capture.calling_off')
  const settlement = await calledOff(services, attempt)
  // It was paid in the last moment.
  if (settlement.kind === 'order') throw alreadyCaptured()
}
