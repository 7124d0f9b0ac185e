// Records refunds that a provider reports by itself: one that has failed after all, or one that the merchant made in the provider's
// dashboard.
// The receiver of the messages calls these functions with the order of the charge. Each call can be repeated, because providers send a
// message until it is answered, and several at once.

import { unixSeconds } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import type { Minor } from '../../../lib/money.ts'
import type { OrderOwner } from '../../orders/links.ts'
import { enqueueOrderMail } from '../../orders/mails/order-mail.ts'
import { openChargesOf } from '../../orders/money/sums.ts'
import { applyOrderChange, emitOrderEvent, lockOrderOrThrow } from '../../orders/order.ts'
import type { OrderRow, RefundRow, TransactionRow } from '../../orders/read-store.ts'
import type { PaymentContext } from '../calls.ts'
import { concludeRefundRequest, createRefundRow, withRefund } from '../refund/refund.ts'
import { insertRefund, settleRefundRows } from '../store.ts'

/**
 * `recorded`: the order shows it now. `known`: the order showed it before. `later`: it may be about a pending request of ours, and the
 * message has to come again after that. `unknown`: it is about nothing of this order.
 */
export type NoticeResult = 'recorded' | 'known' | 'later' | 'unknown'

type NoticeContext = Pick<PaymentContext, 'db' | 'clock'>

const isPending = ({ type, status }: TransactionRow): boolean => type === 'refund' && status === 'pending'

/** Finds a refund by its id at the gateway. */
const findGatewayRefund = ({ transactions }: OrderRow, gateway: string, id: string): TransactionRow | undefined =>
  transactions.find((each) => each.type === 'refund' && each.gateway === gateway && each.gateway_transaction_id === id)

type FailedRefund = {
  readonly gateway: string
  /** Id of the refund at the gateway. */
  readonly refundId: string
  /** In the gateway's words. */
  readonly reason: string
}

/**
 * Records that a completed refund has failed: its money did not arrive, and the merchant has it again. The same can be refunded again.
 * Goods that it put into stock, and credit that it gave to a gift card, stay there.
 */
export const recordRefundFailure = (
  { db, clock }: NoticeContext,
  owner: OrderOwner,
  orderId: string,
  { gateway, refundId, reason }: FailedRefund,
): Promise<NoticeResult> =>
  db.transaction(async (tx) => {
    const row = await lockOrderOrThrow(tx, owner, orderId)
    const refund = findGatewayRefund(row, gateway, refundId)
    // The answer with this id may not have been recorded yet.
    if (refund === undefined) return row.transactions.some(isPending) ? 'later' : 'unknown'
    if (refund.status !== 'complete') return 'known'
    const now = clock.now()
    const failedRefund: TransactionRow = {
      ...refund,
      status: 'failed',
      status_reason: 'gateway_failure',
      notes: reason,
      completed: null,
      updated: unixSeconds(now),
    }
    const transactions = row.transactions.map((each) => (each.id === failedRefund.id ? failedRefund : each))
    const refunds = row.refunds.map((request) =>
      request.id === failedRefund.refund_id ? concludeRefundRequest(request, transactions) : request,
    )
    const next = applyOrderChange(row, { transactions, refunds }, now)
    await settleRefundRows(tx, row, next, [failedRefund], now)
    await emitOrderEvent(tx, owner, 'orders.update', next, now)
    return 'recorded'
  })

type OutsideRefund = {
  readonly gateway: string
  /** Id of the charge at the gateway. */
  readonly chargeId: string
  /** Id of the refund at the gateway. */
  readonly refundId: string
  readonly amount: Minor
  readonly currency: string
  readonly reason: string | null
}

/**
 * Records a refund that was made elsewhere. It covers no items and restocks nothing; the merchant records that separately.
 * Throws if the amount is more than is refundable. The charge then differs from our records, and a person has to check it.
 */
export const recordOutsideRefund = (
  { db, clock }: NoticeContext,
  owner: OrderOwner,
  orderId: string,
  { gateway, chargeId, refundId, amount, currency, reason }: OutsideRefund,
): Promise<NoticeResult> =>
  db.transaction(async (tx) => {
    const row = await lockOrderOrThrow(tx, owner, orderId)
    if (findGatewayRefund(row, gateway, refundId) !== undefined) return 'known'
    const isMeant = (each: TransactionRow) =>
      each.type === 'charge' && each.gateway === gateway && each.gateway_transaction_id === chargeId
    const open = openChargesOf(row.transactions).find(({ charge }) => isMeant(charge))
    // The charge is being taken. The gateway has reported a later step before its own answer arrived.
    if (open === undefined)
      return row.transactions.some((each) => isMeant(each) && each.status === 'pending') ? 'later' : 'unknown'
    // It may be the pending refund itself, with the id that its answer will bring.
    if (row.transactions.some((each) => isPending(each) && each.refunds_id === open.charge.id)) return 'later'
    if (currency !== row.currency || amount < 1 || amount > open.left)
      throw new Error(
        `The gateway has refunded ${amount} ${currency} of the charge ${open.charge.id}, but only ${open.left} ${row.currency} could be refunded.`,
      )
    const now = clock.now()
    const id = newId('refund', now)
    const request: RefundRow = { id, status: 'complete', credit: 0, items: [], is_restocking: false, request_key: null }
    const refund: TransactionRow = {
      ...createRefundRow({ charge: open.charge, amount }, id, reason, now),
      status: 'complete',
      status_reason: 'complete',
      gateway_transaction_id: refundId,
      completed: unixSeconds(now),
    }
    const rowWithRefund = withRefund(row, request, [refund])
    await insertRefund(tx, row, rowWithRefund, request, [refund], now)
    const next = applyOrderChange(rowWithRefund, {}, now)
    await settleRefundRows(tx, rowWithRefund, next, [], now)
    await emitOrderEvent(tx, owner, 'orders.refund', next, now)
    await enqueueOrderMail(tx, owner, next, { kind: 'refund', refundId: id }, now)
    return 'recorded'
  })
