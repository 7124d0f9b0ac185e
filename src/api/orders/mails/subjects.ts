// What the mails about an order tell, read off its row: a parcel, a refund, a cancellation. null where there is nothing to tell any more.

import { priceOf } from '../../../lib/money.ts'
import type { CancellationSubject } from '../../../mail/orders/cancellation-mail.ts'
import type { RefundSubject } from '../../../mail/orders/refund-mail.ts'
import type { ShipmentSubject } from '../../../mail/orders/shipment-mail.ts'
import { creditReturnedOf, paymentsOf, quantityRefunded } from '../money/sums.ts'
import type { OrderRow } from '../read-store.ts'
import type { Order } from '../schema.ts'
import { sumsOf } from '../status.ts'

/** An order, and how it is shown in this moment. */
type Shown = { readonly row: OrderRow; readonly order: Order }

export function shipmentSubject({ row, order }: Shown, shipmentId: string): ShipmentSubject | null {
  const { items, shipments } = order.fulfillment.physical
  const shipment = shipments.find(({ id }) => id === shipmentId)
  if (shipment === undefined) return null
  const left = items
    .filter(({ status }) => status === 'not_fulfilled')
    // Nobody waits for what was given back.
    .map((item) => ({ ...item, quantity: item.quantity_remaining - quantityRefunded(row, item.line_item_id) }))
    .filter(({ quantity }) => quantity > 0)
  return { order, shipment, hasOthers: shipments.length > 1, left }
}

/** Of what has failed since it was put in nothing is told. */
export function refundSubject({ row, order }: Shown, refundId: string): RefundSubject | null {
  const request = row.refunds.find(({ id }) => id === refundId)
  if (request === undefined || request.status !== 'complete') return null
  const parts = row.transactions.filter(({ refund_id, status }) => refund_id === refundId && status === 'complete')
  const ids = new Set(parts.map(({ id }) => id))
  const amount = parts.reduce((sum, part) => sum + part.amount, request.credit)
  if (amount === 0) return null
  const { captured } = sumsOf(paymentsOf(row))
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

/** With all that was given back of the order, also before it was cancelled. */
export function cancellationSubject({ row, order }: Shown, isExpired: boolean): CancellationSubject | null {
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

/** Where the merchant sees it; null where nobody knows by which name we are reached. */
export const dashboardUrl = (origin: string | null, orderId: string): string | null =>
  origin === null ? null : `${ordersUrl(origin)}/${orderId}`

/** The same for all orders. */
export const ordersUrl = (origin: string | null): string | null =>
  origin === null ? null : `${origin}/dashboard/orders`
