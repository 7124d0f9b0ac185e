// The SQL of single products: find, lock, insert, update, delete, and the stock of a new one.

import { type Db, statement, statementOfFamily, type Tx, violates } from '../../db/db.ts'
import type { AttributeRow } from '../attributes/store.ts'
import { type ProductColumns, type ProductRow, productRows, type Sight, sightValues } from './read-store.ts'

const find = {
  id: statement<ProductRow>('products.find', productRows('product.id = $4')),
  // Several may share a SKU; the oldest is given, so that the answer does not change from call to call.
  sku: statement<ProductRow>('products.find_by_sku', `${productRows('product.sku = $4')} order by product.id limit 1`),
  permalink: statement<ProductRow>('products.find_by_permalink', productRows('product.permalink = $4')),
}

export const findProduct = (db: Db, sight: Sight, value: string, by: keyof typeof find = 'id') =>
  db.maybe(find[by], [...sightValues(sight), value])

const findMany = statement<ProductRow>('products.find_many', productRows('product.id = any($4)'))

/** In no order. One that was deleted or hidden since its id was read is left out. */
export const findProducts = (db: Db, sight: Sight, ids: readonly string[]) =>
  db.many(findMany, [...sightValues(sight), ids])

// Not `for update`: that would also hold up a cart that only refers to the product.
const lock = statement<{ id: string }>(
  'products.lock',
  'select id from products where merchant_id = $1 and id = $2 for no key update',
)

/** False when there is none. Changes of one product and of its children come after one another. */
export const lockProduct = async (tx: Tx, merchantId: number, id: string) =>
  (await tx.maybe(lock, [merchantId, id])) !== null

const COLUMNS = `name, sku, description, price, is_active, is_tax_exempt, is_pay_what_you_want, is_inventory_managed,
  sort_order, seo_title, seo_description, thank_you_url, meta, collects_fullname, collects_shipping_address,
  collects_billing_address, is_physical, weight_grams, lifespan, shipping_zone_ids`

const values = (columns: ProductColumns) => [
  columns.name,
  columns.sku,
  columns.description,
  columns.price,
  columns.is_active,
  columns.is_tax_exempt,
  columns.is_pay_what_you_want,
  columns.is_inventory_managed,
  columns.sort_order,
  columns.seo_title,
  columns.seo_description,
  columns.thank_you_url,
  columns.meta === null ? null : JSON.stringify(columns.meta),
  columns.collects_fullname,
  columns.collects_shipping_address,
  columns.collects_billing_address,
  columns.is_physical,
  columns.weight_grams,
  columns.lifespan === null ? null : JSON.stringify(columns.lifespan),
  columns.shipping_zone_ids,
]

const insert = statement<{ id: string }>(
  'products.insert',
  `insert into products (merchant_id, id, permalink, created_at, updated_at, ${COLUMNS})
   values ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
     $24)
   on conflict (merchant_id, permalink) do nothing
   returning id`,
)

/** False when the permalink is taken. It waits for a product that is being created with the same one, and does not fail the transaction. */
export const insertProduct = async (
  tx: Tx,
  merchantId: number,
  id: string,
  permalink: string,
  columns: ProductColumns,
  now: Date,
) => (await tx.maybe(insert, [merchantId, id, permalink, now, ...values(columns)])) !== null

const update = statement(
  'products.update',
  `update products
   set permalink = $3, updated_at = $4, (${COLUMNS}) =
     row($5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17::json, $18, $19, $20, $21, $22, $23::json, $24)
   where merchant_id = $1 and id = $2`,
)

/** False when the permalink is taken; the transaction is then past saving. */
export async function updateProductRow(
  tx: Tx,
  merchantId: number,
  id: string,
  permalink: string,
  columns: ProductColumns,
  now: Date,
) {
  try {
    await tx.run(update, [merchantId, id, permalink, now, ...values(columns)])
    return true
  } catch (error) {
    if (violates(error, 'products_permalink_unique')) return false
    throw error
  }
}

const touch = statement('products.touch', 'update products set updated_at = $3 where merchant_id = $1 and id = $2')

export const touchProduct = (tx: Tx, merchantId: number, id: string, now: Date) => tx.run(touch, [merchantId, id, now])

const remove = statement('products.delete', 'delete from products where merchant_id = $1 and id = $2')

export const deleteProductRow = (tx: Tx, merchantId: number, id: string) => tx.run(remove, [merchantId, id])

const openStock = statement(
  'products.open_stock',
  `insert into stock (merchant_id, item_id, is_sandbox, product_id, available)
   values ($1, $2, true, $2, $3), ($1, $2, false, $2, $3)`,
)

/** A new product has the same stock in both modes. */
export const openProductStock = (tx: Tx, merchantId: number, id: string, available: number) =>
  tx.run(openStock, [merchantId, id, available])

// Looks up what a body refers to, and holds it until the transaction ends: something deleted between the check and the write
// would otherwise break a foreign key, which is our crash and not the client's mistake. Assets are held by assets/store.ts.

// In the order of ids, so that two requests that hold the same things cannot wait for each other.
const hold = (name: string, table: string) =>
  statementOfFamily<{ id: string }>(
    `products.hold_${name}`,
    `select id from ${table} where merchant_id = $1 and id = any($2) order by id for key share`,
  )

const holds = {
  categories: hold('categories', 'categories'),
  products: hold('products', 'products'),
  shipping_zones: hold('shipping_zones', 'shipping_zones'),
}

/** Those of the ids that exist. */
export async function holdExisting(
  tx: Tx,
  merchantId: number,
  things: keyof typeof holds,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.many(holds[things], [merchantId, ids])
  return new Set(rows.map(({ id }) => id))
}

export type AttributeRules = Pick<
  AttributeRow,
  'id' | 'type' | 'is_required' | 'is_multiselect' | 'default_value' | 'options'
>

// `for share`: the value is checked against the type and the options, which must then stay as they are.
const holdRules = statement<AttributeRules>(
  'products.hold_attributes',
  `select id, type, is_required, is_multiselect, default_value, options
   from attributes
   where merchant_id = $1 and id = any($2)
   order by id
   for share`,
)

export const holdAttributes = (tx: Tx, merchantId: number, ids: readonly string[]): Promise<AttributeRules[]> =>
  tx.many(holdRules, [merchantId, ids])
