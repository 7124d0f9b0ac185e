// Reads the content of order mails from the order: a shipment, a refund, a cancellation. Returns null if there is nothing left to report.

import { priceOf } from '../../../lib/money.ts'
import type { CancellationSubject } from '../../../mail/orders/cancellation-mail.ts'
import type { RefundSubject } from '../../../mail/orders/refund-mail.ts'
import type { ShipmentSubject } from '../../../mail/orders/shipment-mail.ts'
import { creditReturnedOf, paymentStatusInput, quantityRefunded } from '../money/sums.ts'
import type { OrderRow } from '../read-store.ts'
import type { Order } from '../schema.ts'
import { sumPayments } from '../status.ts'

/** An order row with its current view. */
type OrderWithView = { readonly row: OrderRow; readonly order: Order }

export function shipmentSubject({ row, order }: OrderWithView, shipmentId: string): ShipmentSubject | null {
  const { items, shipments } = order.fulfillment.physical
  const shipment = shipments.find(({ id }) => id === shipmentId)
  if (shipment === undefined) return null
  const itemsToShip = items
    .filter(({ status }) => status === 'not_fulfilled')
    // Refunded items are not shipped any more.
    .map((item) => ({ ...item, quantity: item.quantity_remaining - quantityRefunded(row, item.line_item_id) }))
    .filter(({ quantity }) => quantity > 0)
  return { order, shipment, hasOthers: shipments.length > 1, unshippedItems: itemsToShip }
}

/** Null unless the refund is complete: it may have failed since the mail was enqueued. */
export function refundSubject({ row, order }: OrderWithView, refundId: string): RefundSubject | null {
  const request = row.refunds.find(({ id }) => id === refundId)
  if (request === undefined || request.status !== 'complete') return null
  const parts = row.transactions.filter(({ refund_id, status }) => refund_id === refundId && status === 'complete')
  const ids = new Set(parts.map(({ id }) => id))
  const amount = parts.reduce((sum, part) => sum + part.amount, request.credit)
  if (amount === 0) return null
  const { captured } = sumPayments(paymentStatusInput(row))
  return {
    order,
    amount: priceOf(amount, row.currency),
    isAll: amount === captured + (row.content.gift_card?.credit ?? 0),
    transactions: order.transactions.filter(({ id }) => ids.has(id)),
    credit: request.credit === 0 ? null : priceOf(request.credit, row.currency),
    isNewCard: order.returned_credit?.is_new_card ?? false,
    items: request.items,
  }
}

/** Includes all refunds of the order, also those from before the cancellation. */
export function cancellationSubject({ row, order }: OrderWithView, isExpired: boolean): CancellationSubject | null {
  if (row.cancelled === null) return null
  const credit = creditReturnedOf(row)
  return {
    order,
    transactions: order.transactions.filter(({ type, status }) => type === 'refund' && status === 'complete'),
    credit: credit === 0 ? null : priceOf(credit, row.currency),
    isNewCard: order.returned_credit?.is_new_card ?? false,
    isReleased: row.transactions.some(
      ({ type, status, is_authorized }) => type === 'charge' && status === 'cancelled' && is_authorized,
    ),
    isExpired,
  }
}

/** Address of the order in the dashboard; null if the server does not know its own origin. */
export const orderDashboardUrl = (origin: string | null, orderId: string): string | null =>
  origin === null ? null : `${orderListUrl(origin)}/${orderId}`

/** Address of the order list in the dashboard; null if the server does not know its own origin. */
export const orderListUrl = (origin: string | null): string | null =>
  origin === null ? null : `${origin}/dashboard/orders`
