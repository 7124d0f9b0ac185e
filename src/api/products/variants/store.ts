// The SQL of variants: find, list, insert, update, delete, their assets and the stock of new ones.
// Whoever writes has locked the product, so that changes of its variants and of its groups come after one another.

import { type Db, statement, type Tx, violates } from '../../../db/db.ts'
import type { Page } from '../../../lib/page.ts'
import { ASSET_JSON, type AssetRow, visibleAsset } from '../../assets/store.ts'
import { type Sight, sightValues, TIMES, VARIANT_IS_VALID } from '../read-store.ts'
import { heldOf } from '../stock-store.ts'
import type { Combination, Variant } from './schema.ts'

export type VariantColumns = {
  sku: string | null
  description: string | null
  price: number | null
  options: Combination
  meta: Record<string, unknown> | null
}

export type VariantRow = VariantColumns & {
  id: string
  created: number
  updated: number
  /** Of the mode that was asked for; null for a variant without stock of its own in it. */
  inventory: number | null
  invalid_reason_code: Variant['invalid_reason_code']
  assets: AssetRow[]
}

/** As its own routes show it. */
export type StockedVariantRow = VariantRow & {
  /** By captures under way. Null to a public key, and for a variant without stock of its own. */
  held: number | null
}

/** Of a variant that both lacks an option and names one that is gone, the latter is told: it cannot become valid by itself. */
const INVALID_REASON = `case
    when ${VARIANT_IS_VALID} then null
    when exists (
      select from jsonb_each_text(variant.options) named (group_id, option_id)
      where not exists (
        select from variant_options its_option
        where its_option.merchant_id = $1 and its_option.product_id = variant.product_id
          and its_option.group_id = named.group_id and its_option.id = named.option_id
      )
    ) then 'option_deleted'
    else 'missing_options'
  end`

/**
 * The columns of a VariantRow but for invalid_reason_code, of the variants row called `variant` with its own stock called `own`.
 * $1 merchant, $3 secret key. Carts show variants by it too.
 */
export const VARIANT_COLUMNS = `
    variant.id, variant.sku, variant.description, variant.price, variant.options, variant.meta, ${TIMES('variant')},
    own.available as inventory,
    coalesce((
      select json_agg(${ASSET_JSON} order by link.position)
      from variant_assets link
      join assets a on a.merchant_id = $1 and a.id = link.asset_id
      where link.merchant_id = $1 and link.product_id = variant.product_id and link.variant_id = variant.id
        and ${visibleAsset('$3')}
    ), '[]') as assets`

/**
 * The rows that `picked` picks of the table, as StockedVariantRow. $1 merchant, $2 sandbox, $3 secret key, $4 product; its own begin at $5.
 * A page is picked first: the columns would otherwise be worked out for the pages before it, too.
 */
const variantRows = (picked: string) => `select ${VARIANT_COLUMNS},
    ${INVALID_REASON} as invalid_reason_code,
    case when $3 and own.available is not null then ${heldOf('variant.id', '$2')} end as held
  from products product
  join (
    select product_id, id, sku, description, price, options, meta, created_at, updated_at
    from variants
    where merchant_id = $1 and product_id = $4 ${picked}
  ) variant on true
  left join stock own on own.merchant_id = $1 and own.item_id = variant.id and own.is_sandbox = $2
  where product.merchant_id = $1 and product.id = $4 and (product.is_active or $3)`

const findAll = statement<StockedVariantRow>(
  'products.find_variants',
  `${variantRows('and id = any($5)')} order by variant.id`,
)

/** In the order of their ids, which is that of the list. */
export const findVariants = (db: Db, sight: Sight, productId: string, ids: readonly string[]) =>
  db.many(findAll, [...sightValues(sight), productId, ids])

const find = statement<StockedVariantRow>('products.find_variant', variantRows('and id = $5'))

export const findVariant = (db: Db, sight: Sight, productId: string, id: string) =>
  db.maybe(find, [...sightValues(sight), productId, id])

const list = statement<{ total: number; rows: StockedVariantRow[] }>(
  'products.list_variants',
  `select
     (
       select count(*) from variants variant where variant.merchant_id = $1 and variant.product_id = $4
     ) as total,
     coalesce((
       select json_agg(page order by page.id)
       from (${variantRows('order by id limit $5 offset $6')}) page
     ), '[]') as rows
   from products shown
   where shown.merchant_id = $1 and shown.id = $4 and (shown.is_active or $3)`,
)

/** One page, oldest first, and the count of all. Null when there is no such product. */
export const listVariants = (db: Db, sight: Sight, productId: string, { limit, offset }: Page) =>
  db.maybe(list, [...sightValues(sight), productId, limit, offset])

const count = statement<{ variants: number }>(
  'products.count_variants',
  'select count(*) as variants from variants where merchant_id = $1 and product_id = $2',
)

export const countVariants = async (tx: Tx, merchantId: number, productId: string) =>
  (await tx.one(count, [merchantId, productId])).variants

const insert = statement<{ id: string }>(
  'products.insert_variants',
  `insert into variants (
     merchant_id, product_id, id, sku, description, price, options, meta, created_at, updated_at
   )
   select $1, $2, entry.id, entry.sku, entry.description, entry.price, entry.options, entry.meta, $4, $4
   from json_to_recordset($3) as entry (
     id text, sku text, description text, price bigint, options jsonb, meta json
   )
   on conflict (merchant_id, product_id, md5(options::text)) do nothing
   returning id`,
)

/** Gives the ids of those that were inserted; the others' combinations exist already. */
export const insertVariants = async (
  tx: Tx,
  merchantId: number,
  productId: string,
  variants: readonly (VariantColumns & { id: string })[],
  now: Date,
): Promise<string[]> =>
  (await tx.many(insert, [merchantId, productId, JSON.stringify(variants), now])).map(({ id }) => id)

const update = statement(
  'products.update_variant',
  `update variants
   set sku = $4, description = $5, price = $6, options = $7, meta = $8, updated_at = $9
   where merchant_id = $1 and product_id = $2 and id = $3`,
)

/** False when another variant has these options; the transaction is then past saving. */
export async function updateVariantRow(
  tx: Tx,
  merchantId: number,
  productId: string,
  id: string,
  { sku, description, price, options, meta }: VariantColumns,
  now: Date,
) {
  const columns = [sku, description, price, JSON.stringify(options), meta === null ? null : JSON.stringify(meta)]
  try {
    await tx.run(update, [merchantId, productId, id, ...columns, now])
    return true
  } catch (error) {
    if (violates(error, 'variants_combination_unique')) return false
    throw error
  }
}

const remove = statement(
  'products.delete_variant',
  'delete from variants where merchant_id = $1 and product_id = $2 and id = $3',
)

const removeStock = statement(
  'products.delete_variant_stock',
  'delete from stock where merchant_id = $1 and item_id = $2',
)

/** False when there is none. */
export async function deleteVariantRow(tx: Tx, merchantId: number, productId: string, id: string) {
  if ((await tx.run(remove, [merchantId, productId, id])) === 0) return false
  // Stock refers to the product alone, so that nothing takes it away with the variant.
  await tx.run(removeStock, [merchantId, id])
  return true
}

const clearAssets = statement(
  'products.clear_variant_assets',
  'delete from variant_assets where merchant_id = $1 and product_id = $2 and variant_id = $3 and asset_id <> all($4)',
)

const setAssets = statement(
  'products.set_variant_assets',
  `insert into variant_assets (merchant_id, product_id, variant_id, asset_id, position)
   select $1, $2, $3, entry.id, entry.position
   from unnest($4::text[]) with ordinality as entry (id, position)
   on conflict (merchant_id, product_id, variant_id, asset_id) do update set position = excluded.position`,
)

export async function replaceVariantAssets(
  tx: Tx,
  merchantId: number,
  productId: string,
  id: string,
  assets: readonly string[],
) {
  await tx.run(clearAssets, [merchantId, productId, id, assets])
  if (assets.length > 0) await tx.run(setAssets, [merchantId, productId, id, assets])
}

export type VariantStock = { id: string; available: number }

const openStock = statement(
  'products.open_variant_stock',
  `insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
   select $1, $2, entry.id, mode.is_sandbox, entry.available
   from json_to_recordset($3) as entry (id text, available bigint)
   cross join (values (true), (false)) as mode (is_sandbox)`,
)

/** New variants have the same stock in both modes. */
export const openVariantStock = async (
  tx: Tx,
  merchantId: number,
  productId: string,
  counts: readonly VariantStock[],
) => {
  if (counts.length > 0) await tx.run(openStock, [merchantId, productId, JSON.stringify(counts)])
}
