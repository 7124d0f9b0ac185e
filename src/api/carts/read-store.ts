// The SQL that reads a cart: its row, the discount that applies, and the lines with all that they show, in one statement. What belongs
// to a product is read once, however many lines are of it: three hundred lines may be of one product.

import { type Db, statement } from '../../db/db.ts'
import { ASSET_JSON, type AssetRow } from '../assets/store.ts'
import { APPLIED_DISCOUNT_JSON, type AppliedDiscountRow, usableDiscount } from '../discounts/store.ts'
import { openStock } from '../lines/checks-store.ts'
import { type Sight, sightValues } from '../products/read-store.ts'
import type { Combination } from '../products/variants/schema.ts'
import { VARIANT_COLUMNS, type VariantRow } from '../products/variants/store.ts'

/** What a line shows of its product. */
export type LineProductRow = {
  name: string
  sku: string | null
  permalink: string
  price: number
  meta: Record<string, unknown> | null
  is_active: boolean
  is_tax_exempt: boolean
  is_pay_what_you_want: boolean
  is_inventory_managed: boolean
  /** Of the mode that was asked for. */
  available: number
}

/** A group of the product, with the option that was chosen of it; nulls where none was, or it was deleted. */
export type LineGroupRow = { group_id: string; group_name: string; position: number } & (
  | { option_id: string; option_name: string; price_delta: number }
  | { option_id: null; option_name: null; price_delta: null }
)

export type LineRow = {
  id: string
  product_id: string
  /** The product's, as it was when the line was last added to: shown once the product is deleted. */
  name: string
  quantity: number
  options: Combination
  /** Null when it was deleted. */
  product: LineProductRow | null
  /** Every group of the product, in no order. */
  groups: LineGroupRow[]
  /** Whether it is valid shows from the groups: it has the line's options. */
  variant: Omit<VariantRow, 'invalid_reason_code'> | null
  /** While something is left to choose: the most that a variant has in stock of its own which the line may become. Null: none has. */
  open_stock: number | null
  image: AssetRow | null
}

export type CartRow = {
  id: string
  created: number
  updated: number
  expires: number
  meta: Record<string, unknown> | null
  /** The one that applies now: a code that has expired or is used up is none. */
  discount: AppliedDiscountRow | null
  lines: LineRow[]
}

/** What the lines of one product share. */
type GoodsProduct = {
  id: string
  product: LineProductRow | null
  /** Every group, once for each option of it that a line has; with nulls where none has one. */
  groups: LineGroupRow[]
  image: AssetRow | null
}

/** The lines as they are read: each with what is its own, and each product once. `linesOf` puts them together. */
export type GoodsRow = {
  lines: Omit<LineRow, 'product' | 'groups' | 'image'>[]
  products: GoodsProduct[]
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
      on choice.merchant_id = $1 and choice.product_id = bought.product_id and choice.group_id = its_group.id
      and choice.id = any(bought.option_ids)
    where its_group.merchant_id = $1 and its_group.product_id = bought.product_id
  ), '[]')`

// By digest, which is how the index knows them.
const VARIANT = `(
    select to_json(shown)
    from (
      select ${VARIANT_COLUMNS}
      from variants variant
      left join stock own on own.merchant_id = $1 and own.item_id = variant.id and own.is_sandbox = $2
      where variant.merchant_id = $1 and variant.product_id = present.product_id
        and md5(variant.options::text) = md5(present.options::text)
    ) shown
  )`

const IMAGE = `(
    select ${ASSET_JSON}
    from product_assets link
    join assets a on a.merchant_id = $1 and a.id = link.asset_id
    where link.merchant_id = $1 and link.product_id = bought.product_id
      and a.is_image and not a.is_private and not a.is_pending
    order by link.position
    limit 1
  )`

/** The lines that `where` picks of the table, as GoodsRow in JSON, oldest first. $1 merchant, $2 sandbox, $3 secret key. */
export const goodsJson = (table: string, where: string) => `(
    with present as materialized (
      select line.id, line.product_id, line.name, line.quantity, line.options
      from ${table} line
      where line.merchant_id = $1 and ${where}
    )
    select json_build_object(
      'lines', coalesce((
        select json_agg(json_build_object(
          'id', present.id, 'product_id', present.product_id, 'name', present.name, 'quantity', present.quantity,
          'options', present.options,
          'variant', ${VARIANT},
          'open_stock', case when product.is_inventory_managed
            then ${openStock({ productId: 'present.product_id', options: 'present.options' })} end
        ) order by present.id)
        from present
        left join products product on product.merchant_id = $1 and product.id = present.product_id
      ), '[]'),
      'products', coalesce((
        select json_agg(json_build_object(
          'id', bought.product_id,
          'product', ${PRODUCT},
          'groups', ${GROUPS},
          'image', ${IMAGE}
        ))
        from (
          select present.product_id, array_agg(distinct chosen.option_id collate "C") as option_ids
          from present
          left join lateral jsonb_each_text(present.options) chosen (group_id, option_id) on true
          group by present.product_id
        ) bought
        left join products product on product.merchant_id = $1 and product.id = bought.product_id
        left join stock counted
          on counted.merchant_id = $1 and counted.item_id = bought.product_id and counted.is_sandbox = $2
      ), '[]')
    )
  )`

/** The lines with all that they show. Lines of one product share what belongs to it, as the very same objects. */
export function linesOf({ lines, products }: GoodsRow): LineRow[] {
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

/** The discount of the cart called `cart`, if it can be used at the moment `now`. $1 merchant, $2 sandbox. */
export const usableDiscountOf = (now: string) => `(
    select ${APPLIED_DISCOUNT_JSON('discount')}
    from discounts discount
    where discount.merchant_id = $1 and discount.id = cart.discount_id
      and ${usableDiscount('discount', { now, isSandbox: '$2' })}
  )`

/** The columns of a CartRow but for its discount and its lines, of the carts row called `cart`. */
export const CART_COLUMNS = `cart.id, unix_seconds(cart.created_at) as created, unix_seconds(cart.updated_at) as updated,
  unix_seconds(cart.expires_at) as expires, cart.meta`

const find = statement<Omit<CartRow, 'lines'> & { goods: GoodsRow }>(
  'carts.find',
  `select ${CART_COLUMNS},
     ${usableDiscountOf('$5')} as discount,
     ${goodsJson('cart_lines', 'line.cart_id = $4')} as goods
   from carts cart
   where cart.merchant_id = $1 and cart.id = $4 and cart.is_sandbox = $2 and cart.expires_at > $5`,
)

/** Null when there is none in this mode, or it has expired. */
export async function findCart(db: Db, sight: Sight, id: string, now: Date): Promise<CartRow | null> {
  const found = await db.maybe(find, [...sightValues(sight), id, now])
  return found && withLines(found)
}

/** The row as everybody else knows it. */
export const withLines = <Row extends { goods: GoodsRow }>({ goods, ...row }: Row) => ({
  ...row,
  lines: linesOf(goods),
})
