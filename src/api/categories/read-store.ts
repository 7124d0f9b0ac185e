// SQL that reads categories. One statement reads a page of categories with their descendants and ancestors. All of
// them are therefore consistent.

import { jsonSizeSql, limitJsonSizeSql } from '../../db/columns.ts'
import { storedCountSql } from '../../db/counts.ts'
import { type Db, type Shop, statementOfFamily } from '../../db/db.ts'
import { type PageQuery, UNLIMITED_BYTES } from '../../lib/page.ts'
import { ASSET_JSON, type AssetRow, VISIBLE_ASSET } from '../assets/store.ts'
import { MAX_SHOWN_DEPTH } from './schema.ts'
import type { Node } from './tree.ts'

export type CategoryRow = Node & {
  description: string
  meta: Record<string, unknown>
  /** Number of active products. */
  products: number
  created: number
  updated: number
  assets: AssetRow[]
}

/** `rows` are the categories themselves. `nodes` are their descendants and ancestors. */
export type CategoryTreeRows = { rows: CategoryRow[]; nodes: Node[] }

/** Parts to read with each category: `depth` levels of descendants, its ancestors, and private assets. */
export type CategoryReadOptions = { depth: number; breadcrumbs: boolean; privateAssets: boolean }

export const ALL_PARTS: CategoryReadOptions = { depth: MAX_SHOWN_DEPTH, breadcrumbs: false, privateAssets: true }

/** Parameters of every statement made by `readStatement`. */
const valuesOf = (
  { merchant_id }: Shop,
  { depth, breadcrumbs, privateAssets }: CategoryReadOptions,
  maxBytes = UNLIMITED_BYTES,
) => ({
  merchant_id,
  most_bytes: maxBytes,
  depth,
  has_breadcrumbs: breadcrumbs,
  is_secret: privateAssets,
})

/**
 * `chosen` is SQL that selects the categories, after `where merchant_id = :merchant_id and …`. `union` removes
 * duplicates, because several categories of a page may share descendants or ancestors.
 */
const readStatement = (name: string, chosen: string, total = '0') =>
  statementOfFamily<CategoryTreeRows & ListSize>(
    name,
    `with recursive page as materialized (
       select id, parent_id, slug, name, description, meta, position, created_at, updated_at
       from categories
       where merchant_id = :merchant_id and ${chosen}
     ),
     below as (
       select child.id, child.parent_id, child.slug, child.name, child.position, 1 as level
       from page
       join categories child on child.merchant_id = :merchant_id and child.parent_id = page.id
       where :depth::integer > 0
       union
       select child.id, child.parent_id, child.slug, child.name, child.position, below.level + 1
       from below
       join categories child on child.merchant_id = :merchant_id and child.parent_id = below.id
       where below.level < :depth::integer
     ),
     above as (
       select parent.id, parent.parent_id, parent.slug, parent.name, parent.position
       from page
       join categories parent on parent.merchant_id = :merchant_id and parent.id = page.parent_id
       where :has_breadcrumbs::boolean
       union
       select parent.id, parent.parent_id, parent.slug, parent.name, parent.position
       from above
       join categories parent on parent.merchant_id = :merchant_id and parent.id = above.parent_id
     )
     select
       ${total} as total,
       ${jsonSizeSql('built.rows')} as bytes,
       ${limitJsonSizeSql('built.rows')} as rows,
       coalesce((
         select json_agg(node order by node.position, node.id)
         from (
           select id, parent_id, slug, name, position from below
           union
           select id, parent_id, slug, name, position from above
         ) node
       ), '[]') as nodes
     from (
       select coalesce((
         select json_agg(shown order by shown.position, shown.id)
         from (
           select page.id, page.parent_id, page.slug, page.name, page.description, page.meta, page.position,
             unix_seconds(page.created_at) as created, unix_seconds(page.updated_at) as updated,
             (
               select coalesce(sum(kept.products), 0)
               from category_counts kept
               where kept.merchant_id = :merchant_id and kept.category_id = page.id
             ) as products,
             coalesce((
               select json_agg(${ASSET_JSON} order by link.position)
               from category_assets link
               join assets a on a.merchant_id = :merchant_id and a.id = link.asset_id
               where link.merchant_id = :merchant_id and link.category_id = page.id
                 and ${VISIBLE_ASSET}
             ), '[]') as assets
           from page
         ) shown
       ), '[]') as rows
       offset 0
     ) built`,
  )

const countOf = (chosen: string) => `(select count(*) from categories where merchant_id = :merchant_id and ${chosen})`

/** Sorts by the merchant's positions. Categories without a position follow, oldest first. */
const PAGED = 'order by position, id limit :limit offset :offset'

// Three statements instead of one with `or`, so that each can use its own index.
const listAll = readStatement('categories.list', `true ${PAGED}`, storedCountSql('categories'))
const listTop = readStatement('categories.list_top', `parent_id is null ${PAGED}`, countOf('parent_id is null'))
const listChildren = readStatement(
  'categories.list_children',
  `parent_id = :parent_id ${PAGED}`,
  countOf('parent_id = :parent_id'),
)

/** Number of categories in all, and bytes of the page. If the bytes exceed the limit, `rows` is empty. */
type ListSize = { total: number; bytes: number }

/** `parent` is undefined for all categories, '' for the top level, or an id for its direct children. */
export const listCategories = (
  db: Db,
  shop: Shop,
  reach: CategoryReadOptions,
  { limit, offset }: PageQuery,
  most: number,
  parent: string | undefined,
): Promise<CategoryTreeRows & ListSize> => {
  const values = { ...valuesOf(shop, reach, most), limit, offset }
  if (parent === undefined) return db.one(listAll, values)
  return parent === '' ? db.one(listTop, values) : db.one(listChildren, { ...values, parent_id: parent })
}

const readIds = readStatement('categories.read', 'id = any(:ids)')

/** Reads the categories with these ids. Skips unknown ids. */
export const readCategories = (
  db: Db,
  shop: Shop,
  reach: CategoryReadOptions,
  ids: readonly string[],
): Promise<CategoryTreeRows> => db.one(readIds, { ...valuesOf(shop, reach), ids })

const readSlug = readStatement('categories.read_slug', 'slug = :slug')

export const readCategoryBySlug = (
  db: Db,
  shop: Shop,
  reach: CategoryReadOptions,
  slug: string,
): Promise<CategoryTreeRows> => db.one(readSlug, { ...valuesOf(shop, reach), slug })
