// The SQL that changes the lines of a cart: adds one, sets its quantity, changes what was chosen, removes it. Each is one statement that
// looks at stock and limits, writes only if all is well, and says what was wrong if not.

import { jsonText } from '../../db/columns.ts'
import { type Db, statement, type Tx } from '../../db/db.ts'
import { LIMITS } from '../lines/line.ts'
import {
  CHECKS,
  checkColumns,
  checkedChoice,
  isBuyable,
  KEPT_OPTIONS,
  LIMIT_CHECKS,
  type Limits,
  type LineCheck,
  limitColumns,
  NAMED_VARIANT,
  PRODUCT_FOR_SALE,
  SHOWN_BYTES,
  unitsFromSameStock,
} from '../lines/store.ts'
import type { Combination } from '../products/variants/schema.ts'
import { type CartAt, cartValues, LOCKED_CART } from './store.ts'

// Data-modifying parts always run. That this one joins the line is what leaves the cart of a refused request untouched.
const TOUCHED_CART = `touched as (
     update carts
     set updated_at = :now
     from line
     where carts.merchant_id = :merchant_id and carts.id = :cart_id
   )`

/**
 * What is in the cart besides the line :line_id, which is the one that is made or changed: how many lines in all, how much they show, how
 * many units are in the one that has all that is wanted, and how many the others take from the same stock. The line of the same options
 * is not among those: the two become one.
 */
const OTHERS = `(
       select count(*) as lines, coalesce(sum(present.shown_bytes), 0) as shown_bytes,
         coalesce(sum(present.quantity) filter (
           where present.product_id = choice.product_id and present.id <> :line_id and present.options = choice.options
         ), 0) as in_twin,
         ${unitsFromSameStock('present', 'present.id <> :line_id and present.options <> choice.options')} as units
       from cart_lines present
       where present.merchant_id = :merchant_id and present.cart_id = :cart_id
     )`

/** The line that was written. Nulls when it was refused, or was removed while this waited for the cart. */
export type LineWrite =
  | { line_id: string; product_id: string; name: string }
  | { line_id: null; product_id: null; name: null }

const add = statement<LineCheck & LineWrite>(
  'carts.add_line',
  `with ${LOCKED_CART},
   choice as (
     select product.id as product_id, product.name, product.price, product.is_inventory_managed, true as is_for_sale,
       coalesce(variant.options, :options::jsonb, '{}') as options,
       :variant_id::text is null or variant.id is not null as is_variant_known,
       variant.id is null or :options::jsonb is null or variant.options @> :options::jsonb as do_options_agree
     from products product
     left join variants variant
       on variant.merchant_id = :merchant_id and variant.product_id = product.id and variant.id = :variant_id
     where product.merchant_id = :merchant_id and product.id = :product_id and product.is_active
   ),
   wanted as (
     select choice.product_id, choice.name, choice.options,
       others.in_twin > 0 or others.lines < ${LIMITS.lines} as has_room,
       others.in_twin > 0 or others.lines = 0
         or others.shown_bytes + shown.bytes <= ${LIMITS.shownBytes} as is_showable,
       shown.bytes as shown_bytes,
       ${CHECKS}
     from ${checkedChoice(OTHERS)}
     cross join lateral ${SHOWN_BYTES} shown
   ),
   line as (
     insert into cart_lines as line (merchant_id, cart_id, id, product_id, name, options, quantity, shown_bytes)
     select cart.merchant_id, cart.id, :line_id, wanted.product_id, wanted.name, wanted.options, :quantity::integer, wanted.shown_bytes
     from cart
     cross join wanted
     where ${isBuyable('wanted')} and wanted.has_room and wanted.is_showable and :quantity::integer <= wanted.most
     on conflict (merchant_id, cart_id, product_id, md5(options::text)) do update
     set quantity = line.quantity + excluded.quantity, name = excluded.name
     where line.quantity + excluded.quantity <= (select wanted.most from wanted)
     returning line.id, line.product_id, line.name
   ),
   ${TOUCHED_CART}
   select line.id as line_id, line.product_id, line.name, ${checkColumns('wanted')}, wanted.has_room, wanted.is_showable
   from cart
   left join wanted on true
   left join line on true`,
)

type NewLineRow = {
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
export const addLineRow = (db: Db, cart: CartAt, { lineId, quantity, productId, options, variantId }: NewLineRow) =>
  db.maybe(add, {
    ...cartValues(cart),
    line_id: lineId,
    quantity,
    product_id: productId,
    options: jsonText(options),
    variant_id: variantId,
  })

type QuantityResult = Limits &
  LineWrite & {
    /** Null when there is no such line. */
    is_for_sale: boolean | null
    /** Whether there is nothing wrong with the quantity. */
    is_accepted: boolean | null
  }

// The line's options and those it has now may differ, when they were changed while this waited: then only the advice of the
// limits is old. The quantity is set on the line as it is.
const setQuantity = statement<QuantityResult>(
  'carts.set_quantity',
  `with ${LOCKED_CART},
   choice as (
     select line.product_id, line.options, product.id is not null as is_for_sale, product.price,
       coalesce(product.is_inventory_managed, false) as is_inventory_managed
     from cart_lines line
     ${PRODUCT_FOR_SALE}
     where line.merchant_id = :merchant_id and line.cart_id = :cart_id and line.id = :line_id
   ),
   wanted as (
     select choice.is_for_sale, ${LIMIT_CHECKS}
     from ${checkedChoice(OTHERS)}
   ),
   line as (
     update cart_lines
     set quantity = coalesce(:quantity::integer, cart_lines.quantity)
     from cart
     cross join wanted
     where cart_lines.merchant_id = :merchant_id and cart_lines.cart_id = :cart_id and cart_lines.id = :line_id
       and (:quantity::integer is null or wanted.is_for_sale and :quantity::integer <= wanted.most)
     returning cart_lines.id, cart_lines.product_id, cart_lines.name
   ),
   ${TOUCHED_CART}
   select line.id as line_id, line.product_id, line.name, wanted.is_for_sale,
     :quantity::integer is null or wanted.is_for_sale and :quantity::integer <= wanted.most as is_accepted,
     ${limitColumns('wanted')}
   from cart
   left join wanted on true
   left join line on true`,
)

/** Null when there is no such cart. A quantity of null leaves the line as it is. */
export const setLineQuantity = (db: Db, cart: CartAt, lineId: string, quantity: number | null) =>
  db.maybe(setQuantity, { ...cartValues(cart), line_id: lineId, quantity })

const remove = statement<{ line_id: string | null }>(
  'carts.remove_line',
  `with ${LOCKED_CART},
   line as (
     delete from cart_lines
     using cart
     where cart_lines.merchant_id = :merchant_id and cart_lines.cart_id = :cart_id and cart_lines.id = :line_id
     returning cart_lines.id
   ),
   ${TOUCHED_CART}
   select line.id as line_id
   from cart
   left join line on true`,
)

/** Null when there is no such cart; its line's id is null when there is no such line. */
export const removeLineRow = (db: Db, cart: CartAt, lineId: string) =>
  db.maybe(remove, { ...cartValues(cart), line_id: lineId })

// The line takes in the other one that it becomes equal to. That its new quantity reads what was deleted puts the deletion before
// the update: the other way round the two would collide.
const change = statement<LineCheck & LineWrite>(
  'carts.change_line',
  `with ${LOCKED_CART},
   choice as (
     select line.product_id, coalesce(:quantity::integer, line.quantity) as quantity,
       product.id is not null as is_for_sale, product.price,
       coalesce(product.is_inventory_managed, false) as is_inventory_managed,
       coalesce(variant.options, kept.options || coalesce(:options::jsonb, '{}')) as options,
       :variant_id::text is null or variant.id is not null as is_variant_known,
       variant.id is null or :options::jsonb is null or variant.options @> :options::jsonb as do_options_agree
     from cart_lines line
     ${PRODUCT_FOR_SALE}
     ${NAMED_VARIANT}
     cross join lateral ${KEPT_OPTIONS} kept
     where line.merchant_id = :merchant_id and line.cart_id = :cart_id and line.id = :line_id
   ),
   checked as (
     select choice.product_id, choice.options, choice.quantity, others.in_twin, ${CHECKS}
     from ${checkedChoice(OTHERS)}
   ),
   wanted as (
     select checked.product_id, checked.options, checked.quantity, ${checkColumns('checked')},
       ${isBuyable('checked')} and checked.quantity + checked.in_twin <= checked.most as is_accepted
     from checked
   ),
   twin as (
     delete from cart_lines
     using cart
     cross join wanted
     where cart_lines.merchant_id = :merchant_id and cart_lines.cart_id = :cart_id and cart_lines.product_id = wanted.product_id
       and md5(cart_lines.options::text) = md5(wanted.options::text) and cart_lines.id <> :line_id and wanted.is_accepted
     returning cart_lines.quantity
   ),
   line as (
     update cart_lines
     set options = wanted.options,
       quantity = wanted.quantity + coalesce((select sum(twin.quantity) from twin), 0)
     from cart
     cross join wanted
     where cart_lines.merchant_id = :merchant_id and cart_lines.cart_id = :cart_id and cart_lines.id = :line_id and wanted.is_accepted
     returning cart_lines.id, cart_lines.product_id, cart_lines.name
   ),
   ${TOUCHED_CART}
   select line.id as line_id, line.product_id, line.name, ${checkColumns('wanted')}
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
  tx.maybe(change, {
    ...cartValues(cart),
    line_id: lineId,
    quantity,
    options: jsonText(options),
    variant_id: variantId,
  })
