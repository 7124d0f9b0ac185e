// Cancels an order that a merchant does not want to deliver. What has been paid goes back first: the order is marked, and its refunds are
// begun, in one transaction, so that nothing is shipped from that moment on; then the gateways are asked with no transaction open; and
// what records the last of their answers cancels the order, or takes the mark away where one has refused. refund.ts does the latter two.

import type { Tx } from '../../db/db.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notValid } from '../../lib/errors.ts'
import type { AskedCancel } from '../orders/body-schema.ts'
import { type OrderOwner, orderAddresses, ownerOf } from '../orders/links.ts'
import { refuseWhileCancelling, takeOrder } from '../orders/order.ts'
import type { OrderRow } from '../orders/read-store.ts'
import type { Order } from '../orders/schema.ts'
import { findOrder, markCancelRow } from '../orders/store.ts'
import { viewOrder } from '../orders/view.ts'
import type { PaymentContext, PaymentRequest } from './ask.ts'
import { endMovement } from './movement.ts'
import { beginRefund, enqueueRefundEnd, isBeingRefunded, refunding } from './refund.ts'
import { hasShipped, isPaidFor, writeCancel } from './release.ts'
import { listOpenCancels, type OpenCancelRow } from './store.ts'
import { isBeingTaken } from './take.ts'

export async function cancelOrder(context: PaymentRequest, id: string, body: AskedCancel): Promise<Order> {
  const owner = await ownerOf(context)
  const { row, isBusy } = await context.db.transaction((tx) => begin(tx, context, owner, id, body))
  await checkpoint('orders.cancel_begun')
  if (isBusy) {
    refuseWhileCancelling(row)
    throw conflict('The order is being refunded. Try again once that has ended.', 1)
  }
  if (row.cancelled !== null) return viewOrder(row, owner.addresses, context.clock.now())
  return endMovement(context, owner, refunding, row)
}

/** The order as it then is: cancelled, or marked and with its refunds pending. `isBusy`: it is being refunded, and stays as it is. */
async function begin(
  tx: Tx,
  context: PaymentContext,
  owner: OrderOwner,
  id: string,
  { reason = null, refund = false }: AskedCancel,
): Promise<{ row: OrderRow; isBusy: boolean }> {
  const row = await takeOrder(tx, owner, id)
  refuseCancel(row)
  // Not thrown here: it may have put in the job that ends the refund.
  if (await isBeingRefunded(tx, context, owner, row)) return { row, isBusy: true }
  if (row.transactions.some(isBeingTaken))
    throw conflict('What the gateway holds for the order is being taken. Try again once that has ended.', 1)
  const now = context.clock.now()
  if (!isPaidFor(row)) return { row: await writeCancel(tx, owner, row, reason, now), isBusy: false }
  if (!refund)
    throw notValid({
      refund: ['refund must be true to cancel an order that has been paid for: what was paid is then given back.'],
    })
  const marked = { ...row, cancelling: unixSeconds(now), cancel_reason: reason }
  const next = await beginRefund(tx, context, owner, marked, reason === null ? {} : { reason })
  if (next.cancelling !== null) await markCancelRow(tx, next, now)
  await checkpoint('orders.cancel_beginning')
  return { row: next, isBusy: false }
}

function refuseCancel(row: OrderRow) {
  if (row.cancelled !== null) throw notValid({ status: ['The order has been cancelled already.'] })
  if (hasShipped(row))
    throw notValid({ status_fulfillment: ['An order of which something has been shipped cannot be cancelled.'] })
}

const ORDERS = 100
/** Most cancels have ended long before. */
const AFTER_MS = 3_600_000

/** Earlier than any order. */
const BEGINNING = { cancelling_at: new Date(0), merchant_id: 0, id: '' }

/**
 * Sees that the cancel of every order that is marked goes on. Its job gives up when a gateway is out for days; without another, nothing of
 * the order could be shipped, paid or downloaded until the merchant happens to cancel it once more.
 */
export const sweepOpenCancels = (services: Services): Sweep => ({
  name: 'open-cancels',
  everySeconds: 3_600,
  async run({ db, clock, signal }) {
    const addresses = await orderAddresses(services, services.publicUrl ?? '')
    const now = clock.now()
    const moment = new Date(now.getTime() - AFTER_MS)
    let total = 0
    for (let after: Omit<OpenCancelRow, 'is_sandbox'> = BEGINNING; ; ) {
      const orders = await listOpenCancels(db, moment, after, ORDERS)
      for (const { merchant_id: merchantId, id, is_sandbox: isSandbox } of orders) {
        if (signal.aborted) return total
        const owner = { merchantId, isSandbox, addresses }
        const order = await findOrder(db, owner, id)
        if (order === null) continue
        // Joins the job that waits, where there is one, and leaves its time as it is.
        await enqueueRefundEnd(db, owner, order, now)
        total++
      }
      after = orders.at(-1) ?? after
      if (orders.length < ORDERS) return total
    }
  },
})
