// The bodies that create and change a product, and the queries of the reads.

import { type Static, Type } from 'typebox'
import { Amount, lenient, Meta, nullable, oneOf, pageQuery } from '../../http/endpoint/schema.ts'
import { EXTRA_FIELD_TYPES, LIFESPAN_PERIODS } from './schema.ts'

export const DEFAULT_PRODUCT_LIMIT = 20

/** Highest stock for which low-stock data is stored: migrations/0060_reports.sql. */
export const MAX_STOCK_BELOW = 20

/** Each filter is a separate lookup. */
const MAX_ATTRIBUTE_FILTERS = 5

/** More than any shop sells of one product, and low enough that sums of stock keep their precision. */
export const MAX_STOCK = 1_000_000_000

/** Limits of groups per product and of options per group, for all ways of writing them. */
export const MAX_GROUPS = 50
export const MAX_OPTIONS = 500

/** Limit of options in all groups of a product, because each read shows them all, even public ones. */
export const MAX_OPTIONS_IN_ALL = 1_000

/** Limits of assets and variants per product, whether added together or one by one. Each read of a product loads all its assets. */
export const MAX_ASSETS = 500
export const MAX_VARIANTS = 1_000

/** The zones are stored in the product's own row. */
const MAX_SHIPPING_ZONES = 500

const Name = Type.String({ minLength: 1, maxLength: 255 })
export const Stock = Type.Integer({ minimum: 0, maximum: MAX_STOCK })

/** A reference by id, plain or inside an object as in replies. A single list of types gives a single message for a wrong value. */
const Reference = Type.Unsafe<string | { id: string }>({
  type: ['string', 'object'],
  properties: { id: { type: 'string' } },
  required: ['id'],
})

const references = (maxItems: number, description: string) =>
  Type.Optional(Type.Array(Reference, { maxItems, description }))

const AssetReference = Type.Unsafe<string | { id: string; sort_order?: number }>({
  type: ['string', 'object'],
  properties: { id: { type: 'string' }, sort_order: { type: 'integer', minimum: 0, maximum: 1_000_000 } },
  required: ['id'],
})

export const assetReferences = Type.Array(AssetReference, {
  maxItems: MAX_ASSETS,
  description:
    'In the order in which they are shown; the first image leads. `sort_order` gives an asset its place: 0 is the first.',
})

const ExtraFieldBody = Type.Object({
  id: Type.Optional(Type.String({ description: 'A field of this product, to keep its id while renaming it.' })),
  name: Name,
  type: Type.Optional(oneOf(EXTRA_FIELD_TYPES, { description: 'text unless given.' })),
  required: Type.Optional(Type.Boolean({ description: 'false unless given.' })),
  options: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string', minLength: 1, maxLength: 255 },
      maxItems: 500,
      description: 'What can be chosen, for the types options and radio.',
    }),
  ),
  meta: Type.Optional(Meta),
})

export const VariantOptionBody = Type.Object({
  id: Type.Optional(Type.String({ description: 'An option of this group, to keep its id while renaming it.' })),
  name: Name,
  price: Type.Optional(
    Type.Unsafe<number | string>({
      ...Amount,
      description: "Added to the product's price; may be negative. 0 unless given.",
    }),
  ),
  assets: Type.Optional(
    Type.Unsafe<(string | { id: string })[] | null>({ type: ['array', 'null'], items: Reference, maxItems: 500 }),
  ),
  meta: Type.Optional(Meta),
})

const groupFields = {
  id: Type.Optional(Type.String({ description: 'A group of this product, to keep its id while renaming it.' })),
  name: Name,
  meta: Type.Optional(Meta),
}

export const VariantGroupBody = Type.Object({
  ...groupFields,
  options: Type.Optional(Type.Array(VariantOptionBody, { maxItems: MAX_OPTIONS })),
})

/** Option within a product's body, which may include stock. */
const ProductOptionBody = Type.Object({
  ...VariantOptionBody.properties,
  inventory: Type.Optional(
    nullable(Stock, {
      description:
        'Stock of this option, for a new product with one variant group. It creates a variant for each option. Later, and with several groups, set the stock on variants.',
    }),
  ),
})

const ProductGroupBody = Type.Object({
  ...groupFields,
  options: Type.Optional(Type.Array(ProductOptionBody, { maxItems: MAX_OPTIONS })),
})

const AttributeBody = Type.Object({
  id: Type.String(),
  value: Type.Optional(
    Type.Unsafe<unknown>({
      description:
        "Text, a number, true or false, a date as YYYY-MM-DD, or an option's value, as the attribute's type says; a list of values where several can be chosen. The attribute's default unless given.",
    }),
  ),
})

const LifespanBody = Type.Object({
  duration: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 10_000 }))),
  period: Type.Optional(Type.Unsafe<(typeof LIFESPAN_PERIODS)[number] | null>({ enum: [...LIFESPAN_PERIODS, null] })),
  download_limit: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }))),
})

const DigitalBody = Type.Object({
  packages: Type.Optional(
    Type.Array(
      Type.Object({
        asset: Type.String({ description: 'The id of an asset.' }),
        name: Type.Optional(nullable(Name, { description: "The asset's file name unless given." })),
        is_sample: Type.Optional(
          Type.Boolean({
            description:
              'Sandbox orders deliver the file itself, too, and not a placeholder that says so. false unless given.',
          }),
        ),
      }),
      { maxItems: 100 },
    ),
  ),
  lifespan: Type.Optional(
    Type.Unsafe<Static<typeof LifespanBody> | null>({ ...LifespanBody, type: ['object', 'null'] }),
  ),
})

const DeliveryBody = Type.Object({
  physical: Type.Optional(
    nullable(Type.Boolean(), {
      description:
        'Whether it is shipped. null, or left out of a new product: shipped if there is a shipping zone and the product has no packages, decided anew at each read.',
    }),
  ),
  weight: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), { description: 'Grams.' })),
  digital: Type.Optional(Type.Unsafe<Static<typeof DigitalBody> | null>({ ...DigitalBody, type: ['object', 'null'] })),
  shipping_zones: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      maxItems: MAX_SHIPPING_ZONES,
      description:
        'The ids of the shipping zones it can be shipped to; null, or left out of a new product: every zone.',
    }),
  ),
})

/** Trimmed, because lookups trim, too. */
export const Sku = nullable(Type.String({ minLength: 1, maxLength: 255 }), {
  description: 'Blanks around it are taken off.',
})

const SeoText = Type.Optional(nullable(Type.String({ maxLength: 1_000 })))

const fields = {
  name: Name,
  price: Amount,
  description: Type.Optional(
    nullable(Type.String({ maxLength: 65_535 }), { description: 'Empty unless given. May hold HTML.' }),
  ),
  permalink: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'Unique among your products. Letters a to z, digits, hyphens, underscores, dots and tildes, beginning with a letter or a digit. Made from the name unless given.',
    }),
  ),
  sku: Type.Optional(Sku),
  active: Type.Optional(Type.Boolean({ description: 'true unless given.' })),
  tax_exempt: Type.Optional(Type.Boolean()),
  pay_what_you_want: Type.Optional(Type.Boolean({ description: 'The price is then the least that is taken.' })),
  sort_order: Type.Optional(Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 })),
  inventory: Type.Optional(
    Type.Object(
      {
        managed: Type.Optional(Type.Boolean()),
        available: Type.Optional(Stock),
        on_hand: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: MAX_STOCK,
            description:
              'The counted stock, in place of `available`: sets `available` to it minus what captures under way hold, and must not be below what they hold. Send only one of the two; if both are sent, on_hand must equal `available` plus what is held.',
          }),
        ),
      },
      {
        description:
          "Creating a product sets the stock of sandbox and live, a later write that of the key's own mode. A new product is managed when `available`, `on_hand` or the stock of an option is given without `managed`.",
      },
    ),
  ),
  quantity: Type.Optional(
    nullable(Stock, {
      description:
        'Short for inventory {managed: true, available}; null for {managed: false}. Not read beside inventory.',
    }),
  ),
  seo: Type.Optional(Type.Object({ title: SeoText, description: SeoText })),
  thank_you_url: Type.Optional(nullable(Type.String({ maxLength: 2_048 }), { description: 'http or https.' })),
  meta: Type.Optional(Meta),
  collects: Type.Optional(
    Type.Object({
      fullname: Type.Optional(Type.Boolean()),
      shipping_address: Type.Optional(Type.Boolean({ description: 'As delivery.physical unless given.' })),
      billing_address: Type.Optional(Type.Boolean()),
    }),
  ),
  delivery: Type.Optional(DeliveryBody),
  assets: Type.Optional(assetReferences),
  categories: references(200, 'Ids of categories.'),
  related_products: references(200, 'Ids of products.'),
  attributes: Type.Optional(Type.Array(AttributeBody, { maxItems: 200 })),
  extra_fields: Type.Optional(Type.Array(ExtraFieldBody, { maxItems: 100 })),
  variant_groups: Type.Optional(Type.Array(ProductGroupBody, { maxItems: MAX_GROUPS })),
}

export const CreateProduct = Type.Object(fields)

export const UpdateProduct = Type.Partial(Type.Object(fields))

export const ProductAssets = Type.Object({ assets: assetReferences })

/** Filters of the list and of the export. */
const filters = {
  category_id: Type.Optional(
    Type.Array(Type.String(), { maxItems: 20, description: 'Products that are in all of these categories.' }),
  ),
  category_slug: Type.Optional(Type.Array(Type.String(), { maxItems: 20, description: 'The same, by slug.' })),
  query: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description:
        'Ids with commas between them, or part of a name, permalink or SKU; of one or two characters, the beginning of a word.',
    }),
  ),
  active: Type.Optional(Type.Boolean({ description: 'Secret key; a public key sees active products only.' })),
  stock_below: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_STOCK_BELOW,
      description:
        'Products with counted stock that have fewer pieces left than this, in the product itself or in a variant with its own stock.',
    }),
  ),
  has_image: Type.Optional(Type.Boolean({ description: 'Products with a picture, or without one.' })),
  attribute: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', maxLength: 1_000 },
      maxProperties: MAX_ATTRIBUTE_FILTERS,
      description:
        'Products whose attribute has exactly this value: attribute[attr_…]=Wool. For options, the value of a chosen one. Several attributes must all match.',
    }),
  ),
  sortBy: lenient(
    Type.Unsafe<'sort_order' | 'name' | 'created' | 'price'>({
      ...oneOf(['sort_order', 'name', 'created', 'price']),
      default: 'sort_order',
      description: 'With sort_order, newer products come first among equals.',
    }),
  ),
  sortDirection: lenient(Type.Unsafe<'asc' | 'desc'>({ ...oneOf(['asc', 'desc']), default: 'asc' })),
}

export const ProductListQuery = Type.Object({ ...pageQuery(DEFAULT_PRODUCT_LIMIT), ...filters })

export const ExportQuery = Type.Object(filters)

export const ProductGetQuery = Type.Object({
  type: Type.Unsafe<'id' | 'sku' | 'permalink'>({
    ...oneOf(['id', 'sku', 'permalink']),
    default: 'id',
    description: 'What the path names. Of several products with one SKU the oldest is given.',
  }),
})

export type NewProduct = Static<typeof CreateProduct>
export type ProductChanges = Static<typeof UpdateProduct>
export type AssetReferences = Static<typeof assetReferences>
export type ListFilter = Static<typeof ProductListQuery>
