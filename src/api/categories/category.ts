// The rules of categories: valid slugs, placement in the tree, and effects of a change on related categories.

import { type Shop, type Tx, violatesConstraint } from '../../db/db.ts'
import { emit, emitMany } from '../../events/emit.ts'
import { notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { Problems, refuseEntries } from '../../lib/problems.ts'
import { isSlug } from '../../lib/text.ts'
import { lockUsableAssets, USABLE_ASSET } from '../assets/store.ts'
import { unsignedFileUrls, type WriteContext } from '../assets/view.ts'
import { changeCatalogue } from '../catalogue/change.ts'
import { ALL_PARTS, readCategories } from './read-store.ts'
import { type CategoryChanges, MAX_TREE_LEVELS, type NewCategory } from './schema.ts'
import {
  type CategoryFields,
  deleteCategoryRow,
  findCategory,
  findKnownCategories,
  insertCategory,
  listPathUp,
  lockTree,
  measureDepth,
  moveCategoriesUnder,
  moveChildrenOut,
  placeCategory,
  replaceAssets,
  updateCategoryRow,
} from './store.ts'
import { refuseCategoryCycle } from './tree.ts'
import { type CategoryWithRelated, viewCategories, viewCategory } from './view.ts'

export async function createCategory(context: WriteContext, body: NewCategory): Promise<CategoryWithRelated> {
  const { db, clock, caller } = context
  refuseSlug(body.slug)
  // No catalogue version needs to rise: products do not show the parents of their categories, and a new category has no products.
  return db.transaction(async (tx) => {
    await lockTree(tx, caller)
    await checkPlacement(tx, caller, null, body.parent_id ?? null, body.children)
    await checkAssets(tx, caller, body.assets)
    const now = clock.now()
    const id = newId('category', now)
    const defaults: CategoryFields = { parent_id: null, slug: body.slug, name: body.name, description: '', meta: {} }
    await translateTakenSlug(insertCategory(tx, caller, id, mergeChanges(defaults, body), now))
    const movedIds = await moveCategoriesUnder(tx, caller, id, body.children ?? [], now)
    await refuseDeepTree(tx, caller, id, body)
    await replaceAssets(tx, caller, id, body.assets ?? [])
    return emitChange(tx, context, 'categories.create', id, movedIds, now)
  })
}

export async function updateCategory(
  context: WriteContext,
  id: string,
  body: CategoryChanges,
): Promise<CategoryWithRelated> {
  const { db, clock, caller } = context
  if (body.slug !== undefined) refuseSlug(body.slug)
  return changeCatalogue({ db, caller }, async (tx) => {
    await lockTree(tx, caller)
    const current = await findCategory(tx, caller, id)
    if (current === null) throw notFound('category')
    await context.refuseIfChanged?.(tx)
    const merged = mergeChanges(current, body)
    if (body.parent_id !== undefined || body.children !== undefined)
      await checkPlacement(tx, caller, id, merged.parent_id, body.children)
    await checkAssets(tx, caller, body.assets)
    const now = clock.now()
    await translateTakenSlug(updateCategoryRow(tx, caller, id, merged, now))
    const movedIds: string[] = []
    if (body.children !== undefined) {
      movedIds.push(...(await moveChildrenOut(tx, caller, id, current.parent_id, body.children, now)))
      movedIds.push(...(await moveCategoriesUnder(tx, caller, id, body.children, now)))
    }
    await refuseDeepTree(tx, caller, id, body)
    if (body.before !== undefined) {
      await checkNeighbour(tx, caller, id, merged.parent_id, body.before)
      await placeCategory(tx, caller, id, merged.parent_id, body.before)
    }
    if (body.assets !== undefined) await replaceAssets(tx, caller, id, body.assets)
    return emitChange(tx, context, 'categories.update', id, movedIds, now)
  })
}

/** Deletes a category. Its children move to its parent; its products remain, outside of it. */
export const deleteCategory = ({ db, clock, caller, lastingOrigin }: WriteContext, id: string): Promise<void> =>
  changeCatalogue({ db, caller }, async (tx) => {
    await lockTree(tx, caller)
    const [deleted] = viewCategories(
      await readCategories(tx, caller, ALL_PARTS, [id]),
      ALL_PARTS,
      unsignedFileUrls(lastingOrigin),
    )
    if (deleted === undefined) throw notFound('category')
    const now = clock.now()
    const movedIds = await moveChildrenOut(tx, caller, id, deleted.parent_id, [], now)
    await deleteCategoryRow(tx, caller, id)
    await emit(tx, caller, 'categories.delete', deleted, now)
    await emitMoves(tx, caller, movedIds, lastingOrigin, now)
  })

/** Sent fields replace the current ones. */
const mergeChanges = (current: CategoryFields, body: CategoryChanges): CategoryFields => ({
  parent_id: newOrCurrent(body.parent_id, current.parent_id),
  slug: body.slug ?? current.slug,
  name: body.name ?? current.name,
  description: body.description ?? current.description,
  meta: body.meta === undefined ? current.meta : (body.meta ?? {}),
})

function refuseSlug(slug: string) {
  if (!isSlug(slug))
    throw unprocessable({
      slug: [
        'slug must consist of the letters a to z, digits, hyphens, underscores, dots and tildes, and begin with a letter or a digit, as in mens-shoes.',
      ],
    })
}

/** Relies on the unique constraint. A check before the write could miss a concurrent request that takes the slug. */
async function translateTakenSlug(write: Promise<unknown>) {
  try {
    await write
  } catch (error) {
    if (violatesConstraint(error, 'categories_slug_unique'))
      throw notValid({ slug: ['slug is taken by another category; it must be unique among your categories.'] })
    throw error
  }
}

/** Refuses a parent or children that do not exist, or that would form a cycle. */
async function checkPlacement(
  tx: Tx,
  shop: Shop,
  id: string | null,
  parentId: string | null,
  children: readonly string[] | undefined,
) {
  const parentPath = parentId === null ? [] : await listPathUp(tx, shop, parentId)
  const existingIds = children === undefined ? null : await findKnownCategories(tx, shop, children)
  const problems = new Problems()
  if (parentId !== null && parentPath.length === 0) problems.refused('parent_id', 'is not the id of a category')
  if (children !== undefined && existingIds !== null)
    refuseEntries(children, existingIds, 'children', 'a category', problems)
  problems.throwIfAny()
  refuseCategoryCycle({ id, parentPath, children })
}

/** Refuses a `before` that is not a sibling. Runs after the write, because the same request may have moved the neighbour. */
async function checkNeighbour(tx: Tx, shop: Shop, id: string, parentId: string | null, before: string | null) {
  if (before === null) return
  const neighbour = before === id ? null : await findCategory(tx, shop, before)
  if (neighbour === null || neighbour.parent_id !== parentId)
    throw notValid({ before: ['before is not the id of another category under the same parent.'] })
}

/**
 * Refuses a tree with too many levels. Runs after the write, on the new tree; an error rolls the write back. Only paths
 * through this category need a check. Children that it loses move towards the top, which makes their paths shorter.
 */
async function refuseDeepTree(tx: Tx, shop: Shop, id: string, { parent_id, children = [] }: CategoryChanges) {
  const hasParent = parent_id !== undefined && parent_id !== null
  if (!hasParent && children.length === 0) return
  const { above, below } = await measureDepth(tx, shop, id)
  if (above + below <= MAX_TREE_LEVELS) return
  const field = hasParent ? 'parent_id' : 'children'
  throw notValid({
    [field]: [
      `${field} would make the tree ${above + below} levels deep; it can have at most ${MAX_TREE_LEVELS} levels.`,
    ],
  })
}

async function checkAssets(tx: Tx, shop: Shop, assets: readonly string[] | undefined) {
  if (assets === undefined || assets.length === 0) return
  const problems = new Problems()
  refuseEntries(assets, await lockUsableAssets(tx, shop, assets), 'assets', USABLE_ASSET, problems)
  problems.throwIfAny()
}

/** Emits the events of the category and of the categories that this change moved. Returns the current category. */
async function emitChange(
  tx: Tx,
  { caller, lastingOrigin }: WriteContext,
  name: 'categories.create' | 'categories.update',
  id: string,
  movedIds: readonly string[],
  now: Date,
): Promise<CategoryWithRelated> {
  const { rows, nodes } = await readCategories(tx, caller, ALL_PARTS, [id])
  const [row] = rows
  if (row === undefined) throw new Error('A category that was just written is gone.')
  await emit(tx, caller, name, viewCategory({ row, nodes }, unsignedFileUrls(lastingOrigin)), now)
  await emitMoves(tx, caller, movedIds, lastingOrigin, now)
  return { row, nodes }
}

/** Emits an update of each category that a change of another one has moved. Webhook receivers that mirror the tree need it. */
async function emitMoves(tx: Tx, shop: Shop, movedIds: readonly string[], origin: string, now: Date) {
  if (movedIds.length === 0) return
  const categories = viewCategories(
    await readCategories(tx, shop, ALL_PARTS, movedIds),
    ALL_PARTS,
    unsignedFileUrls(origin),
  )
  await emitMany(
    tx,
    shop,
    categories.map((payload) => ({ name: 'categories.update', payload })),
    now,
  )
}
