// The parts that the statements which change lines are made of: the lock of the cart, how much of a product a line may hold,
// and the note that the cart has changed. A statement of them writes only if all is well, and says what was wrong if not.

import { LIMITS, OPTION_BYTES } from '../carts/schema.ts'
import { VARIANT_IS_VALID } from '../products/read-store.ts'

// The SQL of what a line may still become of which something is left to choose: how much of it there could be.

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

/** Which cart, and the moment by which it must not have expired. */
export type CartAt = {
  readonly merchantId: number
  readonly isSandbox: boolean
  readonly cartId: string
  readonly now: Date
}

/** $1 to $4 of every statement here. */
export const cartValues = ({ merchantId, isSandbox, cartId, now }: CartAt) => [merchantId, isSandbox, cartId, now]

/** How many a line could hold, and which of the limits it is. */
export type Limits = {
  /** Null when anything goes, as when the product costs nothing or its stock is not counted. */
  most_by_total: number | null
  most_by_stock: number | null
  /** What the stock item has in all; null when its stock is not counted. */
  available: number | null
}

/** What the catalogue says of the product, variant and options that were asked for. */
export type Choice = {
  is_for_sale: boolean
  is_variant_known: boolean
  do_options_agree: boolean
  are_options_known: boolean
  /** Whether the variant that was named has an option of every group. */
  is_complete: boolean
}

// Every change of a cart's lines locks the cart first, and only then the lines: one order, so that nothing deadlocks. What this
// statement reads beside it is as old as its start, also when it waited for the lock. Only what a statement writes, and the rows
// that it writes to, are sure to be of the present.
export const LOCKED_CART = `cart as (
     select merchant_id, id
     from carts
     where merchant_id = $1 and id = $3 and is_sandbox = $2 and expires_at > $4
     for no key update
   )`

// Data-modifying parts always run. That this one joins the line is what leaves the cart of a refused request untouched.
export const TOUCHED_CART = `touched as (
     update carts
     set updated_at = $4
     from line
     where carts.merchant_id = $1 and carts.id = line.cart_id
   )`

/** How many groups the product has, how many `choice` names an option of, of how many one that exists, and what those add. $1 is the merchant. */
export const PICKED = `(
       select count(*) as groups, (select count(*) from jsonb_object_keys(choice.options)) as named,
         count(its_option.id) as known, coalesce(sum(its_option.price_delta), 0)::bigint as deltas
       from variant_groups its_group
       left join variant_options its_option
         on its_option.merchant_id = $1 and its_option.product_id = choice.product_id
         and its_option.group_id = its_group.id and its_option.id = choice.options ->> its_group.id
       where its_group.merchant_id = $1 and its_group.product_id = choice.product_id
     )`

/**
 * What is in the cart besides the line $5, which is the one that is made or changed: how many lines in all, how much they show, how
 * many units are in the one that has all that is wanted, and how many the others take from the product's own stock. A variant with stock of its own
 * takes nothing from that, and nobody shares with such a variant: lines of the same options are one line. Nor does a line that may
 * still become a variant with enough of its own. validity.ts says the same of lines that are read.
 */
const CARRIED = `(
       select count(*) as lines, coalesce(sum(present.shown_bytes), 0) as shown_bytes,
         coalesce(sum(present.quantity) filter (
           where present.product_id = choice.product_id and present.id <> $5 and present.options = choice.options
         ), 0) as by_twin,
         coalesce(sum(present.quantity) filter (
           where choice.is_inventory_managed and present.product_id = choice.product_id and present.id <> $5
             and present.options <> choice.options
             and not exists (
               select from variants its_variant
               join stock its_stock
                 on its_stock.merchant_id = $1 and its_stock.item_id = its_variant.id and its_stock.is_sandbox = $2
               where its_variant.merchant_id = $1 and its_variant.product_id = present.product_id
                 and md5(its_variant.options::text) = md5(present.options::text)
                 and (select count(*) from jsonb_object_keys(present.options)) >= picked.groups
             )
             and coalesce(${openStock({ productId: 'present.product_id', options: 'present.options' })}, 0) < present.quantity
         ), 0) as by_others
       from cart_lines present
       where present.merchant_id = $1 and present.cart_id = $3
     )`

/**
 * The from clause that looks at the one `choice` (product_id, price, is_inventory_managed, options). `CHECKS` are what it gives. A variant
 * with fewer options than there are groups counts as none, as in choice.ts.
 */
export const CHECKED_CHOICE = `choice
     cross join lateral ${PICKED} picked
     left join variants combination
       on combination.merchant_id = $1 and combination.product_id = choice.product_id
       and md5(combination.options::text) = md5(choice.options::text) and picked.named >= picked.groups
     left join stock own on own.merchant_id = $1 and own.item_id = combination.id and own.is_sandbox = $2
     left join stock counted
       on counted.merchant_id = $1 and counted.item_id = choice.product_id and counted.is_sandbox = $2
     cross join lateral ${CARRIED} carried
     cross join lateral (
       select case when choice.is_inventory_managed
         then ${openStock({ productId: 'choice.product_id', options: 'choice.options' })} end as stock
     ) left_open`

/** What an asset takes beside its description and its meta. */
const ASSET_BYTES = 400

const assetBytes = (link: string) => `coalesce((
         select sum(${ASSET_BYTES} + coalesce(octet_length(a.description), 0) + coalesce(octet_length(a.meta::text), 0))
         from ${link}
         join assets a on a.merchant_id = $1 and a.id = link.asset_id
       ), 0)`

/**
 * How many bytes a line of the one `choice` would show of its product and of the variant `combination`, in a cart or in a token; never more
 * than an integer holds. Told for a new line alone: what is changed later is of the same product.
 */
export const SHOWN_BYTES = `(
       select least(2147483647, octet_length(shown.description) + coalesce(octet_length(shown.meta::text), 0)
         + coalesce((
           select sum(${OPTION_BYTES} + octet_length(its_option.name))
           from variant_options its_option
           where its_option.merchant_id = $1 and its_option.product_id = shown.id
         ), 0)
         + coalesce(octet_length(combination.description), 0) + coalesce(octet_length(combination.meta::text), 0)
         + ${assetBytes(`(
           select lead.asset_id
           from product_assets lead
           join assets its_asset on its_asset.merchant_id = $1 and its_asset.id = lead.asset_id
           where lead.merchant_id = $1 and lead.product_id = shown.id
             and its_asset.is_image and not its_asset.is_private and not its_asset.is_pending
           order by lead.position
           limit 1
         ) link`)}
         + ${assetBytes(`(
           select of_variant.asset_id
           from variant_assets of_variant
           where of_variant.merchant_id = $1 and of_variant.product_id = shown.id and of_variant.variant_id = combination.id
         ) link`)}
       )::integer as bytes
       from products shown
       where shown.merchant_id = $1 and shown.id = choice.product_id
     )`

const MOST_BY_TOTAL = `${LIMITS.lineTotal}
         / nullif(coalesce(combination.price, greatest(0, choice.price + picked.deltas)), 0)`

const MOST_BY_STOCK = `case when choice.is_inventory_managed
         then coalesce(own.available, greatest(coalesce(counted.available, 0) - carried.by_others, left_open.stock)) end`

/** `most` is the least of the limits; `least` passes over those that are null, which do not apply. */
export const CHECKS = `picked.known = picked.named as are_options_known,
       ${MOST_BY_TOTAL} as most_by_total,
       ${MOST_BY_STOCK} as most_by_stock,
       least(${LIMITS.quantity}, ${MOST_BY_TOTAL}, ${MOST_BY_STOCK}) as most,
       case when choice.is_inventory_managed
         then coalesce(own.available, greatest(coalesce(counted.available, 0), left_open.stock)) end as available`

/** As text: left to itself the client would write a list as a PostgreSQL array. */
export const jsonText = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
