// What a capture and a receipt show of an order to whom. A public key is in every shopper's browser: whoever knows the token sees what was
// given with the order and what has become of it, and nothing that the merchant has written about it or knows of the customer.

import type { Caller } from '../../../http/endpoint.ts'
import type { OrderDraft } from '../../orders/draft.ts'
import type { Order } from '../../orders/schema.ts'

/** What an order keeps under `collected` of whether its e-mail address was given with it, and not taken from a customer's record. */
const EMAIL = 'customer_email'

export const emailCollected = (isGiven: boolean) => ({ [EMAIL]: isGiven })

export type MadeOrder = { readonly kind: 'order'; readonly order: Order; readonly isEmailGiven: boolean }

export const madeOrder = (order: Order, { collected }: Pick<OrderDraft, 'collected'>): MadeOrder => ({
  kind: 'order',
  order,
  isEmailGiven: collected[EMAIL] !== false,
})

export function shownTo({ isSecret }: Pick<Caller, 'isSecret'>, { order, isEmailGiven }: MadeOrder): Order {
  if (isSecret) return order
  return {
    ...order,
    cancel_reason: null,
    customer: { ...order.customer, email: isEmailGiven ? order.customer.email : '' },
    refunds: order.refunds.map((refund) => ({ ...refund, reason: null })),
    transactions: order.transactions.map((transaction) => ({ ...transaction, notes: '', reason: null, meta: null })),
  }
}
