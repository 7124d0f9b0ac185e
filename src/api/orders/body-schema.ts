// The bodies and queries of /v1/orders; those of what is delivered are in fulfillment/schema.ts.

import { type Static, Type } from 'typebox'
import { Amount, Meta, nullable, oneOf, pageQuery } from '../../http/endpoint/schema.ts'
import { type PostalChanges, sentPostalFields } from '../customers/postal-address.ts'
import { FULFILLMENT_STATUSES, PAYMENT_STATUSES } from './status.ts'

export const DEFAULT_LIMIT = 20

/** The last second of the year 9999: milliseconds sent by mistake lie beyond it. */
const LAST_MOMENT = 253_402_300_799

export const Moment = (description: string) => Type.Integer({ minimum: 0, maximum: LAST_MOMENT, description })

export const ListOrders = Type.Object({
  ...pageQuery(DEFAULT_LIMIT),
  query: Type.Optional(
    Type.String({ maxLength: 255, description: 'An id, or how a customer_reference or an e-mail address begins.' }),
  ),
  sortBy: Type.Optional(oneOf(['created_at'])),
  sortDirection: Type.Optional(oneOf(['asc', 'desc'], { description: 'desc unless given: newest first.' })),
  status_payment: Type.Optional(oneOf(PAYMENT_STATUSES)),
  status_fulfillment: Type.Optional(oneOf(FULFILLMENT_STATUSES)),
  customer_id: Type.Optional(Type.String({ maxLength: 100 })),
  created_after: Type.Optional(Moment('Unix timestamp in seconds; orders of later seconds.')),
  created_before: Type.Optional(Moment('Unix timestamp in seconds; orders of earlier seconds.')),
})

export const text = (maxLength: number) => Type.Optional(nullable(Type.String(), { maxLength }))

const Address = Type.Object(sentPostalFields)

export const UpdateOrder = Type.Object({
  customer: Type.Optional(
    Type.Object(
      {
        email: Type.Optional(Type.String({ maxLength: 320 })),
        firstname: text(255),
        lastname: text(255),
        phone: text(50),
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

export const RefundOrder = Type.Object({
  reason: Reason,
  transaction_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only this charge. All that were completed unless given.' }),
  ),
})

export type RefundBody = Static<typeof RefundOrder>

export const CancelOrder = Type.Object({
  reason: Reason,
  refund: Type.Optional(Type.Boolean({ description: 'Gives back what has been paid. false unless given.' })),
})

export type AskedCancel = Static<typeof CancelOrder>

export const UpdateTransaction = Type.Object({
  status: Type.Optional(oneOf(['complete'], { description: 'The money has come.' })),
  amount: Type.Optional(
    Type.Unsafe<number | string>({
      ...Amount,
      description: 'How much of it has come; all of it unless given. What is left becomes a pending charge of its own.',
    }),
  ),
  gateway_transaction_id: text(255),
  notes: Type.Optional(Type.String({ maxLength: 10_000 })),
  meta: Type.Optional(Meta),
})

export type TransactionChanges = Static<typeof UpdateTransaction>
