// Gives back all that was paid for an order: written down first, then asked of the gateway with no transaction open, then recorded. A
// refund whose process dies in between, or whose gateway does not answer, is ended by a job under the same key; and with it the cancel
// that waits for it.

import type { Db, Tx } from '../../db/db.ts'
import type { RefundOutcome } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, gatewayError, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { returnCredit } from '../gift-cards/return-credit.ts'
import type { AskedRefund } from '../orders/body-schema.ts'
import { type OrderOwner, orderAddresses } from '../orders/links.ts'
import { changed, emitOrder, refuseWhileCancelling, takeOrder } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import type { Order } from '../orders/schema.ts'
import { sumsOf } from '../orders/status.ts'
import { findOrder, markCancelRow } from '../orders/store.ts'
import { paymentsOf, viewOrder } from '../orders/view.ts'
import { type Asking, callGateway, notAnswered, type Open, stillOpen, transactionIdOf } from './ask.ts'
import { canBeCancelled, writeCancel } from './cancel.ts'
import { insertRefunds, settleRefundRows } from './store.ts'

export async function refundOrder(services: Asking, owner: OrderOwner, id: string, asked: AskedRefund): Promise<Order> {
  const { row, isBusy } = await services.db.transaction(async (tx) => {
    const current = await takeOrder(tx, owner, id)
    // Not thrown here: it may have put in the job that ends the refund.
    if (await isBeingRefunded(tx, services, owner, current)) return { row: current, isBusy: true }
    return { row: await beginRefund(tx, services, owner, current, asked), isBusy: false }
  })
  if (isBusy) {
    refuseWhileCancelling(row)
    throw conflict('The order is being refunded. Look at it again in a moment.', 1)
  }
  return endRefund(services, owner, row)
}

/** Whether it is, or is being cancelled, which a refund has to end. One that nobody seems to be at any more is then ended by a job. */
export async function isBeingRefunded(
  tx: Tx,
  { clock, payments }: Asking,
  owner: OrderOwner,
  { id, cancelling, transactions }: OrderRow,
): Promise<boolean> {
  const begun = transactions.filter(isPendingRefund).map(({ created }) => created)
  if (cancelling !== null) begun.push(cancelling)
  if (begun.length === 0) return false
  const now = clock.now()
  // The job that was to end it may have given up, in an outage of days: without another it would stay pending for ever.
  if (Math.min(...begun) <= unixSeconds(now) - payments.settleAfterMs / 1_000) await enqueueSettling(tx, owner, id, now)
  return true
}

/**
 * Under the order's lock: its refunds, pending, with the job that ends them. One that only a gift card paid for is refunded at once, and
 * cancelled where `row` says that it is being.
 */
export async function beginRefund(
  tx: Tx,
  { clock, payments }: Asking,
  owner: OrderOwner,
  row: OrderRow,
  asked: AskedRefund,
): Promise<OrderRow> {
  const now = clock.now()
  const charges = refundable(row, asked)
  if (charges.length === 0) return recorded(tx, owner, row, [], now)
  for (const { gateway } of charges)
    if (payments.charging(gateway) === undefined)
      throw notValid({ gateway: [`What was paid by ${gateway} cannot be given back from here.`] })
  const refunds = charges.map((charge) => refundOf(charge, asked.reason ?? null, now))
  await insertRefunds(tx, row, refunds, now)
  await enqueueSettling(tx, owner, row.id, new Date(now.getTime() + payments.settleAfterMs))
  return { ...row, transactions: [...row.transactions, ...refunds] }
}

/** Asks the gateways, and gives the order as it is when all of them have given the money back. Throws where one has not. */
export async function endRefund(services: Asking, owner: OrderOwner, row: OrderRow): Promise<Order> {
  const { order, open, declined } = await settle(services, owner, row)
  if (open) throw notAnswered(services, open)
  if (declined !== null) throw gatewayError(declined)
  return order
}

const isPendingRefund = ({ type, status }: TransactionRow) => type === 'refund' && status === 'pending'

/** The job that ends what is pending of it. One at most waits for each order. */
export const enqueueSettling = (
  db: Db,
  { merchantId, isSandbox, addresses }: OrderOwner,
  orderId: string,
  runAt: Date,
) =>
  enqueue(db, {
    merchantId,
    kind: SETTLE_REFUNDS,
    key: orderId,
    payload: { orderId, isSandbox, origin: addresses.lasting.origin } satisfies SettlePayload,
    runAt,
  })

/** The charges to give back. None where only a gift card paid. Throws when there is nothing to give back. */
function refundable(row: OrderRow, { transaction_id: wanted }: AskedRefund): TransactionRow[] {
  const refunds = row.transactions.filter(({ type }) => type === 'refund')
  const given = new Set(refunds.filter(({ status }) => status === 'complete').map(({ refunds_id }) => refunds_id))
  const open = row.transactions.filter(
    ({ id, type, status }) => type === 'charge' && status === 'complete' && !given.has(id),
  )
  if (wanted === undefined) {
    if (sumsOf(paymentsOf(row)).paid > 0) return open
    throw notValid({
      status_payment: [
        row.status_payment === 'refunded'
          ? 'The order has been refunded already.'
          : 'Nothing has been paid for the order that could be given back.',
      ],
    })
  }
  const named = open.filter(({ id }) => id === wanted)
  if (named.length > 0) return named
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

type Settled = {
  readonly order: Order
  /** A gateway did not answer: its refund stays pending. */
  readonly open: Open | null
  /** What a gateway that refused has said. */
  readonly declined: string | null
}

/** Asks the gateways about every pending refund of the order, and records what they say. May be repeated, also at the same time. */
async function settle(services: Asking, owner: OrderOwner, row: OrderRow): Promise<Settled> {
  const answered: Answered[] = []
  let open: Open | null = null
  let declined: string | null = null
  const pending = row.transactions.filter(isPendingRefund)
  // At once: one after the other, the last would be asked when nobody waits any longer.
  const asked = await Promise.all(pending.map((refund) => askGateway(services, row, refund)))
  await checkpoint('orders.refund_asked')
  for (const [index, refund] of pending.entries()) {
    const outcome = asked[index]
    if (outcome?.kind === 'open') open = outcome
    else if (outcome) answered.push({ refund, outcome })
    if (outcome?.kind === 'declined') declined = outcome.message
  }
  const order = await record(services, owner, row, answered)
  await checkpoint('orders.refund_recorded')
  return { order, open, declined }
}

/** Whatever is thrown leaves it open what the gateway has done. */
async function askGateway(services: Asking, row: OrderRow, refund: TransactionRow): Promise<RefundOutcome | Open> {
  const charge = row.transactions.find(({ id }) => id === refund.refunds_id)
  const charging = services.payments.charging(refund.gateway)
  // A newer release, which knows the gateway, will settle it.
  if (!charging || !charge) return { kind: 'open', cause: new Error(`${refund.gateway} is not known here.`) }
  const { amount } = refund
  try {
    return await callGateway(services, row.merchant_id, refund, (call) =>
      charging.refund({ ...call, transactionId: transactionIdOf(charge), amount, currency: row.currency }),
    )
  } catch (cause) {
    return { kind: 'open', cause }
  }
}

type Answered = { readonly refund: TransactionRow; readonly outcome: RefundOutcome }

async function record(
  { db, clock }: Asking,
  owner: OrderOwner,
  row: OrderRow,
  answered: readonly Answered[],
): Promise<Order> {
  if (answered.length === 0 && !isDue(row)) return viewOrder(row, owner.addresses, clock.now())
  return db.transaction(async (tx) => {
    const current = await takeOrder(tx, owner, row.id)
    const now = clock.now()
    // Another run may have been faster.
    const open = answered.filter(({ refund }) =>
      current.transactions.some(({ id, status }) => id === refund.id && status === 'pending'),
    )
    if (open.length === 0 && !isDue(current)) return viewOrder(current, owner.addresses, now)
    const next = await recorded(tx, owner, current, open, now)
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
async function recorded(
  tx: Tx,
  owner: OrderOwner,
  row: OrderRow,
  answered: readonly Answered[],
  now: Date,
): Promise<OrderRow> {
  const outcomes = new Map(answered.map(({ refund, outcome }) => [refund.id, outcome]))
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
  const isRefunded = isReturning || answered.some(({ outcome }) => outcome.kind === 'refunded')
  if (isRefunded || answered.length > 0)
    await emitOrder(tx, owner, isRefunded ? 'orders.refund' : 'orders.update', next, now)
  if (!isDue(next)) return next
  if (canBeCancelled(next)) return writeCancel(tx, owner, next, next.cancel_reason, now)
  const kept = { ...next, cancelling: null, cancel_reason: null }
  await markCancelRow(tx, kept, null)
  return kept
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

const SETTLE_REFUNDS = 'orders.settle_refunds'

type SettlePayload = { orderId: string; isSandbox: boolean; origin: string }

/** Ends what a request has begun and not ended. It is due for every refund, and finds nothing to do after most. */
export const settleRefunds = (services: Services): JobHandler => ({
  kind: SETTLE_REFUNDS,
  async handle({ payload, merchantId, signal }) {
    const { orderId, isSandbox, origin } = payload as SettlePayload
    const owner = { merchantId, isSandbox, addresses: await orderAddresses(services, origin) }
    const row = await findOrder(services.db, owner, orderId)
    if (row === null) return
    const { open } = await settle({ ...services, signal }, owner, row)
    if (open) throw stillOpen('A gateway has not answered about a refund.', open)
  },
})
