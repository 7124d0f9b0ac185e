// The SQL of what a file is needed for as goods: products that deliver it, and buyers who may still fetch it.

import { statement, type Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'

/** A refusal names, or counts, no more than these. */
export const MOST_NAMED = 5
export const MOST_COUNTED = 1_000

/** `products`: one more than are named, where there are more. `downloads`: one more than are counted, likewise. */
export type GoodsUse = { products: string[]; downloads: number }

// From the downloads to their orders (`offset 0`), never the other way round, which would go through all orders of the shop. Live orders
// alone: the sandbox delivers placeholders. An order that is not paid yet has bought it all the same.
const findGoods = statement<GoodsUse>(
  'assets.find_goods_use',
  `select
     array(
       select package.product_id
       from product_packages package
       where package.merchant_id = :merchant_id and package.asset_id = :id
       order by package.product_id
       limit ${MOST_NAMED + 1}
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
         limit ${MOST_COUNTED + 1}
       ) sold
     ) as downloads`,
)

/** Whoever calls has locked the asset by an earlier statement, so that no product takes it up meanwhile. */
export const findGoodsUse = (tx: Tx, { merchantId }: Shop, id: string, now: Date) =>
  tx.one(findGoods, { merchant_id: merchantId, id, now })
