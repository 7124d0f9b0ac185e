// Queries and replies of the checkout checks. A refusal has valid: false or available: false, and a reason.

import { type Static, Type } from 'typebox'
import {
  Amount,
  idMap,
  nested,
  nestedOrNull,
  nullable,
  oneOf,
  Price,
  quantity,
  SECRET,
} from '../../../http/endpoint/schema.ts'
import { LINE_LIMITS } from '../../lines/line.ts'
import { MAX_GROUPS } from '../../products/body-schema.ts'
import type { Combination } from '../../products/variants/schema.ts'
import { Live } from '../schema.ts'

const price = (description: string) => Type.Unsafe<Static<typeof Price>>({ ...nested(Price), description })

/** Fields that every reply ends with. */
const outcome = {
  message: Type.Optional(Type.String({ description: 'Why it is refused. Nothing has been saved then.' })),
  live: nested(Live),
}

const valid = Type.Boolean({ description: 'Whether it is accepted, and saved.' })
const available = Type.Boolean({ description: 'Whether it can be had, and is saved.' })

const Options = idMap(
  Type.Unsafe<string[] | Combination>({
    type: ['array', 'object'],
    items: { type: 'string' },
    additionalProperties: { type: 'string' },
    maxItems: MAX_GROUPS,
    maxProperties: MAX_GROUPS,
    description: 'Ids of options, or ids of variant groups each with the id of an option of it: {vgrp_…: optn_…}.',
  }),
)

const VARIANT = 'A variant of the product, instead of its options; if options are sent too, they must match it.'

const choiceFields = {
  options: Type.Optional(Options),
  variants: Type.Optional(
    Type.Unsafe<string[] | Combination>({ ...Options, description: 'The older name of options.' }),
  ),
}

export const QuantityQuery = Type.Object({
  amount: quantity(1, LINE_LIMITS.quantity, 'Left out, as many as the line has.'),
  variant_id: Type.Optional(Type.String({ description: VARIANT })),
  ...choiceFields,
})

export const QuantityCheck = Type.Object({
  available,
  line_item_id: Type.String(),
  requested_quantity: Type.Integer(),
  ...outcome,
})

export const VariantQuery = Type.Object({
  variant_id: Type.Optional(Type.String({ description: `${VARIANT} With option_id: the id of its group.` })),
  group_id: Type.Optional(Type.String({ description: 'The variant group of option_id.' })),
  option_id: Type.Optional(Type.String()),
  ...choiceFields,
})

export const VariantCheck = Type.Object({
  available,
  name: nullable(Type.String(), { description: 'The names of all options that are then chosen; null when refused.' }),
  price: Type.Unsafe<Static<typeof Price> | null>({
    ...nestedOrNull(Price),
    description: 'What one then costs, with what the options add; null when refused.',
  }),
  option_id: nullable(Type.String(), { description: 'As it was asked for.' }),
  variant_id: nullable(Type.String(), { description: 'As it was asked for, else the variant that was chosen.' }),
  line_item_id: Type.String(),
  requested_quantity: Type.Integer({ description: 'How many the line has.' }),
  ...outcome,
})

/** Secret for discounts too: a storefront with one field for both tries the code of a gift card as a discount. */
export const CodeQuery = Type.Object({
  code: Type.String({ ...SECRET, maxLength: 255, description: 'An empty one takes away what was applied before.' }),
})

export const DiscountCheck = Type.Object({
  valid,
  type: Type.Optional(oneOf(['percentage', 'fixed'])),
  code: Type.Optional(nullable(Type.String(), { description: 'null where an empty one took the discount away.' })),
  value: Type.Optional(Type.Number({ description: 'Percent, or a decimal amount.' })),
  amount_saved: Type.Optional(nested(Price)),
  ...outcome,
})

export const GiftCardCheck = Type.Object({
  valid,
  code: Type.Optional(nullable(Type.String(), { description: 'null where an empty one took the card away.' })),
  credit: Type.Optional(Type.Number({ description: 'What it pays of this checkout, as a decimal amount.' })),
  ...outcome,
})

/** Destination of a shipment. */
export const PlaceQuery = {
  country: Type.String({ maxLength: 255, description: 'ISO 3166-1 alpha-2: CA' }),
  region: Type.Optional(
    Type.String({ maxLength: 255, description: 'ISO 3166-2 code with or without the country, or the name: BC, CA-BC' }),
  ),
}

const MethodId = Type.String({ description: 'The id of a shipping method: ship_…' })

export const ShippingQuery = Type.Object({
  shipping_option_id: Type.Optional(MethodId),
  id: Type.Optional(Type.Unsafe<string>({ ...MethodId, description: 'The older name of shipping_option_id.' })),
  ...PlaceQuery,
})

export const ShippingCheck = Type.Object({
  valid,
  id: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  price: Type.Optional(price('For all that is bought.')),
  ...outcome,
})

export const AmountQuery = Type.Object({ customer_set_price: Amount })

export const AmountCheck = Type.Object({
  valid,
  customer_set_price: nested(Price),
  minimum: Type.Optional(
    Type.Unsafe<Static<typeof Price> | null>({
      ...nestedOrNull(Price),
      description: 'The least that is accepted, when refused; null where nothing is pay what you want.',
    }),
  ),
  ...outcome,
})

export const FreeCheck = Type.Object({
  is_free: Type.Boolean({ description: 'Whether nothing is left to pay, and all of it can be bought.' }),
  live: nested(Live),
})
