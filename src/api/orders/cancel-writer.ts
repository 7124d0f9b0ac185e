// How an order is cancelled, whoever asks for it: a merchant, the last of its refunds, or the time in which it was to be paid. In one
// transaction: the order and its pending charges, what goes back into stock, and the event that tells it.

import type { Tx } from '../../db/db.ts'
import { enqueue } from '../../jobs/queue.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { restockItems } from '../products/restock-store.ts'
import type { OrderOwner } from './links.ts'
import { RELEASE_AUTHORIZATION } from './release.ts'
import type { OrderRow, Restocked } from './row-store.ts'
import { sumsOf } from './status.ts'
import { cancelOrderRow } from './store.ts'
import { isBeingTaken } from './take.ts'
import { paymentsOf } from './view.ts'
import { changed, tellOrder } from './writer.ts'

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
  // Of all locks the last, as captures take it: many wait for stock.
  const restocked = await restock(tx, owner, row)
  const cancelled = { cancelling: null, cancelled: unixSeconds(now), cancel_reason: reason, restocked }
  const next = changed(row, { transactions, ...cancelled }, now)
  await cancelOrderRow(tx, next, now)
  await tellOrder(tx, owner, 'orders.cancel', next, now)
  return next
}

/** All of it goes back: an order of which something was shipped is not cancelled. */
async function restock(tx: Tx, owner: OrderOwner, { content }: OrderRow): Promise<Restocked[] | null> {
  const drawn = content.lines.flatMap(({ stockItemId, ...line }) => (stockItemId ? [{ stockItemId, ...line }] : []))
  const quantities = new Map<string, number>()
  for (const { stockItemId, quantity } of drawn)
    quantities.set(stockItemId, (quantities.get(stockItemId) ?? 0) + quantity)
  const items = await restockItems(tx, owner, quantities)
  const restocked = drawn
    .filter(({ stockItemId }) => items.has(stockItemId))
    .map(({ id, productId, stockItemId, quantity }) => ({
      line_item_id: id,
      product_id: productId,
      variant_id: stockItemId === productId ? null : stockItemId,
      quantity,
    }))
  return restocked.length === 0 ? null : restocked
}
