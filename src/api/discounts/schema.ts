// The discount as the API shows it, alone and as applied to a cart or an order, and the bodies that create and change one.

import { type Static, Type } from 'typebox'
import { kind, Meta, nested, nullable, oneOf, Price, Timestamp } from '../../http/endpoint/schema.ts'
import { CodeField } from './code.ts'

const DISCOUNT_TYPES = ['percentage', 'fixed'] as const

/** Parsed by the rules, because percentages and amounts differ. */
const Value = Type.Unsafe<number | string>({
  type: ['number', 'string'],
  maxLength: 40,
  description:
    "A number or a decimal string. percentage: above 0, at most 100, up to 4 decimals. fixed: an amount above 0 in the merchant's currency.",
})

/** The last second of the year 9999. Milliseconds sent by mistake exceed it. */
export const LAST_MOMENT = 253_402_300_799

const Limit = nullable(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), {
  description:
    'How many orders it can be used for, in each of sandbox and live; null: any number. An order on which it saved nothing does not count.',
})

const Expires = nullable(Type.Integer({ minimum: 0, maximum: LAST_MOMENT }), {
  description: 'Unix timestamp in seconds from which on it cannot be used; null: never.',
})

const ProductIds = Type.Array(Type.String(), {
  maxItems: 1_000,
  description: 'The products it lowers the price of; empty: every product.',
})

const Description = nullable(Type.String({ maxLength: 10_000 }), {
  description: 'For the merchant; shoppers do not see it.',
})

export const Discount = kind('discount', {
  id: Type.String(),
  code: Type.String(),
  type: oneOf(DISCOUNT_TYPES),
  value: Type.Number({ description: 'Percent, or the decimal amount.' }),
  product_ids: ProductIds,
  limit: Limit,
  used: Type.Integer({ description: 'In how many orders it was used, in the mode of the key.' }),
  expires: Expires,
  description: Description,
  meta: Meta,
  created: Timestamp,
  updated: Timestamp,
})

export type Discount = Static<typeof Discount>

export const AppliedDiscount = kind('applied_discount', {
  type: oneOf(DISCOUNT_TYPES),
  code: Type.String(),
  value: Type.Number({ description: 'Percent, or the decimal amount.' }),
  amount_saved: nested(Price),
  product_ids: Type.Array(Type.String(), { description: 'The products it lowers the price of; empty: every product.' }),
})

export type AppliedDiscount = Static<typeof AppliedDiscount>

const optional = {
  code: Type.Optional(CodeField),
  product_ids: Type.Optional(ProductIds),
  limit: Type.Optional(Limit),
  expires: Type.Optional(Expires),
  description: Type.Optional(Description),
  meta: Type.Optional(Meta),
}

export const CreateDiscount = Type.Object({ type: oneOf(DISCOUNT_TYPES), value: Value, ...optional })

export const UpdateDiscount = Type.Partial(Type.Object({ type: oneOf(DISCOUNT_TYPES), value: Value, ...optional }))

export type DiscountChanges = Static<typeof UpdateDiscount>
