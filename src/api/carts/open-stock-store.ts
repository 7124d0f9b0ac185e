// The SQL of what a line may still become of which something is left to choose: how much of it there could be.

import { VARIANT_IS_VALID } from '../products/row-store.ts'

/**
 * SQL for the most that one variant has in stock of its own, of those that agree with what has been chosen so far; null where nothing
 * is left to choose, or none of them has any. Arguments are SQL; $1 is the merchant, $2 the mode. Without it a product whose stock lies
 * with its variants could not be put into a cart before everything is chosen.
 */
export const openStock = ({ productId, options }: { productId: string; options: string }) => `(
    select max(own.available)
    from variants variant
    join stock own on own.merchant_id = $1 and own.item_id = variant.id and own.is_sandbox = $2
    where variant.merchant_id = $1 and variant.product_id = ${productId} and variant.options @> ${options}
      and (select count(*) from jsonb_object_keys(${options})) < (
        select count(*) from variant_groups open_group
        where open_group.merchant_id = $1 and open_group.product_id = ${productId}
      )
      and ${VARIANT_IS_VALID}
  )`
