// Cancels an order: for a merchant, after the last of its refunds, or when the time for payment is over.
// One transaction cancels the order and its pending charges, and returns its stock and the use of its code. It also emits the event and
// enqueues the jobs that release money held by gateways.

import type { Tx } from '../../db/db.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { uncountDiscountUse } from '../discounts/store.ts'
import type { OrderOwner } from '../orders/links.ts'
import { enqueueOrderMail } from '../orders/mails/order-mail.ts'
import { paymentStatusInput } from '../orders/money/sums.ts'
import { applyOrderChange, emitOrderEvent } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { sumPayments } from '../orders/status.ts'
import { cancelOrderRow, findOrder } from '../orders/store.ts'
import { jobProvider } from '../payment-methods/account.ts'
import { throwIfUndecided } from './call-gateway.ts'
import { readPaymentState, requestRelease } from './calls.ts'
import { identifyPayment, MAX_PROVIDER_FAILURES, toMovementEntry, transactionIdOf } from './movement.ts'
import { isPendingAtProvider, POLL_INTERVAL_MS, schedulePoll } from './polls.ts'
import { restock, unshippedQuantities } from './restock.ts'
import { isBeingTaken } from './take.ts'

/** True if the merchant has money for it. */
export const isPaidFor = (row: OrderRow): boolean => sumPayments(paymentStatusInput(row)).paid > 0

export const hasShipped = ({ items }: OrderRow): boolean =>
  items.some(({ quantity_fulfilled }) => quantity_fulfilled > 0)

/** True if nothing prevents a cancellation now. */
export const canBeCancelled = (row: OrderRow): boolean =>
  row.cancelled === null && !isPaidFor(row) && !hasShipped(row) && !row.transactions.some(isBeingTaken)

/** Content of the customer's mail. `refundIds` are the refunds that end with the cancellation; the same mail reports them. */
type CancelMail = { readonly isExpired?: boolean; readonly refundIds?: readonly string[] }

/** Call it under the order's lock, if the order `canBeCancelled`. Returns the order afterwards. */
export async function applyCancellation(
  tx: Tx,
  owner: OrderOwner,
  row: OrderRow,
  reason: string | null,
  now: Date,
  { isExpired = false, refundIds = [] }: CancelMail = {},
): Promise<OrderRow> {
  const transactions = row.transactions.map((transaction) =>
    transaction.status === 'pending'
      ? ({ ...transaction, status: 'cancelled', status_reason: 'order_cancelled', updated: unixSeconds(now) } as const)
      : transaction,
  )
  for (const charge of row.transactions)
    if (charge.status === 'pending' && charge.is_authorized) await enqueueRelease(tx, owner, row, charge, now)
  // A payment that its provider has not decided cannot be cancelled. If the money comes, it is refunded.
  const undecidedCharge = row.transactions.find(isPendingAtProvider)
  if (undecidedCharge !== undefined)
    await schedulePoll(
      tx,
      owner.merchant_id,
      { order_id: row.id, is_sandbox: owner.is_sandbox },
      undecidedCharge,
      new Date(now.getTime() + POLL_INTERVAL_MS),
    )
  const { discount } = row.content
  // A code that saved nothing was not counted.
  if (discount !== null && discount.amount_saved > 0) await uncountDiscountUse(tx, owner, discount.id)
  // Stock is locked last, as in captures, because many transactions wait for it.
  const restocked = await restock(tx, owner, row, unshippedQuantities(row))
  const cancelFields = { cancelling: null, cancelled: unixSeconds(now), cancel_reason: reason, restocked }
  const next = applyOrderChange(row, { transactions, ...cancelFields }, now)
  await cancelOrderRow(tx, next, now)
  await emitOrderEvent(tx, owner, 'orders.cancel', next, now)
  const refunds = refundIds.map((refundId) => ({ kind: 'refund', refundId }) as const)
  await enqueueOrderMail(tx, owner, next, { kind: 'cancellation', isExpired }, now, refunds)
  return next
}

/** A job, so that neither a crash nor an outage of the gateway leaves a shopper's money held. */
const RELEASE_AUTHORIZATION = 'orders.release_authorization'

type ReleasePayload = { orderId: string; isSandbox: boolean; transactionId: string }

/** Call it in the transaction that ends the charge. */
export const enqueueRelease = (
  tx: Tx,
  { merchant_id, is_sandbox }: OrderOwner,
  { id: orderId }: OrderRow,
  charge: TransactionRow,
  now: Date,
) =>
  enqueue(tx, {
    merchant_id,
    kind: RELEASE_AUTHORIZATION,
    payload: { orderId, isSandbox: is_sandbox, transactionId: charge.id } satisfies ReleasePayload,
    provider: jobProvider(charge),
    runAt: now,
  })

export const releaseAuthorization = (services: Services): JobHandler => ({
  kind: RELEASE_AUTHORIZATION,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MAX_PROVIDER_FAILURES,
  async handle({ payload, merchant_id, signal }) {
    const { orderId, isSandbox: is_sandbox, transactionId } = payload as ReleasePayload
    const order = await findOrder(services.db, { merchant_id, is_sandbox }, orderId)
    const charge = order?.transactions.find(({ id }) => id === transactionId)
    if (!order || !charge) return
    const [context, entry, id] = [{ ...services, signal }, toMovementEntry(order, charge), transactionIdOf(charge)]
    const answer = await requestRelease(context, entry, id)
    throwIfUndecided(answer)
    const { release, history } = services.payments.findAdapter(charge.gateway, charge.is_simulated) ?? {}
    const isReleased = release !== undefined && answer.kind === 'released'
    if (isReleased || history === undefined) return
    // The money may have been taken at the provider. The shopper has then paid, and the order must show it.
    const { charge: state } = await readPaymentState(context, entry, identifyPayment(order, charge))
    if (state === 'complete')
      await schedulePoll(services.db, merchant_id, { order_id: orderId, is_sandbox }, charge, services.clock.now())
    // Retried later. A gateway without a release call lets go by itself after some days.
    else if (state === 'held' && answer.kind === 'declined')
      throw new Error(`The held payment was not released: ${answer.message}`)
  },
})
