// Request bodies and queries of /v1/orders. Those for shipments and downloads are in fulfillment/schema.ts.

import { type Static, Type } from 'typebox'
import { Amount, lenient, Meta, nullable, oneOf, pageQuery } from '../../http/endpoint/schema.ts'
import { MAX_CART_LINES } from '../../pricing/rounding.ts'
import { type PostalChanges, postalBodyFields } from '../customers/postal-address.ts'
import { FULFILLMENT_STATUSES, ORDER_STATUS_FILTERS, PAYMENT_STATUSES } from './status.ts'

export const DEFAULT_ORDER_LIMIT = 20

/** Last second of the year 9999. Refuses timestamps that were sent in milliseconds by mistake. */
const LAST_MOMENT = 253_402_300_799

export const timestampField = (description: string) => Type.Integer({ minimum: 0, maximum: LAST_MOMENT, description })

const filters = {
  query: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'An id, or how a customer_reference, an e-mail address, a last name or a full name begins.',
    }),
  ),
  sortBy: Type.Optional(lenient(oneOf(['created_at']))),
  sortDirection: Type.Optional(lenient(oneOf(['asc', 'desc'], { description: 'desc unless given: newest first.' }))),
  status: Type.Optional(
    oneOf(ORDER_STATUS_FILTERS, {
      description:
        'open: not cancelled. unpaid: open, and something is still to be paid or to be taken. unshipped: open and paid, and something of it is still to be shipped.',
    }),
  ),
  status_payment: Type.Optional(oneOf(PAYMENT_STATUSES)),
  status_fulfillment: Type.Optional(oneOf(FULFILLMENT_STATUSES)),
  customer_id: Type.Optional(Type.String({ maxLength: 100 })),
  created_after: Type.Optional(timestampField('Unix timestamp in seconds; orders of later seconds.')),
  created_before: Type.Optional(timestampField('Unix timestamp in seconds; orders of earlier seconds.')),
}

export const ListOrders = Type.Object({ ...pageQuery(DEFAULT_ORDER_LIMIT), ...filters })

/** Filters and sort order of an order list, without pagination. */
export const ExportOrders = Type.Object(filters)

export const nullableTextField = (maxLength: number) => Type.Optional(nullable(Type.String(), { maxLength }))

const Address = Type.Object(postalBodyFields)

export const UpdateOrder = Type.Object({
  customer: Type.Optional(
    Type.Object(
      {
        email: Type.Optional(Type.String({ maxLength: 320 })),
        firstname: nullableTextField(255),
        lastname: nullableTextField(255),
        phone: nullableTextField(50),
      },
      { description: 'As this order shows it; the record of the customer stays as it is.' },
    ),
  ),
  shipping: Type.Optional(Address),
  billing: Type.Optional(
    Type.Unsafe<PostalChanges | null>({ ...Address, type: ['object', 'null'], description: 'null takes it away.' }),
  ),
  meta: Type.Optional(Meta),
})

export type OrderChanges = Static<typeof UpdateOrder>

const Reason = Type.Optional(nullable(Type.String(), { maxLength: 10_000 }))

const sum = (description: string) => Type.Optional(Type.Unsafe<number | string>({ ...Amount, description }))

export const RefundOrder = Type.Object({
  amount: sum(
    'How much. Without it, what was paid for the items, with tax and without shipping; without both all that is left.',
  ),
  reason: Reason,
  items: Type.Optional(
    Type.Array(
      Type.Object({
        line_item_id: Type.String({ maxLength: 100 }),
        quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      }),
      {
        minItems: 1,
        maxItems: MAX_CART_LINES,
        description:
          'What it is for; each can be refunded once. A refund of all that is left is for all items that are left, an amount alone for none.',
      },
    ),
  ),
  restock: Type.Optional(
    Type.Boolean({
      description:
        'Puts the items back into stock, also those that were shipped. With an amount or a transaction_id, items must say which. false unless given.',
    }),
  ),
  expected_left: sum(
    'What you expect is left to refund (total_refundable of the order). If it differs, nothing is refunded, and the answer is 409 with the order. So a refund that is sent twice is made once.',
  ),
  transaction_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'Refunds only this charge, and nothing to a gift card. Unless given, refunds all completed charges, in their order, and then the gift card.',
    }),
  ),
})

export type RefundBody = Static<typeof RefundOrder>

export const CancelOrder = Type.Object({
  reason: Reason,
  refund: Type.Optional(Type.Boolean({ description: 'Gives back what has been paid. false unless given.' })),
})

export type CancelBody = Static<typeof CancelOrder>

export const UpdateTransaction = Type.Object({
  status: Type.Optional(
    oneOf(['complete', 'cancelled'], {
      description:
        'complete: the money has arrived, or is to be captured from the gateway that holds it. cancelled: releases money that a gateway holds; the order stays.',
    }),
  ),
  amount: sum(
    'How much has arrived, or is to be captured; all of it unless given. The rest of a payment by hand becomes a pending charge of its own. The rest of money that a gateway holds is released, and becomes a cancelled charge.',
  ),
  gateway_transaction_id: nullableTextField(255),
  notes: Type.Optional(Type.String({ maxLength: 10_000 })),
  meta: Type.Optional(Meta),
})

export type TransactionChanges = Static<typeof UpdateTransaction>
