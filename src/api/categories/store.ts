// SQL that changes categories, and the reads that a change needs. Writers hold the merchant's tree lock. Sandbox and live mode share
// categories.

import { columns } from '../../db/columns.ts'
import { addToCount, SLOT } from '../../db/counts.ts'
import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'
import { deleteRecord } from '../../db/record-store.ts'
import { keyOf } from '../../db/records.ts'
import type { CatalogueTx } from '../catalogue/store.ts'

/** The fields stored in the category's own row. */
export type CategoryFields = {
  parent_id: string | null
  slug: string
  name: string
  description: string
  meta: Record<string, unknown>
}

const FIELDS = columns<keyof CategoryFields>(['parent_id', 'slug', 'name', 'description', 'meta'], ['meta'])

const lockTreeOf = statement('categories.lock_tree', 'select pg_advisory_xact_lock(1667331173, :merchant_id::integer)')

/**
 * Serializes changes to a merchant's categories until the transaction ends. Row locks are not enough: a move is a cycle depending on all
 * categories above the new parent. Two moves of different rows can form a cycle together.
 */
export const lockTree = (tx: Tx, { merchant_id }: Shop) => tx.run(lockTreeOf, { merchant_id })

const find = statement<CategoryFields>(
  'categories.find',
  `select ${FIELDS.names} from categories where merchant_id = :merchant_id and id = :id`,
)

/** Reads without a lock. The tree lock excludes other changes, and a row lock would block linking products to the category. */
export const findCategory = (tx: Tx, { merchant_id }: Shop, id: string) => tx.maybe(find, { merchant_id, id })

const insert = statement(
  'categories.insert',
  `insert into categories (merchant_id, id, created_at, updated_at, ${FIELDS.names})
   values (:merchant_id, :id, :now, :now, ${FIELDS.parameters})`,
)

export async function insertCategory(tx: Tx, shop: Shop, id: string, fields: CategoryFields, now: Date) {
  await tx.run(insert, { ...FIELDS.values(fields), ...keyOf(shop, id), now })
  addToCount(tx, shop, 'categories', 1)
}

const update = statement(
  'categories.update',
  `update categories
   set ${FIELDS.assignments}, updated_at = :now,
     position = case when parent_id is distinct from :parent_id then null else position end
   where merchant_id = :merchant_id and id = :id`,
)

export const updateCategoryRow = (
  tx: CatalogueTx,
  { merchant_id }: Shop,
  id: string,
  fields: CategoryFields,
  now: Date,
) => tx.run(update, { ...FIELDS.values(fields), merchant_id, id, now })

// Foreign keys unlink products and detach assets.
export const deleteCategoryRow = deleteRecord<CatalogueTx>('categories.delete', 'categories')

// Waits for a concurrent deletion of the category, and then counts nothing. One statement per category, with the category as its first
// value, lets `beforeCommit` update counts in the same order in all transactions. The select uses the row's own merchant_id: with
// `:merchant_id` Citus would fetch the row to the coordinator, which takes four times as long.
const countProduct = statement(
  'categories.count_product',
  `insert into category_counts (merchant_id, category_id, slot, products)
   select merchant_id, :id::text, ${SLOT}, :change
   from categories
   where merchant_id = :merchant_id and id = :id
   for key share
   on conflict (merchant_id, category_id, slot) do update set products = category_counts.products + excluded.products`,
)

/**
 * Updates the product counts of categories when the transaction commits. `before` are the categories that counted the product until now,
 * `after` those that count it from now on. The caller has locked the product.
 */
export function moveProductCount(tx: Tx, shop: Shop, before: readonly string[], after: readonly string[]): void {
  const count = (ids: readonly string[], others: readonly string[], change: 1 | -1) => {
    for (const id of new Set(ids))
      if (!others.includes(id)) tx.beforeCommit(countProduct, { ...keyOf(shop, id), change })
  }
  count(before, after, -1)
  count(after, before, 1)
}

/**
 * The category `:id` as step 1 and all its ancestors, as a part of `with recursive`. `offset 0` stops the planner from scanning all
 * categories at each step.
 */
const WAY_UP = `way as (
     select id, parent_id, 1 as step from categories where merchant_id = :merchant_id and id = :id
     union all
     select parent.id, parent.parent_id, way.step + 1
     from way
     cross join lateral (
       select id, parent_id from categories where merchant_id = :merchant_id and id = way.parent_id offset 0
     ) parent
   )`

const selectWayUp = statement<{ id: string }>(
  'categories.way_up',
  `with recursive ${WAY_UP} select id from way order by step`,
)

/** The category and its ancestors, from itself to the top. Empty if it does not exist. */
export const listPathUp = async (db: Db, { merchant_id }: Shop, id: string): Promise<string[]> =>
  (await db.many(selectWayUp, { merchant_id, id })).map((row) => row.id)

const selectExisting = statement<{ id: string }>(
  'categories.known',
  'select id from categories where merchant_id = :merchant_id and id = any(:ids)',
)

/** The ids that belong to categories of this merchant. */
export const findKnownCategories = async (
  db: Db,
  { merchant_id }: Shop,
  ids: readonly string[],
): Promise<Set<string>> => new Set((await db.many(selectExisting, { merchant_id, ids })).map((row) => row.id))

const moveUnder = statement<{ id: string }>(
  'categories.adopt',
  `update categories
   set parent_id = :parent_id, position = null, updated_at = :now
   where merchant_id = :merchant_id and id = any(:ids) and parent_id is distinct from :parent_id
   returning id`,
)

/** Moves the categories under the parent. Returns the ids of those that had another parent before. */
export const moveCategoriesUnder = async (
  tx: Tx,
  { merchant_id }: Shop,
  parentId: string,
  ids: readonly string[],
  now: Date,
): Promise<string[]> => (await tx.many(moveUnder, { merchant_id, parent_id: parentId, ids, now })).map((row) => row.id)

const moveOut = statement<{ id: string }>(
  'categories.release',
  `update categories
   set parent_id = :new_parent_id, position = null, updated_at = :now
   where merchant_id = :merchant_id and parent_id = :parent_id and not (id = any(:kept))
   returning id`,
)

/** Moves the children of a category, except `kept`, under another parent or to the top. Returns the ids of the moved ones. */
export const moveChildrenOut = async (
  tx: Tx,
  { merchant_id }: Shop,
  parentId: string,
  newParentId: string | null,
  kept: readonly string[],
  now: Date,
): Promise<string[]> => {
  const values = { merchant_id, parent_id: parentId, new_parent_id: newParentId, kept, now }
  return (await tx.many(moveOut, values)).map((row) => row.id)
}

// Siblings get even numbers in their current order, which leaves an odd number before each.
const place = statement(
  'categories.place',
  `with sibling as (
     select id, row_number() over (order by position, id) * 2 as place
     from categories
     where merchant_id = :merchant_id and parent_id is not distinct from :parent_id::text and id <> :id
   )
   update categories
   set position = placed.place
   from (
     select id, place from sibling
     union all
     select :id::text, coalesce(
       (select place - 1 from sibling where id = :before_id::text), (select max(place) + 2 from sibling), 2
     )
   ) placed
   where categories.merchant_id = :merchant_id and categories.id = placed.id`,
)

/** Places a category before a sibling, or last if `beforeId` is null. */
export const placeCategory = (
  tx: CatalogueTx,
  shop: Shop,
  id: string,
  parentId: string | null,
  beforeId: string | null,
) => tx.run(place, { ...keyOf(shop, id), parent_id: parentId, before_id: beforeId })

const detach = statement(
  'categories.detach_assets',
  'delete from category_assets where merchant_id = :merchant_id and category_id = :id',
)

const attach = statement(
  'categories.attach_assets',
  `insert into category_assets (merchant_id, category_id, asset_id, position)
   select :merchant_id, :id, asset_id, position
   from unnest(:asset_ids::text[]) with ordinality as listed (asset_id, position)`,
)

export async function replaceAssets(tx: Tx, { merchant_id }: Shop, id: string, assetIds: readonly string[]) {
  const values = { merchant_id, id, asset_ids: assetIds }
  await tx.run(detach, values)
  if (assetIds.length > 0) await tx.run(attach, values)
}

const measure = statement<{ above: number; below: number }>(
  'categories.measure_depth',
  `with recursive ${WAY_UP},
   down as (
     select id, 0 as level from categories where merchant_id = :merchant_id and id = :id
     union all
     select child.id, down.level + 1
     from down
     cross join lateral (
       select id from categories where merchant_id = :merchant_id and parent_id = down.id offset 0
     ) child
   )
   select
     coalesce((select max(step) from way), 0) as above,
     coalesce((select max(level) from down), 0) as below`,
)

/** `above` counts the levels from the top to the category, including its own. `below` counts the levels under it. */
export const measureDepth = (db: Db, { merchant_id }: Shop, id: string) => db.one(measure, { merchant_id, id })
