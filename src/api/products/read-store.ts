// The select of a product with all its parts. Every read uses these columns, so that lists, single products and events show the same.

import { columns } from '../../db/columns.ts'
import type { Scope } from '../../db/db.ts'
import { ASSET_JSON, type AssetRow, VISIBLE_ASSET } from '../assets/store.ts'
import { SHOP_CATALOGUE_VERSION } from '../catalogue/store.ts'
import { isPhysical } from '../shipping/store.ts'
import type { ExtraField, LIFESPAN_PERIODS } from './schema.ts'
import { heldStockSql } from './stock-store.ts'
import { IS_SOLD_OUT } from './variants/read-store.ts'

/** The common columns of groups, options and extra fields. */
type PartRow = {
  id: string
  position: number
  name: string
  meta: Record<string, unknown> | null
  created: number
  updated: number
}

export type OptionRow = PartRow & { price_delta: number; assets: string[] | null }

export type GroupRow = PartRow & { options: OptionRow[] }

export type ExtraFieldRow = PartRow & { type: ExtraField['type']; is_required: boolean; options: string[] | null }

export type AttachedAttributeRow = {
  id: string
  name: string
  meta: Record<string, unknown> | null
  type: string
  options: { id: string; value: string; label: string }[]
  /** Stored value, in the form of attribute-values.ts. */
  value: unknown
}

export type RelatedRow = {
  id: string
  permalink: string
  name: string
  sku: string | null
  is_active: boolean
  price: number
  image: AssetRow | null
}

export type LifespanRow = {
  duration: number | null
  period: (typeof LIFESPAN_PERIODS)[number] | null
  download_limit: number | null
}

/** The columns of the table `products` that a merchant sets. */
export type ProductColumns = {
  name: string
  sku: string | null
  description: string
  price: number
  is_active: boolean
  is_tax_exempt: boolean
  is_pay_what_you_want: boolean
  is_inventory_managed: boolean
  sort_order: number
  seo_title: string | null
  seo_description: string | null
  thank_you_url: string | null
  meta: Record<string, unknown> | null
  collects_fullname: boolean
  collects_shipping_address: boolean | null
  collects_billing_address: boolean
  /** The merchant's own setting; null if there is none. `is_sent` is the result. */
  is_physical: boolean | null
  weight_grams: number | null
  lifespan: LifespanRow | null
  /** Null for every zone. */
  shipping_zone_ids: string[] | null
}

/** Defaults of a new product. Its keys are the list of columns. */
export const BLANK_PRODUCT: ProductColumns = {
  name: '',
  sku: null,
  description: '',
  price: 0,
  is_active: true,
  is_tax_exempt: false,
  is_pay_what_you_want: false,
  is_inventory_managed: false,
  sort_order: 0,
  seo_title: null,
  seo_description: null,
  thank_you_url: null,
  meta: null,
  collects_fullname: false,
  collects_shipping_address: null,
  collects_billing_address: false,
  is_physical: null,
  weight_grams: null,
  lifespan: null,
  shipping_zone_ids: null,
}

const COLUMN_NAMES = Object.keys(BLANK_PRODUCT) as (keyof ProductColumns)[]

export const PRODUCT_COLUMNS = columns(COLUMN_NAMES, ['meta', 'lifespan'])

export type ProductRow = ProductColumns & {
  id: string
  permalink: string
  created: number
  updated: number
  /** `stampOf` builds the product's stamp from these three versions and the stock fields below. */
  version: number
  shop_stamp: number
  related_stamp: string
  /** Stock in the requested mode. */
  available: number
  /** Stock held by pending captures in the same mode. Null for a public key. */
  held: number | null
  is_sold_out: boolean
  /** True if the product is shipped. Computed at each read, because zones and downloads change. */
  is_sent: boolean
  categories: { id: string; slug: string; name: string }[]
  assets: AssetRow[]
  packages: { asset_id: string; name: string; is_sample: boolean }[]
  attributes: AttachedAttributeRow[]
  extra_fields: ExtraFieldRow[]
  variant_groups: GroupRow[]
  related_products: RelatedRow[]
}

/** Rights of the reader. The mode selects the stock. A public key sees only active products, public attributes and public assets. */
export type ReadScope = Scope & { readonly isSecret: boolean }

/** Parameters of every statement made with `productRows`. */
export const readValues = ({ merchant_id, is_sandbox, isSecret }: ReadScope) => ({
  merchant_id,
  is_sandbox,
  is_secret: isSecret,
})

/** The rows of `from` as a JSON list, in the order of their `position`. */
const jsonList = (columns: string, from: string) => `coalesce((
    select json_agg(entry order by entry.position) from (select ${columns} ${from}) entry
  ), '[]')`

/** Rows that a link table leads to, in the order of the links. Their alias follows from the key: `category_id` gives `category`. */
const linkedList = (columns: string, links: string, key: `${string}_id`, table: string, condition = 'true') => {
  const alias = key.slice(0, -'_id'.length)
  return jsonList(
    `${columns}, link.position`,
    `from ${links} link
   join ${table} ${alias} on ${alias}.merchant_id = :merchant_id and ${alias}.id = link.${key}
   where link.merchant_id = :merchant_id and link.product_id = product.id and ${condition}`,
  )
}

/** Columns with the times of creation and last change. */
export const timeColumns = (table: string) =>
  `unix_seconds(${table}.created_at) as created, unix_seconds(${table}.updated_at) as updated`

const CATEGORIES = linkedList(
  'category.id, category.slug, category.name',
  'product_categories',
  'category_id',
  'categories',
)

const ASSETS = `coalesce((
    select json_agg(${ASSET_JSON} order by link.position)
    from product_assets link
    join assets a on a.merchant_id = :merchant_id and a.id = link.asset_id
    where link.merchant_id = :merchant_id and link.product_id = product.id and ${VISIBLE_ASSET}
  ), '[]')`

const PACKAGES = linkedList(
  'link.asset_id, coalesce(link.name, asset.filename) as name, link.is_sample',
  'product_packages',
  'asset_id',
  'assets',
)

const ATTRIBUTES = linkedList(
  'attribute.id, attribute.name, attribute.meta, attribute.type, attribute.options, link.value',
  'product_attributes',
  'attribute_id',
  'attributes',
  '(attribute.is_public or :is_secret)',
)

const EXTRA_FIELDS = jsonList(
  `field.id, field.name, field.type, field.is_required, field.options, field.meta, ${timeColumns('field')}, field.position`,
  'from extra_fields field where field.merchant_id = :merchant_id and field.product_id = product.id',
)

const OPTIONS = jsonList(
  `choice.id, choice.name, choice.price_delta, choice.meta, ${timeColumns('choice')}, choice.position,
   (
     select json_agg(link.asset_id order by link.position)
     from option_assets link
     join assets a on a.merchant_id = :merchant_id and a.id = link.asset_id
     where link.merchant_id = :merchant_id and link.product_id = choice.product_id and link.option_id = choice.id
       and ${VISIBLE_ASSET}
   ) as assets`,
  `from variant_options choice
   where choice.merchant_id = :merchant_id and choice.product_id = product.id and choice.group_id = its_group.id`,
)

/** The groups of the product with the alias `product`. Needs `:merchant_id` and `:is_secret`. */
export const VARIANT_GROUPS = jsonList(
  `its_group.id, its_group.name, its_group.meta, ${timeColumns('its_group')}, its_group.position, ${OPTIONS} as options`,
  'from variant_groups its_group where its_group.merchant_id = :merchant_id and its_group.product_id = product.id',
)

/**
 * The main picture of a product: the first one that a shopper's browser can show. `columns` refer to the asset `a`. For a plain join,
 * PostgreSQL may start with the assets of a shop with few pictures, and search each among the product's.
 */
export const leadImageOf = (productId: string, columns = ASSET_JSON) => `(
    select ${columns}
    from product_assets picture
    cross join lateral (
      select * from assets its
      where its.merchant_id = :merchant_id and its.id = picture.asset_id
        and its.is_image and not its.is_private and not its.is_pending
      limit 1
    ) a
    where picture.merchant_id = :merchant_id and picture.product_id = ${productId}
    order by picture.position
    limit 1
  )`

const RELATED_PRODUCTS = linkedList(
  `related.id, related.permalink, related.name, related.sku, related.is_active, related.price,
   ${leadImageOf('related.id')} as image`,
  'related_products',
  'related_id',
  'products',
  '(related.is_active or :is_secret)',
)

/** Columns that are shown in another form than stored. */
const SHOWN: Partial<Record<keyof ProductColumns, string>> = {
  // Omits deleted zones, so that a client can send the list back. If all zones were deleted, the product ships nowhere.
  shipping_zone_ids: `case when product.shipping_zone_ids is not null then array(
    select zone.id
    from unnest(product.shipping_zone_ids) with ordinality as named (id, position)
    join shipping_zones zone on zone.merchant_id = :merchant_id and zone.id = named.id
    order by named.position
  ) end as shipping_zone_ids`,
}

/**
 * A stamp of the related products. Adding and removing links raises the product's own version, but deleting a linked product does not. So
 * it contains the number of links and the sum of their versions, which only rise.
 */
const RELATED_STAMP = `(
    select concat(count(*), '-', sum(related.version))
    from related_products link
    join products related on related.merchant_id = :merchant_id and related.id = link.related_id
    where link.merchant_id = :merchant_id and link.product_id = product.id
  )`

const HELD = `case when :is_secret then ${heldStockSql('product.id', ':is_sandbox')} end`

/** Joins the stock of the row `product`, with the alias that the fragments here use. */
export const WITH_STOCK = `left join stock counted
  on counted.merchant_id = :merchant_id and counted.item_id = product.id and counted.is_sandbox = :is_sandbox`

/**
 * The stamp of the row `product` with its stock: the versions of all that it shows, and the figures that change without a version. Equal
 * stamps mean equal replies. Needs `readValues`.
 */
export const PRODUCT_STAMP = `concat_ws(' ', product.version, ${SHOP_CATALOGUE_VERSION}, ${RELATED_STAMP}, coalesce(counted.available, 0),
    coalesce(${HELD}, 0), ${IS_SOLD_OUT}::integer)`

/** A product and the stamp of its state. */
export type StampedProduct = { readonly id: string; readonly stamp: string }

/** The same stamp, from a row that was read. A cached reply is stored under the stamp of its row. */
export const stampOf = (row: ProductRow): string =>
  [row.version, row.shop_stamp, row.related_stamp, row.available, row.held ?? 0, Number(row.is_sold_out)].join(' ')

/** The rows that match `where`, as ProductRow. Needs `readValues` and the parameters of the condition. */
export const productRows = (where: string) => `select
  product.id, product.permalink, ${COLUMN_NAMES.map((name) => SHOWN[name] ?? `product.${name}`).join(', ')},
  ${timeColumns('product')}, product.version, ${SHOP_CATALOGUE_VERSION} as shop_stamp, ${RELATED_STAMP} as related_stamp,
  coalesce(counted.available, 0) as available,
  ${HELD} as held,
  ${IS_SOLD_OUT} as is_sold_out,
  ${isPhysical('product')} as is_sent,
  ${CATEGORIES} as categories,
  ${ASSETS} as assets,
  ${PACKAGES} as packages,
  ${ATTRIBUTES} as attributes,
  ${EXTRA_FIELDS} as extra_fields,
  ${VARIANT_GROUPS} as variant_groups,
  ${RELATED_PRODUCTS} as related_products
from products product
${WITH_STOCK}
where product.merchant_id = :merchant_id and (product.is_active or :is_secret) and ${where}`
