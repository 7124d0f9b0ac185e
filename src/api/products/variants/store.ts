// SQL of variants: find, list, count, insert, update, delete. Stock is in ../stock-store.ts, assets are in ../children-store.ts. Writers
// have locked the product, so that changes of its variants and groups run in sequence.

import { columns, jsonSizeSql, limitJsonSizeSql } from '../../../db/columns.ts'
import { type Db, type Shop, statement, type Tx, violatesConstraint } from '../../../db/db.ts'
import { type PageQuery, UNLIMITED_BYTES } from '../../../lib/page.ts'
import { ASSET_JSON, type AssetRow, VISIBLE_ASSET } from '../../assets/store.ts'
import { deleteOne } from '../children-store.ts'
import { type ReadScope, readValues, timeColumns } from '../read-store.ts'
import { deleteStock, heldStockSql } from '../stock-store.ts'
import type { ProductTx } from '../store.ts'
import { VARIANT_IS_VALID } from './read-store.ts'
import type { Combination, Variant } from './schema.ts'

/** The columns of the table `variants` that a merchant sets. */
export type VariantColumns = {
  sku: string | null
  description: string | null
  price: number | null
  options: Combination
  meta: Record<string, unknown> | null
}

/** Defaults of a new variant. Its keys are the list of columns. */
export const BLANK_VARIANT: VariantColumns = { sku: null, description: null, price: null, options: {}, meta: null }

const VARIANT = columns(Object.keys(BLANK_VARIANT) as (keyof VariantColumns)[], ['options', 'meta'])

export type VariantRow = VariantColumns & {
  id: string
  created: number
  updated: number
  /** Own stock in the requested mode. Null if the variant has none in it. */
  inventory: number | null
  invalid_reason_code: Variant['invalid_reason_code']
  assets: AssetRow[]
}

/** A variant as shown by its own endpoints. */
export type StockedVariantRow = VariantRow & {
  /** Stock held by pending captures. Null for a public key, and for a variant without own stock. */
  held: number | null
}

/** A variant may lack an option and also have a deleted one. The deleted one is reported, because it cannot become valid again. */
const INVALID_REASON = `case
    when ${VARIANT_IS_VALID} then null
    when exists (
      select 1 from jsonb_each_text(variant.options) named (group_id, option_id)
      where not exists (
        select 1 from variant_options its_option
        where its_option.merchant_id = :merchant_id and its_option.product_id = variant.product_id
          and its_option.group_id = named.group_id and its_option.id = named.option_id
      )
    ) then 'option_deleted'
    else 'missing_options'
  end`

/**
 * The columns of a VariantRow except invalid_reason_code, from the row `variant` with its own stock `own`. Needs `:merchant_id` and
 * `:is_secret`. Carts use them, too.
 */
export const VARIANT_COLUMNS = `
    variant.id, variant.sku, variant.description, variant.price, variant.options, variant.meta, ${timeColumns('variant')},
    own.available as inventory,
    coalesce((
      select json_agg(${ASSET_JSON} order by link.position)
      from variant_assets link
      join assets a on a.merchant_id = :merchant_id and a.id = link.asset_id
      where link.merchant_id = :merchant_id and link.product_id = variant.product_id and link.variant_id = variant.id
        and ${VISIBLE_ASSET}
    ), '[]') as assets`

/**
 * The variants that match `picked`, as StockedVariantRow. Needs `readValues`, `:product_id` and the parameters of `picked`. Selects the
 * page first; otherwise the columns would be computed for earlier pages, too.
 */
const variantRows = (picked: string) => `select ${VARIANT_COLUMNS},
    ${INVALID_REASON} as invalid_reason_code,
    case when :is_secret and own.available is not null then ${heldStockSql('variant.id', ':is_sandbox')} end as held
  from products product
  join (
    select product_id, id, created_at, updated_at, ${VARIANT.names}
    from variants
    where merchant_id = :merchant_id and product_id = :product_id ${picked}
  ) variant on true
  left join stock own on own.merchant_id = :merchant_id and own.item_id = variant.id and own.is_sandbox = :is_sandbox
  where product.merchant_id = :merchant_id and product.id = :product_id and (product.is_active or :is_secret)`

const selectByIds = statement<StockedVariantRow>(
  'products.find_variants',
  `${variantRows('and id = any(:ids)')} order by variant.id`,
)

/** In the order of ids, as in the list. */
export const findVariants = (db: Db, scope: ReadScope, productId: string, ids: readonly string[]) =>
  db.many(selectByIds, { ...readValues(scope), product_id: productId, ids })

const find = statement<StockedVariantRow>('products.find_variant', variantRows('and id = :id'))

export const findVariant = (db: Db, scope: ReadScope, productId: string, id: string) =>
  db.maybe(find, { ...readValues(scope), product_id: productId, id })

const list = statement<{ total: number; bytes: number; rows: StockedVariantRow[] }>(
  'products.list_variants',
  `select
     (
       select count(*) from variants variant where variant.merchant_id = :merchant_id and variant.product_id = :product_id
     ) as total,
     ${jsonSizeSql('built.rows')} as bytes,
     ${limitJsonSizeSql('built.rows')} as rows
   from products shown
   cross join lateral (
     select coalesce((
       select json_agg(page order by page.id)
       from (${variantRows('order by id limit :limit offset :offset')}) page
     ), '[]') as rows
     offset 0
   ) built
   where shown.merchant_id = :merchant_id and shown.id = :product_id and (shown.is_active or :is_secret)`,
)

/** One page, oldest first, and the total count. `rows` is left out if it exceeds `most` bytes. Null if the product does not exist. */
export const listVariants = (
  db: Db,
  scope: ReadScope,
  productId: string,
  { limit, offset }: Pick<PageQuery, 'limit' | 'offset'>,
  most = UNLIMITED_BYTES,
) => db.maybe(list, { ...readValues(scope), product_id: productId, limit, offset, most_bytes: most })

/** Validity of a variant, with the reason if it is invalid. */
export type Validity = Pick<VariantRow, 'id' | 'invalid_reason_code'>

const selectValidity = statement<Validity>(
  'products.find_variant_validity',
  `select variant.id, ${INVALID_REASON} as invalid_reason_code
   from variants variant
   where variant.merchant_id = :merchant_id and variant.product_id = :product_id`,
)

/** The validity of all variants of the product. */
export const findValidity = (tx: Tx, { merchant_id }: Shop, productId: string) =>
  tx.many(selectValidity, { merchant_id, product_id: productId })

const touch = statement(
  'products.touch_variants',
  'update variants set updated_at = :now where merchant_id = :merchant_id and product_id = :product_id and id = any(:ids)',
)

export const touchVariants = (
  tx: ProductTx,
  { merchant_id }: Shop,
  productId: string,
  ids: readonly string[],
  now: Date,
) => tx.run(touch, { merchant_id, product_id: productId, ids, now })

const count = statement<{ variants: number }>(
  'products.count_variants',
  'select count(*) as variants from variants where merchant_id = :merchant_id and product_id = :product_id',
)

export const countVariants = async (tx: Tx, { merchant_id }: Shop, productId: string) =>
  (await tx.one(count, { merchant_id, product_id: productId })).variants

const insert = statement<{ id: string }>(
  'products.insert_variants',
  `insert into variants (merchant_id, product_id, id, created_at, updated_at, ${VARIANT.names})
   select :merchant_id, :product_id, entry.id, :now, :now, ${VARIANT.names}
   from json_to_recordset(:entries) as entry (
     id text, sku text, description text, price bigint, options jsonb, meta json
   )
   on conflict (merchant_id, product_id, md5(options::text)) do nothing
   returning id`,
)

/** Returns the ids of the inserted variants. Combinations that exist already are skipped. */
export const insertVariants = async (
  tx: ProductTx,
  { merchant_id }: Shop,
  productId: string,
  variants: readonly (VariantColumns & { id: string })[],
  now: Date,
): Promise<string[]> => {
  const values = { merchant_id, product_id: productId, entries: JSON.stringify(variants), now }
  return (await tx.many(insert, values)).map(({ id }) => id)
}

const update = statement(
  'products.update_variant',
  `update variants
   set ${VARIANT.assignments}, updated_at = :now
   where merchant_id = :merchant_id and product_id = :product_id and id = :id`,
)

/** False if another variant has these options; the transaction is then aborted. */
export async function updateVariantRow(
  tx: ProductTx,
  { merchant_id }: Shop,
  productId: string,
  id: string,
  variant: VariantColumns,
  now: Date,
) {
  try {
    await tx.run(update, { ...VARIANT.values(variant), merchant_id, product_id: productId, id, now })
    return true
  } catch (error) {
    if (violatesConstraint(error, 'variants_combination_unique')) return false
    throw error
  }
}

const remove = deleteOne('variants', 'variant')

/** Deletes a variant with its stock. */
export async function deleteVariantRow(tx: ProductTx, shop: Shop, productId: string, id: string) {
  await tx.run(remove, { merchant_id: shop.merchant_id, product_id: productId, id })
  await deleteStock(tx, shop, id)
}
