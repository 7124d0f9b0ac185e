// The SQL that says for what a file is needed as goods: products that deliver it, and buyers who may still fetch it.

import { statement, type Tx } from '../../db/db.ts'

/** So many are named, or counted, at most. */
export const MOST_NAMED = 5
export const MOST_COUNTED = 1_000

/** `products`: one more than are named, where there are more. `downloads`: one more than are counted, likewise. */
export type GoodsUse = { products: string[]; downloads: number }

// Live orders alone: the sandbox delivers placeholders. An order that is not paid yet has bought it all the same.
const find = statement<GoodsUse>(
  'assets.find_goods_use',
  `select
     array(
       select package.product_id
       from product_packages package
       where package.merchant_id = $1 and package.asset_id = $2
       order by package.product_id
       limit ${MOST_NAMED + 1}
     ) as products,
     (
       select count(*)
       from (
         select
         from downloads d
         join orders o on o.merchant_id = d.merchant_id and o.id = d.order_id
         where d.merchant_id = $1 and d.asset_id = $2 and not d.is_revoked and (d.remaining is null or d.remaining > 0)
           and (d.expires_at is null or d.expires_at > $3)
           and not o.is_sandbox and o.cancelled_at is null and o.status_payment <> 'refunded'
         limit ${MOST_COUNTED + 1}
       ) sold
     ) as downloads`,
)

/** Whoever calls has locked the asset by an earlier statement, so that no product takes it up meanwhile. */
export const findGoodsUse = (tx: Tx, merchantId: number, id: string, now: Date) => tx.one(find, [merchantId, id, now])
