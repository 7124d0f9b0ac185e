// The product as the API shows it, and its parts. See body-schema.ts for the bodies that create and change one.

import { type Static, type TBoolean, type TObject, Type } from 'typebox'
import { kind, Meta, nested, nestedOrNull, nullable, oneOf, Price, Timestamp } from '../../http/endpoint/schema.ts'
import { Asset } from '../assets/schema.ts'

export const EXTRA_FIELD_TYPES = ['text', 'options', 'number', 'checkbox', 'date', 'radio', 'hidden'] as const

/** Types of extra fields that are answered with one of the field's options. */
export const EXTRA_FIELD_TYPES_WITH_OPTIONS: readonly string[] = ['options', 'radio']

export const LIFESPAN_PERIODS = ['days', 'weeks', 'months'] as const

const idAndName = { id: Type.String(), name: Type.String() }
const metaAndTimes = { meta: Meta, created: Timestamp, updated: Timestamp }

const textsOrNull = (description: string) =>
  Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' }, description })

export const VariantOption = kind('variant_option', {
  ...idAndName,
  price: nested(Price),
  assets: textsOrNull('Ids of the pictures of this option; null where it has none.'),
  ...metaAndTimes,
})

export const VariantGroup = kind('variant_group', {
  ...idAndName,
  ...metaAndTimes,
  options: Type.Array(nested(VariantOption), {
    description: "Each price is added to the product's and may be negative.",
  }),
})

export const ExtraField = kind('extra_field', {
  ...idAndName,
  type: oneOf(EXTRA_FIELD_TYPES),
  required: Type.Boolean(),
  options: textsOrNull('What can be chosen, for the types options and radio; else null.'),
  ...metaAndTimes,
})

/** Short form of a related product, sufficient for a link to it. */
export const RelatedProduct = kind('related_product', {
  id: Type.String(),
  permalink: Type.String(),
  name: Type.String(),
  sku: nullable(Type.String()),
  active: Type.Boolean(),
  price: nested(Price),
  image: nestedOrNull(Asset),
})

export type AttributeValue = string | number | boolean | { label: string; value: string }[] | null

const ProductAttribute = Type.Object({
  id: Type.String(),
  name: Type.String(),
  meta: Meta,
  value: Type.Unsafe<AttributeValue>({
    description: 'A string, a number, true or false, a list of {label, value} for an attribute with options, or null.',
  }),
})

const Lifespan = Type.Object({
  duration: nullable(Type.Integer(), { description: 'How many periods a download can be fetched; null for ever.' }),
  period: Type.Unsafe<(typeof LIFESPAN_PERIODS)[number] | null>({ enum: [...LIFESPAN_PERIODS, null] }),
  download_limit: nullable(Type.Integer(), {
    description: 'How often it can be fetched; null for any number of times.',
  }),
})

const Delivery = Type.Object({
  physical: Type.Boolean(),
  weight: nullable(Type.Integer(), { description: 'Grams.' }),
  digital: Type.Object({
    packages: Type.Array(
      Type.Object({
        asset: Type.String(),
        name: Type.String(),
        is_sample: Type.Boolean({ description: 'Whether sandbox orders deliver the file itself, too.' }),
      }),
    ),
    lifespan: Type.Unsafe<Static<typeof Lifespan> | null>({ ...Lifespan, type: ['object', 'null'] }),
  }),
  shipping_zones: textsOrNull('The ids of the shipping zones it can be shipped to; null: every zone.'),
})

// The flag families `is`, `has` and `collects`. `conditionals` repeats them with prefixes.

const IS = [
  'active',
  'free',
  'tax_exempt',
  'pay_what_you_want',
  'inventory_managed',
  'quantity_limited',
  'sold_out',
] as const
const HAS = ['digital_delivery', 'physical_delivery', 'images', 'video', 'rich_embed'] as const
const COLLECTS = ['fullname', 'shipping_address', 'billing_address', 'extra_fields', 'extrafields'] as const

export type Flags<Name extends string> = Record<Name, boolean>

export type ProductFlags = {
  is: Flags<(typeof IS)[number]>
  has: Flags<(typeof HAS)[number]>
  collects: Flags<(typeof COLLECTS)[number]>
}

/** Schema of an object with these flags. */
export const booleans = <Name extends string>(names: readonly Name[]): TObject<Record<Name, TBoolean>> =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Boolean()])) as Record<Name, TBoolean>)

export const withNamePrefix = <Prefix extends string, Name extends string>(prefix: Prefix, names: readonly Name[]) =>
  names.map((name) => `${prefix}_${name}` as const)

/** For all kinds that show a product's flags. */
export const flagSchemas = {
  conditionals: booleans([
    ...withNamePrefix('is', IS),
    ...withNamePrefix('has', HAS),
    ...withNamePrefix('collects', COLLECTS),
  ]),
  is: booleans(IS),
  has: booleans(HAS),
  collects: booleans(COLLECTS),
}

const extraFields = Type.Array(nested(ExtraField))

export const Product = kind('product', {
  id: Type.String(),
  created: Timestamp,
  updated: Timestamp,
  active: Type.Boolean({ description: 'Whether calls with a public key see it.' }),
  permalink: Type.String(),
  name: Type.String(),
  description: Type.String({ description: 'May hold HTML.' }),
  price: nested(Price),
  quantity: Type.Integer({ description: 'The same as inventory.available.' }),
  inventory: Type.Object(
    {
      managed: Type.Boolean(),
      available: Type.Integer({ description: 'What can be sold now.' }),
      held: Type.Optional(Type.Integer({ description: 'By captures under way. Secret key only.' })),
      on_hand: Type.Optional(Type.Integer({ description: 'available and held together. Secret key only.' })),
    },
    { description: "Counted apart for sandbox and live; this is the count of the key's own mode." },
  ),
  sku: nullable(Type.String()),
  sort_order: Type.Integer(),
  seo: Type.Object({ title: nullable(Type.String()), description: nullable(Type.String()) }),
  thank_you_url: nullable(Type.String()),
  meta: Meta,
  ...flagSchemas,
  checkout_url: Type.Object({ checkout: Type.String(), display: Type.String() }),
  image: nestedOrNull(Asset),
  assets: Type.Array(nested(Asset)),
  variant_groups: Type.Array(nested(VariantGroup)),
  extra_fields: extraFields,
  extrafields: extraFields,
  categories: Type.Array(Type.Object({ id: Type.String(), slug: Type.String(), name: Type.String() })),
  related_products: Type.Array(nested(RelatedProduct)),
  attributes: Type.Array(ProductAttribute, { description: 'Calls with a public key show public attributes only.' }),
  delivery: Type.Optional(Type.Unsafe<Static<typeof Delivery>>({ ...Delivery, description: 'Secret key only.' })),
})

export type Product = Static<typeof Product>
export type VariantGroup = Static<typeof VariantGroup>
export type ExtraField = Static<typeof ExtraField>
