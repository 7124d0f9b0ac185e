// The SQL that adds a line to a cart, sets its quantity and removes it, each in one statement.

import { type Db, statement, type Tx } from '../../db/db.ts'
import {
  type CartAt,
  CHECKED_CHOICE,
  CHECKS,
  type Choice,
  cartValues,
  jsonText,
  type Limits,
  LOCKED_CART,
  SHOWN_BYTES,
  TOUCHED_CART,
} from '../lines/checks-store.ts'
import type { Combination } from '../products/variants/schema.ts'
import { LIMITS } from './schema.ts'

/** The line that was written. Nulls when it was refused, or was removed while this waited for the cart. */
export type Written =
  | { line_id: string; product_id: string; name: string }
  | { line_id: null; product_id: null; name: null }

export type Added = Choice &
  Limits &
  Written & {
    has_room: boolean
    /** Whether all lines together show no more than they may. The first line of a cart always is. */
    is_showable: boolean
  }

const add = statement<Added>(
  'carts.add_line',
  `with ${LOCKED_CART},
   choice as (
     select product.id as product_id, product.name, product.price, product.is_inventory_managed,
       coalesce(variant.options, $8::jsonb, '{}') as options,
       $9::text is null or variant.id is not null as is_variant_known,
       variant.id is null or $8::jsonb is null or variant.options @> $8::jsonb as do_options_agree
     from products product
     left join variants variant
       on variant.merchant_id = $1 and variant.product_id = product.id and variant.id = $9
     where product.merchant_id = $1 and product.id = $7 and product.is_active
   ),
   wanted as (
     select choice.product_id, choice.name, choice.options, choice.is_variant_known, choice.do_options_agree,
       $9::text is null or picked.known = picked.groups as is_complete,
       carried.by_twin > 0 or carried.lines < ${LIMITS.lines} as has_room,
       carried.by_twin > 0 or carried.lines = 0
         or carried.shown_bytes + shown.bytes <= ${LIMITS.shownBytes} as is_showable,
       shown.bytes as shown_bytes,
       ${CHECKS}
     from ${CHECKED_CHOICE}
     cross join lateral ${SHOWN_BYTES} shown
   ),
   line as (
     insert into cart_lines as line (merchant_id, cart_id, id, product_id, name, options, quantity, shown_bytes)
     select cart.merchant_id, cart.id, $5, wanted.product_id, wanted.name, wanted.options, $6::integer, wanted.shown_bytes
     from cart
     cross join wanted
     where wanted.is_variant_known and wanted.do_options_agree and wanted.are_options_known and wanted.is_complete
       and wanted.has_room and wanted.is_showable and $6::integer <= wanted.most
     on conflict (merchant_id, cart_id, product_id, md5(options::text)) do update
     set quantity = line.quantity + excluded.quantity, name = excluded.name
     where line.quantity + excluded.quantity <= (select wanted.most from wanted)
     returning line.cart_id, line.id, line.product_id, line.name
   ),
   ${TOUCHED_CART}
   select line.id as line_id, line.product_id, line.name, wanted.product_id is not null as is_for_sale,
     wanted.is_variant_known, wanted.do_options_agree, wanted.are_options_known, wanted.is_complete, wanted.has_room,
     wanted.is_showable, wanted.most_by_total, wanted.most_by_stock, wanted.available
   from cart
   left join wanted on true
   left join line on true`,
)

export type WantedLine = {
  readonly lineId: string
  readonly quantity: number
  readonly productId: string
  readonly options: Combination | null
  readonly variantId: string | null
}

/**
 * Makes the line, or makes the line of the same product and options grow. Null when there is no such cart.
 * What lines there are is as of the statement's start: adds of the same moment can pass MAX_LINES by as many as there are
 * connections, which leaves sums far within what can be shown.
 */
export const addLineRow = (db: Db, cart: CartAt, { lineId, quantity, productId, options, variantId }: WantedLine) =>
  db.maybe(add, [...cartValues(cart), lineId, quantity, productId, jsonText(options), variantId])

export type QuantitySet = Limits &
  Written & {
    /** Null when there is no such line. */
    is_for_sale: boolean | null
    /** Whether its quantity was. */
    is_accepted: boolean | null
  }

// The line's options and those it has now may differ, when they were changed while this waited: then only the advice of the
// limits is old. The quantity is set on the line as it is.
const setQuantity = statement<QuantitySet>(
  'carts.set_quantity',
  `with ${LOCKED_CART},
   choice as (
     select line.product_id, line.options, product.id is not null as is_for_sale, product.price,
       coalesce(product.is_inventory_managed, false) as is_inventory_managed
     from cart_lines line
     left join products product
       on product.merchant_id = $1 and product.id = line.product_id and product.is_active
     where line.merchant_id = $1 and line.cart_id = $3 and line.id = $5
   ),
   wanted as (
     select choice.is_for_sale, ${CHECKS}
     from ${CHECKED_CHOICE}
   ),
   line as (
     update cart_lines
     set quantity = coalesce($6::integer, cart_lines.quantity)
     from cart
     cross join wanted
     where cart_lines.merchant_id = $1 and cart_lines.cart_id = cart.id and cart_lines.id = $5
       and ($6::integer is null or wanted.is_for_sale and $6::integer <= wanted.most)
     returning cart_lines.cart_id, cart_lines.id, cart_lines.product_id, cart_lines.name
   ),
   ${TOUCHED_CART}
   select line.id as line_id, line.product_id, line.name, wanted.is_for_sale,
     $6::integer is null or $6::integer <= wanted.most as is_accepted, wanted.most_by_total, wanted.most_by_stock,
     wanted.available
   from cart
   left join wanted on true
   left join line on true`,
)

/** Null when there is no such cart. A quantity of null leaves the line as it is. */
export const setLineQuantity = (db: Db, cart: CartAt, lineId: string, quantity: number | null) =>
  db.maybe(setQuantity, [...cartValues(cart), lineId, quantity])

const remove = statement<{ line_id: string | null }>(
  'carts.remove_line',
  `with ${LOCKED_CART},
   line as (
     delete from cart_lines
     using cart
     where cart_lines.merchant_id = $1 and cart_lines.cart_id = cart.id and cart_lines.id = $5
     returning cart_lines.cart_id, cart_lines.id
   ),
   ${TOUCHED_CART}
   select line.id as line_id
   from cart
   left join line on true`,
)

/** Null when there is no such cart; its line's id is null when there is no such line. */
export const removeLineRow = (db: Db, cart: CartAt, lineId: string) => db.maybe(remove, [...cartValues(cart), lineId])

// The SQL that changes what was chosen of a line's product, and makes one line of two that become equal.

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
