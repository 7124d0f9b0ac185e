// The terms for an address as the API shows them, and the query for them.

import { type Static, Type } from 'typebox'
import { Amount, kind, nested, nestedOrNull, nullable, oneOf, Price } from '../../../http/endpoint/schema.ts'
import { LINE_LIMITS } from '../../lines/line.ts'
import { AppliedTaxZone, TaxZone } from '../../tax/schema.ts'

/** A million tonnes in grams, the unit of shipping methods. */
const MAX_WEIGHT = 1_000_000_000_000

const MAX_TEXT = 255

export const TermsQuery = Type.Object({
  country: Type.String({ minLength: 1, maxLength: MAX_TEXT, description: 'ISO 3166-1 alpha-2: US.' }),
  region: Type.Optional(
    Type.String({
      maxLength: MAX_TEXT,
      description: 'A code or a name, as a checkout takes it: CA, US-CA or California.',
    }),
  ),
  postal_zip_code: Type.Optional(Type.String({ maxLength: MAX_TEXT })),
  product_id: Type.Optional(
    Type.String({
      maxLength: MAX_TEXT,
      description: 'The id of the product to buy. Unless given, an example product that is shipped.',
    }),
  ),
  quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: LINE_LIMITS.quantity, description: '1 unless given.' })),
  price: Type.Optional(
    Type.Unsafe<number | string>({
      ...Amount,
      description: 'The price of one piece of the example product; 0 unless given.',
    }),
  ),
  weight: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WEIGHT,
      description: 'The weight of one piece of the example product, in grams; 0 unless given.',
    }),
  ),
})

const price = (description: string) => Type.Unsafe<Static<typeof Price>>({ ...nested(Price), description })

const method = { id: Type.String(), description: Type.String(), zone_id: Type.String() }

export const AddressTerms = kind('address_terms', {
  country: Type.String(),
  region: nullable(Type.String(), {
    description: 'The part of the ISO 3166-2 code after the dash; null: none was named.',
  }),
  postal_zip_code: nullable(Type.String()),
  depends_on_region: Type.Boolean({
    description:
      'Whether the terms may change with a region: the request names none, and some zones cover only parts of this country.',
  }),
  goods: Type.Object({
    product_id: nullable(Type.String()),
    name: nullable(Type.String()),
    quantity: Type.Integer(),
    weight: Type.Integer({ description: 'The weight of all pieces that are shipped, in grams.' }),
    is_shipped: Type.Boolean({
      description: 'Whether any of it is shipped, so that a shipping method must be chosen.',
    }),
  }),
  subtotal: price('Of the goods.'),
  tax_amount: price('Of the goods, before a method is chosen.'),
  total_with_tax: price('Of the goods, before a method is chosen.'),
  zones: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'The shipping zones that cover this place.',
  }),
  methods: Type.Array(
    Type.Object({
      ...method,
      price: price('The price of shipping all pieces.'),
      tax_amount: price('The tax of the whole order, shipped by this method.'),
      total_with_tax: price('The total of the whole order, shipped by this method.'),
    }),
    { description: 'The methods that a checkout of these goods offers in this place.' },
  ),
  not_offered: Type.Array(
    Type.Object({
      ...method,
      reason: oneOf(['order_value', 'weight', 'product'], {
        description: 'Which limit of the method excludes the goods; product: the product names other zones.',
      }),
    }),
    { description: 'The methods of these zones that are not offered for these goods.' },
  ),
  tax: Type.Object({
    zone: nestedOrNull(AppliedTaxZone),
    rates: TaxZone.properties.rates,
    included_in_price: Type.Boolean(),
    on_shipping: Type.Boolean(),
  }),
})

export type TermsQuery = Static<typeof TermsQuery>
export type AddressTerms = Static<typeof AddressTerms>
