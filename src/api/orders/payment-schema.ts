// Money that moved for an order, as the API shows it: transactions, and the payments and refunds that are read off them.

import { type Static, Type } from 'typebox'
import { kind, Meta, nested, nullable, oneOf, Price, Timestamp } from '../../http/schema.ts'

export const TRANSACTION_TYPES = ['charge', 'refund'] as const
export const TRANSACTION_STATUSES = ['pending', 'complete', 'cancelled', 'failed'] as const

/** Why a transaction stands where it stands. */
export const STATUS_REASONS = [
  'complete',
  'awaiting_capture',
  'awaiting_gateway',
  'order_cancelled',
  'gateway_failure',
] as const

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
      'awaiting_capture: the money is held by the gateway, or comes by hand. awaiting_gateway: it is being taken from the gateway, or given back.',
  }),
  charge_date: nullable(Timestamp, {
    description: 'When the money was taken; null while it was not, and of a refund.',
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
  is_refunded: Type.Boolean(),
  refund_date: nullable(Timestamp),
  payment_source: PaymentSource,
})

export type Payment = Static<typeof Payment>

export const Refund = kind('refund', {
  payment_id: Type.String(),
  gateway_transaction_id: nullable(Type.String()),
  type: oneOf(['full']),
  gateway: Type.String(),
  amount: nested(Price),
  currency: Currency,
  created: Timestamp,
  reason: nullable(Type.String()),
})

export type Refund = Static<typeof Refund>
