// Filters of the product list other than categories and texts: attributes, low stock, pictures. Each can provide its matching products, or
// check products that another filter provides.

import type { ListFilter } from '../body-schema.ts'

type TraitFilter = Pick<ListFilter, 'attribute' | 'stock_below' | 'has_image'>

/** Joins the product with this id. `offset 0` stops the planner from starting with the products. */
export const joinProductById = (id: string) => `cross join lateral (
       select id, is_active, is_inventory_managed, sort_order, sort_name, price
       from products
       where merchant_id = :merchant_id and id = ${id}
       offset 0
     ) product`

/**
 * A filter as SQL. `from` and `fromConditions` provide the matching products as `product`, if this filter comes first. `where` checks a product
 * that another filter provides.
 */
export type Trait = {
  readonly code: string
  readonly values: Readonly<Record<string, unknown>>
  readonly from: string
  readonly fromConditions: readonly string[]
  readonly where: readonly string[]
}

/** The filters, with the expected most selective first. */
export function traitsOf({ attribute = {}, stock_below, has_image }: TraitFilter): Trait[] {
  const attributes = Object.entries(attribute).map(([id, value], index) => attributeTrait(index + 1, id, value))
  return [
    ...attributes,
    ...(stock_below === undefined ? [] : [lowStock(stock_below)]),
    ...(has_image === undefined ? [] : [has_image ? WITH_PICTURE : WITHOUT_PICTURE]),
  ]
}

/**
 * Forces the index of migrations/0064_product_filters.sql, as for texts: another index would scan all products with the attribute. Options
 * are stored by id. A public key finds nothing by the value of a private attribute.
 */
function attributeTrait(number: number, id: string, value: string): Trait {
  const [attribute, values] = [`:attribute_${number}`, `:values_${number}`]
  const wantedParts = `array(
       select :merchant_id::integer || ' ' || ${attribute}::text || ' ' || md5(part)
       from (
         select unnest(${values}::text[]) as part
         union all
         select option ->> 'id'
         from attributes known, json_array_elements(known.options) option
         where known.merchant_id = :merchant_id and known.id = ${attribute} and option ->> 'value' = any(${values}::text[])
       ) parts
     )`
  const hasValue = (row: string) =>
    `attribute_parts(${row}.merchant_id, ${row}.attribute_id, ${row}.value) && ${wantedParts} collate "C"`
  const isShown = `(:is_secret or (
       select known.is_public from attributes known where known.merchant_id = :merchant_id and known.id = ${attribute}
     ))`
  return {
    code: `a${number}`,
    values: { [`attribute_${number}`]: id, [`values_${number}`]: [...new Set([value, numberText(value)])] },
    from: `product_attributes said ${joinProductById('said.product_id')}`,
    fromConditions: ['said.merchant_id = :merchant_id::integer::numeric', hasValue('said'), isShown],
    where: [
      `(
       select count(*) from product_attributes other
       where other.merchant_id = :merchant_id and other.product_id = product.id and other.attribute_id = ${attribute}
         and ${hasValue('other')}
     ) > 0`,
      isShown,
    ],
  }
}

/** Normalizes a number as it is stored: 5.0 is 5. */
const numberText = (value: string): string => (/^-?\d+(\.\d+)?$/.test(value) ? String(Number(value)) : value)

/** Uses the index of migrations/0060_reports.sql. */
const lowStock = (below: number): Trait => ({
  code: 'l',
  values: { stock_below: below },
  from: `(
       select distinct few.product_id from stock few
       where few.merchant_id = :merchant_id and few.is_sandbox = :is_sandbox and few.few_left < :stock_below
     ) low ${joinProductById('low.product_id')}`,
  fromConditions: ['product.is_inventory_managed'],
  where: [
    `(
       select count(*) from stock few
       where few.merchant_id = :merchant_id and few.product_id = product.id and few.is_sandbox = :is_sandbox
         and few.few_left < :stock_below
     ) > 0`,
    'product.is_inventory_managed',
  ],
})

/** Returns 1 if the row `product` has a picture that has arrived, or else 0. Looks up rows by keys only. */
const ARRIVED_PICTURES = `(
       select count(*) from (
         select 1 from product_assets shown
         cross join lateral (
           select 1 from assets
           where merchant_id = :merchant_id and id = shown.asset_id and is_image and not is_pending
           offset 0
         ) picture
         where shown.merchant_id = :merchant_id and shown.product_id = product.id
         limit 1
       ) found
     )`

/**
 * The shop's products, joined with those that have a picture. Absence has no index, so each table is read once. A full join cannot become
 * one lookup per row, whatever sizes the planner assumes. `offset 0` keeps conditions outside that would allow it.
 */
const withPictures = (condition: string) => `(
       select product.id, product.is_active, product.is_inventory_managed, product.sort_order, product.sort_name, product.price
       from (
         select id, is_active, is_inventory_managed, sort_order, sort_name, price from products
         where merchant_id = :merchant_id
         offset 0
       ) product
       full join (
         select distinct shown.product_id
         from (select product_id, asset_id from product_assets where merchant_id = :merchant_id offset 0) shown
         full join (
           select id from assets where merchant_id = :merchant_id and is_image and not is_pending offset 0
         ) picture on picture.id = shown.asset_id
         where num_nulls(shown.product_id, picture.id) = 0
       ) pictured on pictured.product_id = product.id
       where ${condition}
       offset 0
     ) product`

const WITH_PICTURE: Trait = {
  code: 'p',
  values: {},
  from: withPictures('num_nulls(product.id, pictured.product_id) = 0'),
  fromConditions: [],
  where: [`${ARRIVED_PICTURES} = 1`],
}

const WITHOUT_PICTURE: Trait = {
  code: 'b',
  values: {},
  from: withPictures('num_nulls(pictured.product_id) = 1'),
  fromConditions: [],
  where: [`${ARRIVED_PICTURES} = 0`],
}
