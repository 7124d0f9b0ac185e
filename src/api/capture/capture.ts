// The phases of a capture: reserve, charge, and record what came of it. Whatever dies on the way leaves an attempt behind, which the
// completer, or the same capture sent again, brings to its end.

import type { GatewayConfig, PaymentInput } from '../../gateways/gateway.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { accountLimitation } from '../../lib/errors.ts'
import { answerTo, beingCaptured, notAnswered } from './answer.ts'
import { type Answer, ask, gatewayOf } from './charge.ts'
import type { CaptureOwner, CaptureResult, PreparedCapture } from './prepared.ts'
import { type CaptureServices, reserve } from './reserve.ts'
import { callOffWaiting, resumeCapture, type WaitingCapture } from './resume.ts'
import { finish, record } from './settle.ts'
import type { OpenAttemptRow } from './store.ts'

/** Another capture of the token may come first, and be declined, this often. */
const ROUNDS = 3

/** An order or a redirect. Refusals are thrown: 402, 409, 422, 504. `earlier`: the attempt that it takes the place of. */
export async function runCapture(
  services: CaptureServices,
  owner: CaptureOwner,
  prepared: PreparedCapture,
  earlier: WaitingCapture | null,
): Promise<CaptureResult> {
  if (owner.isDisabled) throw accountLimitation()
  let waiting = earlier
  for (let round = 1; round <= ROUNDS; round++) {
    if (waiting !== null) await callOffWaiting(services, waiting)
    const startedAt = performance.now()
    const attempt = await reserve(services, owner, prepared)
    if (attempt !== null) return pay(services, attempt, prepared, startedAt)
    const found = await resumeCapture(services, owner, prepared)
    if (found !== null && found.kind !== 'waiting') return found
    waiting = found
  }
  throw beingCaptured()
}

async function pay(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  { gateway, payment }: PreparedCapture,
  startedAt: number,
): Promise<CaptureResult> {
  if (gateway === null || payment === null) return answerTo(attempt, await finish(services, attempt, null))
  const answer = await charge(services, attempt, gateway.config, payment, startedAt)
  await checkpoint('capture.charged')
  if (answer.kind === 'open') throw notAnswered(answer.cause)
  return answerTo(attempt, await record(services, attempt, answer))
}

async function charge(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  config: GatewayConfig,
  payment: PaymentInput,
  startedAt: number,
): Promise<Answer> {
  const gateway = await gatewayOf(services, attempt, config)
  const { amount, currency } = attempt
  // Not the token's id: whoever knows that may act on the checkout.
  const description = `Payment ${attempt.id}`
  return ask(services, gateway, startedAt, (signal) =>
    gateway.charging.charge({ ...gateway.call, amount, currency, payment, description, signal }),
  )
}
