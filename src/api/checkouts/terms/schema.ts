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
    Type.String({ maxLength: MAX_TEXT, description: 'What is bought. Unless given, something made up that is sent.' }),
  ),
  quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: LINE_LIMITS.quantity, description: '1 unless given.' })),
  price: Type.Optional(
    Type.Unsafe<number | string>({ ...Amount, description: 'Of one piece of what is made up; 0 unless given.' }),
  ),
  weight: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WEIGHT,
      description: 'Of one piece of what is made up, in grams; 0 unless given.',
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
    description: 'No region was named, and zones of the shop are for parts of this country.',
  }),
  goods: Type.Object({
    product_id: nullable(Type.String()),
    name: nullable(Type.String()),
    quantity: Type.Integer(),
    weight: Type.Integer({ description: 'Of all pieces that are sent, in grams.' }),
    is_shipped: Type.Boolean({ description: 'Whether any of it is sent, and so a method is to be chosen.' }),
  }),
  subtotal: price('Of the goods.'),
  tax_amount: price('Of the goods, before a method is chosen.'),
  total_with_tax: price('Of the goods, before a method is chosen.'),
  zones: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'The shipping zones that have this place.',
  }),
  methods: Type.Array(
    Type.Object({
      ...method,
      price: price('For all that is sent.'),
      tax_amount: price('Of the whole order, sent by this method.'),
      total_with_tax: price('Of the whole order, sent by this method.'),
    }),
    { description: 'As a checkout of these goods offers them in this place.' },
  ),
  not_offered: Type.Array(
    Type.Object({
      ...method,
      reason: oneOf(['order_value', 'weight', 'product'], {
        description: 'Which of its bounds the goods are outside of; product: it names other zones.',
      }),
    }),
    { description: 'Further methods of the zones that have this place.' },
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
