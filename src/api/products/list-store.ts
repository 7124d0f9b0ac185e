// The SQL that picks one page of products: their ids in order with their stamps, and the count of all that match. Each combination of filter and
// order is a statement of its own, because one text with "or $n is null" would use none of the indexes.

import { keptCount } from '../../db/counts.ts'
import { type Db, statementFamily } from '../../db/db.ts'
import { isId } from '../../lib/ids.ts'
import type { Page } from '../../lib/page.ts'
import type { ListFilter } from './body-schema.ts'
import { type ReadScope, readValues, STAMP, type Stamped, WITH_STOCK } from './read-store.ts'

type Order = { by: ListFilter['sortBy']; direction: ListFilter['sortDirection'] }

// Each is an index of migrations/0006_products.sql, forwards or backwards; backwards turns every column around.
const ORDERS: Record<Order['by'], Record<Order['direction'], string>> = {
  sort_order: { asc: 'product.sort_order, product.id desc', desc: 'product.sort_order desc, product.id' },
  name: { asc: 'product.sort_name, product.id', desc: 'product.sort_name desc, product.id desc' },
  price: { asc: 'product.price, product.id', desc: 'product.price desc, product.id desc' },
  created: { asc: 'product.id', desc: 'product.id desc' },
}

/** `entries`: a line each, an id and a stamp. */
type PageText = { total: number; entries: string }

export type ProductFilter = Pick<
  ListFilter,
  'category_id' | 'category_slug' | 'query' | 'active' | 'sortBy' | 'sortDirection'
>

/** One page, in order and each in the state that it is in, and how many there are in all. */
export async function listProducts(
  db: Db,
  scope: ReadScope,
  filter: ProductFilter,
  { limit, offset }: Page,
): Promise<{ total: number; entries: Stamped[] }> {
  const { name, where, values } = conditions(filter)
  const order: Order = { by: filter.sortBy, direction: filter.sortDirection }
  const sent = listStatement(name, where, totalOf(filter, name, where), order)
  const { total, entries } = await db.one(sent, { ...readValues(scope), ...values, limit, offset })
  return { total, entries: entries === '' ? [] : entries.split('\n').map(stampedIn) }
}

const stampedIn = (line: string): Stamped => {
  const space = line.indexOf(' ')
  return { id: line.slice(0, space), stamp: line.slice(space + 1) }
}

/** SQL for how many match: kept, where nothing is asked but whether they are active. */
function totalOf({ active }: ProductFilter, conditions: string, where: string): string {
  if (conditions === '') return keptCount('products')
  if (conditions !== 'active') return `(select count(*) from products product where ${where})`
  return active ? keptCount('active_products') : `${keptCount('products')} - ${keptCount('active_products')}`
}

type Conditions = { name: string; where: string; values: Record<string, unknown> }

function conditions(filter: ProductFilter): Conditions {
  const wheres = ['product.merchant_id = :merchant_id']
  // Each condition has one parameter, which it is known by.
  const values: Record<string, unknown> = {}
  const add = (parameter: string, value: unknown, where: string) => {
    values[parameter] = value
    wheres.push(where)
  }

  if (filter.active !== undefined) add('active', filter.active, 'product.is_active = :active')
  const text = filter.query ?? ''
  const ids = text.split(',').map((id) => id.trim())
  if (ids.every((id) => isId('product', id))) add('ids', ids, 'product.id = any(:ids)')
  else if (text !== '' && [...text].length < TRIGRAM)
    add('start', text, 'product.word_starts @> array[lower(:start::text)]')
  else if (text !== '') add('text', pattern(text), 'product.search_text like lower(:text)')

  const byId = [...new Set(filter.category_id ?? [])]
  const bySlug = [...new Set(filter.category_slug ?? [])]
  const [id, slug] = [byId[0], bySlug[0]]
  // One category is what shops ask for; told apart, the planner may walk the order's index and stop when the page is full.
  if (byId.length === 1 && bySlug.length === 0) add('in', id, inCategory(':in'))
  else if (bySlug.length === 1 && byId.length === 0)
    add('slug', slug, inCategory('(select id from categories where merchant_id = :merchant_id and slug = :slug)'))
  else {
    if (byId.length > 0) add('in_all', byId, inAll('unnest(:in_all::text[]) as wanted (id)', 'wanted.id'))
    if (bySlug.length > 0)
      add(
        'slugs',
        bySlug,
        inAll(
          `unnest(:slugs::text[]) as wanted (slug)
           left join categories category on category.merchant_id = :merchant_id and category.slug = wanted.slug`,
          'category.id',
        ),
      )
  }
  return { name: Object.keys(values).join('_'), where: wheres.join('\n     and '), values }
}

/** Shorter texts are looked for at the beginnings of words: the index of parts knows parts of this length. */
const TRIGRAM = 3

/** `%`, `_` and `\` in a search are meant as they stand. Newlines divide the parts of search_text and can match nothing. */
const pattern = (text: string) => `%${text.replace(/[\r\n]+/g, ' ').replace(/[\\%_]/g, '\\$&')}%`

const inCategory = (category: string) => `product.id in (
       select link.product_id from product_categories link
       where link.merchant_id = :merchant_id and link.category_id = ${category}
     )`

/** In all of the wanted categories. One that does not exist counts as wanted too, so that nothing is in all of them. */
const inAll = (source: string, id: string) => `product.id in (
       select link.product_id
       from ${source}
       join product_categories link on link.merchant_id = :merchant_id and link.category_id = ${id}
       group by link.product_id
       having count(*) = (select count(*) from ${source})
     )`

const family = statementFamily<PageText>()

// The ids come from the order's index alone, also those of the pages before; only of this page a row is looked at, each by its whole key.
const listStatement = (conditions: string, where: string, total: string, { by, direction }: Order) =>
  family(
    ['products.list', by, direction, conditions].filter(Boolean).join('_'),
    `select
     ${total} as total,
     array_to_string(array(
       select (
         select concat(product.id, ' ', ${STAMP})
         from products product
         ${WITH_STOCK}
         where product.merchant_id = :merchant_id and product.id = page.id
       )
       from (
         select product.id
         from products product
         where ${where}
         order by ${ORDERS[by][direction]}
         limit :limit offset :offset
       ) page
     ), E'\\n') as entries`,
  )
