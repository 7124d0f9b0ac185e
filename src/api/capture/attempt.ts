// An attempt is one try to pay a checkout. Its hold is the stock, code and credit set aside for it.
// A new attempt is charging: its gateway is being called. It waits while the shopper has to act, for example on a provider's page.
// A paid attempt is done: it has become an order, and its hold is sold.
// An attempt that was not paid is released: its hold is returned, and the token can be paid again.
// The gateway's answers are events, and TRANSITIONS lists the state and the effect that follow from each.
// The request and the completer do the same two steps: they call the gateway (gateway.ts), then apply the event (`applyEvent`).
// An effect changes the state only if no other process has changed it, so only one of two processes succeeds.
// Money that arrives for a released attempt has no order, so a job refunds it.

import type { Db } from '../../db/db.ts'
import type { Money } from '../../gateways/call.ts'
import type {
  AwaitingShopper,
  ChargedOutcome,
  ChargeOutcome,
  DeclinedOutcome,
  PendingOutcome,
} from '../../gateways/gateway.ts'
import { enqueue, type NewJob } from '../../jobs/queue.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import type { Minor } from '../../lib/money.ts'
import { detachSpentToken } from '../checkouts/hosted/store.ts'
import type { CapturedPayment } from '../orders/make.ts'
import { jobProvider } from '../payment-methods/account.ts'
import { raiseDeclineAlarm } from './declines/alarm.ts'
import { buildDecline } from './declines/slots.ts'
import { countDecline, returnSlots } from './declines/store.ts'
import {
  type CapturedOrder,
  type CaptureServices,
  findOrderOfAttempt,
  makeOrderOfAttempt,
  type PaymentSource,
} from './order.ts'
import { returnHold } from './reserve.ts'
import {
  type AttemptKey,
  type AttemptRow,
  findAttempt,
  markAwaitingShopper,
  type OpenAttemptRow,
  releaseAttempt,
} from './store.ts'

/**
 * `free`: nothing is due. `unknowable`: nobody can find out if the attempt was paid. `failed`: the gateway failed, and nothing was charged.
 * `expired`: the shopper did not pay in time, or the charge was cancelled. The provider may still take the money until `payableUntil`.
 */
export type AttemptEvent =
  | ChargeOutcome
  | { readonly kind: 'free' }
  | { readonly kind: 'unknowable'; readonly notes: string }
  | { readonly kind: 'failed' | 'expired'; readonly payableUntil?: Date | undefined }

type EventKind = AttemptEvent['kind']
type EventOf<Kind extends EventKind> = Extract<AttemptEvent, { readonly kind: Kind }>
type State = AttemptRow['state']

const ORDERED = ['free', 'charged', 'authorized', 'pending', 'unknowable'] as const
const AWAITING = ['redirect', 'requires_verification'] as const
const UNPAID = ['declined', 'failed', 'expired'] as const

type Transition = {
  readonly from: State
  readonly on: readonly EventKind[]
  readonly to: State
  readonly effect: keyof typeof EFFECTS
}

/** An event without a transition changes nothing: the attempt has already ended. ARCHITECTURE.md draws this table, and a test compares them. */
export const TRANSITIONS: readonly Transition[] = [
  { from: 'charging', on: ORDERED, to: 'done', effect: 'makeOrder' },
  { from: 'charging', on: AWAITING, to: 'waiting', effect: 'awaitShopper' },
  { from: 'charging', on: UNPAID, to: 'released', effect: 'releaseHold' },
  { from: 'waiting', on: ORDERED, to: 'done', effect: 'makeOrder' },
  { from: 'waiting', on: AWAITING, to: 'waiting', effect: 'keepWaiting' },
  { from: 'waiting', on: UNPAID, to: 'released', effect: 'releaseHold' },
  { from: 'released', on: ['charged', 'authorized'], to: 'released', effect: 'refundPayment' },
  { from: 'released', on: ['pending'], to: 'released', effect: 'pollPayment' },
]

/** The event that released an attempt. Rows that an older version wrote have no `reason` for a decline. */
type Refusal = (Omit<DeclinedOutcome, 'reason'> & Partial<DeclinedOutcome>) | { readonly kind: 'failed' | 'expired' }

/** The outcome of an attempt. `too_late`: the shopper paid after the release, and a job refunds the money. */
export type AttemptOutcome = CapturedOrder | AwaitingShopper | Refusal | { readonly kind: 'too_late' }

/**
 * Applies an event. If another process was first, returns its outcome. If that process released the attempt, a payment
 * is refunded. A null `event` means that the attempt had changed before the gateway was called. A released attempt
 * needs no draft.
 */
export async function applyEvent(
  services: CaptureServices,
  attempt: OpenAttemptRow | (AttemptRow & { readonly state: 'released' }),
  event: AttemptEvent | null,
  source: PaymentSource = 'answer',
): Promise<AttemptOutcome> {
  if (event === null) return readAttemptOutcome(services, attempt)
  const run = async (state: State): Promise<AttemptOutcome | null> => {
    const transition = TRANSITIONS.find(({ from, on }) => from === state && on.includes(event.kind))
    if (transition === undefined) return null
    const effect = EFFECTS[transition.effect] as Effect<AttemptEvent>
    return effect(services, attempt as OpenAttemptRow, event, source)
  }
  const outcome = await run(attempt.state)
  if (outcome !== null) return outcome
  const current = await findSettledAttempt(services, attempt)
  return (current.state === 'released' ? await run('released') : null) ?? outcomeIn(services, current)
}

/** The outcome of an attempt that has ended or waits for the shopper. */
export const readAttemptOutcome = async (services: CaptureServices, key: AttemptKey): Promise<AttemptOutcome> =>
  outcomeIn(services, await findSettledAttempt(services, key))

async function findSettledAttempt({ db }: CaptureServices, key: AttemptKey): Promise<AttemptRow> {
  const attempt = await findAttempt(db, key)
  if (attempt === null || attempt.state === 'charging') throw new Error(`The attempt ${key.id} is not settled.`)
  return attempt
}

const outcomeIn = async (services: CaptureServices, attempt: AttemptRow): Promise<AttemptOutcome> =>
  attempt.state === 'done' ? findOrderOfAttempt(services, attempt) : (attempt.gateway_state as AttemptOutcome)

// The effects. Each returns the outcome. If it returns null, the row of the attempt has the outcome: another process
// was first, for example.

type Effect<Event extends AttemptEvent> = (
  services: CaptureServices,
  attempt: OpenAttemptRow,
  event: Event,
  source: PaymentSource,
) => Promise<AttemptOutcome | null>

const makeOrder: Effect<EventOf<(typeof ORDERED)[number]>> = (services, attempt, event, source) =>
  makeOrderOfAttempt(services, attempt, paymentOf(attempt, event), source)

function paymentOf(attempt: AttemptRow, event: EventOf<(typeof ORDERED)[number]>): CapturedPayment | null {
  if (event.kind === 'free') return null
  const { gateway, payment_method_id: paymentMethodId, is_simulated: isSimulated, amount } = attempt
  const { transactionId, reference, source } = chargeIn(event) ?? { transactionId: null, reference: null, source: null }
  const payment = { gateway: gateway ?? '', paymentMethodId, isSimulated, amount, transactionId, reference, source }
  return event.kind === 'unknowable'
    ? { kind: 'unknown', ...payment, notes: event.notes }
    : { kind: event.kind, ...payment }
}

const chargeIn = (event: EventOf<'unknowable'> | ChargedOutcome | PendingOutcome) =>
  event.kind === 'unknowable' ? undefined : event.kind === 'pending' ? event.payment : event

/** Time for the shopper to confirm a payment. The attempt keeps its hold until then. */
const SHOPPER_MS = 15 * 60_000

const awaitShopper: Effect<AwaitingShopper> = async ({ db, clock }, attempt, event) => {
  const now = clock.now()
  const until = new Date(now.getTime() + SHOPPER_MS)
  const waiting = await markAwaitingShopper(db, attempt, event, until, now)
  await checkpoint('capture.waiting')
  return waiting && event
}

const keepWaiting: Effect<AwaitingShopper> = async (_services, _attempt, event) => event

const releaseHold: Effect<EventOf<(typeof UNPAID)[number]>> = async ({ db, clock }, attempt, event) => {
  const now = clock.now()
  const why: Refusal =
    event.kind === 'declined'
      ? { kind: event.kind, reason: event.reason, message: event.message }
      : { kind: event.kind }
  const isReleased = await db.transaction(async (tx) => {
    const hold = await releaseAttempt(tx, attempt, why, now)
    if (hold === null) return false
    await returnHold(tx, attempt, hold, now)
    if (event.kind !== 'declined' && event.payableUntil !== undefined)
      await schedulePoll(tx, attempt, event.payableUntil)
    await checkpoint('capture.releasing')
    const scope = { merchant_id: attempt.merchant_id, is_sandbox: attempt.is_sandbox }
    // Only a real decline counts. A failure, an expiry or a cancellation only returns the slots.
    if (why.kind !== 'declined' || why.reason === 'cancelled') {
      returnSlots(tx, scope, hold.slots)
      return true
    }
    // Count last: from here to the commit, all other declines of the shop wait for this one.
    const { isTokenSpent, ofShop } = await countDecline(tx, scope, buildDecline(attempt, hold.slots), now)
    if (isTokenSpent) detachSpentToken(tx, scope, attempt.checkout_id)
    raiseDeclineAlarm(tx, scope, attempt.origin, ofShop, now)
    return true
  })
  await checkpoint('capture.released')
  return isReleased ? why : null
}

/**
 * Gateways promise that a cancelled charge is never paid. If one is paid all the same, its money must not stay without
 * an order.
 */
const refundPayment: Effect<ChargedOutcome> = async (
  { db, clock },
  attempt,
  { kind, transactionId, amount, currency },
) => {
  // The shopper may have paid any sum for a released attempt. The sum of an open one was compared with the sum due.
  const sum = attempt.state === 'released' ? { amount, currency } : { amount: attempt.amount }
  await scheduleRefund(db, attempt, { kind, transactionId, ...sum }, clock.now())
  return { kind: 'too_late' }
}

/**
 * The provider has not decided yet. The job refunds the payment if it arrives. Payments by hand have no `payment` to
 * poll.
 */
const pollPayment: Effect<PendingOutcome> = async ({ db, clock }, attempt, { payment }) => {
  if (payment !== undefined) await schedulePoll(db, attempt, clock.now())
  return null
}

const EFFECTS = { makeOrder, awaitShopper, keepWaiting, releaseHold, refundPayment, pollPayment }

// The jobs of a released attempt. gateway.ts runs them.

type PaidAttempt = AttemptKey & Pick<AttemptRow, 'gateway' | 'is_simulated'>

/** A payment that arrived for a released attempt. If the gateway has no id of it, `transactionId` is null. */
type LatePayment = Pick<ChargedOutcome, 'kind'> &
  Partial<Money> & {
    readonly transactionId: string | null
    readonly acceptedAt?: number
  }

export const REFUND_JOB = 'capture.give_back'

/**
 * Without `amount` and `currency`, the sum of the attempt. `acceptedAt`: when the provider first accepted the refund,
 * in ms.
 */
export type RefundPayload = {
  attemptId: string
  kind: 'charged' | 'authorized'
  transactionId: string
  amount?: Minor
  currency?: string
  acceptedAt?: number
}

/** Enqueues a job, so that a crash or an outage of the gateway only delays the refund. */
export const scheduleRefund = (db: Db, attempt: PaidAttempt, payment: LatePayment, runAt: Date) =>
  enqueue(db, buildRefundJob(attempt, payment, runAt))

export function buildRefundJob(attempt: PaidAttempt, payment: LatePayment, runAt: Date): NewJob {
  const { merchant_id, id: attemptId } = attempt
  const { kind, amount, currency, acceptedAt } = payment
  const transactionId = payment.transactionId ?? attemptId
  const payload: RefundPayload = { attemptId, kind, transactionId, amount, currency, acceptedAt }
  return { merchant_id, kind: REFUND_JOB, key: attemptId, payload, provider: jobProvider(attempt), runAt }
}

export const POLL_JOB = 'capture.look_again'

/** `until`: time of a poll that takes place in any case, in ms. A provider's message may run the same job earlier. */
export type PollPayload = { attemptId: string; until?: number }

/** For a released attempt with a pending payment, or that the provider may still charge. */
export const schedulePoll = (db: Db, attempt: PaidAttempt, runAt: Date) => enqueue(db, buildPollJob(attempt, runAt))

export function buildPollJob(attempt: PaidAttempt, runAt: Date): NewJob {
  const { merchant_id, id: attemptId } = attempt
  const payload: PollPayload = { attemptId, until: runAt.getTime() }
  return { merchant_id, kind: POLL_JOB, key: attemptId, payload, provider: jobProvider(attempt), runAt }
}
