// The SQL that changes categories, and what a change must look at first. Whoever writes holds the merchant's tree lock.
// Sandbox and live share categories.

import { columns } from '../../db/columns.ts'
import { addToCount, SLOT } from '../../db/counts.ts'
import { type Db, statement, type Tx } from '../../db/db.ts'
import { keyOf, type Shop } from '../../db/records.ts'
import type { CatalogueTx } from '../catalogue/store.ts'

/** The fields that a category has of its own. */
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
 * One change to a merchant's categories at a time, until the transaction ends. Locking the rows would not do: whether a move
 * closes a circle depends on every category above the new parent, and two moves that touch different rows can close one together.
 */
export const lockTree = (tx: Tx, { merchantId }: Shop) => tx.run(lockTreeOf, { merchant_id: merchantId })

const find = statement<CategoryFields>(
  'categories.find',
  `select ${FIELDS.names} from categories where merchant_id = :merchant_id and id = :id`,
)

/** Not locked: the tree lock already keeps other changes away, and a lock on the row would hold up products being linked to it. */
export const findCategory = (tx: Tx, { merchantId }: Shop, id: string) =>
  tx.maybe(find, { merchant_id: merchantId, id })

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
  { merchantId }: Shop,
  id: string,
  fields: CategoryFields,
  now: Date,
) => tx.run(update, { ...FIELDS.values(fields), merchant_id: merchantId, id, now })

// Products are unlinked and assets detached by their foreign keys.
const remove = statement('categories.delete', 'delete from categories where merchant_id = :merchant_id and id = :id')

export async function deleteCategoryRow(tx: CatalogueTx, shop: Shop, id: string) {
  const deleted = await tx.run(remove, keyOf(shop, id))
  if (deleted > 0) addToCount(tx, shop, 'categories', -deleted)
}

// One that is being deleted is waited for, and then has nothing to count. Each category by a statement of its own, and its key the first of
// the values: `beforeCommit` then has all transactions change their counts in one order. The merchant is the one of the row: with
// `:merchant_id` in its place Citus would fetch the row to the coordinator first, which takes four times as long.
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
 * By whoever holds the product: the categories in which it counted as an active one until now, and those in which it does from the commit
 * on.
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
 * The category `:id` and all that stand above it, as part of a `with recursive`: itself is the first step.
 * `offset 0` keeps the planner from reading all categories at each step, here and below.
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

const wayUp = statement<{ id: string }>(
  'categories.way_up',
  `with recursive ${WAY_UP} select id from way order by step`,
)

/** The category and all that stand above it, from itself to the top; empty when there is none of that id. */
export const listWayUp = async (db: Db, { merchantId }: Shop, id: string): Promise<string[]> =>
  (await db.many(wayUp, { merchant_id: merchantId, id })).map((row) => row.id)

const known = statement<{ id: string }>(
  'categories.known',
  'select id from categories where merchant_id = :merchant_id and id = any(:ids)',
)

/** Those of the ids that are categories of this merchant. */
export const findKnownCategories = async (db: Db, { merchantId }: Shop, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await db.many(known, { merchant_id: merchantId, ids })).map((row) => row.id))

const adopt = statement<{ id: string }>(
  'categories.adopt',
  `update categories
   set parent_id = :parent_id, position = null, updated_at = :now
   where merchant_id = :merchant_id and id = any(:ids) and parent_id is distinct from :parent_id
   returning id`,
)

/** Puts the categories under the parent, and gives the ids of those that stood elsewhere. */
export const adoptCategories = async (
  tx: Tx,
  { merchantId }: Shop,
  parentId: string,
  ids: readonly string[],
  now: Date,
): Promise<string[]> =>
  (await tx.many(adopt, { merchant_id: merchantId, parent_id: parentId, ids, now })).map((row) => row.id)

const release = statement<{ id: string }>(
  'categories.release',
  `update categories
   set parent_id = :new_parent_id, position = null, updated_at = :now
   where merchant_id = :merchant_id and parent_id = :parent_id and not (id = any(:kept))
   returning id`,
)

/** Puts the children of a category, except those kept, under another parent or at the top; gives the ids of those that moved. */
export const releaseChildren = async (
  tx: Tx,
  { merchantId }: Shop,
  parentId: string,
  newParentId: string | null,
  kept: readonly string[],
  now: Date,
): Promise<string[]> => {
  const values = { merchant_id: merchantId, parent_id: parentId, new_parent_id: newParentId, kept, now }
  return (await tx.many(release, values)).map((row) => row.id)
}

// Its siblings get even numbers in the order that they have, so that there is an odd one before each.
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

/** Puts a category before one of those that stand under the same parent; null: behind all of them. */
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

export async function replaceAssets(tx: Tx, { merchantId }: Shop, id: string, assetIds: readonly string[]) {
  const values = { merchant_id: merchantId, id, asset_ids: assetIds }
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

/** `above`: the levels from the top down to the category, its own included. `below`: the levels under it. */
export const measureDepth = (db: Db, { merchantId }: Shop, id: string) =>
  db.one(measure, { merchant_id: merchantId, id })
