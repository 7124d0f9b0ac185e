// The order as the API shows it. Its money is in money/schema.ts, its delivery in fulfillment-schema.ts, request bodies in body-schema.ts.

import { type Static, type TSchema, Type } from 'typebox'
import {
  type Kind,
  kind,
  Meta,
  nested,
  nestedOrNull,
  nullable,
  oneOf,
  Price,
  Timestamp,
} from '../../http/endpoint/schema.ts'
import { Asset } from '../assets/schema.ts'
import { postalFields } from '../customers/postal-address.ts'
import { AppliedDiscount } from '../discounts/schema.ts'
import { AppliedGiftCard } from '../gift-cards/schema.ts'
import { booleans, withNamePrefix } from '../products/schema.ts'
import { Fulfillment, LegacySelectedOption, SelectedOption } from './fulfillment-schema.ts'
import { Currency, Dispute, Payment, Refund, ReturnedCredit, Transaction } from './money/schema.ts'
import { FULFILLMENT_STATUSES, PAYMENT_STATUSES } from './status.ts'

// Groups of flags of an order: what was collected, what it has, what it is. `conditionals` repeats them with their prefixes.

const COLLECTED = [
  'fullname',
  'shipping_address',
  'billing_address',
  'extrafields',
  'extra_fields',
  'tax',
  'eu_vat_moss_evidence',
] as const
const HAS = ['physical_fulfillment', 'digital_fulfillment', 'pay_what_you_want', 'discounts'] as const
const IS = ['free', 'fulfilled'] as const

const orderFlagSchemas = {
  conditionals: booleans([
    ...withNamePrefix('collected', COLLECTED),
    ...withNamePrefix('has', HAS),
    ...withNamePrefix('is', IS),
  ]),
  collected: booleans(COLLECTED),
  has: booleans(HAS),
  is: booleans(IS),
}

const price = (description: string) => Type.Unsafe<Static<typeof Price>>({ ...nested(Price), description })

/** Clients of this API expect an empty list where there is no object. */
const orEmptyList = <K extends Kind>(of: K, description: string) =>
  Type.Unsafe<Static<K> | []>({
    anyOf: [{ $ref: `${of.$id}#` }, { type: 'array', maxItems: 0, items: {} }],
    description,
  })

const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: ['object', 'null'], description })

const Address = Type.Object(postalFields)

const ExtraField = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  required: Type.Boolean(),
  value: Type.String(),
})

/** Amount that one tax rate adds, here and in live totals. */
export const TaxPart = Type.Object({
  amount: nested(Price),
  rate: Type.Number({ description: 'A fraction: 0.06.' }),
  rate_percentage: Type.String({ description: 'The same for people: 6%.' }),
  type: Type.String(),
})

const Tax = Type.Object({
  zone: Type.Object({
    country: nullable(Type.String()),
    region: nullable(Type.String()),
    postal_zip_code: nullable(Type.String()),
    ip_address: nullable(Type.String()),
  }),
  amount: nested(Price),
  included_in_price: Type.Boolean(),
  provider: Type.String({ description: 'chec, or as an integration calls itself.' }),
  provider_type: oneOf(['native', 'external']),
  breakdown: Type.Array(TaxPart),
})

export const OrderLine = kind('order_line', {
  id: Type.String(),
  product_id: Type.String(),
  product_name: Type.String(),
  name: Type.String({ description: 'The same as product_name.' }),
  product_sku: nullable(Type.String(), { description: "The variant's own, else the product's." }),
  sku: nullable(Type.String(), { description: 'The same as product_sku.' }),
  permalink: nullable(Type.String()),
  quantity: Type.Integer(),
  quantity_refunded: Type.Integer({
    description: 'How many pieces refunds name, including a refund under way.',
  }),
  quantity_restocked: Type.Integer({ description: 'How many went back into stock, by refunds or by a cancel.' }),
  price: price('The base price of one.'),
  line_total: price('With what the options add, for all of the quantity.'),
  line_total_with_tax: nested(Price),
  variant: orNull(
    Type.Object({
      id: Type.String(),
      sku: nullable(Type.String()),
      description: nullable(Type.String()),
      price: nestedOrNull(Price),
    }),
    'The variant of exactly these options; null where there is none.',
  ),
  variants: Type.Array(LegacySelectedOption, { description: 'What selected_options says, under older names.' }),
  selected_options: Type.Array(SelectedOption),
  taxable_amount: nested(Price),
  tax_rate: Type.Number({ description: 'The sum of the rates, as a fraction.' }),
  tax_rate_percentage: Type.String(),
  tax_amount: nested(Price),
  tax_lines: Type.Array(TaxPart),
  tax: Type.Object({
    is_taxable: Type.Boolean(),
    amount: nested(Price),
    taxable_amount: nested(Price),
    rate: Type.Number(),
    rate_percentage: Type.String(),
    breakdown: Type.Unsafe<Static<typeof TaxPart>[] | null>({
      type: ['array', 'null'],
      items: TaxPart,
      description: 'null where no rate applies.',
    }),
  }),
  image: nestedOrNull(Asset),
})

export type OrderLine = Static<typeof OrderLine>

const Purchase = Type.Object({
  line_items: Type.Array(nested(OrderLine)),
  subtotal: price('The sum of the lines, before any discount.'),
  discount: orEmptyList(AppliedDiscount, 'An empty list for none.'),
  shipping: Type.Object({
    id: nullable(Type.String()),
    description: nullable(Type.String()),
    provider: nullable(Type.String()),
    price: nested(Price),
  }),
  tax: Tax,
  adjustments: Type.Object({ taxable: nested(Price), untaxable: nested(Price), total: nested(Price) }),
  total: price('Without tax.'),
  total_with_tax: nested(Price),
  total_due: price('What was left to pay after the gift card.'),
  total_paid: price('What has been paid, by gift card too, less what was given back.'),
  total_refunded: price('What was given back, to a gift card too.'),
  total_refundable: price(
    'What can still be refunded, to a gift card too; a refund under way counts as refunded. A refund compares expected_left with it.',
  ),
  giftcard: orEmptyList(AppliedGiftCard, 'The gift card that paid; an empty list for none.'),
  pay_what_you_want: Type.Object({
    enabled: Type.Boolean(),
    minimum: nestedOrNull(Price),
    customer_set_price: nestedOrNull(Price),
  }),
})

export const Order = kind('order', {
  id: Type.String(),
  sandbox: Type.Boolean(),
  checkout_token_id: Type.String(),
  cart_id: nullable(Type.String(), { description: 'null where it was made from a product.' }),
  customer_reference: Type.String({ description: 'A name for people: SHP-1042.' }),
  created: Timestamp,
  updated: Timestamp,
  status: oneOf(['open', 'cancelled']),
  cancel_reason: nullable(Type.String()),
  restocked: Type.Array(
    Type.Object({
      line_item_id: Type.String(),
      product_id: Type.String(),
      variant_id: nullable(Type.String(), {
        description: "The variant whose own stock it went to; null: the product's.",
      }),
      quantity: Type.Integer(),
    }),
    {
      description:
        'What went back into stock: by refunds that said so, and when the order was cancelled all the rest that was never in a shipment. Empty before, and where no stock was counted.',
    },
  ),
  status_payment: oneOf(PAYMENT_STATUSES),
  status_fulfillment: oneOf(FULFILLMENT_STATUSES),
  currency: Currency,
  order_value: price('The total of the order, with tax.'),
  ...orderFlagSchemas,
  redirect: Type.Unsafe<string | false>({
    type: ['string', 'boolean'],
    description: 'The page that thanks the shopper, or false.',
  }),
  meta: Meta,
  customer: Type.Object(
    {
      id: Type.String(),
      email: Type.String(),
      firstname: Type.Optional(Type.String()),
      lastname: Type.Optional(Type.String()),
      phone: Type.Optional(Type.String()),
    },
    { description: 'As given with this order; what was not given is left out.' },
  ),
  extra_fields: Type.Array(ExtraField),
  extrafields: Type.Array(ExtraField),
  shipping: Address,
  billing: orNull(Address, 'null where none was given.'),
  order: Purchase,
  tax: Type.Unsafe<Static<typeof Tax>>({ ...Tax, description: 'The same as order.tax.' }),
  adjustments: Type.Array(
    Type.Object({ description: nullable(Type.String()), amount: nested(Price), taxable: Type.Boolean() }),
  ),
  payments: Type.Array(nested(Payment), { description: 'The charges that were completed.' }),
  refunds: Type.Array(nested(Refund), {
    description: 'The refunds that were completed: one for each charge that something was given back of.',
  }),
  returned_credit: orNull(
    ReturnedCredit,
    'What refunds have given back of the credit of a gift card, and to which card; null before, and where none has paid.',
  ),
  transactions: Type.Array(nested(Transaction), { description: 'Every charge and refund, oldest first.' }),
  disputes: Type.Array(nested(Dispute), {
    description: 'What shoppers have disputed of its payments, as the gateways say; oldest first.',
  }),
  fulfillment: nested(Fulfillment),
  fraud: Type.Object({ provider: nullable(Type.String()), response: nullable(Type.String()) }),
  client_details: Type.Object({
    ip_address: Type.String(),
    country_code: nullable(Type.String()),
    country_name: nullable(Type.String()),
    region_code: nullable(Type.String()),
    region_name: nullable(Type.String()),
    city: nullable(Type.String()),
    postal_zip_code: nullable(Type.String()),
  }),
})

export type Order = Static<typeof Order>

export const ResentReceipt = kind('resent_receipt', { success: Type.Boolean() })
