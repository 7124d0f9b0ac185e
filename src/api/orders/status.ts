// Derives the statuses of an order from its payments, refunds and deliveries, without I/O. The status columns repeat the result for lists;
// nothing else derives it.

import type { Minor } from '../../lib/money.ts'

export const PAYMENT_STATUSES = [
  'paid',
  'not_paid',
  'partially_paid',
  'partially_refunded',
  'refunded',
  'authorized',
] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

export const FULFILLMENT_STATUSES = ['fulfilled', 'not_fulfilled', 'partially_fulfilled', 'returned'] as const
export type FulfillmentStatus = (typeof FULFILLMENT_STATUSES)[number]

/** Statuses that a merchant filters by. An open order may be unpaid or unshipped too. Each order has at most one of these two. */
export const ORDER_STATUS_FILTERS = ['open', 'cancelled', 'unpaid', 'unshipped'] as const
export type OrderStatusFilter = (typeof ORDER_STATUS_FILTERS)[number]

export const ITEM_STATUSES = ['fulfilled', 'not_fulfilled', 'returned'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

export type PaymentStatusInput = {
  /** Amount due after the gift card. */
  readonly due: Minor
  /** Amount that the gift card paid. */
  readonly credit: Minor
  /** Part of that amount that was returned. */
  readonly creditReturned: Minor
  /** True if the full amount had arrived once, even if it was refunded later. */
  readonly wasPaid: boolean
  readonly transactions: readonly {
    readonly type: 'charge' | 'refund'
    readonly status: 'pending' | 'complete' | 'cancelled' | 'failed'
    readonly is_authorized: boolean
    readonly amount: Minor
  }[]
}

/**
 * `captured` and `refunded` went through gateways or by hand. `paid` is the money that the merchant has, including the gift card's part.
 */
export function sumPayments({ credit, creditReturned, transactions }: PaymentStatusInput) {
  const complete = transactions.filter(({ status }) => status === 'complete')
  const sum = (kind: 'charge' | 'refund') =>
    complete.reduce((total, { type, amount }) => total + (type === kind ? amount : 0), 0)
  const captured = sum('charge')
  const refunded = sum('refund')
  return { captured, refunded, creditReturned, paid: captured - refunded + credit - creditReturned }
}

export function derivePaymentStatus(payments: PaymentStatusInput): PaymentStatus {
  const { captured, refunded, creditReturned, paid } = sumPayments(payments)
  if (captured + payments.credit > 0 && paid === 0) return 'refunded'
  // A free order has nothing due, so it is paid from the start. Returned gift card credit is due again.
  if (paid >= payments.due + payments.credit) return 'paid'
  if (payments.wasPaid && refunded + creditReturned > 0) return 'partially_refunded'
  if (captured > refunded) return 'partially_paid'
  const isHeld = payments.transactions.some(({ status, is_authorized }) => status === 'pending' && is_authorized)
  return isHeld ? 'authorized' : 'not_paid'
}

/** True if the buyer can download the files. A partial refund keeps them open, a full refund closes them. */
export const areDownloadsOpen = (status: PaymentStatus): boolean => status === 'paid' || status === 'partially_refunded'

type Item = { readonly quantity: number; readonly quantity_fulfilled: number; readonly is_returned: boolean }

export const deriveItemStatus = ({ quantity, quantity_fulfilled, is_returned }: Item): ItemStatus => {
  if (is_returned) return 'returned'
  return quantity_fulfilled === quantity ? 'fulfilled' : 'not_fulfilled'
}

type Delivery = {
  /** Items to ship. */
  readonly items: readonly Item[]
  readonly hasDownloads: boolean
  /** Downloads are delivered once they are paid for. A refund does not undo that. */
  readonly wasPaid: boolean
}

export function deriveFulfillmentStatus({ items, hasDownloads, wasPaid }: Delivery): FulfillmentStatus {
  const statuses = items.map(deriveItemStatus)
  const isOpen = statuses.includes('not_fulfilled') || (hasDownloads && !wasPaid)
  if (!isOpen) return items.length > 0 && statuses.every((status) => status === 'returned') ? 'returned' : 'fulfilled'
  const hasBegun = items.some(({ quantity_fulfilled, is_returned }) => quantity_fulfilled > 0 || is_returned)
  return hasBegun || (hasDownloads && wasPaid) ? 'partially_fulfilled' : 'not_fulfilled'
}
