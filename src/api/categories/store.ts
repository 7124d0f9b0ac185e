// The SQL that changes categories, and what a change must look at first. Whoever writes holds the merchant's tree lock.

import { type Db, statement, type Tx } from '../../db/db.ts'

/** The fields that a category has of its own. */
export type CategoryFields = {
  parent_id: string | null
  slug: string
  name: string
  description: string
  meta: Record<string, unknown>
}

const lockTreeOf = statement('categories.lock_tree', 'select pg_advisory_xact_lock(1667331173, $1::integer)')

/**
 * One change to a merchant's categories at a time, until the transaction ends. Locking the rows would not do: whether a move
 * closes a circle depends on every category above the new parent, and two moves that touch different rows can close one together.
 */
export const lockTree = (tx: Tx, merchantId: number) => tx.run(lockTreeOf, [merchantId])

const find = statement<CategoryFields>(
  'categories.find',
  'select parent_id, slug, name, description, meta from categories where merchant_id = $1 and id = $2',
)

/** Not locked: the tree lock already keeps other changes away, and a lock on the row would hold up products being linked to it. */
export const findCategory = (tx: Tx, merchantId: number, id: string) => tx.maybe(find, [merchantId, id])

const insert = statement(
  'categories.insert',
  `insert into categories (
     merchant_id, id, parent_id, slug, name, description, meta, created_at, updated_at
   )
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
)

export const insertCategory = (tx: Tx, merchantId: number, id: string, fields: CategoryFields, now: Date) =>
  tx.run(insert, [merchantId, id, ...columns(fields), now])

const update = statement(
  'categories.update',
  `update categories
   set parent_id = $3, slug = $4, name = $5, description = $6, meta = $7, updated_at = $8
   where merchant_id = $1 and id = $2`,
)

export const updateCategoryRow = (tx: Tx, merchantId: number, id: string, fields: CategoryFields, now: Date) =>
  tx.run(update, [merchantId, id, ...columns(fields), now])

const columns = ({ parent_id, slug, name, description, meta }: CategoryFields) => [
  parent_id,
  slug,
  name,
  description,
  JSON.stringify(meta),
]

// Products are unlinked and assets detached by their foreign keys.
const remove = statement('categories.delete', 'delete from categories where merchant_id = $1 and id = $2')

export const deleteCategoryRow = (tx: Tx, merchantId: number, id: string) => tx.run(remove, [merchantId, id])

const wayUp = statement<{ id: string }>(
  'categories.way_up',
  `with recursive way as (
     select id, parent_id, 1 as step from categories where merchant_id = $1 and id = $2
     union all
     select parent.id, parent.parent_id, way.step + 1
     from way
     join categories parent on parent.id = way.parent_id
     where parent.merchant_id = $1
   )
   select id from way order by step`,
)

/** The category and all that stand above it, from itself to the top; empty when there is none of that id. */
export const listWayUp = async (db: Db, merchantId: number, id: string): Promise<string[]> =>
  (await db.many(wayUp, [merchantId, id])).map((row) => row.id)

const known = statement<{ id: string }>(
  'categories.known',
  'select id from categories where merchant_id = $1 and id = any($2)',
)

/** Those of the ids that are categories of this merchant. */
export const findKnownCategories = async (db: Db, merchantId: number, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await db.many(known, [merchantId, ids])).map((row) => row.id))

const adopt = statement<{ id: string }>(
  'categories.adopt',
  `update categories
   set parent_id = $2, updated_at = $4
   where merchant_id = $1 and id = any($3) and parent_id is distinct from $2
   returning id`,
)

/** Puts the categories under the parent, and gives the ids of those that stood elsewhere. */
export const adoptCategories = async (
  tx: Tx,
  merchantId: number,
  parentId: string,
  ids: readonly string[],
  now: Date,
): Promise<string[]> => (await tx.many(adopt, [merchantId, parentId, ids, now])).map((row) => row.id)

const release = statement<{ id: string }>(
  'categories.release',
  `update categories
   set parent_id = $3, updated_at = $5
   where merchant_id = $1 and parent_id = $2 and not (id = any($4))
   returning id`,
)

/** Puts the children of a category, except those kept, under another parent or at the top; gives the ids of those that moved. */
export const releaseChildren = async (
  tx: Tx,
  merchantId: number,
  from: string,
  to: string | null,
  kept: readonly string[],
  now: Date,
): Promise<string[]> => (await tx.many(release, [merchantId, from, to, kept, now])).map((row) => row.id)

const detach = statement(
  'categories.detach_assets',
  'delete from category_assets where merchant_id = $1 and category_id = $2',
)

const attach = statement(
  'categories.attach_assets',
  `insert into category_assets (merchant_id, category_id, asset_id, position)
   select $1, $2, asset_id, position
   from unnest($3::text[]) with ordinality as listed (asset_id, position)`,
)

export async function replaceAssets(tx: Tx, merchantId: number, id: string, assetIds: readonly string[]) {
  await tx.run(detach, [merchantId, id])
  if (assetIds.length > 0) await tx.run(attach, [merchantId, id, assetIds])
}

// The SQL that measures how deep the tree is around a category. Whoever asks before a write holds the merchant's tree lock.

const measure = statement<{ above: number; below: number }>(
  'categories.measure_depth',
  `with recursive up as (
     select parent_id, 1 as level from categories where merchant_id = $1 and id = $2
     union all
     select parent.parent_id, up.level + 1
     from up
     join categories parent on parent.id = up.parent_id
     where parent.merchant_id = $1
   ),
   down as (
     select id, 0 as level from categories where merchant_id = $1 and id = $2
     union all
     select child.id, down.level + 1
     from down
     join categories child on child.parent_id = down.id
     where child.merchant_id = $1
   )
   select
     coalesce((select max(level) from up), 0) as above,
     coalesce((select max(level) from down), 0) as below`,
)

/** `above`: the levels from the top down to the category, its own included. `below`: the levels under it. */
export const measureDepth = (db: Db, merchantId: number, id: string) => db.one(measure, [merchantId, id])
