// Rows → categories in their newest form, field by field.

import { type Addresses, viewAsset } from '../assets/view.ts'
import type { CategoryRow, Reach, Read } from './read-store.ts'
import type { Category } from './schema.ts'
import { type Tree, treeOf } from './tree.ts'

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
