// What a provider tells of refunds by itself, days after we asked or without our asking: that one has failed after all, and that the
// merchant has made one in the provider's own dashboard. Whoever receives its messages calls these, with the order that the charge belongs to.
// Each is safe to repeat: providers send a message until it is answered, and several at once.

import { unixSeconds } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import type { Minor } from '../../../lib/money.ts'
import type { OrderOwner } from '../../orders/links.ts'
import { enqueueOrderMail } from '../../orders/mails/order-mail.ts'
import { openChargesOf } from '../../orders/money/sums.ts'
import { changed, emitOrder, takeOrder } from '../../orders/order.ts'
import type { OrderRow, RefundRow, TransactionRow } from '../../orders/read-store.ts'
import type { PaymentContext } from '../ask.ts'
import { concluded, refundOf, withRefund } from '../refund.ts'
import { insertRefund, settleRefundRows } from '../store.ts'

/**
 * `recorded`: the order says it now. `known`: it said so before. `later`: a request of ours is under way that it may be about; the message has to
 * come again once that has ended. `unknown`: it is about nothing of this order.
 */
export type Noted = 'recorded' | 'known' | 'later' | 'unknown'

type NoticeContext = Pick<PaymentContext, 'db' | 'clock'>

const isPending = ({ type, status }: TransactionRow): boolean => type === 'refund' && status === 'pending'

/** A refund by the id that its gateway gave it. */
const refundTold = ({ transactions }: OrderRow, gateway: string, id: string): TransactionRow | undefined =>
  transactions.find((each) => each.type === 'refund' && each.gateway === gateway && each.gateway_transaction_id === id)

type FailedRefund = {
  readonly gateway: string
  /** The gateway's own id of the refund. */
  readonly refundId: string
  /** In the gateway's words. */
  readonly reason: string
}

/**
 * The money of a refund that we have recorded as complete has not arrived, and is with the merchant again. What it was for can be refunded
 * again. Goods that it has put into stock, and credit that went to a gift card with it, stay where they are.
 */
export const recordRefundFailure = (
  { db, clock }: NoticeContext,
  owner: OrderOwner,
  orderId: string,
  { gateway, refundId, reason }: FailedRefund,
): Promise<Noted> =>
  db.transaction(async (tx) => {
    const row = await takeOrder(tx, owner, orderId)
    const refund = refundTold(row, gateway, refundId)
    // The answer that names it may not have been recorded yet.
    if (refund === undefined) return row.transactions.some(isPending) ? 'later' : 'unknown'
    if (refund.status !== 'complete') return 'known'
    const now = clock.now()
    const failed: TransactionRow = {
      ...refund,
      status: 'failed',
      status_reason: 'gateway_failure',
      notes: reason,
      completed: null,
      updated: unixSeconds(now),
    }
    const transactions = row.transactions.map((each) => (each.id === failed.id ? failed : each))
    const refunds = row.refunds.map((request) =>
      request.id === failed.refund_id ? concluded(request, transactions) : request,
    )
    const next = changed(row, { transactions, refunds }, now)
    await settleRefundRows(tx, row, next, [failed], now)
    await emitOrder(tx, owner, 'orders.update', next, now)
    return 'recorded'
  })

type OutsideRefund = {
  readonly gateway: string
  /** The gateway's own id of the charge. */
  readonly chargeId: string
  /** And of the refund. */
  readonly refundId: string
  readonly amount: Minor
  readonly currency: string
  readonly reason: string | null
}

/**
 * A refund that was not asked for here. It is for no items, and nothing goes into stock: the merchant says that otherwise. Throws where it is
 * more than can have been given back: that is not what we believe to have been charged, and a person has to look.
 */
export const recordOutsideRefund = (
  { db, clock }: NoticeContext,
  owner: OrderOwner,
  orderId: string,
  { gateway, chargeId, refundId, amount, currency, reason }: OutsideRefund,
): Promise<Noted> =>
  db.transaction(async (tx) => {
    const row = await takeOrder(tx, owner, orderId)
    if (refundTold(row, gateway, refundId) !== undefined) return 'known'
    const isMeant = (each: TransactionRow) =>
      each.type === 'charge' && each.gateway === gateway && each.gateway_transaction_id === chargeId
    const open = openChargesOf(row.transactions).find(({ charge }) => isMeant(charge))
    // Being taken: the gateway has told of what came behind before its own answer is here.
    if (open === undefined)
      return row.transactions.some((each) => isMeant(each) && each.status === 'pending') ? 'later' : 'unknown'
    // It may be the very one that is pending, whose id we are about to learn.
    if (row.transactions.some((each) => isPending(each) && each.refunds_id === open.charge.id)) return 'later'
    if (currency !== row.currency || amount < 1 || amount > open.left)
      throw new Error(
        `The gateway has given back ${amount} ${currency} of the charge ${open.charge.id}, of which ${open.left} ${row.currency} were left.`,
      )
    const now = clock.now()
    const id = newId('refund', now)
    const request: RefundRow = { id, status: 'complete', credit: 0, items: [], is_restocking: false, request_key: null }
    const refund: TransactionRow = {
      ...refundOf({ charge: open.charge, amount }, id, reason, now),
      status: 'complete',
      status_reason: 'complete',
      gateway_transaction_id: refundId,
      completed: unixSeconds(now),
    }
    const noted = withRefund(row, request, [refund])
    await insertRefund(tx, row, noted, request, [refund], now)
    const next = changed(noted, {}, now)
    await settleRefundRows(tx, noted, next, [], now)
    await emitOrder(tx, owner, 'orders.refund', next, now)
    await enqueueOrderMail(tx, owner, next, { kind: 'refund', refundId: id }, now)
    return 'recorded'
  })
