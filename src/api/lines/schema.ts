// A line as carts and checkouts show it, and how large it may be.

import { type Static, Type } from 'typebox'
import { kind, Meta, nested, nestedOrNull, nullable, Price, shared } from '../../http/endpoint/schema.ts'
import { MAX_LINE_TOTAL, MAX_LINES, MAX_SHOWN_BYTES } from '../../pricing/rounding.ts'
import { Asset } from '../assets/schema.ts'
import { Variant } from '../products/variants/schema.ts'

/** How much one line may hold (`quantity`, `lineTotal`), and all lines of a cart together (`lines`, `shownBytes`). */
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
