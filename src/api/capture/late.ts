// Money that arrived for an attempt already given up: there is no order for it, so it goes back. By a job, so that neither a crash nor an
// outage of the gateway keeps it. The request to the gateway is keyed by the attempt: asked twice, it is done once.

import type { Db } from '../../db/db.ts'
import type { Sum } from '../../gateways/call.ts'
import type { Charged, FoundOutcome } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue, type NewJob } from '../../jobs/queue.ts'
import type { Minor } from '../../lib/money.ts'
import { jobProvider } from '../payment-methods/account.ts'
import { askRefund, askRelease, lookUpAnySum, throwIfOpen } from '../payments/ask.ts'
import { LOOK_AGAIN_MS, nextRefundLookAt } from '../payments/look-later.ts'
import { MOST_FAILURES } from '../payments/movement.ts'
import { entryOf } from './entry.ts'
import { type AttemptKey, type AttemptRow, findAttempt } from './store.ts'

type LateServices = Pick<Services, 'db' | 'clock' | 'payments'>

const GIVE_BACK = 'capture.give_back'

/** An attempt, and by what it was to be paid. */
type PaidAttempt = AttemptKey & Pick<AttemptRow, 'gateway' | 'is_simulated'>

/**
 * `amount` and `currency`: what has arrived, where it was looked up; else what was asked for. `acceptedAt`: when the provider has first said that
 * it gives the money back, in ms.
 */
type GiveBackPayload = {
  attemptId: string
  kind: 'charged' | 'authorized'
  transactionId: string
  amount?: Minor
  currency?: string
  acceptedAt?: number
}

const REFUND = '_refund'
/** Another key than the charge's: a gateway may remember a key with what was first asked by it. */
const refundKeyOf = (attemptId: string) => attemptId + REFUND
/** The attempt whose money is given back under this key; null where it is none of these keys. */
export const givenBackUnder = (key: string): string | null =>
  key.endsWith(REFUND) ? key.slice(0, -REFUND.length) : null

/** What was paid for an attempt, by the gateway's own id. */
type Paid = Pick<Charged, 'kind'> &
  Partial<Pick<Charged, 'amount' | 'currency'>> & {
    readonly transactionId: string | null
    readonly acceptedAt?: number
  }

export const giveBackLater = (db: Db, attempt: PaidAttempt, paid: Paid, runAt: Date) =>
  enqueue(db, giveBackJob(attempt, paid, runAt))

export function giveBackJob(attempt: PaidAttempt, paid: Paid, runAt: Date): NewJob {
  const { merchant_id: merchantId, id: attemptId } = attempt
  const { kind, amount, currency, acceptedAt } = paid
  const transactionId = paid.transactionId ?? attemptId
  const payload: GiveBackPayload = { attemptId, kind, transactionId, amount, currency, acceptedAt }
  return { merchantId, kind: GIVE_BACK, key: attemptId, payload, provider: jobProvider(attempt), runAt }
}

export const giveBackLatePayments = (services: LateServices): JobHandler => ({
  kind: GIVE_BACK,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MOST_FAILURES,
  async handle({ payload, merchantId, signal }) {
    const asked = payload as GiveBackPayload
    const { attemptId, kind, transactionId } = asked
    const attempt = await findAttempt(services.db, { merchant_id: merchantId, id: attemptId })
    if (attempt?.state !== 'released') throw new Error(`The attempt ${attemptId} has not been given up.`)
    const context = { ...services, signal }
    const entry = entryOf(attempt)
    const { amount = attempt.amount, currency = attempt.currency } = asked
    const money = { transactionId, amount, currency }
    const charged = kind === 'charged' ? money : await takenInPlaceOf(context, entry, transactionId)
    if (charged === null) return
    const refund = { ...entry, key: refundKeyOf(attemptId) }
    const answer = await askRefund(context, refund, charged)
    throwIfOpen(answer)
    // Tried again, and logged in the end: somebody has to look into it.
    if (answer.kind === 'declined') throw new Error(`The payment of ${attemptId} is not given back: ${answer.message}`)
    if (services.payments.charging(attempt.gateway ?? '', attempt.is_simulated)?.story === undefined) return
    // It may come to nothing days later, and no order would show it: asked again under its key, the provider tells.
    const now = services.clock.now()
    const acceptedAt = asked.acceptedAt ?? now.getTime()
    const runAt = nextRefundLookAt(new Date(acceptedAt), now)
    if (runAt === null) return
    await giveBackLater(services.db, attempt, { ...charged, kind: 'charged', acceptedAt }, runAt)
  },
})

/** Lets go of money that is held. Gives the payment where somebody has taken it at the provider meanwhile. */
async function takenInPlaceOf(
  context: LateServices & { readonly signal: AbortSignal },
  entry: ReturnType<typeof entryOf>,
  transactionId: string,
): Promise<({ transactionId: string } & Sum) | null> {
  const answer = await askRelease(context, entry, transactionId)
  throwIfOpen(answer)
  const found = await lookUpAnySum(context, entry)
  if (found.kind === 'charged') {
    const { amount, currency } = found
    return { transactionId: found.transactionId ?? entry.key, amount, currency }
  }
  // Tried again. A provider that cannot be told to let go does so by itself after some days.
  if (found.kind === 'authorized' && answer.kind === 'declined')
    throw new Error(`Money stays held for ${entry.key}: ${answer.message}`)
  return null
}

// A provider has told of a payment whose attempt was given up, or could not be kept from taking it. Whether there is money to give back, it
// is asked: for as long as it may still come.

const LOOK_AGAIN = 'capture.look_again'

/** `until`: when it is to be looked at, in ms, also where a message that joins it has it looked at before. */
type LookAgainPayload = { attemptId: string; until?: number }

export const lookAgainLater = (db: Db, attempt: PaidAttempt, runAt: Date) => enqueue(db, lookAgainJob(attempt, runAt))

export function lookAgainJob(attempt: PaidAttempt, runAt: Date): NewJob {
  const { merchant_id: merchantId, id: attemptId } = attempt
  const provider = jobProvider(attempt)
  const payload: LookAgainPayload = { attemptId, until: runAt.getTime() }
  return { merchantId, kind: LOOK_AGAIN, key: attemptId, payload, provider, runAt }
}

/** Of an attempt that was given up. Throws what the gateway throws. */
export async function giveBackIfPaid(services: LateServices, attempt: AttemptRow): Promise<FoundOutcome> {
  const found = await lookUpAnySum(services, entryOf(attempt))
  if (isPaid(found)) await giveBackLater(services.db, attempt, found, services.clock.now())
  return found
}

export const isPaid = (found: FoundOutcome): found is Charged => found.kind === 'charged' || found.kind === 'authorized'

export const lookAgainAtReleased = (services: LateServices): JobHandler => ({
  kind: LOOK_AGAIN,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MOST_FAILURES,
  async handle({ payload, merchantId }) {
    const { attemptId, until = 0 } = payload as LookAgainPayload
    const attempt = await findAttempt(services.db, { merchant_id: merchantId, id: attemptId })
    if (attempt?.state !== 'released') return
    const found = await giveBackIfPaid(services, attempt)
    if (isPaid(found)) return
    if (services.clock.now().getTime() < until) return lookAgainLater(services.db, attempt, new Date(until))
    // Without a payment there is nothing to look at: it is paid by hand.
    if (found.kind === 'redirect' || (found.kind === 'pending' && found.payment !== undefined))
      await lookAgainLater(services.db, attempt, new Date(services.clock.now().getTime() + LOOK_AGAIN_MS))
  },
})
