// Money of an order as the API shows it: transactions, payments and refunds derived from them, disputes, and credit returned to gift cards.

import { type Static, Type } from 'typebox'
import { kind, Meta, nested, nestedOrNull, nullable, oneOf, Price, Timestamp } from '../../../http/endpoint/schema.ts'

export const TRANSACTION_TYPES = ['charge', 'refund'] as const
export const TRANSACTION_STATUSES = ['pending', 'complete', 'cancelled', 'failed'] as const

/** Reason for the status of a transaction. */
export const STATUS_REASONS = [
  'complete',
  'awaiting_capture',
  'awaiting_gateway',
  'order_cancelled',
  'released',
  'gateway_failure',
] as const

export const DISPUTE_STATUSES = ['open', 'under_review', 'won', 'lost', 'closed'] as const

export const Currency = Type.Object({ code: Type.String(), symbol: Type.String() })

const PaymentSource = Type.Object({
  brand: nullable(Type.String()),
  country: nullable(Type.String()),
  billing_zip_postal_code: nullable(Type.String()),
})

export const Transaction = kind('transaction', {
  id: Type.String(),
  payment_id: Type.String({ description: 'The payment that it is, or that it gives back: pymnt_…' }),
  type: oneOf(TRANSACTION_TYPES),
  status: oneOf(TRANSACTION_STATUSES),
  status_reason: oneOf(STATUS_REASONS, {
    description:
      'awaiting_capture: the gateway holds the money, or the shopper pays by hand. awaiting_gateway: a capture or a refund is under way at the gateway. released: the gateway was told to release the money, or has released the rest after a partial capture. gateway_failure: the payment or refund failed; of a pending charge: the result is unknown, and notes says where to check.',
  }),
  charge_date: nullable(Timestamp, {
    description: 'When the money was captured; null before that, and for a refund.',
  }),
  gateway: Type.String(),
  gateway_name: Type.String(),
  gateway_transaction_id: nullable(Type.String()),
  gateway_customer_id: nullable(Type.String()),
  gateway_reference: nullable(Type.String(), { description: 'The last four digits of a card, say.' }),
  notes: Type.String(),
  amount: nested(Price),
  payment_source_type: nullable(Type.String()),
  payment_source: PaymentSource,
  reason: nullable(Type.String(), { description: 'Why it was given back.' }),
  meta: Meta,
  created: Timestamp,
  updated: Timestamp,
  dunning: Type.Object(
    {
      is_dunning: Type.Boolean(),
      failed_attempts: Type.Integer(),
      last_failed_attempt: nullable(Timestamp),
      next_attempt: nullable(Timestamp),
    },
    { description: 'Nothing is charged a second time by itself.' },
  ),
})

export type Transaction = Static<typeof Transaction>

export const Payment = kind('payment', {
  id: Type.String(),
  gateway_transaction_id: nullable(Type.String()),
  created: Timestamp,
  type: Type.String({ description: 'What was paid with, such as card; else the gateway.' }),
  gateway: Type.String(),
  reference: nullable(Type.String()),
  amount: nested(Price),
  currency: Currency,
  is_refunded: Type.Boolean({ description: 'Whether all of it was given back.' }),
  refund_date: nullable(Timestamp, { description: 'When the last of it was; null while something is left.' }),
  refunded: nested(Price),
  refundable: Type.Unsafe<Static<typeof Price>>({
    ...nested(Price),
    description: 'What can still be refunded; a refund under way counts as refunded.',
  }),
  payment_source: PaymentSource,
})

export type Payment = Static<typeof Payment>

export const Refund = kind('refund', {
  payment_id: Type.String(),
  gateway_transaction_id: nullable(Type.String()),
  type: oneOf(['full', 'partial'], { description: 'full: all of the payment at once.' }),
  gateway: Type.String(),
  amount: nested(Price),
  currency: Currency,
  created: Timestamp,
  reason: nullable(Type.String()),
})

export type Refund = Static<typeof Refund>

export const RefundPreview = kind('refund_preview', {
  amount: Type.Unsafe<Static<typeof Price>>({ ...nested(Price), description: 'What would be given back in all.' }),
  left_after: Type.Unsafe<Static<typeof Price>>({
    ...nested(Price),
    description: 'What could still be given back afterwards.',
  }),
  payments: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The payment that it would be given back of: pymnt_…' }),
      type: Type.String({ description: 'What was paid with, such as card; else the gateway.' }),
      gateway: Type.String(),
      gateway_name: Type.String(),
      reference: nullable(Type.String()),
      payment_source: PaymentSource,
      amount: nested(Price),
    }),
    { description: 'How much by the gateway of each payment, in the order in which they are asked.' },
  ),
  giftcard: nestedOrNull(Price),
  items: Type.Array(Type.Object({ line_item_id: Type.String(), quantity: Type.Integer() }), {
    description: 'What it would be for.',
  }),
  restocked: Type.Array(Type.Object({ line_item_id: Type.String(), quantity: Type.Integer() }), {
    description: 'Of these, what would go back into stock; items that are not counted or are deleted are left out.',
  }),
  mailed_to: nullable(Type.String(), { description: 'Who would get a mail about it; null where nobody would.' }),
})

export type RefundPreview = Static<typeof RefundPreview>

export const Dispute = kind('dispute', {
  id: Type.String(),
  gateway_dispute_id: Type.String({ description: 'As the gateway calls it.' }),
  payment_id: Type.String({ description: 'The payment that it is about.' }),
  gateway: Type.String(),
  status: oneOf(DISPUTE_STATUSES, {
    description:
      'open: the gateway waits for the merchant. under_review: it decides. won, lost: it has decided. closed: it ended without a decision.',
  }),
  reason: nullable(Type.String(), { description: 'In the words of the gateway.' }),
  amount: nested(Price),
  created: Timestamp,
  updated: Timestamp,
})

export type Dispute = Static<typeof Dispute>

export const ReturnedCredit = Type.Object({
  gift_card_id: Type.String({
    description:
      'The card that has it now; of several refunds, the one that the last part went to. `GET /v1/giftcards/{id}` shows its code to the secret key.',
  }),
  amount: Type.Unsafe<Static<typeof Price>>({ ...nested(Price), description: 'Of all refunds together.' }),
  is_new_card: Type.Boolean({
    description: 'Whether a new card was issued, because the card that had paid is deleted or expired.',
  }),
  reason: Type.Unsafe<'card_deleted' | 'card_expired' | null>({
    type: ['string', 'null'],
    enum: ['card_deleted', 'card_expired', null],
    description: 'Why it is a new card; null where it is the one that had paid.',
  }),
})
