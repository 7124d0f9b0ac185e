// SQL that selects one page of products: ids in order with their stamps, and the count of all matches. Each combination of filter and order
// has its own statement, because one text with "or $n is null" would use no index.

import { storedCountSql } from '../../../db/counts.ts'
import { type Db, statementFamily } from '../../../db/db.ts'
import { isId } from '../../../lib/ids.ts'
import type { PageQuery } from '../../../lib/page.ts'
import type { ListFilter } from '../body-schema.ts'
import { PRODUCT_STAMP, type ReadScope, readValues, type StampedProduct, WITH_STOCK } from '../read-store.ts'
import { joinProductById, traitsOf } from './traits.ts'

type Order = { by: ListFilter['sortBy']; direction: ListFilter['sortDirection'] }

// Each order is an index of migrations/0006_products.sql, read forwards or backwards. Reading backwards reverses every column.
export const ORDERS: Record<Order['by'], Record<Order['direction'], string>> = {
  sort_order: { asc: 'product.sort_order, product.id desc', desc: 'product.sort_order desc, product.id' },
  name: { asc: 'product.sort_name, product.id', desc: 'product.sort_name desc, product.id desc' },
  price: { asc: 'product.price, product.id', desc: 'product.price desc, product.id desc' },
  created: { asc: 'product.id', desc: 'product.id desc' },
}

/** `entries` has one line per product, with an id and a stamp. */
type PageText = { total: number; entries: string }

export type ProductFilter = Pick<
  ListFilter,
  | 'category_id'
  | 'category_slug'
  | 'query'
  | 'active'
  | 'stock_below'
  | 'has_image'
  | 'attribute'
  | 'sortBy'
  | 'sortDirection'
>

/** One page of ids in order, each with its current stamp, and the total count. */
export async function listProducts(
  db: Db,
  scope: ReadScope,
  filter: ProductFilter,
  { limit, offset }: PageQuery,
): Promise<{ total: number; entries: StampedProduct[] }> {
  const { name, values, listed } = selectProductsSql(filter)
  const pageStatement = listStatement(name, listed, { by: filter.sortBy, direction: filter.sortDirection })
  const { total, entries } = await db.one(pageStatement, { ...readValues(scope), ...values, limit, offset })
  return { total, entries: entries === '' ? [] : entries.split('\n').map(parseStamped) }
}

const parseStamped = (line: string): StampedProduct => {
  const space = line.indexOf(' ')
  return { id: line.slice(0, space), stamp: line.slice(space + 1) }
}

/**
 * `from` provides the candidates as `product`; `where` lists further conditions. `total` is SQL for the count, for pages that are read from
 * the index of the order. Without it the matches are found first and then sorted.
 */
type Listed = { from: string; where: readonly string[]; total?: string }

type Selection = { name: string; values: Record<string, unknown>; listed: Listed }

export function selectProductsSql(filter: ProductFilter): Selection {
  const active = filter.active === undefined ? {} : { active: filter.active }
  const isActive = filter.active === undefined ? [] : ['product.is_active = :active']
  const text = textCondition(filter)
  const categories = categoryCondition(filter)
  const filterValues = { ...active, ...text?.values, ...categories?.values }
  const traits = traitsOf(filter)
  // PostgreSQL truncates statement names to 63 characters, so the codes of traits are short.
  const name = [...Object.keys(filterValues), ...traits.map(({ code }) => code)].join('_')
  const values = Object.assign({}, filterValues, ...traits.map((trait) => trait.values))
  const traitConditions = traits.flatMap(({ where }) => where)
  if (text !== null) {
    const where = [
      ...text.where,
      ...isActive,
      ...(categories === null ? [] : [categories.hasProduct]),
      ...traitConditions,
    ]
    return { name, values, listed: { from: text.from, where } }
  }
  if (categories === null) {
    const [first, ...others] = traits
    if (first === undefined) {
      const where = [OF_SHOP, ...isActive]
      // Active and inactive totals have different SQL, and a statement name must have one text.
      const ownName = filter.active === false ? 'inactive' : name
      return { name: ownName, values, listed: { from: PRODUCTS, where, total: keptTotal(filter) } }
    }
    const where = [...first.fromConditions, ...isActive, ...others.flatMap((trait) => trait.where)]
    return { name, values, listed: { from: first.from, where } }
  }
  // Never uses the order's index. It would be fast for a large category, but scan all products for a small one.
  const from = `product_categories member ${joinProductById('member.product_id')}`
  const ofFirst = `member.merchant_id = :merchant_id and member.category_id = ${categories.first}`
  const ofOthers = categories.isOne ? [] : [categories.hasProduct]
  return { name, values, listed: { from, where: [ofFirst, ...isActive, ...ofOthers, ...traitConditions] } }
}

const PRODUCTS = 'products product'
const OF_SHOP = 'product.merchant_id = :merchant_id'

/** A stored count, for lists that filter at most by `active`. */
function keptTotal({ active }: ProductFilter): string {
  if (active === undefined) return storedCountSql('products')
  return active
    ? storedCountSql('active_products')
    : `${storedCountSql('products')} - ${storedCountSql('active_products')}`
}

/** Shorter texts match only beginnings of words, because the index contains parts of this length. */
const TRIGRAM = 3

/** Conditions for a search text: ids, the beginning of a word, or a part of the searched fields. */
function textCondition({ query = '' }: ProductFilter) {
  // Newlines separate the fields in search_text, so they cannot match.
  const text = query.replace(/[\r\n]+/g, ' ')
  const ids = [...new Set(text.split(',').map((id) => id.trim()))]
  if (text === '') return null
  if (ids.every((id) => isId('product', id)))
    return { values: { ids }, from: `unnest(:ids::text[]) as wanted (id) ${joinProductById('wanted.id')}`, where: [] }
  if ([...text].length < TRIGRAM)
    return { values: { start: text }, from: PRODUCTS, where: withParts("array[:merchant_id || ' ' || lower(:start)]") }
  const parts = `array(
       select :merchant_id || ' ' || substr(lower(:text), start, ${TRIGRAM})
       from generate_series(1, length(lower(:text)) - ${TRIGRAM - 1}) start
     )`
  return {
    values: { text },
    from: PRODUCTS,
    where: [...withParts(parts), 'strpos(product.search_text, lower(:text)) > 0'],
  }
}

/**
 * Forces the index of migrations/0037_search_parts.sql. All other indexes start with the merchant, and without statistics the planner would
 * scan all products of the shop. Only this index has the merchant as a numeric; Citus still finds the shard.
 */
const withParts = (parts: string) => [
  'product.merchant_id = :merchant_id::integer::numeric',
  `search_parts(product.merchant_id, product.search_text) @> ${parts} collate "C"`,
]

/** Conditions for products that are in all these categories. Null if none is requested. `first` is SQL for the id of one of them. */
function categoryCondition(filter: ProductFilter) {
  const ids = [...new Set(filter.category_id ?? [])]
  const slugs = [...new Set(filter.category_slug ?? [])]
  const slug = slugs[0]
  if (ids.length + slugs.length === 0) return null
  if (ids.length + slugs.length === 1) {
    const [values, first] = slug === undefined ? [{ in: ids[0] }, ':in'] : [{ slug }, idOfSlug(':slug')]
    return { values, first, isOne: true, hasProduct: hasProductIn(`array[${first}]`, '1') }
  }
  const conditions = [
    ...(ids.length === 0 ? [] : [hasProductIn(':in_all', 'cardinality(:in_all)')]),
    ...(slugs.length === 0 ? [] : [hasProductIn(IDS_OF_SLUGS, 'cardinality(:slugs)')]),
  ]
  return {
    values: { ...(ids.length > 0 && { in_all: ids }), ...(slugs.length > 0 && { slugs }) },
    first: smallestOf([...(ids.length > 0 ? [':in_all::text[]'] : []), ...(slugs.length > 0 ? [IDS_OF_SLUGS] : [])]),
    isOne: false,
    hasProduct: conditions.join('\n     and '),
  }
}

const idOfSlug = (slug: string) => `(select id from categories where merchant_id = :merchant_id and slug = ${slug})`

const IDS_OF_SLUGS = `array(
       select category.id
       from unnest(:slugs::text[]) as wanted (slug)
       join categories category on category.merchant_id = :merchant_id and category.slug = wanted.slug
     )`

/** The category with the fewest products, so that few candidates are read. Counts cover only active products, so this is an estimate. */
const smallestOf = (ids: readonly string[]) => `(
       select wanted.id
       from unnest(${ids.join(' || ')}) as wanted (id)
       order by (
         select sum(kept.products) from category_counts kept
         where kept.merchant_id = :merchant_id and kept.category_id = wanted.id
       ) nulls first
       limit 1
     )`

/** Includes categories that do not exist, so that no product is in all of them. */
const hasProductIn = (categories: string, count: string) => `(
       select count(*) from product_categories link
       where link.merchant_id = :merchant_id and link.product_id = product.id
         and link.category_id = any(${categories}::text[])
     ) = ${count}`

/** SQL of the matching products. */
export const matchingProductsSql = ({
  from,
  where,
}: Listed) => `select product.id, product.sort_order, product.sort_name, product.price
     from ${from}
     where ${['true', ...where].join('\n     and ')}`

const family = statementFamily<PageText>()

/** The order's index alone provides the ids, including those of earlier pages. Rows are read only for this page, each by its full key. */
function listStatement(conditions: string, listed: Listed, { by, direction }: Order) {
  const { total } = listed
  const matches = matchingProductsSql(listed)
  const [matching, source] =
    total === undefined ? [`with matching as materialized (${matches})`, 'matching'] : ['', `(${matches})`]
  return family(
    ['products.list', by, direction, conditions].filter(Boolean).join('_'),
    `${matching}
     select
     ${total ?? '(select count(*) from matching)'} as total,
     array_to_string(array(
       select (
         select concat(product.id, ' ', ${PRODUCT_STAMP})
         from products product
         ${WITH_STOCK}
         where product.merchant_id = :merchant_id and product.id = page.id
       )
       from (
         select product.id
         from ${source} product
         order by ${ORDERS[by][direction]}
         limit :limit offset :offset
       ) page
     ), E'\\n') as entries`,
  )
}
