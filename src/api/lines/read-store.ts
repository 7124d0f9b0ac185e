// SQL that reads lines in two parts. Product data, which changes only with a catalogue version, has its own statement and is cached in
// goods.ts. Statements of carts and checkouts read the line itself, its stock and the versions. Each row is looked up by its full key in a
// sub-select, because for a join the planner might read a whole shop.

import { type Db, lookup, type Scope, type Shop } from '../../db/db.ts'
import type { AssetRow } from '../assets/store.ts'
import { SHOP_CATALOGUE_VERSION } from '../catalogue/store.ts'
import { leadImageOf, type ProductRow, productRows, readValues } from '../products/read-store.ts'
import type { Combination } from '../products/variants/schema.ts'
import { VARIANT_COLUMNS, type VariantRow } from '../products/variants/store.ts'
import { isDigital } from '../shipping/store.ts'

/** The line's own fields, and those that change without a catalogue version. */
export type LiveLine = {
  id: string
  product_id: string
  /** Name of the product when the line was last added to. */
  name: string
  quantity: number
  options: Combination
  /** Version of the product. Null if the product was deleted. */
  version: number | null
  /** Stock of the product in this mode. Null if it was never counted. */
  available: number | null
  /** Stock of the variant with exactly these options. Null if there is none, or it has no own stock. */
  inventory: number | null
}

/** `stamp` is the shop's catalogue version. */
export type LiveGoods = { stamp: number; lines: LiveLine[] }

const stockOf = (itemId: string) => `(
          select item.available from stock item
          where item.merchant_id = :merchant_id and item.item_id = ${itemId} and item.is_sandbox = :is_sandbox
        )`

/** Compares digests, because the index of options is on their digest. */
const VARIANT_ID = `(
            select variant.id from variants variant
            where variant.merchant_id = :merchant_id and variant.product_id = line.product_id
              and md5(variant.options::text) = md5(line.options::text)
          )`

const PRODUCT_VERSION = `(
          select product.version from products product
          where product.merchant_id = :merchant_id and product.id = line.product_id
        )`

/** A LiveGoods as JSON, with lines oldest first. The clause `from` provides the lines as `line`. Needs :merchant_id and :is_sandbox. */
export const liveGoodsJson = (from: string) => `json_build_object(
      'stamp', ${SHOP_CATALOGUE_VERSION},
      'lines', coalesce((
        select json_agg(json_build_object(
          'id', line.id, 'product_id', line.product_id, 'name', line.name, 'quantity', line.quantity, 'options', line.options,
          'version', ${PRODUCT_VERSION},
          'available', ${stockOf('line.product_id')},
          'inventory', ${stockOf(VARIANT_ID)}
        ) order by line.id)
        ${from}
      ), '[]')
    )`

const PRODUCT_FIELDS = [
  'id',
  'name',
  'sku',
  'permalink',
  'description',
  'price',
  'meta',
  'is_active',
  'is_tax_exempt',
  'is_pay_what_you_want',
  'is_inventory_managed',
  'is_sent',
  'weight_grams',
  'shipping_zone_ids',
  'collects_fullname',
  'collects_shipping_address',
  'collects_billing_address',
  'packages',
  'extra_fields',
] as const

/** A group with all its options. */
export type ChoicesRow = {
  id: string
  name: string
  options: { id: string; name: string; price_delta: number }[]
}

/** Data of a product for carts, checkouts and captures, without its stock. All of it is covered by the catalogue versions. */
export type GoodsRow = Pick<ProductRow, (typeof PRODUCT_FIELDS)[number]> & {
  version: number
  /** Version of the shop's catalogue at the time of the read. */
  stamp: number
  is_digital: boolean
  image: AssetRow | null
  /** In the merchant's order, as are their options. */
  variant_groups: ChoicesRow[]
}

/** Without stock and validity. Its validity follows from the line. */
export type VariantGoodsRow = Omit<VariantRow, 'invalid_reason_code'>

/** Identifies the variant with exactly these options. */
export type VariantKey = { readonly product_id: string; readonly options: Combination }

// Not the groups as products show them: the lookup of each option's assets takes most of the time, and lines do not show them.
const CHOICES = `coalesce((
         select json_agg(
           json_build_object('id', its_group.id, 'name', its_group.name, 'options', coalesce((
             select json_agg(
               json_build_object('id', choice.id, 'name', choice.name, 'price_delta', choice.price_delta)
               order by choice.position
             )
             from variant_options choice
             where choice.merchant_id = :merchant_id and choice.product_id = shown.id and choice.group_id = its_group.id
           ), '[]'))
           order by its_group.position, its_group.id
         )
         from variant_groups its_group
         where its_group.merchant_id = :merchant_id and its_group.product_id = shown.id
       ), '[]')`

// PostgreSQL computes only the selected columns of a product.
const PRODUCTS = `select shown.id as product_id, null as options, shown.version, json_build_object(
         ${PRODUCT_FIELDS.map((field) => `'${field}', shown.${field}`).join(', ')},
         'version', shown.version, 'stamp', ${SHOP_CATALOGUE_VERSION}, 'is_digital', ${isDigital('shown')}, 'image', ${leadImageOf('shown.id')},
         'variant_groups', ${CHOICES}
       )::text as text
     from (${productRows('product.id = any(:product_ids)')}) shown`

const VERSION_OF_WANTED = `(
         select its.version from products its where its.merchant_id = :merchant_id and its.id = wanted.product_id
       )`

const VARIANTS = `select wanted.product_id, wanted.options::text, ${VERSION_OF_WANTED}, coalesce((
         select to_json(shown)::text
         from (
           select ${VARIANT_COLUMNS}
           from variants variant
           cross join (select null::bigint as available) own
           where variant.merchant_id = :merchant_id and variant.product_id = wanted.product_id
             and md5(variant.options::text) = md5(wanted.options::text)
         ) shown
       ), 'null')
     from json_to_recordset(:variants::json) as wanted (product_id text, options jsonb)`

/** Data read of one product, with the catalogue versions at that time. These may be newer than the line's. */
type GoodsPart = {
  product_id: string
  /** Null if the product was deleted. */
  version: number | null
  stamp: number
  /** JSON text, which is cached without parsing. */
  text: string
}

/** `options`, as JSON, identifies the variant in `text`. Null if `text` is the product. */
export type ProductPart = GoodsPart & { options: string | null }

const find = lookup<ProductPart>(
  'lines.find_goods',
  `select part.product_id, part.options, part.version, ${SHOP_CATALOGUE_VERSION} as stamp, part.text
   from (${PRODUCTS} union all ${VARIANTS}) part`,
)

export type MissingGoods = { readonly productIds: readonly string[]; readonly variants: readonly VariantKey[] }

/**
 * Reads with the rights of a secret key, because lines still show products that are no longer active. One statement, so that all data is
 * consistent.
 */
export const findGoods = (db: Db, { merchant_id }: Shop, { productIds, variants }: MissingGoods) =>
  db.many(find, {
    ...readValues({ merchant_id, is_sandbox: false, isSecret: true }),
    product_ids: productIds,
    variants: JSON.stringify(variants.map(({ product_id, options }) => ({ product_id, options }))),
  })

/** A variant and its options, valid or not. */
export type CombinationRow = { id: string; options: Combination }

const selectCombinations = lookup<GoodsPart>(
  'lines.find_combinations',
  `select wanted.product_id, ${VERSION_OF_WANTED} as version, ${SHOP_CATALOGUE_VERSION} as stamp, coalesce((
       select json_agg(json_build_object('id', variant.id, 'options', variant.options))
       from variants variant
       where variant.merchant_id = :merchant_id and variant.product_id = wanted.product_id
     ), '[]')::text as text
   from unnest(:product_ids::text[]) as wanted (product_id)`,
)

/** All variants of these products, as a list of CombinationRow for each product. */
export const findCombinations = (db: Db, { merchant_id }: Shop, productIds: readonly string[]) =>
  db.many(selectCombinations, { merchant_id, product_ids: productIds })

const selectStock = lookup<{ item_id: string; available: number }>(
  'lines.find_stock',
  `select item.item_id, item.available
   from stock item
   where item.merchant_id = :merchant_id and item.product_id = any(:product_ids) and item.is_sandbox = :is_sandbox`,
)

/** Stock of the products and their variants, by item id. */
export const findStock = async (db: Db, { merchant_id, is_sandbox }: Scope, productIds: readonly string[]) => {
  const rows = await db.many(selectStock, { merchant_id, is_sandbox, product_ids: productIds })
  return new Map(rows.map(({ item_id, available }) => [item_id, available]))
}
