// Enqueues polls of an order's payments at their provider (../provider-messages/poll.ts). A poll follows a message, or the cancellation of
// an order with an undecided payment.

import type { Db } from '../../db/db.ts'
import type { GatewayUnavailable } from '../../gateways/call.ts'
import { enqueue, type NewJob } from '../../jobs/queue.ts'
import type { TransactionRow } from '../orders/read-store.ts'
import { jobProvider } from '../payment-methods/account.ts'

export const POLL_PAYMENTS_JOB = 'orders.look_into_payments'

export type PollPayload = { orderId: string; isSandbox: boolean; refundId?: string }

/**
 * At most one poll waits for each order; further messages join it. `charge` is one of the charges to poll.
 * `refundId` is a refund that a message has named and that the payment may not list yet. It gets a job of its own, because a job that joins
 * another loses its payload.
 */
export const schedulePoll = (db: Db, ...args: Parameters<typeof createPollJob>) => enqueue(db, createPollJob(...args))

export const createPollJob = (
  merchant_id: number,
  { order_id: orderId, is_sandbox }: { readonly order_id: string; readonly is_sandbox: boolean },
  charge: Pick<TransactionRow, 'gateway' | 'is_simulated'>,
  runAt: Date,
  refundId?: string,
): NewJob => ({
  merchant_id,
  kind: POLL_PAYMENTS_JOB,
  key: refundId === undefined ? orderId : `${orderId} ${refundId}`,
  payload: { orderId, isSandbox: is_sandbox, ...(refundId === undefined ? {} : { refundId }) } satisfies PollPayload,
  provider: jobProvider(charge),
  runAt,
})

/** Delay before the next poll of an undecided payment that nobody waits for any more. */
export const POLL_INTERVAL_MS = 3_600_000

// Polls also run without a message, because it may be lost or not set up. Some providers send none when they let go of held money.

const DAY_MS = 86_400_000
/** How long an accepted refund is polled. Only a message reports a later failure. */
const REFUND_IS_WATCHED_MS = 14 * DAY_MS
/** No provider holds money for longer. */
const HOLD_IS_WATCHED_MS = 40 * DAY_MS

/** First poll of a result that its provider may still change. */
export const firstPollAt = (now: Date): Date => new Date(now.getTime() + DAY_MS)

/** Next poll of a refund that was accepted at `since`, at growing intervals. Null: no further poll. */
export function nextRefundPollAt(since: Date, now: Date): Date | null {
  const age = now.getTime() - since.getTime()
  return age < REFUND_IS_WATCHED_MS ? new Date(now.getTime() + Math.max(age, DAY_MS)) : null
}

/** Next poll of an order without a message; daily while money is held. Null: nothing changes by itself any more. */
export function nextPollAt(transactions: readonly TransactionRow[], now: Date): Date | null {
  const isHeld = transactions.some(
    ({ status, is_authorized, created }) =>
      status === 'pending' && is_authorized && now.getTime() - created * 1_000 < HOLD_IS_WATCHED_MS,
  )
  const refunds = transactions.filter(({ type, status }) => type === 'refund' && status === 'complete')
  const moments = [
    isHeld ? firstPollAt(now) : null,
    ...refunds.map(({ created }) => nextRefundPollAt(new Date(created * 1_000), now)),
  ].filter((moment) => moment !== null)
  return moments.sort((one, other) => one.getTime() - other.getTime())[0] ?? null
}

/** True while a provider has the payment and still decides, so that its money may come. A payment by hand has no source. */
export const isPendingAtProvider = (charge: TransactionRow): boolean =>
  charge.type === 'charge' &&
  charge.status === 'pending' &&
  !charge.is_authorized &&
  charge.payment_source_type !== null &&
  !isOutcomeUnknown(charge)

/**
 * True if nobody can find out any more if it was paid. The merchant checks at the provider, and completes the charge or cancels the order.
 */
export const isOutcomeUnknown = ({ type, status, status_reason }: TransactionRow): boolean =>
  type === 'charge' && status === 'pending' && status_reason === 'gateway_failure'

/** Note for the merchant on a charge with an outcome that nobody can find out. `names`: ids by which the provider may find it. */
export const describeUnknownOutcome = ({ message }: GatewayUnavailable, names: readonly (string | null)[]): string =>
  `Nobody knows whether this was paid. ${message} Look at the provider for ${names.filter((name) => name !== null).join(' or ')}. If it was paid, set this transaction to complete, with the provider's id of the payment as gateway_transaction_id: without that it cannot be refunded from here. If not, cancel the order.`
