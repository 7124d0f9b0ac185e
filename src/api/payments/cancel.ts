// Cancels an order that a merchant does not want to deliver. What has been paid goes back first: the order is marked, and its refunds are
// begun, in one transaction, so that nothing is shipped from that moment on; then the gateways are asked with no transaction open; and
// what records the last of their answers cancels the order, or takes the mark away where one has refused. refund.ts does the latter two.

import type { Tx } from '../../db/db.ts'
import { enqueue } from '../../jobs/queue.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notValid } from '../../lib/errors.ts'
import { uncountDiscountUse } from '../discounts/store.ts'
import type { AskedCancel } from '../orders/body-schema.ts'
import type { OrderOwner } from '../orders/links.ts'
import { changed, emitOrder, refuseWhileCancelling, takeOrder } from '../orders/order.ts'
import type { OrderRow, Restocked } from '../orders/read-store.ts'
import type { Order } from '../orders/schema.ts'
import { sumsOf } from '../orders/status.ts'
import { cancelOrderRow, markCancelRow } from '../orders/store.ts'
import { paymentsOf, viewOrder } from '../orders/view.ts'
import { restockItems } from '../products/stock-store.ts'
import { type Asking, RELEASE_AUTHORIZATION } from './ask.ts'
import { beginRefund, endRefund, isBeingRefunded } from './refund.ts'
import { isBeingTaken } from './take.ts'

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

// How an order is cancelled, whoever asks for it: a merchant, the last of its refunds, or the time in which it was to be paid. In one
// transaction: the order and its pending charges, the use of its code, what goes back into stock, and the event that tells it.

/** Whether the merchant has money for it, on a gift card or through a gateway. */
export const isPaidFor = (row: OrderRow): boolean => sumsOf(paymentsOf(row)).paid > 0

export const hasShipped = ({ items }: OrderRow): boolean =>
  items.some(({ quantity_fulfilled }) => quantity_fulfilled > 0)

/** Whether nothing stands against it in this moment. */
export const canBeCancelled = (row: OrderRow): boolean =>
  row.cancelled === null && !isPaidFor(row) && !hasShipped(row) && !row.transactions.some(isBeingTaken)

/** Under the order's lock, where it `canBeCancelled`. Gives the order as it then is. */
export async function writeCancel(
  tx: Tx,
  owner: OrderOwner,
  row: OrderRow,
  reason: string | null,
  now: Date,
): Promise<OrderRow> {
  const transactions = row.transactions.map((transaction) =>
    transaction.status === 'pending'
      ? ({ ...transaction, status: 'cancelled', status_reason: 'order_cancelled', updated: unixSeconds(now) } as const)
      : transaction,
  )
  for (const { id: transactionId, status, is_authorized } of row.transactions)
    if (status === 'pending' && is_authorized)
      await enqueue(tx, {
        merchantId: owner.merchantId,
        kind: RELEASE_AUTHORIZATION,
        payload: { orderId: row.id, isSandbox: owner.isSandbox, transactionId },
        runAt: now,
      })
  const { discount } = row.content
  // One that saved nothing was not counted.
  if (discount !== null && discount.amount_saved > 0)
    await uncountDiscountUse(tx, { merchantId: owner.merchantId, isSandbox: owner.isSandbox, discountId: discount.id })
  // Of all locks the last, as captures take it: many wait for stock.
  const restocked = await restock(tx, owner, row)
  const cancelled = { cancelling: null, cancelled: unixSeconds(now), cancel_reason: reason, restocked }
  const next = changed(row, { transactions, ...cancelled }, now)
  await cancelOrderRow(tx, next, now)
  await emitOrder(tx, owner, 'orders.cancel', next, now)
  return next
}

/**
 * What was never in a shipment goes back. A parcel that was lost, and whose items the merchant has set back to be sent again, is not on
 * the shelf.
 */
async function restock(tx: Tx, owner: OrderOwner, row: OrderRow): Promise<Restocked[] | null> {
  const shipped = shippedOf(row)
  const drawn = row.content.lines.flatMap(({ id, product_id: productId, stock_item_id: stockItemId, quantity }) => {
    const left = quantity - (shipped.get(id) ?? 0)
    return stockItemId && left > 0 ? [{ id, productId, stockItemId, quantity: left }] : []
  })
  const quantities = new Map<string, number>()
  for (const { stockItemId, quantity } of drawn)
    quantities.set(stockItemId, (quantities.get(stockItemId) ?? 0) + quantity)
  const places = await restockItems(tx, owner, quantities)
  const restocked = drawn.flatMap(({ id, productId, stockItemId, quantity }) => {
    const place = places.get(stockItemId)
    if (place === undefined) return []
    return [{ line_item_id: id, product_id: productId, variant_id: place === productId ? null : place, quantity }]
  })
  return restocked.length === 0 ? null : restocked
}

/** How much of each line has been in shipments, by its id; what was sent twice counts twice. */
function shippedOf({ items, shipments }: OrderRow): ReadonlyMap<string, number> {
  const lines = new Map(items.map(({ id, line_item_id }) => [id, line_item_id]))
  const shipped = new Map<string, number>()
  for (const { item_id, quantity } of shipments.flatMap((shipment) => shipment.items)) {
    const line = lines.get(item_id)
    if (line !== undefined) shipped.set(line, (shipped.get(line) ?? 0) + quantity)
  }
  return shipped
}
