// The checkout token and its live totals as the API shows them. Also the body by which an integration sets shipping methods, tax and
// adjustments.

import { type Static, Type } from 'typebox'
import {
  Amount,
  kind,
  Meta,
  nested,
  nestedOrNull,
  nullable,
  oneOf,
  Price,
  sharedPart,
  Timestamp,
} from '../../http/endpoint/schema.ts'
import { MAX_ADJUSTMENTS, MAX_CART_LINES } from '../../pricing/rounding.ts'
import { AppliedDiscount } from '../discounts/schema.ts'
import { AppliedGiftCard } from '../gift-cards/schema.ts'
import { LineItem } from '../lines/line.ts'
import { TokenMerchant } from '../merchants/schema.ts'
import { LegacySelectedOption } from '../orders/fulfillment-schema.ts'
import { TaxPart } from '../orders/schema.ts'
import { AvailableGateways } from '../payment-methods/schema.ts'
import { booleans, ExtraField, flagSchemas, withNamePrefix } from '../products/schema.ts'

// Groups of flags of a checkout token and of its lines. view.ts derives them from the goods.

const IS = ['cart_free', 'free'] as const
const HAS = ['physical_delivery', 'digital_delivery', 'available_discounts', 'pay_what_you_want'] as const
const COLLECTS = ['fullname', 'shipping_address', 'billing_address', 'extra_fields', 'extrafields'] as const
const LINE_IS = ['preorder'] as const

const tokenFlagSchemas = {
  conditionals: booleans([
    ...withNamePrefix('is', IS),
    ...withNamePrefix('has', HAS),
    ...withNamePrefix('collects', COLLECTS),
  ]),
  is: booleans(IS),
  has: booleans(HAS),
  collects: booleans(COLLECTS),
}

const lineFlagSchemas = {
  conditionals: Type.Object({
    ...flagSchemas.conditionals.properties,
    ...booleans(withNamePrefix('is', LINE_IS)).properties,
  }),
  is: Type.Object({ ...flagSchemas.is.properties, ...booleans(LINE_IS).properties }),
  has: flagSchemas.has,
  collects: flagSchemas.collects,
}

const price = (description: string) => Type.Unsafe<Static<typeof Price>>({ ...nested(Price), description })

const Currency = Type.Object({ code: Type.String(), symbol: Type.String() })

export const ShippingOption = kind('shipping_option', {
  id: Type.String(),
  description: Type.String(),
  provider: oneOf(['chec', 'custom'], { description: 'custom: set by an integration.' }),
  price: price('For all that is bought.'),
  countries: Type.Array(Type.String(), { description: 'ISO 3166-1 alpha-2 codes; empty for one of an integration.' }),
  regions: Type.Unsafe<Record<string, string[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'Of these countries only these regions, by their ISO 3166-2 codes: {"CA": ["CA-BC"]}.',
  }),
})

export type ShippingOption = Static<typeof ShippingOption>

const LineTax = Type.Object({
  is_taxable: Type.Boolean(),
  taxable_amount: nested(Price),
  amount: nested(Price),
  breakdown: Type.Unsafe<Static<typeof TaxPart>[] | null>({
    type: ['array', 'null'],
    items: TaxPart,
    description: 'null while no rate applies.',
  }),
})

export const LiveLineItem = kind('live_line', {
  ...LineItem.properties,
  variants: Type.Array(LegacySelectedOption, { description: 'What selected_options says, under older names.' }),
  tax: LineTax,
})

export type LiveLineItem = Static<typeof LiveLineItem>

const shipping = {
  id: nullable(Type.String()),
  description: nullable(Type.String()),
  provider: nullable(Type.String()),
  price: price('0 while no method is chosen.'),
}

const money = {
  subtotal: price('The sum of the lines, before any discount.'),
  discount: Type.Array(nested(AppliedDiscount), {
    maxItems: 1,
    description: 'Empty, or the one discount that applies.',
  }),
  giftcard: Type.Unsafe<Static<typeof AppliedGiftCard> | []>({
    anyOf: [{ $ref: `${AppliedGiftCard.$id}#` }, { type: 'array', maxItems: 0, items: {} }],
    description: 'The gift card that pays; an empty list for none.',
  }),
  tax: Type.Object({
    amount: nested(Price),
    included_in_price: Type.Boolean(),
    provider: Type.String({ description: 'chec, or as an integration calls itself.' }),
    provider_type: oneOf(['native', 'external']),
    breakdown: Type.Array(TaxPart),
    zone: Type.Object({
      country: nullable(Type.String()),
      region: nullable(Type.String()),
      postal_zip_code: nullable(Type.String()),
      ip_address: nullable(Type.String()),
    }),
  }),
  adjustments: Type.Object(
    {
      taxable: nested(Price),
      untaxable: nested(Price),
      total: nested(Price),
      breakdown: Type.Array(
        Type.Object({ description: nullable(Type.String()), amount: nested(Price), taxable: Type.Boolean() }),
        { description: 'As they were set. Reductions apply only down to 0.' },
      ),
    },
    { description: 'What an integration adds or takes off.' },
  ),
  total: price('After discount, shipping and adjustments, without tax.'),
  total_with_tax: nested(Price),
  total_due: price('What is left to pay after the gift card.'),
  pay_what_you_want: Type.Object({
    enabled: Type.Boolean(),
    minimum: nestedOrNull(Price),
    customer_set_price: nestedOrNull(Price),
  }),
}

export const Live = kind('live', {
  merchant_id: Type.Integer(),
  currency: Currency,
  line_items: Type.Array(nested(LiveLineItem)),
  shipping: Type.Object({
    available_options: Type.Array(nested(ShippingOption), {
      description: 'The methods for the place it is shipped to; all methods while no place is known.',
    }),
    ...shipping,
  }),
  ...money,
})

export type Live = Static<typeof Live>

const ProductVariants = sharedPart(
  Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      options: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), price: sharedPart(nested(Price)) })),
    }),
    { description: 'All that can be chosen of the product.' },
  ),
)

const { variants: _, ...liveFields } = LiveLineItem.properties

export const CheckoutLine = kind('checkout_line', {
  ...liveFields,
  description: sharedPart(Type.String({ description: 'May hold HTML.' })),
  subtotal: price('The same as line_total.'),
  variants: ProductVariants,
  conditionals: sharedPart(lineFlagSchemas.conditionals),
  is: sharedPart(lineFlagSchemas.is),
  has: sharedPart(lineFlagSchemas.has),
  collects: sharedPart(lineFlagSchemas.collects),
})

export type CheckoutLine = Static<typeof CheckoutLine>

const Tracking = { tracking_id: nullable(Type.String()), linked_domains: Type.Array(Type.String()) }
const lines = sharedPart(Type.Array(nested(CheckoutLine)))
const extraFields = Type.Array(nested(ExtraField))

export const CheckoutToken = kind('checkout_token', {
  id: Type.String(),
  cart_id: nullable(Type.String(), { description: 'null where it was made from a product.' }),
  created: Timestamp,
  updated: Timestamp,
  expires: Timestamp,
  analytics: Type.Object({ ...Tracking, google: Type.Object({ settings: Type.Object(Tracking) }) }),
  ...tokenFlagSchemas,
  products: lines,
  line_items: { ...lines, description: 'The same as products.' },
  merchant: nested(TokenMerchant),
  extra_fields: extraFields,
  extrafields: extraFields,
  gateways: nested(AvailableGateways),
  shipping_methods: Type.Array(nested(ShippingOption), {
    description: 'Every method that can ship these products, to any place.',
  }),
  currency: Currency,
  ...money,
  shipping: Type.Object(shipping),
  meta: Meta,
  live: nested(Live),
})

export type CheckoutToken = Static<typeof CheckoutToken>

const MAX_METHODS = 100
const MAX_TAX_PARTS = 20

const CLEARS = 'null removes them; a list replaces the previous one.'

const Method = Type.Object({
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Made for you unless given.' })),
  description: Type.String({ minLength: 1, maxLength: 255 }),
  price: Amount,
})

const ExternalTaxPart = Type.Object({
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
  breakdown: Type.Array(ExternalTaxPart, { maxItems: MAX_TAX_PARTS }),
})

const Tax = Type.Object(
  {
    provider: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'custom unless given.' })),
    line_items: Type.Optional(
      Type.Array(TaxLine, {
        maxItems: MAX_CART_LINES,
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
    nullable(
      Type.Array(Method, {
        maxItems: MAX_METHODS,
        description: `Methods in addition to those of the zones; ${CLEARS}`,
      }),
    ),
  ),
  tax: Type.Optional(nullable(Tax)),
  adjustments: Type.Optional(nullable(Type.Array(Adjustment, { maxItems: MAX_ADJUSTMENTS, description: CLEARS }))),
  meta: Type.Optional(Meta),
})

export type CheckoutChanges = Static<typeof UpdateCheckout>
