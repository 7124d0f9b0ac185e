// Cancels an order for its merchant, after refunding what was paid.
// One transaction marks the order and begins its refunds, so that nothing is shipped from then on. The gateways are then called with no
// transaction open. Recording the last answer cancels the order, or removes the mark if a gateway has refused. refund.ts does these two
// steps.

import type { Tx } from '../../db/db.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notValid } from '../../lib/errors.ts'
import type { CancelBody } from '../orders/body-schema.ts'
import { createOrderAddresses, type OrderOwner, resolveOrderOwner } from '../orders/links.ts'
import { lockOrderOrThrow, refuseWhileCancelling } from '../orders/order.ts'
import type { OrderRow } from '../orders/read-store.ts'
import type { Order } from '../orders/schema.ts'
import { findOrder, markCancelRow } from '../orders/store.ts'
import { viewOrder } from '../orders/view.ts'
import type { PaymentContext, PaymentRequest } from './calls.ts'
import { endMovement } from './movement.ts'
import { beginRefund, enqueueRefundEnd, isBeingRefunded, refundMovement } from './refund/refund.ts'
import { applyCancellation, hasShipped, isPaidFor } from './release.ts'
import { listOpenCancels, type OpenCancelRow } from './store.ts'
import { isBeingTaken } from './take.ts'

export async function cancelOrder(context: PaymentRequest, id: string, body: CancelBody): Promise<Order> {
  const owner = await resolveOrderOwner(context)
  const { row, isBusy } = await context.db.transaction((tx) => beginCancel(tx, context, owner, id, body))
  await checkpoint('orders.cancel_begun')
  if (isBusy) {
    refuseWhileCancelling(row)
    throw conflict('A refund of the order is in progress. Try again when it has finished.', 1)
  }
  if (row.cancelled !== null) return viewOrder(row, owner.addresses, context.clock.now())
  return endMovement(context, owner, refundMovement, row)
}

/**
 * Returns the order afterwards: cancelled, or marked and with its refunds pending. `isBusy`: a refund is under way, and the order is
 * unchanged.
 */
async function beginCancel(
  tx: Tx,
  context: PaymentContext,
  owner: OrderOwner,
  id: string,
  { reason = null, refund = false }: CancelBody,
): Promise<{ row: OrderRow; isBusy: boolean }> {
  const row = await lockOrderOrThrow(tx, owner, id)
  refuseCancel(row)
  // Not thrown here: the transaction may have enqueued the job that ends the refund, and must commit.
  if (await isBeingRefunded(tx, context, owner, row)) return { row, isBusy: true }
  if (row.transactions.some(isBeingTaken))
    throw conflict('The held payment of the order is being captured. Try again when that has finished.', 1)
  const now = context.clock.now()
  if (!isPaidFor(row)) return { row: await applyCancellation(tx, owner, row, reason, now), isBusy: false }
  if (!refund)
    throw notValid({
      refund: ['refund must be true to cancel a paid order: the payment is then refunded.'],
    })
  const markedRow = { ...row, cancelling: unixSeconds(now), cancel_reason: reason }
  const next = await beginRefund(tx, context, owner, markedRow, reason === null ? {} : { reason })
  if (next.cancelling !== null) await markCancelRow(tx, next, now)
  await checkpoint('orders.cancel_beginning')
  return { row: next, isBusy: false }
}

function refuseCancel(row: OrderRow) {
  if (row.cancelled !== null) throw notValid({ status: ['The order has been cancelled already.'] })
  if (hasShipped(row))
    throw notValid({
      status_fulfillment: ['The order cannot be cancelled, because some of its items have been shipped.'],
    })
}

const BATCH_SIZE = 100
/** Most cancellations end long before. */
const AFTER_MS = 3_600_000

/** Earlier than any real order. */
const BEGINNING = { cancelling_at: new Date(0), merchant_id: 0, id: '' }

/**
 * Resumes the cancellation of every marked order. The job of an order gives up if a gateway is down for days. Without this sweep, nothing
 * of the order could be shipped, paid or downloaded until the merchant cancels it again.
 */
export const sweepOpenCancels = (services: Services): Sweep => ({
  name: 'open-cancels',
  everySeconds: 3_600,
  async run({ db, clock, signal }) {
    const addresses = await createOrderAddresses(services, services.publicUrl ?? '')
    const now = clock.now()
    const moment = new Date(now.getTime() - AFTER_MS)
    let total = 0
    for (let after: Omit<OpenCancelRow, 'is_sandbox'> = BEGINNING; ; ) {
      const orders = await listOpenCancels(db, moment, after, BATCH_SIZE)
      for (const { merchant_id, id, is_sandbox } of orders) {
        if (signal.aborted) return total
        const owner = { merchant_id, is_sandbox, addresses }
        const order = await findOrder(db, owner, id)
        if (order === null) continue
        // Joins the waiting job, if there is one, and keeps its time.
        await enqueueRefundEnd(db, owner, order, now)
        total++
      }
      after = orders.at(-1) ?? after
      if (orders.length < BATCH_SIZE) return total
    }
  },
})
