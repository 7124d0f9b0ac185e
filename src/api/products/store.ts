// SQL of single products: find, lock, insert, update, delete, and locking the rows that a body refers to. Stock is in stock-store.ts, parts
// are in children-store.ts. Sandbox and live mode share the catalogue.

import { addToCount } from '../../db/counts.ts'
import { type Db, lookup, type Shop, statement, statementOfFamily, type Tx, violatesConstraint } from '../../db/db.ts'
import type { AttributeRow } from '../attributes/store.ts'
import {
  PRODUCT_COLUMNS,
  PRODUCT_STAMP,
  type ProductColumns,
  type ProductRow,
  productRows,
  type ReadScope,
  readValues,
  type StampedProduct,
  WITH_STOCK,
} from './read-store.ts'
import { VARIANT_FACTS_ASSIGNMENTS } from './variants/read-store.ts'

const find = lookup<ProductRow>('products.find', productRows('product.id = :id'))

export const findProduct = (db: Db, scope: ReadScope, id: string) => db.maybe(find, { ...readValues(scope), id })

const stampFrom = `select product.id, ${PRODUCT_STAMP} as stamp
   from products product
   ${WITH_STOCK}
   where product.merchant_id = :merchant_id and (product.is_active or :is_secret)`

const findStamps = {
  id: lookup<StampedProduct>('products.find_stamp', `${stampFrom} and product.id = :value`),
  // Several products may share a SKU. The oldest is chosen, so that repeated calls give the same one.
  sku: statement<StampedProduct>(
    'products.find_stamp_by_sku',
    `${stampFrom} and product.id = (
       select product.id from products product
       where product.merchant_id = :merchant_id and product.sku = :value and (product.is_active or :is_secret)
       order by product.id
       limit 1
     )`,
  ),
  permalink: lookup<StampedProduct>('products.find_stamp_by_permalink', `${stampFrom} and product.permalink = :value`),
}

/** The current stamp of a product. Null if it is not visible to the reader. */
export const findStamp = (db: Db, scope: ReadScope, value: string, by: keyof typeof findStamps) =>
  db.maybe(findStamps[by], { ...readValues(scope), value })

const findMany = statement<ProductRow>('products.find_many', productRows('product.id = any(:ids)'))

/** Unordered. Omits products that were deleted or hidden since their ids were read. */
export const findProducts = (db: Db, scope: ReadScope, ids: readonly string[]) =>
  db.many(findMany, { ...readValues(scope), ids })

/**
 * A transaction that has raised the product's version, or creates the product. Caches of the product are outdated when it commits. Store
 * functions that write a product or its parts require this type.
 */
export interface ProductTx extends Tx {
  readonly raisesVersion: true
}

// An update locks like `for no key update`, so a cart that refers to the product does not wait for it.
const lock = statement<{ id: string }>(
  'products.lock',
  'update products set version = version + 1 where merchant_id = :merchant_id and id = :id returning id',
)

/** Locks the product and raises its version, so that changes of the product and its parts run in sequence. Null if it does not exist. */
export const lockProduct = async (tx: Tx, { merchant_id }: Shop, id: string): Promise<ProductTx | null> =>
  (await tx.maybe(lock, { merchant_id, id })) === null ? null : (tx as ProductTx)

/** For the transaction that creates the product, which needs no new version. */
export const asProductTx = (tx: Tx): ProductTx => tx as ProductTx

/** A product with the columns to write. */
type ProductWrite = ProductColumns & { readonly id: string; readonly permalink: string }

const valuesOf = ({ merchant_id }: Shop, { id, permalink, ...columns }: ProductWrite, now: Date) => ({
  ...PRODUCT_COLUMNS.values(columns),
  merchant_id,
  id,
  permalink,
  now,
})

const insert = statement<{ id: string }>(
  'products.insert',
  `insert into products (merchant_id, id, permalink, created_at, updated_at, ${PRODUCT_COLUMNS.names})
   values (:merchant_id, :id, :permalink, :now, :now, ${PRODUCT_COLUMNS.parameters})
   on conflict (merchant_id, permalink) do nothing
   returning id`,
)

/** False if the permalink is taken, without failing the transaction. Waits for a concurrent insert with the same permalink. */
export async function insertProduct(tx: ProductTx, shop: Shop, product: ProductWrite, now: Date) {
  if ((await tx.maybe(insert, valuesOf(shop, product, now))) === null) return false
  addToCount(tx, shop, 'products', 1)
  if (product.is_active) addToCount(tx, shop, 'active_products', 1)
  return true
}

const update = statement(
  'products.update',
  `update products
   set permalink = :permalink, updated_at = :now, ${PRODUCT_COLUMNS.assignments}
   where merchant_id = :merchant_id and id = :id`,
)

/** False if the permalink is taken; the transaction is then aborted. `wasActive` comes from the locked row. */
export async function updateProductRow(
  tx: ProductTx,
  shop: Shop,
  product: ProductWrite,
  wasActive: boolean,
  now: Date,
) {
  try {
    await tx.run(update, valuesOf(shop, product, now))
    if (product.is_active !== wasActive) addToCount(tx, shop, 'active_products', product.is_active ? 1 : -1)
    return true
  } catch (error) {
    if (violatesConstraint(error, 'products_permalink_unique')) return false
    throw error
  }
}

const touch = statement(
  'products.touch',
  'update products set updated_at = :now where merchant_id = :merchant_id and id = :id',
)

export const touchProduct = (tx: ProductTx, { merchant_id }: Shop, id: string, now: Date) =>
  tx.run(touch, { merchant_id, id, now })

// A product without variants has no such data, so its row is not updated again.
const tellVariants = statement(
  'products.tell_variants',
  `update products product
   set ${VARIANT_FACTS_ASSIGNMENTS}
   where product.merchant_id = :merchant_id and product.id = :id and exists (
     select 1 from variants variant where variant.merchant_id = :merchant_id and variant.product_id = :id
   )`,
)

/** Must be the last step of each transaction that raises the version, so that the variant data belongs to this version. */
export const storeVariantFacts = (tx: ProductTx, { merchant_id }: Shop, id: string) =>
  tx.run(tellVariants, { merchant_id, id })

const remove = statement<{ is_active: boolean }>(
  'products.delete',
  'delete from products where merchant_id = :merchant_id and id = :id returning is_active',
)

export async function deleteProductRow(tx: ProductTx, shop: Shop, id: string) {
  const { is_active: wasActive } = await tx.one(remove, { merchant_id: shop.merchant_id, id })
  addToCount(tx, shop, 'products', -1)
  if (wasActive) addToCount(tx, shop, 'active_products', -1)
}

// Referenced rows are locked until the transaction ends. Otherwise a deletion after the check would break a foreign key, which is an
// internal error and not the client's mistake. assets/store.ts locks assets.

// Locks in the order of ids, so that two requests with the same rows cannot deadlock.
const hold = (table: string) =>
  statementOfFamily<{ id: string }>(
    `products.hold_${table}`,
    `select id from ${table} where merchant_id = :merchant_id and id = any(:ids) order by id for key share`,
  )

const holds = {
  categories: hold('categories'),
  products: hold('products'),
  shipping_zones: hold('shipping_zones'),
}

/** The ids that exist. */
export async function lockExisting(
  tx: Tx,
  { merchant_id }: Shop,
  things: keyof typeof holds,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.many(holds[things], { merchant_id, ids })
  return new Set(rows.map(({ id }) => id))
}

export type AttributeRules = Pick<
  AttributeRow,
  'id' | 'type' | 'is_required' | 'is_multiselect' | 'default_value' | 'options'
>

// Locks `for share`, because the type and the options must not change after the value was checked.
const holdRules = statement<AttributeRules>(
  'products.hold_attributes',
  `select id, type, is_required, is_multiselect, default_value, options
   from attributes
   where merchant_id = :merchant_id and id = any(:ids)
   order by id
   for share`,
)

export const lockAttributeRules = (tx: Tx, { merchant_id }: Shop, ids: readonly string[]): Promise<AttributeRules[]> =>
  tx.many(holdRules, { merchant_id, ids })
