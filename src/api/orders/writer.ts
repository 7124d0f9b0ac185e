// How every change of an order begins and ends: locked and read, its statuses derived anew, shown and told as an event.

import type { Tx } from '../../db/db.ts'
import { emit } from '../../db/outbox.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notFound, notValid } from '../../lib/errors.ts'
import type { OrderOwner } from './links.ts'
import type { OrderRow } from './row-store.ts'
import type { Order } from './schema.ts'
import { fulfillmentStatus, paymentStatus } from './status.ts'
import { lockOrder, type Owner } from './store.ts'
import { paymentsOf, viewsOf } from './view.ts'

/** The order, for this transaction alone to change. */
export async function takeOrder(tx: Tx, owner: Owner, id: string): Promise<OrderRow> {
  const row = await lockOrder(tx, owner, id)
  if (row === null) throw notFound('order')
  return row
}

/** Nothing is sent, and no more money taken, of an order whose money is on its way back. */
export function refuseWhileCancelling({ cancelling }: OrderRow) {
  if (cancelling !== null)
    throw conflict('The order is being cancelled, and what was paid is given back. Look at it again in a moment.', 1)
}

/** The same where an order that is cancelled, or is about to be, must stay as it is. */
export async function takeOpenOrder(tx: Tx, owner: Owner, id: string): Promise<OrderRow> {
  const row = await takeOrder(tx, owner, id)
  refuseWhileCancelling(row)
  if (row.cancelled !== null)
    throw notValid({ status: ['The order has been cancelled; nothing of it can be changed.'] })
  return row
}

/** As it will be, with the statuses that follow. The store writes them in the statement that writes what they follow from. */
export function changed(row: OrderRow, changes: Partial<OrderRow>, now: Date): OrderRow {
  const next = { ...row, ...changes, updated: unixSeconds(now) }
  const status_payment = paymentStatus(paymentsOf(next))
  const paid = next.paid ?? (status_payment === 'paid' ? unixSeconds(now) : null)
  const delivery = { items: next.items, hasDownloads: next.downloads.length > 0, wasPaid: paid !== null }
  return { ...next, status_payment, paid, status_fulfillment: fulfillmentStatus(delivery) }
}

type OrderEvent = 'orders.update' | 'orders.refund' | 'orders.cancel' | 'orders.receipt.resend'

/** Shows the order as it is now, and tells it. */
export async function tellOrder(tx: Tx, owner: OrderOwner, name: OrderEvent, row: OrderRow, now: Date): Promise<Order> {
  const { told, shown } = viewsOf(row, owner.addresses, now)
  await emit(tx, {
    merchantId: owner.merchantId,
    sandbox: owner.isSandbox,
    name,
    kind: 'order',
    payload: told,
    responseCode: 200,
    now,
  })
  return shown
}
