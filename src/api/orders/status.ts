// Where an order stands, derived from what has happened to it: what was paid and given back, and what was delivered. No I/O.
// The columns beside it repeat this for lists; nothing else decides it.

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

/** How an order stands with its merchant. Those that are open may be unpaid or unshipped too; of each order at most one is to be done. */
export const STANDINGS = ['open', 'cancelled', 'unpaid', 'unshipped'] as const
export type Standing = (typeof STANDINGS)[number]

export const ITEM_STATUSES = ['fulfilled', 'not_fulfilled', 'returned'] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

export type Payments = {
  /** What is left to pay after the gift card. */
  readonly due: Minor
  /** What the gift card paid. */
  readonly credit: Minor
  /** What of that was given back. */
  readonly creditReturned: Minor
  /** All of it had come once, whatever was given back since. */
  readonly wasPaid: boolean
  readonly transactions: readonly {
    readonly type: 'charge' | 'refund'
    readonly status: 'pending' | 'complete' | 'cancelled' | 'failed'
    readonly is_authorized: boolean
    readonly amount: Minor
  }[]
}

/** `captured` and `refunded` went through gateways, or by hand. `paid` is what the merchant has, the gift card's part included. */
export function sumsOf({ credit, creditReturned, transactions }: Payments) {
  const complete = transactions.filter(({ status }) => status === 'complete')
  const sum = (kind: 'charge' | 'refund') =>
    complete.reduce((total, { type, amount }) => total + (type === kind ? amount : 0), 0)
  const captured = sum('charge')
  const refunded = sum('refund')
  return { captured, refunded, creditReturned, paid: captured - refunded + credit - creditReturned }
}

export function paymentStatus(payments: Payments): PaymentStatus {
  const { captured, refunded, creditReturned, paid } = sumsOf(payments)
  if (captured + payments.credit > 0 && paid === 0) return 'refunded'
  // Of a free order nothing is due, so that it is paid from the start. A gift card's part that was given back is due again.
  if (paid >= payments.due + payments.credit) return 'paid'
  if (payments.wasPaid && refunded + creditReturned > 0) return 'partially_refunded'
  if (captured > refunded) return 'partially_paid'
  const isHeld = payments.transactions.some(({ status, is_authorized }) => status === 'pending' && is_authorized)
  return isHeld ? 'authorized' : 'not_paid'
}

/** What was bought as a download is open: a part that was given back does not close it, all of it does. */
export const isOpenToBuyer = (status: PaymentStatus): boolean => status === 'paid' || status === 'partially_refunded'

type Item = { readonly quantity: number; readonly quantity_fulfilled: number; readonly is_returned: boolean }

export const itemStatus = ({ quantity, quantity_fulfilled, is_returned }: Item): ItemStatus => {
  if (is_returned) return 'returned'
  return quantity_fulfilled === quantity ? 'fulfilled' : 'not_fulfilled'
}

type Delivery = {
  /** What is shipped. */
  readonly items: readonly Item[]
  readonly hasDownloads: boolean
  /** Downloads are delivered once they are paid for, and that is not taken back by a refund. */
  readonly wasPaid: boolean
}

export function fulfillmentStatus({ items, hasDownloads, wasPaid }: Delivery): FulfillmentStatus {
  const statuses = items.map(itemStatus)
  const isOpen = statuses.includes('not_fulfilled') || (hasDownloads && !wasPaid)
  if (!isOpen) return items.length > 0 && statuses.every((status) => status === 'returned') ? 'returned' : 'fulfilled'
  const hasBegun = items.some(({ quantity_fulfilled, is_returned }) => quantity_fulfilled > 0 || is_returned)
  return hasBegun || (hasDownloads && wasPaid) ? 'partially_fulfilled' : 'not_fulfilled'
}
