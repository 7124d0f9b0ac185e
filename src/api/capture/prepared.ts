// What the phases of a capture hand to one another: a body that was read, priced and found good, and what comes of it. Types only.
//
// The route does, in this order:
//   1. reads the body's form (422), its digest and its `payment`;
//   2. `resumeCapture(services, owner, asked)`: what an earlier capture of this token has come to. An order, a redirect or a refusal;
//      null when a new attempt is due, or the one of another body that waits for the shopper. Before any rule is asked: a repeated
//      capture must not be refused for the stock, the code's last use or the gift card's credit that its own first attempt holds;
//   3. `prepareCapture(…)`: the rules and the price, all refusals at once. Of one that waits it counts as free what that one holds;
//   4. `runCapture(services, owner, prepared, earlier)`, which calls off the one that waits. So a refusal of 3 leaves it as it is.

import type { GatewayConfig, PaymentInput } from '../../gateways/gateway.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import type { Minor } from '../../lib/money.ts'
import type { OrderDraft } from '../orders/make.ts'
import type { OrderContent } from '../orders/read-store.ts'
import type { Order } from '../orders/schema.ts'

/** Whose capture it is. `origin`: the lasting one, which the order's event and its receipt name. */
export type CaptureOwner = Pick<Caller, 'merchantId' | 'isSandbox' | 'isDisabled'> & { readonly origin: string }

/** What was asked for, before any rule has looked at it. */
export type AskedCapture = {
  readonly checkoutId: string
  /** The same for equal JSON, whatever the order of its fields. Keyed: by a plain digest card numbers could be tried out. */
  readonly bodyDigest: Buffer
  /** Null: none was sent. */
  readonly payment: PaymentInput | null
}

/** What is taken from one stock item, summed over the lines that sell from it. */
export type StockDemand = {
  /** The id of the product, or of the variant that has stock of its own. */
  readonly itemId: string
  readonly quantity: number
  /** The lines, so that a refusal can name them. */
  readonly lineIds: readonly string[]
}

export type PreparedCapture = AskedCapture & {
  readonly draft: OrderDraft
  /** How it is paid; null when nothing is due. `methodId` is null for a gateway that works without being set up. */
  readonly gateway: { readonly code: string; readonly methodId: string | null; readonly config: GatewayConfig } | null
  /** Of products whose inventory is managed alone; one entry for each stock item, in any order. */
  readonly stock: readonly StockDemand[]
  /** The code whose use is counted; null also when it saves nothing, as one for other products does. The order shows it all the same. */
  readonly discountId: string | null
  /** The card that pays a part, and how much; null also when it pays nothing. */
  readonly giftCard: { readonly id: string; readonly credit: Minor } | null
}

/** The answer for a gateway that sends the shopper elsewhere. */
export type PaymentRedirect = {
  payment_redirect: true
  gateway: string
  paykey: string
  /** A page of ours is named by its path alone, until it is answered. */
  redirect_url: string
}

export type CaptureResult = MadeOrder | { readonly kind: 'redirect'; readonly redirect: PaymentRedirect }

// What a capture and a receipt show of an order to whom. A public key is in every shopper's browser: whoever knows the token sees what was
// given with the order and what has become of it, and nothing that the merchant has written about it or knows of the customer.

/** What an order keeps under `collected` of whether its e-mail address was given with it, and not taken from a customer's record. */
const EMAIL = 'customer_email'

export const emailCollected = (isGiven: boolean) => ({ [EMAIL]: isGiven })

export type MadeOrder = { readonly kind: 'order'; readonly order: Order; readonly isEmailGiven: boolean }

export const madeOrder = (order: Order, { collected }: Pick<OrderContent, 'collected'>): MadeOrder => ({
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
