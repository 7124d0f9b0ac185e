// The cart and its lines as the API shows them, and the bodies that change them.

import { type Static, Type } from 'typebox'
import { kind, Meta, nested, nestedOrNull, nullable, Price, shared, Timestamp } from '../../http/endpoint/schema.ts'
import { MAX_LINE_TOTAL, MAX_LINES, MAX_SHOWN_BYTES } from '../../pricing/rounding.ts'
import { Asset } from '../assets/schema.ts'
import { AppliedDiscount } from '../discounts/schema.ts'
import { MAX_GROUPS } from '../products/body-schema.ts'
import { type Combination, Variant } from '../products/variants/schema.ts'

/** How large a cart may be. `quantity` is the most of one line. Here, so that the statements can hold them. */
export const LIMITS = {
  quantity: 1_000_000,
  lines: MAX_LINES,
  lineTotal: MAX_LINE_TOTAL,
  shownBytes: MAX_SHOWN_BYTES,
} as const

/** What an option takes in a token beside its name: ids, a price in four forms, the names of the fields. */
export const OPTION_BYTES = 200

const SelectedOption = Type.Object({
  group_id: Type.String(),
  group_name: Type.String(),
  option_id: Type.String(),
  option_name: Type.String(),
  price: nested(Price),
})

export const LineItem = kind('line_item', {
  id: Type.String(),
  product_id: Type.String(),
  name: Type.String({
    description: "Today's name of the product; of a deleted product, the one it had when the line was last added to.",
  }),
  product_name: Type.String({ description: 'The same as name.' }),
  sku: nullable(Type.String(), { description: "The variant's own, else the product's." }),
  permalink: nullable(Type.String()),
  quantity: Type.Integer(),
  price: Type.Unsafe<Static<typeof Price>>({
    ...nested(Price),
    description: "The base price of one: the variant's own, else the product's.",
  }),
  line_total: Type.Unsafe<Static<typeof Price>>({
    ...nested(Price),
    description:
      'The price with what the options add, for all of the quantity. A variant with its own price adds none.',
  }),
  is_valid: Type.Boolean({
    description:
      'Whether the line could be bought: the product is active, what was chosen still exists, and there is enough of it.',
  }),
  product_meta: shared(Meta),
  selected_options: Type.Array(SelectedOption),
  variant: Type.Unsafe<Static<typeof Variant> | null>({
    ...nestedOrNull(Variant),
    description: 'The variant of exactly these options; null where there is none, or a group came after it.',
  }),
  image: shared(nestedOrNull(Asset)),
})

export type LineItem = Static<typeof LineItem>

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
  discount: Type.Array(nested(AppliedDiscount), { description: 'Empty, or the one discount that applies.' }),
  meta: Meta,
  line_items: Type.Array(nested(LineItem), { description: 'Oldest first.' }),
})

export type Cart = Static<typeof Cart>

export const LineItems = Type.Array(nested(LineItem))

const Options = Type.Unsafe<Combination | null>({
  type: ['object', 'null'],
  additionalProperties: { type: 'string' },
  maxProperties: MAX_GROUPS,
  description: 'Ids of variant groups, each with the id of an option of it: {vgrp_…: optn_…}.',
})

const VariantId = nullable(Type.String(), {
  description: 'A variant of the product, which stands for its options; options sent beside it must agree.',
})

export const AddLine = Type.Object({
  id: Type.String({ description: 'The id of a product: prod_…' }),
  quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.quantity, description: '1 unless given.' })),
  options: Type.Optional(Options),
  variant_id: Type.Optional(VariantId),
})

export const UpdateLine = Type.Object({
  quantity: Type.Optional(Type.Integer({ minimum: 0, maximum: LIMITS.quantity, description: '0 removes the line.' })),
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
    nullable(Type.String({ maxLength: 255 }), { description: 'null or an empty text takes the discount away.' }),
  ),
  meta: Type.Optional(
    Type.Unsafe<Static<typeof Meta>>({ ...Meta, description: 'Data of your own, at most 16 KB as JSON text.' }),
  ),
})

export type NewLine = Static<typeof AddLine>
export type LineChanges = Static<typeof UpdateLine>
export type CartChanges = Static<typeof UpdateCart>
