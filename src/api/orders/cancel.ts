// Cancels an order that a merchant does not want to deliver. What has been paid goes back first: the order is marked, and its refunds are
// begun, in one transaction, so that nothing is shipped from that moment on; then the gateways are asked with no transaction open; and
// what records the last of their answers cancels the order, or takes the mark away where one has refused. refund.ts does the latter two.

import type { Tx } from '../../db/db.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notValid } from '../../lib/errors.ts'
import type { AskedCancel } from './body-schema.ts'
import { hasShipped, isPaidFor, writeCancel } from './cancel-writer.ts'
import type { Asking } from './gateway-call.ts'
import type { OrderOwner } from './links.ts'
import { beginRefund, endRefund, isBeingRefunded } from './refund.ts'
import type { OrderRow } from './row-store.ts'
import type { Order } from './schema.ts'
import { markCancelRow } from './store.ts'
import { isBeingTaken } from './take.ts'
import { viewOrder } from './view.ts'
import { refuseWhileCancelling, takeOrder } from './writer.ts'

export async function cancelOrder(services: Asking, owner: OrderOwner, id: string, asked: AskedCancel): Promise<Order> {
  const { row, isBusy } = await services.db.transaction((tx) => begin(tx, services, owner, id, asked))
  await checkpoint('orders.cancel_begun')
  if (isBusy) {
    refuseWhileCancelling(row)
    throw conflict('The order is being refunded. Try again once that has ended.', 1)
  }
  if (row.cancelled !== null) return viewOrder(row, owner.addresses, services.clock.now())
  return endRefund(services, owner, row)
}

/** The order as it then is: cancelled, or marked and with its refunds pending. `isBusy`: it is being refunded, and stays as it is. */
async function begin(
  tx: Tx,
  services: Asking,
  owner: OrderOwner,
  id: string,
  { reason = null, refund = false }: AskedCancel,
): Promise<{ row: OrderRow; isBusy: boolean }> {
  const row = await takeOrder(tx, owner, id)
  refuseCancel(row)
  // Not thrown here: it may have put in the job that ends the refund.
  if (await isBeingRefunded(tx, services, owner, row)) return { row, isBusy: true }
  if (row.transactions.some(isBeingTaken))
    throw conflict('What the gateway holds for the order is being taken. Try again once that has ended.', 1)
  const now = services.clock.now()
  if (!isPaidFor(row)) return { row: await writeCancel(tx, owner, row, reason, now), isBusy: false }
  if (!refund)
    throw notValid({
      refund: ['refund must be true to cancel an order that has been paid for: what was paid is then given back.'],
    })
  const marked = { ...row, cancelling: unixSeconds(now), cancel_reason: reason }
  const next = await beginRefund(tx, services, owner, marked, reason === null ? {} : { reason })
  if (next.cancelling !== null) await markCancelRow(tx, next, now)
  await checkpoint('orders.cancel_beginning')
  return { row: next, isBusy: false }
}

function refuseCancel(row: OrderRow) {
  if (row.cancelled !== null) throw notValid({ status: ['The order has been cancelled already.'] })
  if (hasShipped(row))
    throw notValid({ status_fulfillment: ['An order of which something has been shipped cannot be cancelled.'] })
}
