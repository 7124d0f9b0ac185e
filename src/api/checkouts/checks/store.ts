// The SQL of the helpers: whether a token exists, and the one statement that looks whether a line can be had as it is asked for and,
// if so, changes it.

import { type Db, statement } from '../../../db/db.ts'
import { LIMITS } from '../../carts/schema.ts'
import { openStock, PICKED } from '../../lines/checks-store.ts'
import { ALIVE, HAS_ORDER, type TokenAt, tokenValues } from '../store.ts'

const findId = statement<{ id: string }>('checkouts.find_id', `select id from checkouts where ${ALIVE}`)

export const hasCheckout = async (db: Db, token: TokenAt): Promise<boolean> =>
  (await db.maybe(findId, tokenValues(token))) !== null

/** An option that was asked for; the group may be left for the option to tell. */
export type NamedOption = { readonly group_id: string | null; readonly option_id: string }

export type WantedLine = {
  /** Null: as it is. */
  readonly quantity: number | null
  /** Groups that are not named keep their option. Null: all do. */
  readonly options: readonly NamedOption[] | null
  readonly variantId: string | null
}

/** All but `has_line` are null when there is no such line. */
export type LineCheck = {
  has_line: boolean
  /** Then it was changed. */
  is_accepted: boolean
  /** Then nothing of it can be changed any more. */
  has_order: boolean
  /** As it was asked for, or is. */
  quantity: number
  is_for_sale: boolean
  is_variant_known: boolean
  are_options_known: boolean
  /** What the stock item has in all; null when its stock is not counted. */
  available: number | null
  /** How many the line could hold; null when anything goes. */
  most_by_stock: number | null
  most_by_total: number | null
}

// Lines of one checkout may share what they sell from, so that each is judged with the others. They are locked as they are read:
// of a locked row PostgreSQL gives the newest version, also when it waited, and a token never gains or loses a line. Of two
// requests at once the second therefore sees what the first has saved.
const LOCKED_LINES = `token as (
     select merchant_id, id
     from checkouts
     where ${ALIVE}
     for no key update
   ),
   present as (
     select line.id, line.product_id, line.options, line.quantity
     from token
     join checkout_lines line on line.merchant_id = $1 and line.checkout_id = token.id
     order by line.id
     for no key update of line
   )`

/** The options that were named, as a map, and how many of them exist; two of one group count as one. */
const NAMED = `(
       select coalesce(jsonb_object_agg(its_option.group_id, its_option.id), '{}') as options,
         count(distinct its_option.group_id) as known
       from json_to_recordset($7::json) as wanted (group_id text, option_id text)
       join variant_options its_option
         on its_option.merchant_id = $1 and its_option.product_id = line.product_id and its_option.id = wanted.option_id
         and its_option.group_id = coalesce(wanted.group_id, its_option.group_id)
     )`

/** Those of the line's options that still exist. */
const KEPT = `(
       select coalesce(jsonb_object_agg(chosen.group_id, chosen.option_id), '{}') as options
       from jsonb_each_text(line.options) chosen (group_id, option_id)
       join variant_options its_option
         on its_option.merchant_id = $1 and its_option.product_id = line.product_id
         and its_option.id = chosen.option_id and its_option.group_id = chosen.group_id
     )`

/**
 * What the other lines take from the same stock: of the variant, where it has its own, else of the product. One that may still become
 * a variant with enough of its own takes nothing.
 */
const TAKEN = `(
       select coalesce(sum(other.quantity), 0) as units
       from present other
       where choice.is_inventory_managed and other.id <> $5 and other.product_id = choice.product_id
         and case
           when own.item_id is not null then other.options = choice.options
           else not exists (
             select from variants its_variant
             join stock its_stock
               on its_stock.merchant_id = $1 and its_stock.item_id = its_variant.id and its_stock.is_sandbox = $2
             where its_variant.merchant_id = $1 and its_variant.product_id = other.product_id
               and md5(its_variant.options::text) = md5(other.options::text)
               and (select count(*) from jsonb_object_keys(other.options)) >= picked.groups
           )
           and coalesce(${openStock({ productId: 'other.product_id', options: 'other.options' })}, 0) < other.quantity
         end
     )`

const checkAndChange = statement<LineCheck>(
  'checkouts.check_line',
  `with ${LOCKED_LINES},
   choice as (
     select line.product_id, coalesce($6::integer, line.quantity) as quantity, product.id is not null as is_for_sale,
       product.price, coalesce(product.is_inventory_managed, false) as is_inventory_managed,
       $8::text is null or variant.id is not null as is_variant_known,
       named.known = coalesce(json_array_length($7::json), 0)
         and (variant.id is null or variant.options @> named.options) as are_named_known,
       case when $7::json is null and $8::text is null then line.options
         else coalesce(variant.options, kept.options || named.options) end as options
     from present line
     left join products product on product.merchant_id = $1 and product.id = line.product_id and product.is_active
     left join variants variant
       on variant.merchant_id = $1 and variant.product_id = line.product_id and variant.id = $8
     cross join lateral ${NAMED} named
     cross join lateral ${KEPT} kept
     where line.id = $5
   ),
   checked as (
     select choice.quantity, choice.options, choice.is_for_sale, ${HAS_ORDER} as has_order,
       choice.is_variant_known and ($8::text is null or picked.known = picked.groups) as is_variant_known,
       choice.are_named_known and picked.known = picked.named as are_options_known,
       case when choice.is_inventory_managed
         then coalesce(own.available, greatest(coalesce(counted.available, 0), left_open.stock)) end as available,
       case when choice.is_inventory_managed then coalesce(
         own.available - taken.units, greatest(coalesce(counted.available, 0) - taken.units, left_open.stock)
       ) end as most_by_stock,
       ${LIMITS.lineTotal} / nullif(coalesce(combination.price, greatest(0, choice.price + picked.deltas)), 0)
         as most_by_total
     from choice
     cross join lateral ${PICKED} picked
     left join variants combination
       on combination.merchant_id = $1 and combination.product_id = choice.product_id
       and md5(combination.options::text) = md5(choice.options::text) and picked.named >= picked.groups
     left join stock own on own.merchant_id = $1 and own.item_id = combination.id and own.is_sandbox = $2
     left join stock counted
       on counted.merchant_id = $1 and counted.item_id = choice.product_id and counted.is_sandbox = $2
     cross join lateral ${TAKEN} taken
     cross join lateral (
       select case when choice.is_inventory_managed
         then ${openStock({ productId: 'choice.product_id', options: 'choice.options' })} end as stock
     ) left_open
   ),
   wanted as (
     select checked.quantity, checked.options, checked.has_order, checked.is_for_sale, checked.is_variant_known,
       checked.are_options_known, checked.available, checked.most_by_stock, checked.most_by_total,
       not checked.has_order and checked.is_for_sale and checked.is_variant_known and checked.are_options_known
         and checked.quantity <= least(${LIMITS.quantity}, checked.most_by_stock, checked.most_by_total) as is_accepted
     from checked
   ),
   changed as (
     update checkout_lines
     set quantity = wanted.quantity, options = wanted.options
     from token
     cross join wanted
     where checkout_lines.merchant_id = $1 and checkout_lines.checkout_id = token.id and checkout_lines.id = $5
       and wanted.is_accepted
     returning checkout_lines.checkout_id
   ),
   touched as (
     update checkouts
     set updated_at = $4
     from changed
     where checkouts.merchant_id = $1 and checkouts.id = changed.checkout_id
   )
   select wanted.quantity is not null as has_line, wanted.is_accepted, wanted.has_order, wanted.quantity,
     wanted.is_for_sale, wanted.is_variant_known, wanted.are_options_known, wanted.available, wanted.most_by_stock,
     wanted.most_by_total
   from token
   left join wanted on true`,
)

/** Null when there is no such token. How much there is may have changed by the time of the order: capture decides. */
export const checkAndChangeLine = (
  db: Db,
  token: TokenAt,
  lineId: string,
  { quantity, options, variantId }: WantedLine,
) =>
  db.maybe(checkAndChange, [
    ...tokenValues(token),
    lineId,
    quantity,
    // As text: the client would write a list as a PostgreSQL array.
    options === null ? null : JSON.stringify(options),
    variantId,
  ])
