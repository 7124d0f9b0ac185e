// A provider is asked how the payments of an order stand, by a job (../provider-messages/look.ts): because a message came, or because somebody has
// cancelled an order whose payment was not decided yet.

import type { Db } from '../../db/db.ts'
import type { GatewayUnavailable } from '../../gateways/call.ts'
import { enqueue, type NewJob } from '../../jobs/queue.ts'
import type { TransactionRow } from '../orders/read-store.ts'
import { jobProvider } from '../payment-methods/account.ts'

export const LOOK_INTO = 'orders.look_into_payments'

export type LookPayload = { orderId: string; isSandbox: boolean; refundId?: string }

/**
 * At most one waits for each order: further messages join it. `charge`: one of those that are looked at. `refundId`: a refund that a message has
 * named, and which the payment may not name yet. It has a job of its own, since a job that joins another leaves its payload behind.
 */
export const lookIntoLater = (db: Db, ...about: Parameters<typeof lookIntoJob>) => enqueue(db, lookIntoJob(...about))

export const lookIntoJob = (
  merchantId: number,
  { order_id: orderId, is_sandbox: isSandbox }: { readonly order_id: string; readonly is_sandbox: boolean },
  charge: Pick<TransactionRow, 'gateway' | 'is_simulated'>,
  runAt: Date,
  refundId?: string,
): NewJob => ({
  merchantId,
  kind: LOOK_INTO,
  key: refundId === undefined ? orderId : `${orderId} ${refundId}`,
  payload: { orderId, isSandbox, ...(refundId === undefined ? {} : { refundId }) } satisfies LookPayload,
  provider: jobProvider(charge),
  runAt,
})

/** How long a provider is left alone that has not decided about a payment nobody waits for any more. */
export const LOOK_AGAIN_MS = 3_600_000

// Without a message, too: it may be lost, or none be set up. Some tell of nothing when they let go of money that they have held.

const DAY_MS = 86_400_000
/** For so long a refund that was accepted is watched. One that comes to nothing still later is told by a message alone. */
const REFUND_IS_WATCHED_MS = 14 * DAY_MS
/** No provider holds money for longer. */
const HOLD_IS_WATCHED_MS = 40 * DAY_MS

/** When something that its provider may think better of is first looked at again. */
export const firstLookAt = (now: Date): Date => new Date(now.getTime() + DAY_MS)

/** When a refund is looked at again that was accepted `since` then: ever more seldom. Null: not any more. */
export function nextRefundLookAt(since: Date, now: Date): Date | null {
  const age = now.getTime() - since.getTime()
  return age < REFUND_IS_WATCHED_MS ? new Date(now.getTime() + Math.max(age, DAY_MS)) : null
}

/** When an order is looked into again by itself: for what is held every day. Null: nothing of it changes unless somebody does something. */
export function nextLookAt(transactions: readonly TransactionRow[], now: Date): Date | null {
  const isHeld = transactions.some(
    ({ status, is_authorized, created }) =>
      status === 'pending' && is_authorized && now.getTime() - created * 1_000 < HOLD_IS_WATCHED_MS,
  )
  const refunds = transactions.filter(({ type, status }) => type === 'refund' && status === 'complete')
  const moments = [
    isHeld ? firstLookAt(now) : null,
    ...refunds.map(({ created }) => nextRefundLookAt(new Date(created * 1_000), now)),
  ].filter((moment) => moment !== null)
  return moments.sort((one, other) => one.getTime() - other.getTime())[0] ?? null
}

/** A provider has it, and still decides: its money may come. What is paid by hand names no source. */
export const isBeingDecided = (charge: TransactionRow): boolean =>
  charge.type === 'charge' &&
  charge.status === 'pending' &&
  !charge.is_authorized &&
  charge.payment_source_type !== null &&
  !isUnknown(charge)

/** Nobody can know any more whether it was paid. The merchant looks at the provider, and says so or cancels the order. */
export const isUnknown = ({ type, status, status_reason }: TransactionRow): boolean =>
  type === 'charge' && status === 'pending' && status_reason === 'gateway_failure'

/**
 * What a merchant reads at a charge of which nobody can know any more whether it was paid. `names`: by what it can be found at the provider,
 * where that is known.
 */
export const unknownBecause = ({ message }: GatewayUnavailable, names: readonly (string | null)[]): string =>
  `Nobody knows whether this was paid. ${message} Look at the provider for ${names.filter((name) => name !== null).join(' or ')}. If it was paid, set this transaction to complete, with the provider's id of the payment as gateway_transaction_id: without that it cannot be refunded from here. If not, cancel the order.`
