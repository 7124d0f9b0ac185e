// The SQL that picks one page of products: their ids in order with their stamps, and the count of all that match. Each combination of filter and
// order is a statement of its own, because one text with "or $n is null" would use none of the indexes.

import { keptCount } from '../../../db/counts.ts'
import { type Db, statementFamily } from '../../../db/db.ts'
import { isId } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/page.ts'
import type { ListFilter } from '../body-schema.ts'
import { type ReadScope, readValues, STAMP, type Stamped, WITH_STOCK } from '../read-store.ts'
import { byKey, traitsOf } from './traits.ts'

type Order = { by: ListFilter['sortBy']; direction: ListFilter['sortDirection'] }

// Each is an index of migrations/0006_products.sql, forwards or backwards; backwards turns every column around.
export const ORDERS: Record<Order['by'], Record<Order['direction'], string>> = {
  sort_order: { asc: 'product.sort_order, product.id desc', desc: 'product.sort_order desc, product.id' },
  name: { asc: 'product.sort_name, product.id', desc: 'product.sort_name desc, product.id desc' },
  price: { asc: 'product.price, product.id', desc: 'product.price desc, product.id desc' },
  created: { asc: 'product.id', desc: 'product.id desc' },
}

/** `entries`: a line each, an id and a stamp. */
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

/** One page, in order and each in the state that it is in, and how many there are in all. */
export async function listProducts(
  db: Db,
  scope: ReadScope,
  filter: ProductFilter,
  { limit, offset }: Page,
): Promise<{ total: number; entries: Stamped[] }> {
  const { name, values, listed } = selectionOf(filter)
  const sent = listStatement(name, listed, { by: filter.sortBy, direction: filter.sortDirection })
  const { total, entries } = await db.one(sent, { ...readValues(scope), ...values, limit, offset })
  return { total, entries: entries === '' ? [] : entries.split('\n').map(stampedIn) }
}

const stampedIn = (line: string): Stamped => {
  const space = line.indexOf(' ')
  return { id: line.slice(0, space), stamp: line.slice(space + 1) }
}

/**
 * `from`: where those that match come from, each called `product`, and `where`: the conditions that are left.
 * `total`: SQL for how many match, where a page is read off the index of its order. Without it the matches are found first, and then sorted.
 */
type Listed = { from: string; where: readonly string[]; total?: string }

type Selection = { name: string; values: Record<string, unknown>; listed: Listed }

export function selectionOf(filter: ProductFilter): Selection {
  const active = filter.active === undefined ? {} : { active: filter.active }
  const isActive = filter.active === undefined ? [] : ['product.is_active = :active']
  const text = textOf(filter)
  const categories = categoriesOf(filter)
  const known = { ...active, ...text?.values, ...categories?.values }
  const traits = traitsOf(filter)
  // PostgreSQL knows a statement by 63 characters of its name: those of traits are short.
  const name = [...Object.keys(known), ...traits.map(({ code }) => code)].join('_')
  const values = Object.assign({}, known, ...traits.map((trait) => trait.values))
  const ofTraits = traits.flatMap(({ where }) => where)
  if (text !== null) {
    const where = [...text.where, ...isActive, ...(categories === null ? [] : [categories.hasProduct]), ...ofTraits]
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
    const where = [...first.ofFrom, ...isActive, ...others.flatMap((trait) => trait.where)]
    return { name, values, listed: { from: first.from, where } }
  }
  // Never by the order's index, though a page of a large category would be full soon: of a small one it would go through all products.
  const from = `product_categories member ${byKey('member.product_id')}`
  const ofFirst = `member.merchant_id = :merchant_id and member.category_id = ${categories.first}`
  const ofOthers = categories.isOne ? [] : [categories.hasProduct]
  return { name, values, listed: { from, where: [ofFirst, ...isActive, ...ofOthers, ...ofTraits] } }
}

const PRODUCTS = 'products product'
const OF_SHOP = 'product.merchant_id = :merchant_id'

/** Kept, where nothing is asked but whether they are active. */
function keptTotal({ active }: ProductFilter): string {
  if (active === undefined) return keptCount('products')
  return active ? keptCount('active_products') : `${keptCount('products')} - ${keptCount('active_products')}`
}

/** Shorter texts are looked for at the beginnings of words: the index of parts knows parts of this length. */
const TRIGRAM = 3

/** Those that a text finds: ids, the beginning of a word, or part of what is searched. */
function textOf({ query = '' }: ProductFilter) {
  // Newlines divide the parts of search_text and can match nothing.
  const text = query.replace(/[\r\n]+/g, ' ')
  const ids = [...new Set(text.split(',').map((id) => id.trim()))]
  if (text === '') return null
  if (ids.every((id) => isId('product', id)))
    return { values: { ids }, from: `unnest(:ids::text[]) as wanted (id) ${byKey('wanted.id')}`, where: [] }
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
 * By migrations/0037_search_parts.sql, and by nothing else: every other index of products begins with the merchant, and a planner that knows
 * no sizes would rather go through all products of the shop. None of them knows the merchant as a numeric; Citus still finds the shard.
 */
const withParts = (parts: string) => [
  'product.merchant_id = :merchant_id::integer::numeric',
  `search_parts(product.merchant_id, product.search_text) @> ${parts} collate "C"`,
]

/** The categories that a product must be in, all of them; null where none is named. `first`: SQL for the id of one. */
function categoriesOf(filter: ProductFilter) {
  const ids = [...new Set(filter.category_id ?? [])]
  const slugs = [...new Set(filter.category_slug ?? [])]
  const slug = slugs[0]
  if (ids.length + slugs.length === 0) return null
  if (ids.length + slugs.length === 1) {
    const [values, first] = slug === undefined ? [{ in: ids[0] }, ':in'] : [{ slug }, idOfSlug(':slug')]
    return { values, first, isOne: true, hasProduct: hasProductIn(`array[${first}]`, '1') }
  }
  const named = [
    ...(ids.length === 0 ? [] : [hasProductIn(':in_all', 'cardinality(:in_all)')]),
    ...(slugs.length === 0 ? [] : [hasProductIn(IDS_OF_SLUGS, 'cardinality(:slugs)')]),
  ]
  return {
    values: { ...(ids.length > 0 && { in_all: ids }), ...(slugs.length > 0 && { slugs }) },
    first: smallestOf([...(ids.length > 0 ? [':in_all::text[]'] : []), ...(slugs.length > 0 ? [IDS_OF_SLUGS] : [])]),
    isOne: false,
    hasProduct: named.join('\n     and '),
  }
}

const idOfSlug = (slug: string) => `(select id from categories where merchant_id = :merchant_id and slug = ${slug})`

const IDS_OF_SLUGS = `array(
       select category.id
       from unnest(:slugs::text[]) as wanted (slug)
       join categories category on category.merchant_id = :merchant_id and category.slug = wanted.slug
     )`

/** The one with the fewest products, so that no more are looked at than are in it. Of those that are not active nothing is kept: it is a guess. */
const smallestOf = (ids: readonly string[]) => `(
       select wanted.id
       from unnest(${ids.join(' || ')}) as wanted (id)
       order by (
         select sum(kept.products) from category_counts kept
         where kept.merchant_id = :merchant_id and kept.category_id = wanted.id
       ) nulls first
       limit 1
     )`

/** A category that does not exist counts too, so that no product is in all of them. */
const hasProductIn = (categories: string, count: string) => `(
       select count(*) from product_categories link
       where link.merchant_id = :merchant_id and link.product_id = product.id
         and link.category_id = any(${categories}::text[])
     ) = ${count}`

/** What a page is made of: those that match. */
export const matchesOf = ({
  from,
  where,
}: Listed) => `select product.id, product.sort_order, product.sort_name, product.price
     from ${from}
     where ${['true', ...where].join('\n     and ')}`

const family = statementFamily<PageText>()

/** The ids come from the order's index alone, also those of the pages before; only of this page a row is looked at, each by its whole key. */
function listStatement(conditions: string, listed: Listed, { by, direction }: Order) {
  const { total } = listed
  const matches = matchesOf(listed)
  const [matching, source] =
    total === undefined ? [`with matching as materialized (${matches})`, 'matching'] : ['', `(${matches})`]
  return family(
    ['products.list', by, direction, conditions].filter(Boolean).join('_'),
    `${matching}
     select
     ${total ?? '(select count(*) from matching)'} as total,
     array_to_string(array(
       select (
         select concat(product.id, ' ', ${STAMP})
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
