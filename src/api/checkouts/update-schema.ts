// The body by which an integration sets what it knows better than we do: shipping methods, tax, adjustments, meta.

import { type Static, Type } from 'typebox'
import { Amount, Meta, nullable } from '../../http/schema.ts'
import { MAX_ADJUSTMENTS, MAX_LINES } from '../../pricing/limits.ts'

const MAX_METHODS = 100
const MAX_TAX_PARTS = 20

const CLEARS = 'null takes them away; a list replaces the one before.'

const Method = Type.Object({
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Made for you unless given.' })),
  description: Type.String({ minLength: 1, maxLength: 255 }),
  price: Amount,
})

const TaxPart = Type.Object({
  amount: Amount,
  rate: Type.Unsafe<number | string>({
    type: ['number', 'string'],
    maxLength: 40,
    description: 'A fraction from 0 to 1 with at most 6 decimals: 0.06 is 6%. Shown, and not computed with.',
  }),
  type: Type.String({ minLength: 1, maxLength: 100 }),
})

const TaxLine = Type.Object({
  id: Type.String({ description: 'A line of this checkout: item_…' }),
  breakdown: Type.Array(TaxPart, { maxItems: MAX_TAX_PARTS }),
})

const Tax = Type.Object(
  {
    provider: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'custom unless given.' })),
    line_items: Type.Optional(
      Type.Array(TaxLine, {
        maxItems: MAX_LINES,
        description: 'Needed the first time. Replaces the list; lines that are not in it have no tax.',
      }),
    ),
  },
  {
    description:
      "Replaces the tax by the merchant's own zones, on every line and on shipping; null goes back to those.",
  },
)

const Adjustment = Type.Object({
  description: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
  amount: Type.Unsafe<number | string>({ ...Amount, description: 'Added to the total; below zero it is taken off.' }),
  taxable: Type.Optional(Type.Boolean({ description: 'Whether it counts before tax; false unless given.' })),
})

export const UpdateCheckout = Type.Object({
  shipping_methods: Type.Optional(
    nullable(Type.Array(Method, { maxItems: MAX_METHODS, description: `Beside those of the zones; ${CLEARS}` })),
  ),
  tax: Type.Optional(nullable(Tax)),
  adjustments: Type.Optional(nullable(Type.Array(Adjustment, { maxItems: MAX_ADJUSTMENTS, description: CLEARS }))),
  meta: Type.Optional(Meta),
})

export type CheckoutChanges = Static<typeof UpdateCheckout>
