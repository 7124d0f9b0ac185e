// The rules of categories: what a slug may be, where a category may stand, and what a change does to those around it.

import { type Tx, violates } from '../../db/db.ts'
import { emit, emitMany } from '../../events/emit.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FieldErrors, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { isSlug } from '../../lib/filename.ts'
import { newId } from '../../lib/ids.ts'
import { holdUsableAssets } from '../assets/store.ts'
import { type Addresses, unsigned, viewAsset, type WriterAddresses } from '../assets/view.ts'
import { type CategoryRow, type Reach, type Read, readCategories, WHOLE } from './read-store.ts'
import { type Category, type CategoryChanges, MOST_LEVELS, type NewCategory } from './schema.ts'
import {
  adoptCategories,
  type CategoryFields,
  deleteCategoryRow,
  findCategory,
  findKnownCategories,
  insertCategory,
  listWayUp,
  lockTree,
  measureDepth,
  releaseChildren,
  replaceAssets,
  updateCategoryRow,
} from './store.ts'
import { refuseCircle, type Tree, treeOf } from './tree.ts'

type Merchant = Pick<Caller, 'merchantId'>

export async function createCategory(
  tx: Tx,
  clock: Clock,
  { merchantId }: Merchant,
  body: NewCategory,
  addresses: WriterAddresses,
): Promise<Category> {
  refuseSlug(body.slug)
  await lockTree(tx, merchantId)
  await checkPlacement(tx, merchantId, null, body.parent_id ?? null, body.children)
  await checkAssets(tx, merchantId, body.assets)
  const now = clock.now()
  const id = newId('category', now)
  const blank: CategoryFields = { parent_id: null, slug: body.slug, name: body.name, description: '', meta: {} }
  await refusingTakenSlug(insertCategory(tx, merchantId, id, merged(blank, body), now))
  const moved = await adoptCategories(tx, merchantId, id, body.children ?? [], now)
  await refuseDeepTree(tx, merchantId, id, body)
  await replaceAssets(tx, merchantId, id, body.assets ?? [])
  return tell(tx, merchantId, 'categories.create', id, moved, addresses, now)
}

export async function updateCategory(
  tx: Tx,
  clock: Clock,
  { merchantId }: Merchant,
  id: string,
  body: CategoryChanges,
  addresses: WriterAddresses,
): Promise<Category> {
  if (body.slug !== undefined) refuseSlug(body.slug)
  await lockTree(tx, merchantId)
  const current = await findCategory(tx, merchantId, id)
  if (current === null) throw notFound('category')
  const next = merged(current, body)
  if (body.parent_id !== undefined || body.children !== undefined)
    await checkPlacement(tx, merchantId, id, next.parent_id, body.children)
  await checkAssets(tx, merchantId, body.assets)
  const now = clock.now()
  await refusingTakenSlug(updateCategoryRow(tx, merchantId, id, next, now))
  const moved: string[] = []
  if (body.children !== undefined) {
    moved.push(...(await releaseChildren(tx, merchantId, id, current.parent_id, body.children, now)))
    moved.push(...(await adoptCategories(tx, merchantId, id, body.children, now)))
  }
  await refuseDeepTree(tx, merchantId, id, body)
  if (body.assets !== undefined) await replaceAssets(tx, merchantId, id, body.assets)
  return tell(tx, merchantId, 'categories.update', id, moved, addresses, now)
}

/** Its children move to where it stood; its products stay and are no longer in it. `origin`: a lasting one, for the events. */
export async function deleteCategory(
  tx: Tx,
  clock: Clock,
  { merchantId }: Merchant,
  id: string,
  origin: string,
): Promise<void> {
  const told = unsigned(origin)
  await lockTree(tx, merchantId)
  const [deleted] = viewCategories(await readCategories(tx, merchantId, WHOLE, [id]), WHOLE, told)
  if (deleted === undefined) throw notFound('category')
  const now = clock.now()
  const moved = await releaseChildren(tx, merchantId, id, deleted.parent_id, [], now)
  await deleteCategoryRow(tx, merchantId, id)
  await emit(tx, { merchantId }, 'categories.delete', deleted, now)
  await tellOfMoves(tx, merchantId, moved, told, now)
}

/** Fields sent replace, fields left out stay. */
const merged = (current: CategoryFields, body: CategoryChanges): CategoryFields => ({
  parent_id: body.parent_id === undefined ? current.parent_id : body.parent_id,
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

/** The constraint decides and not a look beforehand: between a look and the write another request may take the slug. */
async function refusingTakenSlug(write: Promise<unknown>) {
  try {
    await write
  } catch (error) {
    if (violates(error, 'categories_slug_unique'))
      throw notValid({ slug: ['slug is taken by another category; it must be unique among your categories.'] })
    throw error
  }
}

/** Refuses parents and children that do not exist, and those that would make a circle. */
async function checkPlacement(
  tx: Tx,
  merchantId: number,
  id: string | null,
  parentId: string | null,
  children: readonly string[] | undefined,
) {
  const way = parentId === null ? [] : await listWayUp(tx, merchantId, parentId)
  const known = children === undefined ? null : await findKnownCategories(tx, merchantId, children)
  const problems: FieldErrors = {}
  if (parentId !== null && way.length === 0) problems.parent_id = ['parent_id is not the id of a category.']
  if (children !== undefined && known !== null) refuseEntries('children', 'category', children, known, problems)
  if (Object.keys(problems).length > 0) throw notValid(problems)
  refuseCircle({ id, way, children })
}

/**
 * Asked after the write, when the tree is what it would become: a refusal takes the write back. Whatever is moved beside the
 * category moves up, so only the way through the category itself can have grown.
 */
async function refuseDeepTree(tx: Tx, merchantId: number, id: string, { parent_id, children = [] }: CategoryChanges) {
  const hasParent = parent_id !== undefined && parent_id !== null
  if (!hasParent && children.length === 0) return
  const { above, below } = await measureDepth(tx, merchantId, id)
  if (above + below <= MOST_LEVELS) return
  const field = hasParent ? 'parent_id' : 'children'
  throw notValid({
    [field]: [
      `${field} would make the tree ${above + below} levels deep; categories may stand on ${MOST_LEVELS} levels at most.`,
    ],
  })
}

async function checkAssets(tx: Tx, merchantId: number, assets: readonly string[] | undefined) {
  if (assets === undefined || assets.length === 0) return
  const problems: FieldErrors = {}
  refuseEntries('assets', 'finished asset', assets, await holdUsableAssets(tx, merchantId, assets), problems)
  if (Object.keys(problems).length > 0) throw notValid(problems)
}

function refuseEntries(
  field: string,
  thing: string,
  ids: readonly string[],
  known: ReadonlySet<string>,
  problems: FieldErrors,
) {
  const seen = new Set<string>()
  ids.forEach((id, index) => {
    const path = `${field}.${index}`
    if (!known.has(id)) problems[path] = [`${path} is not the id of a ${thing}.`]
    else if (seen.has(id)) problems[path] = [`${path} stands in the list twice.`]
    seen.add(id)
  })
}

/** Gives the category as it is now, after writing the events of what happened to it and to those that moved. */
async function tell(
  tx: Tx,
  merchantId: number,
  name: 'categories.create' | 'categories.update',
  id: string,
  moved: readonly string[],
  addresses: WriterAddresses,
  now: Date,
): Promise<Category> {
  const read = await readCategories(tx, merchantId, WHOLE, [id])
  const [shown] = viewCategories(read, WHOLE, addresses)
  const [payload] = viewCategories(read, WHOLE, addresses.lasting)
  if (shown === undefined || payload === undefined) throw new Error('A category that was just written is gone.')
  await emit(tx, { merchantId }, name, payload, now)
  await tellOfMoves(tx, merchantId, moved, addresses.lasting, now)
  return shown
}

/** A category that another one's change has moved has changed too: whoever mirrors the tree hears of each. */
async function tellOfMoves(tx: Tx, merchantId: number, moved: readonly string[], addresses: Addresses, now: Date) {
  if (moved.length === 0) return
  const categories = viewCategories(await readCategories(tx, merchantId, WHOLE, moved), WHOLE, addresses)
  await emitMany(
    tx,
    { merchantId },
    categories.map((payload) => ({ name: 'categories.update', payload })),
    now,
  )
}

// Rows → categories in their newest form, field by field.

/** `addresses` are those that the urls of assets are made with. */
export function viewCategories({ rows, nodes }: Read, reach: Reach, addresses: Addresses): Category[] {
  const tree = treeOf(nodes, rows)
  return rows.map((row) => viewCategory(row, tree, reach, addresses))
}

const viewCategory = (row: CategoryRow, tree: Tree, { depth, breadcrumbs }: Reach, addresses: Addresses): Category => ({
  id: row.id,
  parent_id: row.parent_id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  products: row.products,
  created: row.created,
  updated: row.updated,
  meta: row.meta,
  assets: row.assets.map((asset) => viewAsset(asset, addresses)),
  children: tree.below(row.id, depth),
  ...(breadcrumbs ? { breadcrumbs: tree.trail(row.id) } : {}),
})
