// The product as the API shows it, and the kinds inside it. The bodies that create and change one are in body-schema.ts.

import { type Static, Type } from 'typebox'
import { kind, Meta, nested, nestedOrNull, nullable, oneOf, Price, Timestamp } from '../../http/endpoint/schema.ts'
import { Asset } from '../assets/schema.ts'
import { flagSchemas } from './view.ts'

export const EXTRA_FIELD_TYPES = ['text', 'options', 'number', 'checkbox', 'date', 'radio', 'hidden'] as const

/** Extra field types whose answer is one of the field's own options. */
export const EXTRA_FIELD_TYPES_WITH_OPTIONS: readonly string[] = ['options', 'radio']

export const LIFESPAN_PERIODS = ['days', 'weeks', 'months'] as const

export const VariantOption = kind('variant_option', {
  id: Type.String(),
  name: Type.String(),
  price: nested(Price),
  assets: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Ids of the pictures of this option; null where it has none.',
  }),
  meta: Meta,
  created: Timestamp,
  updated: Timestamp,
})

export const VariantGroup = kind('variant_group', {
  id: Type.String(),
  name: Type.String(),
  meta: Meta,
  created: Timestamp,
  updated: Timestamp,
  options: Type.Array(nested(VariantOption), {
    description: "Each price is added to the product's and may be negative.",
  }),
})

export const ExtraField = kind('extra_field', {
  id: Type.String(),
  name: Type.String(),
  type: oneOf(EXTRA_FIELD_TYPES),
  required: Type.Boolean(),
  options: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'What can be chosen, for the types options and radio; else null.',
  }),
  meta: Meta,
  created: Timestamp,
  updated: Timestamp,
})

/** A related product, short: enough for a teaser that leads to it. */
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

export const Lifespan = Type.Object({
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
  shipping_zones: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'The ids of the shipping zones it is sent to; null: every zone.',
  }),
})

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
export type Lifespan = Static<typeof Lifespan>
