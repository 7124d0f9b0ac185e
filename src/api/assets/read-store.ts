// SQL that finds where an asset is used: the shop, categories and products that show it, and the products that deliver it.
// Also counts the downloads that buyers have left.

import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'

/**
 * Limits of the error when a file in use is to be deleted: the products that it names, and the downloads that it counts. The
 * query reads one more of each, which shows that there are more.
 */
export const MAX_NAMED_PRODUCTS = 5
export const MAX_COUNTED_DOWNLOADS = 1_000

/** Ids of products that deliver the file, and the number of downloads that buyers have left in live orders. */
export type DownloadUse = { products: string[]; downloads: number }

// Counts open downloads of live orders, paid or not. Sandbox orders do not count, because they deliver placeholders.
// `offset 0` makes the planner go from the downloads to their orders. Otherwise it could scan all orders of the shop.
const selectDownloadUse = statement<DownloadUse>(
  'assets.find_goods_use',
  `select
     array(
       select package.product_id
       from product_packages package
       where package.merchant_id = :merchant_id and package.asset_id = :id
       order by package.product_id
       limit ${MAX_NAMED_PRODUCTS + 1}
     ) as products,
     (
       select count(*)
       from (
         select 1
         from (
           select order_id from downloads
           where merchant_id = :merchant_id and asset_id = :id and not is_revoked and (remaining is null or remaining > 0)
             and (expires_at is null or expires_at > :now)
           offset 0
         ) download
         cross join lateral (
           select 1 from orders
           where merchant_id = :merchant_id and id = download.order_id
             and not is_sandbox and cancelled_at is null and status_payment <> 'refunded'
           offset 0
         ) bought
         limit ${MAX_COUNTED_DOWNLOADS + 1}
       ) sold
     ) as downloads`,
)

/** Lock the asset in an earlier statement, so that no product can attach it meanwhile. */
export const findDownloadUse = (tx: Tx, { merchant_id }: Shop, id: string, now: Date) =>
  tx.one(selectDownloadUse, { merchant_id, id, now })

/** A link to an object that uses the asset. */
type NamedUse = { readonly id: string; readonly name: string }

/** Uses of an asset. `products` and `categories` are limited to the requested number; the counts include all. */
export type AssetUseRows = {
  readonly merchant: NamedUse | null
  readonly categories: readonly NamedUse[]
  readonly category_count: number
  readonly products: readonly NamedUse[]
  readonly product_count: number
}

// Lists the product for a picture of an option or a variant, and for a download, because they are edited there.
const findUses = statement<AssetUseRows>(
  'assets.find_uses',
  `with shown as materialized (
     select product_id from product_assets where merchant_id = :merchant_id and asset_id = :id
     union
     select product_id from option_assets where merchant_id = :merchant_id and asset_id = :id
     union
     select product_id from variant_assets where merchant_id = :merchant_id and asset_id = :id
     union
     select product_id from product_packages where merchant_id = :merchant_id and asset_id = :id
   ), grouped as materialized (
     select category_id from category_assets where merchant_id = :merchant_id and asset_id = :id
   )
   select
     (
       select json_build_object('id', shop.merchant_id::text, 'name', shop.name)
       from merchants shop
       where shop.merchant_id = :merchant_id and asset.id in (
         shop.logo, shop.cover, shop.sandbox_own ->> 'logo', shop.sandbox_own ->> 'cover'
       )
     ) as merchant,
     (select count(*)::integer from grouped) as category_count,
     coalesce((
       select json_agg(json_build_object('id', category.id, 'name', category.name) order by category.id)
       from (select category_id from grouped order by category_id limit :limit) used
       cross join lateral (
         select id, name from categories where merchant_id = :merchant_id and id = used.category_id offset 0
       ) category
     ), '[]') as categories,
     (select count(*)::integer from shown) as product_count,
     coalesce((
       select json_agg(json_build_object('id', product.id, 'name', product.name) order by product.id)
       from (select product_id from shown order by product_id limit :limit) used
       cross join lateral (
         select id, name from products where merchant_id = :merchant_id and id = used.product_id offset 0
       ) product
     ), '[]') as products
   from assets asset
   where asset.merchant_id = :merchant_id and asset.id = :id`,
)

/** Null if the asset does not exist. */
export const findAssetUses = (db: Db, { merchant_id }: Shop, id: string, limit: number) =>
  db.maybe(findUses, { merchant_id, id, limit })
