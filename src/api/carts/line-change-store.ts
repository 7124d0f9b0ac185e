// The SQL that changes what was chosen of a line's product, and makes one line of two that become equal.

import { statement, type Tx } from '../../db/db.ts'
import type { Combination } from '../products/variant-schema.ts'
import {
  type CartAt,
  CHECKED_CHOICE,
  CHECKS,
  type Choice,
  cartValues,
  jsonText,
  type Limits,
  LOCKED_CART,
  TOUCHED_CART,
} from './line-checks-store.ts'
import type { Written } from './line-store.ts'

export type Changed = Choice &
  Limits &
  Written & {
    /** Null when there is no such line. */
    is_for_sale: boolean | null
  }

// The line takes in the other one that it becomes equal to. That its new quantity reads what was deleted puts the deletion before
// the update: the other way round the two would collide.
const change = statement<Changed>(
  'carts.change_line',
  `with ${LOCKED_CART},
   choice as (
     select line.product_id, coalesce($6::integer, line.quantity) as quantity,
       product.id is not null as is_for_sale, product.price,
       coalesce(product.is_inventory_managed, false) as is_inventory_managed,
       coalesce(variant.options, kept.options || coalesce($7::jsonb, '{}')) as options,
       $8::text is null or variant.id is not null as is_variant_known,
       variant.id is null or $7::jsonb is null or variant.options @> $7::jsonb as do_options_agree
     from cart_lines line
     left join products product
       on product.merchant_id = $1 and product.id = line.product_id and product.is_active
     left join variants variant
       on variant.merchant_id = $1 and variant.product_id = line.product_id and variant.id = $8
     cross join lateral (
       select coalesce(jsonb_object_agg(chosen.group_id, chosen.option_id), '{}') as options
       from jsonb_each_text(line.options) chosen (group_id, option_id)
       join variant_options its_option
         on its_option.merchant_id = $1 and its_option.product_id = line.product_id
         and its_option.id = chosen.option_id and its_option.group_id = chosen.group_id
     ) kept
     where line.merchant_id = $1 and line.cart_id = $3 and line.id = $5
   ),
   checked as (
     select choice.product_id, choice.options, choice.quantity, choice.is_for_sale, choice.is_variant_known,
       choice.do_options_agree, $8::text is null or picked.known = picked.groups as is_complete, carried.by_twin,
       ${CHECKS}
     from ${CHECKED_CHOICE}
   ),
   wanted as (
     select checked.product_id, checked.options, checked.quantity, checked.is_for_sale, checked.is_variant_known,
       checked.do_options_agree, checked.are_options_known, checked.is_complete, checked.most_by_total,
       checked.most_by_stock, checked.available,
       checked.is_for_sale and checked.is_variant_known and checked.do_options_agree and checked.are_options_known
         and checked.is_complete and checked.quantity + checked.by_twin <= checked.most as is_accepted
     from checked
   ),
   twin as (
     delete from cart_lines
     using cart
     cross join wanted
     where cart_lines.merchant_id = $1 and cart_lines.cart_id = cart.id and cart_lines.product_id = wanted.product_id
       and md5(cart_lines.options::text) = md5(wanted.options::text) and cart_lines.id <> $5 and wanted.is_accepted
     returning cart_lines.quantity
   ),
   line as (
     update cart_lines
     set options = wanted.options,
       quantity = wanted.quantity + coalesce((select sum(twin.quantity) from twin), 0)
     from cart
     cross join wanted
     where cart_lines.merchant_id = $1 and cart_lines.cart_id = cart.id and cart_lines.id = $5 and wanted.is_accepted
     returning cart_lines.cart_id, cart_lines.id, cart_lines.product_id, cart_lines.name
   ),
   ${TOUCHED_CART}
   select line.id as line_id, line.product_id, line.name, wanted.is_for_sale, wanted.is_variant_known,
     wanted.do_options_agree, wanted.are_options_known, wanted.is_complete, wanted.most_by_total, wanted.most_by_stock,
     wanted.available
   from cart
   left join wanted on true
   left join line on true`,
)

export type LineChange = {
  readonly quantity: number | null
  readonly options: Combination | null
  readonly variantId: string | null
}

/**
 * Null when there is no such cart. Asks for a transaction that has locked the cart in a statement before: two lines are looked at
 * together, and a line that was made while this one waited would be missed, and collide.
 */
export const changeLineRow = (tx: Tx, cart: CartAt, lineId: string, { quantity, options, variantId }: LineChange) =>
  tx.maybe(change, [...cartValues(cart), lineId, quantity, jsonText(options), variantId])
