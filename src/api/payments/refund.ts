// Gives back all that was paid for an order. A refund whose process dies, or whose gateway does not answer, is ended by a job under the
// same key; and with it the cancel that waits for it.

import type { Db, Tx } from '../../db/db.ts'
import type { RefundOutcome } from '../../gateways/gateway.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { returnCredit } from '../gift-cards/gift-card.ts'
import type { RefundBody } from '../orders/body-schema.ts'
import { type OrderOwner, ownerOf } from '../orders/links.ts'
import { changed, emitOrder, refuseWhileCancelling, takeOrder } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import type { Order } from '../orders/schema.ts'
import { sumsOf } from '../orders/status.ts'
import { markCancelRow } from '../orders/store.ts'
import { paymentsOf, viewOrder } from '../orders/view.ts'
import { askRefund, type GatewayEntry, type OpenAnswer, type PaymentContext, type PaymentRequest } from './ask.ts'
import { type Answer, endMovement, enqueueEnd, type Movement, noteEnd, transactionIdOf } from './movement.ts'
import { canBeCancelled, writeCancel } from './release.ts'
import { insertRefunds, settleRefundRows } from './store.ts'

export async function refundOrder(context: PaymentRequest, id: string, body: RefundBody): Promise<Order> {
  const owner = await ownerOf(context)
  const { row, isBusy } = await context.db.transaction(async (tx) => {
    const current = await takeOrder(tx, owner, id)
    // Not thrown here: it may have put in the job that ends the refund.
    if (await isBeingRefunded(tx, context, owner, current)) return { row: current, isBusy: true }
    return { row: await beginRefund(tx, context, owner, current, body), isBusy: false }
  })
  if (isBusy) {
    refuseWhileCancelling(row)
    throw conflict('The order is being refunded. Look at it again in a moment.', 1)
  }
  return endMovement(context, owner, refunding, row)
}

const isPendingRefund = ({ type, status }: TransactionRow) => type === 'refund' && status === 'pending'

/** Its result is the order as it then is. */
export const refunding: Movement<RefundOutcome, Order> = {
  job: 'orders.settle_refunds',
  silence: 'A gateway has not answered about a refund.',
  isUnderWay: isPendingRefund,
  ask: askForRefund,
  async record(context, owner, order, answers) {
    await checkpoint('orders.refund_asked')
    const recorded = await recordRefunds(context, owner, order, answers)
    await checkpoint('orders.refund_recorded')
    return recorded
  },
}

/** Whether it is, or is being cancelled, which a refund has to end. One that nobody seems to be at any more is then ended by a job. */
export async function isBeingRefunded(
  tx: Tx,
  { clock, payments }: PaymentContext,
  owner: OrderOwner,
  { id, cancelling, transactions }: OrderRow,
): Promise<boolean> {
  const begun = transactions.filter(isPendingRefund).map(({ created }) => created)
  if (cancelling !== null) begun.push(cancelling)
  if (begun.length === 0) return false
  const now = clock.now()
  // The job that was to end it may have given up, in an outage of days: without another it would stay pending for ever.
  if (Math.min(...begun) <= unixSeconds(now) - payments.settleAfterMs / 1_000)
    await enqueueRefundEnd(tx, owner, id, now)
  return true
}

/**
 * Under the order's lock: its refunds, pending, with the job that ends them. One that only a gift card paid for is refunded at once, and
 * cancelled where `row` says that it is being.
 */
export async function beginRefund(
  tx: Tx,
  context: PaymentContext,
  owner: OrderOwner,
  row: OrderRow,
  body: RefundBody,
): Promise<OrderRow> {
  const now = context.clock.now()
  const charges = refundable(row, body)
  if (charges.length === 0) return writeAnswers(tx, owner, row, [], now)
  for (const { gateway, is_simulated: isSimulated } of charges)
    if (context.payments.charging(gateway, isSimulated) === undefined)
      throw notValid({ gateway: [`What was paid by ${gateway} cannot be given back from here.`] })
  const refunds = charges.map((charge) => refundOf(charge, body.reason ?? null, now))
  await insertRefunds(tx, row, refunds, now)
  await noteEnd(tx, context, owner, refunding, row.id, now)
  return { ...row, transactions: [...row.transactions, ...refunds] }
}

/** The job that ends what is pending of it, and its cancel. */
export const enqueueRefundEnd = (db: Db, owner: OrderOwner, orderId: string, runAt: Date) =>
  enqueueEnd(db, owner, refunding, orderId, runAt)

/** The charges to give back. None where only a gift card paid. Throws when there is nothing to give back. */
function refundable(row: OrderRow, { transaction_id: transactionId }: RefundBody): TransactionRow[] {
  const refunds = row.transactions.filter(({ type }) => type === 'refund')
  const refundedIds = new Set(refunds.filter(({ status }) => status === 'complete').map(({ refunds_id }) => refunds_id))
  const open = row.transactions.filter(
    ({ id, type, status }) => type === 'charge' && status === 'complete' && !refundedIds.has(id),
  )
  if (transactionId === undefined) {
    if (sumsOf(paymentsOf(row)).paid > 0) return open
    throw notValid({
      status_payment: [
        row.status_payment === 'refunded'
          ? 'The order has been refunded already.'
          : 'Nothing has been paid for the order that could be given back.',
      ],
    })
  }
  const charges = open.filter(({ id }) => id === transactionId)
  if (charges.length > 0) return charges
  throw notValid({
    transaction_id: ['transaction_id must be a completed charge of this order that has not been given back.'],
  })
}

const refundOf = (charge: TransactionRow, reason: string | null, now: Date): TransactionRow => ({
  ...charge,
  id: newId('transaction', now),
  type: 'refund',
  status: 'pending',
  status_reason: 'awaiting_gateway',
  is_authorized: false,
  gateway_key: newId('refund', now),
  gateway_transaction_id: null,
  refunds_id: charge.id,
  reason,
  notes: '',
  meta: null,
  completed: null,
  created: unixSeconds(now),
  updated: unixSeconds(now),
})

async function askForRefund(
  context: PaymentContext,
  entry: GatewayEntry,
  order: OrderRow,
  refund: TransactionRow,
): Promise<RefundOutcome | OpenAnswer> {
  const charge = order.transactions.find(({ id }) => id === refund.refunds_id)
  if (!charge) return { kind: 'open', cause: new Error(`The refund ${refund.id} names no charge of its order.`) }
  const { amount } = refund
  const { currency } = order
  return askRefund(context, entry, { transactionId: transactionIdOf(charge), amount, currency })
}

async function recordRefunds(
  { db, clock }: PaymentContext,
  owner: OrderOwner,
  row: OrderRow,
  answers: readonly Answer<RefundOutcome>[],
): Promise<Order> {
  if (answers.length === 0 && !isDue(row)) return viewOrder(row, owner.addresses, clock.now())
  return db.transaction(async (tx) => {
    const current = await takeOrder(tx, owner, row.id)
    const now = clock.now()
    // Another run may have been faster.
    const open = answers.filter(({ transaction }) =>
      current.transactions.some(({ id, status }) => id === transaction.id && status === 'pending'),
    )
    if (open.length === 0 && !isDue(current)) return viewOrder(current, owner.addresses, now)
    const next = await writeAnswers(tx, owner, current, open, now)
    await checkpoint('orders.refund_recording')
    return viewOrder(next, owner.addresses, now)
  })
}

/** Whether it can be cancelled now, or not any more: it was to be, and of its refunds none is pending. */
const isDue = ({ cancelling, transactions }: OrderRow): boolean =>
  cancelling !== null && !transactions.some(isPendingRefund)

/**
 * Writes the outcomes, gives back what a gift card paid once nothing else is left to give back, and tells it. An order that is being
 * cancelled is then cancelled, in the same transaction; or stays, where not all of the money could be given back.
 */
async function writeAnswers(
  tx: Tx,
  owner: OrderOwner,
  row: OrderRow,
  answers: readonly Answer<RefundOutcome>[],
  now: Date,
): Promise<OrderRow> {
  const outcomes = new Map(answers.map(({ transaction, outcome }) => [transaction.id, outcome]))
  const transactions = row.transactions.map((transaction) => {
    const outcome = outcomes.get(transaction.id)
    return outcome ? afterOutcome(transaction, outcome, now) : transaction
  })
  const { captured, refunded } = sumsOf(paymentsOf({ ...row, transactions }))
  const { gift_card: giftCard } = row.content
  const isReturning = giftCard !== null && giftCard.credit > 0 && !row.is_credit_returned && captured === refunded
  const returned_credit = isReturning ? await returnGiftCardCredit(tx, owner, row, giftCard, now) : row.returned_credit
  const is_credit_returned = row.is_credit_returned || isReturning
  const next = changed(row, { transactions, is_credit_returned, returned_credit }, now)
  await settleRefundRows(
    tx,
    next,
    next.transactions.filter(({ id }) => outcomes.has(id)),
    now,
  )
  const isRefunded = isReturning || answers.some(({ outcome }) => outcome.kind === 'refunded')
  if (isRefunded || answers.length > 0)
    await emitOrder(tx, owner, isRefunded ? 'orders.refund' : 'orders.update', next, now)
  if (!isDue(next)) return next
  if (canBeCancelled(next)) return writeCancel(tx, owner, next, next.cancel_reason, now)
  const order = { ...next, cancelling: null, cancel_reason: null }
  await markCancelRow(tx, order, null)
  return order
}

const returnGiftCardCredit = (
  tx: Tx,
  { merchantId, isSandbox }: OrderOwner,
  { id: orderId, currency }: OrderRow,
  { id: giftCardId, credit: amount }: NonNullable<OrderRow['content']['gift_card']>,
  now: Date,
) => returnCredit(tx, { merchantId, isSandbox, currency }, { giftCardId, amount, orderId }, now)

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
