// SQL of tables: the products of an export, and the categories in a line of an import.

import { type Db, type Shop, statement, statementFamily } from '../../../db/db.ts'
import { matchingProductsSql, ORDERS, type ProductFilter, selectProductsSql } from '../list/store.ts'
import { type ReadScope, readValues } from '../read-store.ts'

const family = statementFamily<{ ids: string[] }>()

/** The ids of all matches, in the order of the list. */
export async function listProductIds(db: Db, scope: ReadScope, filter: ProductFilter): Promise<string[]> {
  const { name, values, listed } = selectProductsSql(filter)
  const { sortBy, sortDirection } = filter
  const selectIds = family(
    ['products.ids', sortBy, sortDirection, name].filter(Boolean).join('_'),
    `select array(
       select product.id
       from (${matchingProductsSql(listed)}) product
       order by ${ORDERS[sortBy][sortDirection]}
     ) as ids`,
  )
  return (await db.one(selectIds, { ...readValues(scope), ...values })).ids
}

const find = statement<{ id: string; slug: string }>(
  'products.find_category_slugs',
  'select id, slug from categories where merchant_id = :merchant_id and slug = any(:slugs)',
)

/** Ids of the existing categories, by slug. */
export async function findCategoryIdsBySlug(
  db: Db,
  { merchant_id }: Shop,
  slugs: readonly string[],
): Promise<Map<string, string>> {
  if (slugs.length === 0) return new Map()
  const rows = await db.many(find, { merchant_id, slugs })
  return new Map(rows.map(({ id, slug }) => [slug, id]))
}
