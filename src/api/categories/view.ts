// Turns rows into categories of the newest API version.

import { type FileUrls, viewAsset } from '../assets/view.ts'
import { ALL_PARTS, type CategoryReadOptions, type CategoryRow, type CategoryTreeRows } from './read-store.ts'
import type { Category } from './schema.ts'
import { buildCategoryTree, type Tree } from './tree.ts'

/** A category with its descendants and ancestors, which its view shows. */
export type CategoryWithRelated = { readonly row: CategoryRow; readonly nodes: CategoryTreeRows['nodes'] }

/** A category with all its parts, as the reply to a change. */
export const viewCategory = ({ row, nodes }: CategoryWithRelated, fileUrls: FileUrls): Category =>
  viewInTree(row, buildCategoryTree(nodes, [row]), ALL_PARTS, fileUrls)

export function viewCategories(
  { rows, nodes }: CategoryTreeRows,
  options: CategoryReadOptions,
  fileUrls: FileUrls,
): Category[] {
  const tree = buildCategoryTree(nodes, rows)
  return rows.map((row) => viewInTree(row, tree, options, fileUrls))
}

const viewInTree = (
  row: CategoryRow,
  tree: Tree,
  { depth, breadcrumbs }: CategoryReadOptions,
  fileUrls: FileUrls,
): Category => ({
  id: row.id,
  parent_id: row.parent_id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  products: row.products,
  created: row.created,
  updated: row.updated,
  meta: row.meta,
  assets: row.assets.map((asset) => viewAsset(asset, fileUrls)),
  children: tree.below(row.id, depth),
  ...(breadcrumbs ? { breadcrumbs: tree.trail(row.id) } : {}),
})
