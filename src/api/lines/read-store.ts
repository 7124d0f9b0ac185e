// The SQL that reads lines. What the stamps of the catalogue fix is read by a statement of its own, seldom, and kept by goods.ts; the
// statements of carts and checkouts read what is a line's own, what is in stock, and the stamps. Each row is looked up by its full key in a
// sub-select: a join would let the planner read a whole shop instead.

import { type Db, lookup, type Scope } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import type { AssetRow } from '../assets/store.ts'
import { SHOP_STAMP } from '../catalogue/store.ts'
import { leadImageOf, type ProductRow, productRows, readValues } from '../products/read-store.ts'
import type { Combination } from '../products/variants/schema.ts'
import { VARIANT_COLUMNS, type VariantRow } from '../products/variants/store.ts'
import { isDigital } from '../shipping/store.ts'

/** What is a line's own, and what changes without a stamp. */
export type LiveLine = {
  id: string
  product_id: string
  /** The product's, as it was when the line was last added to. */
  name: string
  quantity: number
  options: Combination
  /** The product's stamp. Null when the product was deleted. */
  version: number | null
  /** Of the product, in this mode; null where none was ever counted. */
  available: number | null
  /** Of the variant of exactly these options; null where there is none, or it has no stock of its own. */
  inventory: number | null
}

/** `stamp`: the shop's. */
export type LiveGoods = { stamp: number; lines: LiveLine[] }

const stockOf = (itemId: string) => `(
          select item.available from stock item
          where item.merchant_id = :merchant_id and item.item_id = ${itemId} and item.is_sandbox = :is_sandbox
        )`

/** By digest, which is how the index knows the options. */
const VARIANT_ID = `(
            select variant.id from variants variant
            where variant.merchant_id = :merchant_id and variant.product_id = line.product_id
              and md5(variant.options::text) = md5(line.options::text)
          )`

const PRODUCT_VERSION = `(
          select product.version from products product
          where product.merchant_id = :merchant_id and product.id = line.product_id
        )`

/** LiveGoods as JSON, oldest first, of what the clause `from` gives as `line`. Asks for :merchant_id and :is_sandbox. */
export const liveGoodsJson = (from: string) => `json_build_object(
      'stamp', ${SHOP_STAMP},
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

/** A group with all that can be chosen of it. */
export type ChoicesRow = {
  id: string
  name: string
  options: { id: string; name: string; price_delta: number }[]
}

/** What carts, checkouts and captures know of a product beside its stock. The stamps fix all of it. */
export type GoodsRow = Pick<ProductRow, (typeof PRODUCT_FIELDS)[number]> & {
  version: number
  /** The shop's, which it was read under. */
  stamp: number
  is_digital: boolean
  image: AssetRow | null
  /** In the merchant's order, and so are their options. */
  variant_groups: ChoicesRow[]
}

/** Its stock is not in it, and whether it is valid shows from the line. */
export type VariantGoodsRow = Omit<VariantRow, 'invalid_reason_code'>

/** Which variant: the one of exactly these options. */
export type VariantKey = { readonly product_id: string; readonly options: Combination }

// Not the groups as products show them: looking for the assets of each option takes most of the time, and none of them is shown.
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

// PostgreSQL works out only those columns of a product that are asked for.
const PRODUCTS = `select shown.id as product_id, null as options, shown.version, json_build_object(
         ${PRODUCT_FIELDS.map((field) => `'${field}', shown.${field}`).join(', ')},
         'version', shown.version, 'stamp', ${SHOP_STAMP}, 'is_digital', ${isDigital('shown')}, 'image', ${leadImageOf('shown.id')},
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

/** What was read of one product, with the stamps that it was read under, which may be newer than those of the line. */
type GoodsPart = {
  product_id: string
  /** Null when the product was deleted. */
  version: number | null
  stamp: number
  /** JSON: it is kept as it comes. */
  text: string
}

/** `options`, as JSON: which variant `text` is, or is not. Null: it is the product. */
export type ProductPart = GoodsPart & { options: string | null }

const find = lookup<ProductPart>(
  'lines.find_goods',
  `select part.product_id, part.options, part.version, ${SHOP_STAMP} as stamp, part.text
   from (${PRODUCTS} union all ${VARIANTS}) part`,
)

export type MissingGoods = { readonly productIds: readonly string[]; readonly variants: readonly VariantKey[] }

/** As to a secret key: a product that is no longer active still stands in its lines. All is of one moment. */
export const findGoods = (db: Db, { merchantId }: Shop, { productIds, variants }: MissingGoods) =>
  db.many(find, {
    ...readValues({ merchantId, isSandbox: false, isSecret: true }),
    product_ids: productIds,
    variants: JSON.stringify(variants.map(({ product_id, options }) => ({ product_id, options }))),
  })

/** A variant by what is chosen for it, valid or not. */
export type CombinationRow = { id: string; options: Combination }

const combinations = lookup<GoodsPart>(
  'lines.find_combinations',
  `select wanted.product_id, ${VERSION_OF_WANTED} as version, ${SHOP_STAMP} as stamp, coalesce((
       select json_agg(json_build_object('id', variant.id, 'options', variant.options))
       from variants variant
       where variant.merchant_id = :merchant_id and variant.product_id = wanted.product_id
     ), '[]')::text as text
   from unnest(:product_ids::text[]) as wanted (product_id)`,
)

/** Every variant of these products, as a list of CombinationRow each. */
export const findCombinations = (db: Db, { merchantId }: Shop, productIds: readonly string[]) =>
  db.many(combinations, { merchant_id: merchantId, product_ids: productIds })

const stock = lookup<{ item_id: string; available: number }>(
  'lines.find_stock',
  `select item.item_id, item.available
   from stock item
   where item.merchant_id = :merchant_id and item.product_id = any(:product_ids) and item.is_sandbox = :is_sandbox`,
)

/** Of the products and their variants, by item. */
export const findStock = async (db: Db, { merchantId, isSandbox }: Scope, productIds: readonly string[]) => {
  const rows = await db.many(stock, { merchant_id: merchantId, is_sandbox: isSandbox, product_ids: productIds })
  return new Map(rows.map(({ item_id, available }) => [item_id, available]))
}
