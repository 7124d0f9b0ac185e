// The SQL that counts how often a discount is used. A use is counted here and nowhere else, by the capture that holds it.

import { statement, type Tx } from '../../db/db.ts'

type Use = { readonly merchantId: number; readonly isSandbox: boolean; readonly discountId: string }

// The condition stands in the upsert itself: of a hundred captures at once, each sees the uses that the one before has counted.
const count = statement(
  'discounts.count_use',
  `insert into discount_uses as uses (merchant_id, discount_id, is_sandbox, used)
   select discount.merchant_id, discount.id, $3, 1
   from discounts discount
   where discount.merchant_id = $1 and discount.id = $2 and (discount.expires_at is null or discount.expires_at > $4)
   on conflict (merchant_id, discount_id, is_sandbox) do update
   set used = uses.used + 1
   where uses.used < (
     select coalesce(discount.usage_limit, uses.used + 1)
     from discounts discount
     where discount.merchant_id = $1 and discount.id = $2
   )`,
)

/** False, and nothing is counted, when the discount is used up, has expired or is gone. */
export const countDiscountUse = async (tx: Tx, { merchantId, isSandbox, discountId }: Use, now: Date) =>
  (await tx.run(count, [merchantId, discountId, isSandbox, now])) === 1

const uncount = statement(
  'discounts.uncount_use',
  `update discount_uses
   set used = used - 1
   where merchant_id = $1 and discount_id = $2 and is_sandbox = $3 and used > 0`,
)

/** Gives a use back. Nothing happens when the discount has been deleted meanwhile. */
export const uncountDiscountUse = (tx: Tx, { merchantId, isSandbox, discountId }: Use) =>
  tx.run(uncount, [merchantId, discountId, isSandbox])
