// Schemas of a cart and of the request bodies that change it and its lines.

import { type Static, Type } from 'typebox'
import { idMap, kind, Meta, nested, nullable, Price, quantity, Timestamp, trimmed } from '../../http/endpoint/schema.ts'
import { AppliedDiscount } from '../discounts/schema.ts'
import { LINE_LIMITS, LineItem } from '../lines/line.ts'
import { MAX_GROUPS } from '../products/body-schema.ts'
import type { Combination } from '../products/variants/schema.ts'

export const Cart = kind('cart', {
  id: Type.String(),
  created: Timestamp,
  updated: Timestamp,
  expires: Timestamp,
  total_items: Type.Integer({ description: 'The sum of the quantities.' }),
  total_unique_items: Type.Integer({ description: 'The number of lines.' }),
  subtotal: Type.Unsafe<Static<typeof Price>>({
    ...nested(Price),
    description: 'The sum of the lines, before any discount.',
  }),
  hosted_checkout_url: Type.String(),
  currency: Type.Object({ code: Type.String(), symbol: Type.String() }),
  discount: Type.Array(nested(AppliedDiscount), {
    maxItems: 1,
    description: 'Empty, or the one discount that applies.',
  }),
  meta: Meta,
  line_items: Type.Array(nested(LineItem), { description: 'Oldest first.' }),
})

export type Cart = Static<typeof Cart>

export const LineItems = Type.Array(nested(LineItem))

const Options = idMap(
  Type.Unsafe<Combination | null>({
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
    maxProperties: MAX_GROUPS,
    description: 'Ids of variant groups, each with the id of an option of it: {vgrp_…: optn_…}.',
  }),
)

const VariantId = trimmed(
  nullable(Type.String(), {
    description: 'A variant of the product, instead of its options; if options are sent too, they must match it.',
  }),
)

export const AddLine = Type.Object({
  id: trimmed(Type.String({ description: 'The id of a product: prod_…' })),
  quantity: quantity(
    -LINE_LIMITS.quantity,
    LINE_LIMITS.quantity,
    '1 unless given. A negative one takes from the line of this product and its options, and removes a line of which none is left. Not 0.',
  ),
  options: Type.Optional(Options),
  variant_id: Type.Optional(VariantId),
})

export const UpdateLine = Type.Object({
  quantity: quantity(0, LINE_LIMITS.quantity, '0 removes the line; left out, it stays.'),
  options: Type.Optional(
    Type.Unsafe<Combination | null>({
      ...Options,
      description: 'Groups that are left out keep their option. Equal lines become one, and their quantities add up.',
    }),
  ),
  variant_id: Type.Optional(VariantId),
})

export const UpdateCart = Type.Object({
  discount_code: Type.Optional(
    trimmed(
      nullable(Type.String({ maxLength: 255 }), { description: 'null or an empty text takes the discount away.' }),
    ),
  ),
  meta: Type.Optional(
    Type.Unsafe<Static<typeof Meta>>({ ...Meta, description: 'Data of your own, at most 16 KB as JSON text.' }),
  ),
})

export type NewLine = Static<typeof AddLine>
export type LineChanges = Static<typeof UpdateLine>
export type CartChanges = Static<typeof UpdateCart>
