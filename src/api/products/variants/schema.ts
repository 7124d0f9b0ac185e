// The variant as the API shows it, and the bodies that create and change variants, variant groups and options.

import { type Static, Type } from 'typebox'
import {
  Amount,
  kind,
  Meta,
  nested,
  nestedOrNull,
  nullable,
  Price,
  pageQuery,
  Timestamp,
} from '../../../http/endpoint/schema.ts'
import { Asset } from '../../assets/schema.ts'
import { assetReferences, MAX_GROUPS, Sku, Stock, VariantGroupBody, VariantOptionBody } from '../body-schema.ts'

/** Product id in the paths of variants and groups. */
export const OfProduct = Type.Object({ id: Type.String({ description: 'The id of a product: prod_…' }) })

export const DEFAULT_VARIANT_LIMIT = 100

const INVALID_REASONS = ['missing_options', 'option_deleted'] as const

/** Maps ids of groups to ids of options. */
export type Combination = Record<string, string>

export const Variant = kind('variant', {
  id: Type.String(),
  sku: nullable(Type.String()),
  description: nullable(Type.String()),
  inventory: nullable(Type.Integer(), {
    description:
      "What is left of it, in the key's own mode; null where it sells from the product's stock in that mode.",
  }),
  held: Type.Optional(
    nullable(Type.Integer(), {
      description:
        'What captures under way hold of it; null where inventory is. Secret key only, and not inside of lines.',
    }),
  ),
  on_hand: Type.Optional(
    nullable(Type.Integer(), {
      description: 'inventory and held together; null where inventory is. Secret key only, and not inside of lines.',
    }),
  ),
  price: Type.Unsafe<Static<typeof Price> | null>({
    ...nestedOrNull(Price),
    description: "What it costs; null for the product's price with what its options add.",
  }),
  is_valid: Type.Boolean({ description: "Whether it names one option of each of the product's groups." }),
  invalid_reason_code: Type.Unsafe<(typeof INVALID_REASONS)[number] | null>({
    enum: [...INVALID_REASONS, null],
    description:
      'missing_options: a group was added since. option_deleted: an option or group that it names is gone. null: it is valid.',
  }),
  meta: Meta,
  created: Timestamp,
  updated: Timestamp,
  options: Type.Unsafe<Combination>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Ids of variant groups, each with the id of its option.',
  }),
  assets: Type.Array(nested(Asset)),
})

export type Variant = Static<typeof Variant>

const fields = {
  options: Type.Unsafe<Combination>({
    type: 'object',
    additionalProperties: { type: 'string' },
    maxProperties: MAX_GROUPS,
    description: "One option of each of the product's groups: {vgrp_…: optn_…}. No two variants may have the same.",
  }),
  sku: Type.Optional(Sku),
  description: Type.Optional(nullable(Type.String({ maxLength: 65_535 }))),
  inventory: Type.Optional(
    nullable(Stock, {
      description:
        "Stock of its own, counted when the product's inventory is managed. Creating a variant sets it in sandbox and live, a later write in the key's own mode. null: in that mode the variant sells from the product's.",
    }),
  ),
  on_hand: Type.Optional(
    nullable(Stock, {
      description:
        'The counted stock, in place of inventory: sets inventory to it minus what captures under way hold, and must not be below what they hold. Send only one of the two; if both are sent, on_hand must equal inventory plus what is held.',
    }),
  ),
  price: Type.Optional(
    Type.Unsafe<number | string | null>({
      ...Amount,
      type: ['number', 'string', 'null'],
      description:
        "Replaces the product's price and what the options add; null takes it back. A number or a decimal string, with no more decimals than the merchant's currency has.",
    }),
  ),
  assets: Type.Optional(assetReferences),
  meta: Type.Optional(Meta),
}

export const CreateVariant = Type.Object(fields)

export const UpdateVariant = Type.Object({
  ...fields,
  options: Type.Optional(
    Type.Unsafe<Combination>({ ...fields.options, description: 'Groups that are left out keep their option.' }),
  ),
})

export const GeneratedVariants = Type.Object({ data: Type.Array(nested(Variant)) })

export type GeneratedVariants = Static<typeof GeneratedVariants>

export const CreateVariantOption = Type.Omit(VariantOptionBody, ['id'])
export const UpdateVariantOption = Type.Partial(CreateVariantOption)

export const CreateVariantGroup = Type.Omit(VariantGroupBody, ['id'])
export const UpdateVariantGroup = Type.Partial(CreateVariantGroup)

export const VariantsQuery = Type.Object(pageQuery(DEFAULT_VARIANT_LIMIT))

export type NewVariant = Static<typeof CreateVariant>
export type VariantChanges = Static<typeof UpdateVariant>
export type NewVariantGroup = Static<typeof CreateVariantGroup>
export type VariantGroupChanges = Static<typeof UpdateVariantGroup>
export type NewVariantOption = Static<typeof CreateVariantOption>
export type VariantOptionChanges = Static<typeof UpdateVariantOption>
