// The SQL of lines, whichever table they are in: what a line sells from and how much there is, for the statements that change one; and
// reading lines with all that they show. line.ts says the same of stock over the rows that are read here.

import { leadImageOf, VARIANT_IS_VALID } from '../products/read-store.ts'
import type { Combination } from '../products/variants/schema.ts'
import { VARIANT_COLUMNS } from '../products/variants/store.ts'
import { LIMITS, type LineGroupRow, type LineRow, OPTION_BYTES } from './line.ts'

/** How many a line could hold, and by which limit. */
export type Limits = {
  /** Null when anything goes, as when the product costs nothing or its stock is not counted. */
  most_by_total: number | null
  most_by_stock: number | null
  /** What the stock item has in all; null when its stock is not counted. */
  available: number | null
}

/** What a statement that changes a line says of the product, variant and options that it was asked for. */
export type LineCheck = Limits & {
  /** Null when there is no such line to change, or no such product to add. */
  is_for_sale: boolean | null
  is_variant_known: boolean
  /** Whether the options that were named agree with the variant that was named. */
  do_options_agree: boolean
  are_options_known: boolean
  /** Whether the variant that was named has an option of every group. */
  is_complete: boolean
  /** Whether the cart may have one line more. Where a line is added alone. */
  has_room?: boolean
  /** Whether all lines together show no more than they may. The first line of a cart always is. */
  is_showable?: boolean
}

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
                 select from variants its_variant
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
export const LIMIT_CHECKS = `${MOST_BY_TOTAL} as most_by_total,
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

/** The columns of Limits, of the row `alias`. */
export const limitColumns = (alias: string) => columnsOf(alias, LIMIT_COLUMNS).join(', ')

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

/** What an asset takes beside its description and its meta. */
const ASSET_BYTES = 400

const assetBytes = (assets: string) => `coalesce((
         select sum(${ASSET_BYTES} + coalesce(octet_length(its_asset.description), 0)
           + coalesce(octet_length(its_asset.meta::text), 0))
         from ${assets} its_asset
       ), 0)`

/**
 * How many bytes a line of the one `choice` would show of its product and of the variant `combination`, in a cart or in a token; never more
 * than an integer holds. Asked for a new line alone: what is changed later is of the same product.
 */
export const SHOWN_BYTES = `(
       select least(2147483647, octet_length(shown.description) + coalesce(octet_length(shown.meta::text), 0)
         + coalesce((
           select sum(${OPTION_BYTES} + octet_length(its_option.name))
           from variant_options its_option
           where its_option.merchant_id = :merchant_id and its_option.product_id = shown.id
         ), 0)
         + coalesce(octet_length(combination.description), 0) + coalesce(octet_length(combination.meta::text), 0)
         + ${assetBytes(leadImageOf('shown.id', 'a.description, a.meta'))}
         + ${assetBytes(`(
           select a.description, a.meta
           from variant_assets link
           join assets a on a.merchant_id = :merchant_id and a.id = link.asset_id
           where link.merchant_id = :merchant_id and link.product_id = shown.id and link.variant_id = combination.id
         )`)}
       )::integer as bytes
       from products shown
       where shown.merchant_id = :merchant_id and shown.id = choice.product_id
     )`

// Reading. What belongs to a product is read once, however many lines are of it: three hundred lines may be of one product.

/** The lines as they are read: each with what is its own, and each product once. `withLines` puts them together. */
export type GoodsRow = {
  lines: Omit<LineRow, 'product' | 'groups' | 'image'>[]
  products: GoodsProduct[]
}

/** What the lines of one product share. */
type GoodsProduct = Pick<LineRow, 'product' | 'image'> & {
  id: string
  /** Every group, once for each option of it that a line has; with nulls where none has one. */
  groups: LineGroupRow[]
}

const PRODUCT = `case when product.id is not null then json_build_object(
    'name', product.name, 'sku', product.sku, 'permalink', product.permalink, 'price', product.price, 'meta', product.meta,
    'is_active', product.is_active, 'is_tax_exempt', product.is_tax_exempt,
    'is_pay_what_you_want', product.is_pay_what_you_want, 'is_inventory_managed', product.is_inventory_managed,
    'available', coalesce(counted.available, 0)
  ) end`

// Only options that were chosen: a product may have thousands. Who shows the groups puts them in order.
const GROUPS = `coalesce((
    select json_agg(json_build_object(
      'group_id', its_group.id, 'group_name', its_group.name, 'position', its_group.position, 'option_id', choice.id,
      'option_name', choice.name, 'price_delta', choice.price_delta
    ))
    from variant_groups its_group
    left join variant_options choice
      on choice.merchant_id = :merchant_id and choice.product_id = bought.product_id and choice.group_id = its_group.id
      and choice.id = any(bought.option_ids)
    where its_group.merchant_id = :merchant_id and its_group.product_id = bought.product_id
  ), '[]')`

const VARIANT = `(
    select to_json(shown)
    from (
      select ${VARIANT_COLUMNS}
      from variants variant
      left join stock own on ${isStockOf('own', 'variant.id')}
      where ${isVariantOf('variant', sqlOf('present'))}
    ) shown
  )`

/** The lines that `where` picks of the table, as GoodsRow in JSON, oldest first. Asks for :merchant_id, :is_sandbox and :is_secret. */
export const goodsJson = (table: string, where: string) => `(
    with present as materialized (
      select line.id, line.product_id, line.name, line.quantity, line.options
      from ${table} line
      where line.merchant_id = :merchant_id and ${where}
    )
    select json_build_object(
      'lines', coalesce((
        select json_agg(json_build_object(
          'id', present.id, 'product_id', present.product_id, 'name', present.name, 'quantity', present.quantity,
          'options', present.options,
          'variant', ${VARIANT},
          'open_stock', case when product.is_inventory_managed then ${openStock(sqlOf('present'))} end
        ) order by present.id)
        from present
        left join products product on product.merchant_id = :merchant_id and product.id = present.product_id
      ), '[]'),
      'products', coalesce((
        select json_agg(json_build_object(
          'id', bought.product_id,
          'product', ${PRODUCT},
          'groups', ${GROUPS},
          'image', ${leadImageOf('bought.product_id')}
        ))
        from (
          select present.product_id, array_agg(distinct chosen.option_id collate "C") as option_ids
          from present
          left join lateral jsonb_each_text(present.options) chosen (group_id, option_id) on true
          group by present.product_id
        ) bought
        left join products product on product.merchant_id = :merchant_id and product.id = bought.product_id
        left join stock counted on ${isStockOf('counted', 'bought.product_id')}
      ), '[]')
    )
  )`

/** The row as everybody else knows it. */
export const withLines = <Row extends { goods: GoodsRow }>({ goods, ...row }: Row) => ({
  ...row,
  lines: linesOf(goods),
})

/** The lines with all that they show. Lines of one product share what belongs to it, as the very same objects. */
function linesOf({ lines, products }: GoodsRow): LineRow[] {
  const byId = new Map(products.map((shared) => [shared.id, { ...shared, groupsFor: groupChooser(shared.groups) }]))
  return lines.map((line) => {
    const shared = byId.get(line.product_id)
    if (shared === undefined) throw new Error('A line was read without its product.')
    return {
      id: line.id,
      product_id: line.product_id,
      name: line.name,
      quantity: line.quantity,
      options: line.options,
      product: shared.product,
      groups: shared.groupsFor(line.options),
      variant: line.variant,
      open_stock: line.open_stock,
      image: shared.image,
    }
  })
}

/** Of the rows of a product: for what a line has chosen, each group with that option of it, or with none. */
function groupChooser(rows: readonly LineGroupRow[]): (options: Combination) => LineGroupRow[] {
  const groups = new Map<string, { open: LineGroupRow; chosen: Map<string, LineGroupRow> }>()
  for (const row of rows) {
    const { group_id, group_name, position, option_id } = row
    let group = groups.get(group_id)
    if (group === undefined) {
      const open = { group_id, group_name, position, option_id: null, option_name: null, price_delta: null }
      group = { open, chosen: new Map() }
      groups.set(group_id, group)
    }
    if (option_id !== null) group.chosen.set(option_id, row)
  }
  const all = [...groups]
  return (options) => all.map(([groupId, { open, chosen }]) => chosen.get(options[groupId] ?? '') ?? open)
}
