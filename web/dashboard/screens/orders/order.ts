// Facts about an order that several screens state, computed from what the API returns.

import type { FulfillmentItem } from '../../../../src/api/orders/fulfillment-schema.ts'
import type { Payment, Transaction } from '../../../../src/api/orders/money/schema.ts'
import type { Order, OrderLine } from '../../../../src/api/orders/schema.ts'

/** "Ada Lovelace", else the e-mail address. */
export const orderCustomerName = ({ firstname, lastname, email }: Order['customer']): string =>
  [firstname, lastname].filter(Boolean).join(' ') || email

export const optionsText = (options: OrderLine['selected_options']): string =>
  options.map(({ option_name }) => option_name).join(', ')

/** Items that can still be put into a parcel. */
export const shippableItems = ({ status, fulfillment }: Order): readonly FulfillmentItem[] =>
  status === 'cancelled'
    ? []
    : fulfillment.physical.items.filter((item) => item.status !== 'returned' && item.quantity_remaining > 0)

/** Quantity of an item that is still wanted. Pieces refunded before they were shipped are not. */
export function wantedQuantity({ order }: Order, item: FulfillmentItem): number {
  const line = order.line_items.find(({ id }) => id === item.line_item_id)
  const openQuantity = item.quantity - (line?.quantity_refunded ?? 0) - item.quantity_fulfilled
  return Math.max(0, Math.min(item.quantity_remaining, openQuantity))
}

/** Items and quantities of a parcel, unless somebody changes them. */
export const wantedItems = (order: Order): { readonly id: string; readonly quantity: number }[] =>
  shippableItems(order)
    .map((item) => ({ id: item.id, quantity: wantedQuantity(order, item) }))
    .filter(({ quantity }) => quantity > 0)

export const hasShippedItems = ({ fulfillment }: Order): boolean =>
  fulfillment.physical.items.some(({ quantity_fulfilled }) => quantity_fulfilled > 0)

/** Charges that a person may complete: paid by hand, or held by a gateway. Charges that a gateway is still checking are left out. */
export const openCharges = ({ status, transactions }: Order): readonly Transaction[] =>
  status === 'cancelled'
    ? []
    : transactions.filter(
        (each) => each.type === 'charge' && each.status === 'pending' && each.status_reason !== 'awaiting_gateway',
      )

export const isByHand = ({ gateway }: Pick<Payment, 'gateway'>): boolean => gateway === 'manual'

/** True if no gateway takes the money: it is paid by hand, or nobody knows if the gateway has taken it, so the merchant decides. */
export const isOnlyNoted = (charge: Transaction): boolean =>
  isByHand(charge) || charge.status_reason === 'gateway_failure'

type RefundablePayment = Pick<Payment, 'type' | 'gateway' | 'reference' | 'payment_source'>

/** Target of a refund: "the Visa card 4242". */
export function refundTarget({ type, gateway, reference, payment_source: source }: RefundablePayment): string {
  if (type === 'card') return ['the', source.brand, 'card', reference].filter(Boolean).join(' ')
  return gateway === 'manual' ? 'the customer, by hand' : `the customer through ${type}`
}

export const addNumbers = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
