// Refunds what was paid for an order, all of it or a part (refund/plan.ts).
// The request is recorded with its part of each charge, each with its own idempotency key. Only one request runs at a time.
// If the process dies or a gateway does not answer, a job ends the refund with the same keys. It also ends the cancellation that waits for
// the refund. Gift card credit and stock follow with the last answer of the gateways.

import { createHash } from 'node:crypto'
import type { Db, Tx } from '../../../db/db.ts'
import type { RefundOutcome } from '../../../gateways/gateway.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { checkpoint } from '../../../lib/checkpoint.ts'
import { unixSeconds } from '../../../lib/clock.ts'
import { ApiError, conflict, gatewayError, notValid } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { RefundBody } from '../../orders/body-schema.ts'
import { type OrderOwner, resolveOrderOwner } from '../../orders/links.ts'
import { enqueueOrderMail } from '../../orders/mails/order-mail.ts'
import { withRefundedAmounts } from '../../orders/money/sums.ts'
import { applyOrderChange, emitOrderEvent, lockOrderOrThrow, refuseWhileCancelling } from '../../orders/order.ts'
import type { OrderRow, RefundRow, TransactionRow } from '../../orders/read-store.ts'
import type { Order } from '../../orders/schema.ts'
import { markCancelRow } from '../../orders/store.ts'
import { viewOrder } from '../../orders/view.ts'
import type { UndecidedAnswer } from '../call-gateway.ts'
import { type MovementEntry, type PaymentContext, type PaymentRequest, requestRefund } from '../calls.ts'
import {
  endMovement,
  enqueueMovementEnd,
  type Movement,
  type MovementAnswer,
  refuseTooFineAmount,
  scheduleMovementEnd,
  transactionIdOf,
} from '../movement.ts'
import { applyCancellation, canBeCancelled } from '../release.ts'
import { refundedQuantities, restock, returnGiftCardCredit } from '../restock.ts'
import { insertRefund, settleRefundRows } from '../store.ts'
import { planRefund, type RefundPart, type RefundPlan, refuseUnexpectedRefundable } from './plan.ts'

export async function refundOrder(
  context: PaymentRequest & Pick<Context, 'idempotencyKey'>,
  id: string,
  body: RefundBody,
): Promise<Order> {
  const owner = await resolveOrderOwner(context)
  const key = requestKeyOf(context, body)
  const { row, isBusy, earlier } = await context.db.transaction(async (tx) => {
    const current = await lockOrderOrThrow(tx, owner, id)
    const earlierRequest = key === null ? undefined : current.refunds.find(({ request_key }) => request_key === key)
    if (earlierRequest !== undefined) return { row: current, isBusy: false, earlier: earlierRequest }
    // Not thrown here: the transaction may have enqueued the job that ends the refund, and must commit.
    if (await isBeingRefunded(tx, context, owner, current)) return { row: current, isBusy: true }
    refuseUnexpectedRefundable(current, body, owner, context.clock.now())
    return { row: await beginRefund(tx, context, owner, current, body, key), isBusy: false }
  })
  if (earlier !== undefined) return answerAgain(context, owner, row, earlier)
  if (isBusy) {
    refuseWhileCancelling(row)
    throw conflict('A refund of the order is in progress. Try again in a moment.', 1)
  }
  await checkpoint('orders.refund_begun')
  const result = endMovement(context, owner, refundMovement, row)
  return key === null ? result.catch(throwWithAdvice) : result
}

/** Identifies a repeated request. The reply to the first may have been lost, and the repetition must not refund as much again. */
function requestKeyOf({ idempotencyKey }: Pick<Context, 'idempotencyKey'>, body: RefundBody): string | null {
  if (idempotencyKey === null) return null
  return createHash('sha256')
    .update(JSON.stringify([idempotencyKey, body]))
    .digest('base64url')
}

/** Returns the result so far. A request that is under way is called again, with the same keys. */
async function answerAgain(
  context: PaymentContext,
  owner: OrderOwner,
  row: OrderRow,
  { status }: RefundRow,
): Promise<Order> {
  if (status === 'pending') return endMovement(context, owner, refundMovement, row)
  if (status === 'complete') return viewOrder(row, owner.addresses, context.clock.now())
  throw gatewayError('The refund failed, and no money was refunded. To try again, send it with a new Idempotency-Key.')
}

/** Without a key, a repeated request cannot be told from a second refund of the same amount. */
function throwWithAdvice(error: unknown): never {
  if (error instanceof ApiError && error.type === 'gateway_timeout')
    error.message =
      'The payment gateway has not answered yet. The refund continues in the background: check the order before you send another refund.'
  throw error
}

export const isPendingRefund = ({ type, status }: TransactionRow) => type === 'refund' && status === 'pending'

/** Returns the order after the refunds. */
export const refundMovement: Movement<RefundOutcome, Order> = {
  job: 'orders.settle_refunds',
  unansweredMessage: 'A gateway has not answered about a refund.',
  isUnderWay: isPendingRefund,
  ask: askForRefund,
  async record(context, owner, order, answers) {
    await checkpoint('orders.refund_asked')
    const updatedOrder = await recordRefunds(context, owner, order, answers)
    await checkpoint('orders.refund_recorded')
    return updatedOrder
  },
}

/**
 * True if a refund is pending, or a cancellation, which a refund has to end. If nobody seems to work on it any more, a job is enqueued to
 * end it.
 */
export async function isBeingRefunded(
  tx: Tx,
  { clock, payments }: PaymentContext,
  owner: OrderOwner,
  order: OrderRow,
): Promise<boolean> {
  const { cancelling, transactions } = order
  const startTimes = transactions.filter(isPendingRefund).map(({ created }) => created)
  if (cancelling !== null) startTimes.push(cancelling)
  if (startTimes.length === 0) return false
  const now = clock.now()
  // The job that was to end it may have given up in an outage of days. Without another, it would stay pending for ever.
  if (Math.min(...startTimes) <= unixSeconds(now) - payments.settleAfterMs / 1_000)
    await enqueueRefundEnd(tx, owner, order, now)
  return true
}

/**
 * Call it under the order's lock. Records the request and its pending parts, with the job that ends them.
 * A refund that only goes to a gift card is made at once. The order is then cancelled too if `row` is marked for that.
 */
export async function beginRefund(
  tx: Tx,
  context: PaymentContext,
  owner: OrderOwner,
  row: OrderRow,
  body: RefundBody,
  key: string | null = null,
): Promise<OrderRow> {
  const now = context.clock.now()
  const { parts, credit, items, isRestocking } = planExecutableRefund(context, row, body)
  const id = newId('refund', now)
  const request: RefundRow = {
    id,
    status: 'pending',
    credit,
    items,
    is_restocking: isRestocking,
    request_key: key,
  }
  const refunds = withSortedIds(parts.map((part) => createRefundRow(part, id, body.reason ?? null, now)))
  const next = withRefund(row, request, refunds)
  await insertRefund(tx, row, next, request, refunds, now)
  if (refunds.length === 0) return writeAnswers(tx, owner, next, [], now)
  await scheduleMovementEnd(tx, context, owner, refundMovement, row, now)
  return next
}

/** Plans the refund, and checks that each gateway can carry out its part. */
export function planExecutableRefund(
  context: Pick<PaymentContext, 'payments'>,
  row: OrderRow,
  body: RefundBody,
): RefundPlan {
  const plan = planRefund(row, body)
  for (const { charge, amount } of plan.parts) {
    if (context.payments.findAdapter(charge.gateway, charge.is_simulated) === undefined)
      throw notValid({ gateway: [`Payments by ${charge.gateway} cannot be refunded here.`] })
    const isOfItems = body.amount === undefined && body.items !== undefined
    refuseTooFineAmount(context, charge, { amount, currency: row.currency }, isOfItems ? 'items' : 'amount')
  }
  return plan
}

/** Refunds of the same time are listed by id. Sorted ids make the list follow the order of the charges. */
function withSortedIds(refunds: readonly TransactionRow[]): TransactionRow[] {
  const ids = refunds.map(({ id }) => id).toSorted()
  return refunds.map((refund, index) => ({ ...refund, id: ids[index] ?? refund.id }))
}

/** The order with one more request, and the part of it for each charge. */
export const withRefund = (row: OrderRow, request: RefundRow, parts: readonly TransactionRow[]): OrderRow => ({
  ...row,
  refunds: [...row.refunds, request],
  transactions: withRefundedAmounts([...row.transactions, ...parts]),
})

/** Enqueues the job that ends the order's pending refunds and its cancellation. */
export const enqueueRefundEnd = (db: Db, owner: OrderOwner, order: OrderRow, runAt: Date) =>
  enqueueMovementEnd(db, owner, refundMovement, order, runAt)

export const createRefundRow = (
  { charge, amount }: RefundPart,
  requestId: string,
  reason: string | null,
  now: Date,
): TransactionRow => ({
  ...charge,
  id: newId('transaction', now),
  type: 'refund',
  status: 'pending',
  status_reason: 'awaiting_gateway',
  is_authorized: false,
  amount,
  gateway_key: newId('refund', now),
  gateway_transaction_id: null,
  refunds_id: charge.id,
  refund_id: requestId,
  refunded: 0,
  taking: null,
  reason,
  notes: '',
  meta: null,
  completed: null,
  created: unixSeconds(now),
  updated: unixSeconds(now),
})

async function askForRefund(
  context: PaymentContext,
  entry: MovementEntry,
  order: OrderRow,
  refund: TransactionRow,
): Promise<RefundOutcome | UndecidedAnswer> {
  const charge = order.transactions.find(({ id }) => id === refund.refunds_id)
  if (!charge) return { kind: 'open', cause: new Error(`The refund ${refund.id} names no charge of its order.`) }
  const { amount } = refund
  const { currency } = order
  return requestRefund(context, entry, { transactionId: transactionIdOf(charge), amount, currency })
}

async function recordRefunds(
  { db, clock }: PaymentContext,
  owner: OrderOwner,
  row: OrderRow,
  answers: readonly MovementAnswer<RefundOutcome>[],
): Promise<Order> {
  if (answers.length === 0 && !isDue(row)) return viewOrder(row, owner.addresses, clock.now())
  return db.transaction(async (tx) => {
    const current = await lockOrderOrThrow(tx, owner, row.id)
    const now = clock.now()
    // Another run may have been faster.
    const openAnswers = answers.filter(({ transaction }) =>
      current.transactions.some(({ id, status }) => id === transaction.id && status === 'pending'),
    )
    if (openAnswers.length === 0 && !isDue(current)) return viewOrder(current, owner.addresses, now)
    const next = await writeAnswers(tx, owner, current, openAnswers, now)
    await checkpoint('orders.refund_recording')
    return viewOrder(next, owner.addresses, now)
  })
}

/** True if a marked order has no pending refund left, so that its cancellation can be decided. */
const isDue = ({ cancelling, transactions }: OrderRow): boolean =>
  cancelling !== null && !transactions.some(isPendingRefund)

/**
 * Writes the outcomes and emits the events. The last outcome of a request also returns its credit and its stock.
 * An order that is being cancelled is then cancelled in the same transaction. It stays if not all of the money could be refunded.
 */
async function writeAnswers(
  tx: Tx,
  owner: OrderOwner,
  row: OrderRow,
  answers: readonly MovementAnswer<RefundOutcome>[],
  now: Date,
): Promise<OrderRow> {
  const outcomes = new Map(answers.map(({ transaction, outcome }) => [transaction.id, outcome]))
  const transactions = row.transactions.map((transaction) => {
    const outcome = outcomes.get(transaction.id)
    return outcome ? afterOutcome(transaction, outcome, now) : transaction
  })
  const refunds = row.refunds.map((request) => concludeRefundRequest(request, transactions))
  const endedRequests = refunds.filter(({ id, status }) => status === 'complete' && isPendingIn(row, id))
  const credit = await returnGiftCardCredit(tx, owner, row, endedRequests, now)
  // Stock is locked last, as in captures, because many transactions wait for it.
  const restocking = endedRequests.filter(({ is_restocking }) => is_restocking)
  const restocked =
    restocking.length === 0 ? row.restocked : await restock(tx, owner, row, refundedQuantities(row, restocking))
  const next = applyOrderChange(
    row,
    { transactions: withRefundedAmounts(transactions), refunds, ...credit, restocked },
    now,
  )
  const settledRefunds = next.transactions.filter(({ id }) => outcomes.has(id))
  await settleRefundRows(tx, row, next, settledRefunds, now)
  const isRefunded = endedRequests.length > 0 || answers.some(({ outcome }) => outcome.kind === 'refunded')
  if (isRefunded || answers.length > 0)
    await emitOrderEvent(tx, owner, isRefunded ? 'orders.refund' : 'orders.update', next, now)
  const refundIds = endedRequests.map(({ id }) => id)
  if (isDue(next) && canBeCancelled(next))
    return applyCancellation(tx, owner, next, next.cancel_reason, now, { refundIds })
  for (const refundId of refundIds) await enqueueOrderMail(tx, owner, next, { kind: 'refund', refundId }, now)
  if (!isDue(next)) return next
  const order = { ...next, cancelling: null, cancel_reason: null }
  await markCancelRow(tx, order, null)
  return order
}

const isPendingIn = ({ refunds }: OrderRow, id: string): boolean =>
  refunds.some((each) => each.id === id && each.status === 'pending')

/**
 * The request after its last part has ended. If some of its money was refunded, it counts as complete with its items. Otherwise a second
 * request could refund them twice.
 * The gift card comes last, so it gets nothing if a gateway has refused.
 */
export function concludeRefundRequest(request: RefundRow, transactions: readonly TransactionRow[]): RefundRow {
  const parts = transactions.filter(({ refund_id }) => refund_id === request.id)
  if (parts.some(isPendingRefund)) return request
  const isRefused = parts.some(({ status }) => status === 'failed')
  if (isRefused && !parts.some(({ status }) => status === 'complete')) return { ...request, status: 'failed' }
  return { ...request, status: 'complete', credit: isRefused && request.status === 'pending' ? 0 : request.credit }
}

const afterOutcome = (refund: TransactionRow, outcome: RefundOutcome, now: Date): TransactionRow => ({
  ...refund,
  ...(outcome.kind === 'refunded'
    ? {
        status: 'complete',
        status_reason: 'complete',
        gateway_transaction_id: outcome.transactionId,
        completed: unixSeconds(now),
      }
    : { status: 'failed', status_reason: 'gateway_failure', notes: outcome.message }),
  updated: unixSeconds(now),
})
