// The gift card as the API shows it, the one that pays for something, and the bodies that create and change one.

import { type Static, Type } from 'typebox'
import { Amount, kind, Meta, nested, nullable, oneOf, Price, SECRET, Timestamp } from '../../http/endpoint/schema.ts'
import { CodeField } from '../discounts/code.ts'
import { LAST_MOMENT } from '../discounts/schema.ts'

export const GiftCard = kind('gift_card', {
  id: Type.String(),
  code: Type.String(SECRET),
  initial_value: nested(Price),
  balance: nested(Price),
  held: nested(Price),
  note: nullable(Type.String()),
  expires: nullable(Timestamp),
  meta: Meta,
  created: Timestamp,
  updated: Timestamp,
})

export type GiftCard = Static<typeof GiftCard>

/** `reserved` becomes `spent` when the payment attempt becomes an order. The ledger of a deleted card cannot be read. */
export const ENTRY_TYPES = ['issued', 'adjusted', 'reserved', 'spent', 'returned'] as const

export const GiftCardEntry = kind('gift_card_entry', {
  created: Timestamp,
  type: oneOf(ENTRY_TYPES, {
    description:
      'issued: the card was made. adjusted: the balance was set by hand. spent: it paid for an order. reserved: a payment took it, and has made no order, or none that is still there; what was not used comes back as returned. returned: an order, or a payment that failed, gave it back.',
  }),
  amount: nested(Price),
  balance: nested(Price),
  order_id: nullable(Type.String(), { description: 'The order that it paid for, or that gave it back; null: none.' }),
  customer_reference: nullable(Type.String(), { description: 'The number of that order, as customers see it.' }),
})

export type GiftCardEntry = Static<typeof GiftCardEntry>

export const AppliedGiftCard = kind('applied_gift_card', {
  id: Type.String(),
  code: Type.String(),
  balance: Type.Number({ description: 'The decimal amount that is left on the card once the credit is taken.' }),
  credit: nested(Price),
})

export type AppliedGiftCard = Static<typeof AppliedGiftCard>

const fields = {
  code: Type.Optional({ ...CodeField, ...SECRET }),
  note: Type.Optional(
    nullable(Type.String(), { maxLength: 10_000, description: 'For the merchant; shoppers do not see it.' }),
  ),
  expires: Type.Optional(
    nullable(Timestamp, {
      minimum: 0,
      maximum: LAST_MOMENT,
      description: 'Unix timestamp in seconds from which on the card pays nothing; null for never.',
    }),
  ),
  meta: Type.Optional(Meta),
}

/** Filters of the list and of the export. */
export const giftCardFilters = {
  query: Type.Optional(
    Type.String({ ...SECRET, maxLength: 255, description: 'An id, or how a code begins, in upper or lower case.' }),
  ),
}

export const CreateGiftCard = Type.Object({ value: Amount, ...fields })

export const UpdateGiftCard = Type.Object({
  balance: Type.Optional(
    Type.Unsafe<number | string>({
      ...Amount,
      description:
        "What can be spent of the card in the mode of the key; a number or a decimal string in the shop's currency. Cannot be changed while captures under way hold credit of the card (`held`), which comes back to it if they fail.",
    }),
  ),
  ...fields,
})

export type NewGiftCard = Static<typeof CreateGiftCard>
export type GiftCardChanges = Static<typeof UpdateGiftCard>
