// SQL for the uses of a file: where it is shown, which products deliver it, and which buyers may still download it.

import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'

/** Limits of a refusal: the products that it names, and the downloads that it counts. */
export const MAX_NAMED_PRODUCTS = 5
export const MAX_COUNTED_DOWNLOADS = 1_000

/** One more product than is named, and one more download than is counted, show that there are more. */
export type GoodsUse = { products: string[]; downloads: number }

// Goes from the downloads to their orders (`offset 0`). The other way round would scan all orders of the shop. Counts live orders only,
// because sandbox orders deliver placeholders. Counts unpaid orders, too.
const findGoods = statement<GoodsUse>(
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

/** The caller has locked the asset in an earlier statement, so that no product can attach it meanwhile. */
export const findGoodsUse = (tx: Tx, { merchant_id }: Shop, id: string, now: Date) =>
  tx.one(findGoods, { merchant_id, id, now })

type Named = { readonly id: string; readonly name: string }

/** `products` and `categories` are limited to the requested number; the counts include all. Null if the asset does not exist. */
export type AssetUseRows = {
  readonly merchant: Named | null
  readonly categories: readonly Named[]
  readonly category_count: number
  readonly products: readonly Named[]
  readonly product_count: number
}

// A picture of an option or a variant, and a download, is reported as its product, because it is edited there.
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

export const findAssetUses = (db: Db, { merchant_id }: Shop, id: string, limit: number) =>
  db.maybe(findUses, { merchant_id, id, limit })
