// The SQL of what a line sells from and how much there is, for the statement that changes a line of a checkout. line.ts and choice.ts say the
// same over rows that are read. Reading lines: read-store.ts.

import { VARIANT_IS_VALID } from '../products/read-store.ts'
import { LIMITS } from './line.ts'

/** A line as SQL. */
type LineSql = { readonly productId: string; readonly options: string }

const sqlOf = (alias: string): LineSql => ({ productId: `${alias}.product_id`, options: `${alias}.options` })

/** The condition that the variants row `alias` has exactly the line's options. By digest, which is how the index knows them. */
const isVariantOf = (alias: string, { productId, options }: LineSql) =>
  `${alias}.merchant_id = :merchant_id and ${alias}.product_id = ${productId}
        and md5(${alias}.options::text) = md5(${options}::text)`

/** The condition that the stock row `alias` is the item's, in this mode. */
const isStockOf = (alias: string, itemId: string) =>
  `${alias}.merchant_id = :merchant_id and ${alias}.item_id = ${itemId} and ${alias}.is_sandbox = :is_sandbox`

const countOfOptions = (options: string) => `(select count(*) from jsonb_object_keys(${options}))`

/**
 * The most that one variant has in stock of its own, of those that agree with what has been chosen so far; null where nothing is left to
 * choose, or none of them has any. Without it a product whose stock lies with its variants could not be put into a cart before everything
 * is chosen.
 */
const openStock = ({ productId, options }: LineSql) => `(
    select max(own.available)
    from variants variant
    join stock own on ${isStockOf('own', 'variant.id')}
    where variant.merchant_id = :merchant_id and variant.product_id = ${productId} and variant.options @> ${options}
      and ${countOfOptions(options)} < (
        select count(*) from variant_groups open_group
        where open_group.merchant_id = :merchant_id and open_group.product_id = ${productId}
      )
      and ${VARIANT_IS_VALID}
  )`

/** How many groups the product has, how many of them `choice` names, for how many it names an option that exists, and what those add. */
const PICKED = `(
       select count(*) as groups, ${countOfOptions('choice.options')} as named,
         count(its_option.id) as known, coalesce(sum(its_option.price_delta), 0)::bigint as deltas
       from variant_groups its_group
       left join variant_options its_option
         on its_option.merchant_id = :merchant_id and its_option.product_id = choice.product_id
         and its_option.group_id = its_group.id and its_option.id = choice.options ->> its_group.id
       where its_group.merchant_id = :merchant_id and its_group.product_id = choice.product_id
     )`

/**
 * The from clause that looks at the one `choice` (product_id, price, is_inventory_managed, options): `CHECKS` is what it gives. `others` is
 * a subquery that gives, as `units`, the `unitsFromSameStock` of the lines beside it.
 *
 * The rule: a line sells from its variant where that has stock of its own, else from its product. A variant with fewer options than there
 * are groups counts as none.
 */
export const checkedChoice = (others: string) => `choice
     cross join lateral ${PICKED} picked
     left join variants combination on ${isVariantOf('combination', sqlOf('choice'))} and picked.named >= picked.groups
     left join stock own on ${isStockOf('own', 'combination.id')}
     left join stock counted on ${isStockOf('counted', 'choice.product_id')}
     cross join lateral ${others} others
     cross join lateral (
       select case when choice.is_inventory_managed then ${openStock(sqlOf('choice'))} end as stock
     ) left_open`

/**
 * What those of the lines `line` that `where` picks take from the stock that the choice sells from: the variant's, where it has its own,
 * else the product's. From that a line takes nothing whose variant has its own, or that may still become a variant with enough.
 */
export const unitsFromSameStock = (line: string, where: string) => `coalesce(sum(${line}.quantity) filter (
           where choice.is_inventory_managed and ${line}.product_id = choice.product_id and ${where}
             and case
               when own.item_id is not null then ${line}.options = choice.options
               else not exists (
                 select 1 from variants its_variant
                 join stock its_stock on ${isStockOf('its_stock', 'its_variant.id')}
                 where ${isVariantOf('its_variant', sqlOf(line))} and ${countOfOptions(`${line}.options`)} >= picked.groups
               )
               and coalesce(${openStock(sqlOf(line))}, 0) < ${line}.quantity
             end
         ), 0)`

const MOST_BY_TOTAL = `${LIMITS.lineTotal}
         / nullif(coalesce(combination.price, greatest(0, choice.price + picked.deltas)), 0)`

const MOST_BY_STOCK = `case when choice.is_inventory_managed then coalesce(
         own.available - others.units, greatest(coalesce(counted.available, 0) - others.units, left_open.stock)
       ) end`

/** The columns of Limits, and `most`: the least of them. `least` passes over those that are null, which do not apply. */
const LIMIT_CHECKS = `${MOST_BY_TOTAL} as most_by_total,
       ${MOST_BY_STOCK} as most_by_stock,
       least(${LIMITS.quantity}, ${MOST_BY_TOTAL}, ${MOST_BY_STOCK}) as most,
       case when choice.is_inventory_managed
         then coalesce(own.available, greatest(coalesce(counted.available, 0), left_open.stock)) end as available`

/** The columns of a LineCheck, and `most`. The choice itself says is_for_sale, is_variant_known and do_options_agree. */
export const CHECKS = `choice.is_for_sale, choice.is_variant_known, choice.do_options_agree,
       picked.known = picked.named as are_options_known,
       :variant_id::text is null or picked.known = picked.groups as is_complete,
       ${LIMIT_CHECKS}`

const CHOICE_COLUMNS = ['is_for_sale', 'is_variant_known', 'do_options_agree', 'are_options_known', 'is_complete']
const LIMIT_COLUMNS = ['most_by_total', 'most_by_stock', 'available']

const columnsOf = (alias: string, columns: readonly string[]) => columns.map((column) => `${alias}.${column}`)

/** The condition that nothing is wrong with what the row `alias` has checked, but perhaps how many. */
export const isBuyable = (alias: string) => columnsOf(alias, CHOICE_COLUMNS).join(' and ')

/** The columns of a LineCheck, of the row `alias`. */
export const checkColumns = (alias: string) => columnsOf(alias, [...CHOICE_COLUMNS, ...LIMIT_COLUMNS]).join(', ')

/** Joins to `line` its product, if it is for sale. */
export const PRODUCT_FOR_SALE = `left join products product
       on product.merchant_id = :merchant_id and product.id = line.product_id and product.is_active`

/** Joins to `line` the variant of its product that was named. */
export const NAMED_VARIANT = `left join variants variant
       on variant.merchant_id = :merchant_id and variant.product_id = line.product_id and variant.id = :variant_id`

/** Those of the options of `line` that still exist. */
export const KEPT_OPTIONS = `(
       select coalesce(jsonb_object_agg(chosen.group_id, chosen.option_id), '{}') as options
       from jsonb_each_text(line.options) chosen (group_id, option_id)
       join variant_options its_option
         on its_option.merchant_id = :merchant_id and its_option.product_id = line.product_id
         and its_option.id = chosen.option_id and its_option.group_id = chosen.group_id
     )`
