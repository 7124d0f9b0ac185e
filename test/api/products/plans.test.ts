// The list of products by plans that were made after the tables had been filled and analysed: every filter and every order is answered from an
// index, never by reading the table from end to end. test/plans has those of tables that nobody has analysed. With WRITE_PLANS=1 the plans
// of 100,000 products are written to docs/product-list-plans.md.

import { writeFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listProducts, type ProductFilter } from '../../../src/api/products/list-store.ts'
import { type Db, orderedValues, type Statement, type Values } from '../../../src/db/db.ts'
import { cloneDatabase, isOnCitus } from '../../support/database.ts'

const COUNT = process.env.WRITE_PLANS === '1' ? 100_000 : 20_000
const client = new pg.Client(await cloneDatabase())
await client.connect()
afterAll(() => client.end())

/** Two merchants. One product in ten is inactive; the first category holds half of them, the second ten, the others 1 %. */
const LOAD = `
  insert into merchants (name, currency, support_email, api_version, created_at, updated_at)
  select 'Shop', 'USD', 'shop@example.com', 'x', now(), now() from generate_series(1, 2);

  insert into products (
    merchant_id, id, name, permalink, sku, description, price, is_active, is_tax_exempt, is_pay_what_you_want,
    is_inventory_managed, sort_order, collects_fullname, collects_billing_address, is_physical, created_at, updated_at
  )
  select
    merchant, 'prod_' || lpad(n::text, 26, '0'),
    (array['Red', 'Blue', 'Green', 'Warm', 'Tall', 'Old', 'Fine'])[1 + n % 7] || ' ' ||
      (array['sock', 'hat', 'kettle', 'lamp', 'table'])[1 + n % 5] || ' ' || md5(n::text),
    'product-' || n, 'SKU-' || n, 'Some text.', hashint4(n)::bigint + 2147483648, n % 10 <> 3, false, false, false, n % 100,
    false, false, true, now(), now()
  from generate_series(1, 2) merchant, generate_series(1, ${COUNT}) n
  where merchant = 1 or n <= 20000;

  insert into categories (merchant_id, id, slug, name, description, meta, created_at, updated_at)
  select 1, 'cat_' || n, 'slug-' || n, 'Category', '', '{}', now(), now() from generate_series(1, 50) n;

  insert into product_categories (merchant_id, product_id, category_id, position)
  select 1, 'prod_' || lpad(n::text, 26, '0'), 'cat_' || category, category
  from generate_series(1, 50) category, generate_series(1, ${COUNT}) n
  where case category when 1 then n % 2 = 0 when 2 then n % 10000 = 0 else n % 100 = category end;
`

beforeAll(async () => {
  if (isOnCitus()) return
  // Built at the end and not row by row: that is several times faster, and what is built is the migration's.
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = 'products' and indexdef not like 'CREATE UNIQUE%'`,
  )
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  await client.query(LOAD)
  for (const { definition } of indexes) await client.query(definition)
  // As autovacuum would: the planner knows the sizes, and an index alone can answer.
  await client.query('vacuum analyze')
}, 180_000)

/** What the store would send for this list. */
async function sentFor(
  listed: Partial<ProductFilter>,
  offset = 0,
): Promise<{ text: string; values: readonly unknown[] }> {
  let sent: { text: string; values: readonly unknown[] } | undefined
  const db = {
    one: async <Row>(statement: Statement<Row>, values: Values) => {
      sent = { text: statement.text, values: orderedValues(statement, values) }
      return { total: 0, entries: '' } as Row
    },
  } as Db
  const page = { limit: 20, page: 1, offset }
  await listProducts(
    db,
    { merchantId: 1, isSandbox: false, isSecret: true },
    { sortBy: 'sort_order', sortDirection: 'asc', ...listed },
    page,
  )
  if (!sent) throw new Error('nothing was sent')
  return sent
}

const explain = async (options: string, { text, values }: { text: string; values: readonly unknown[] }) => {
  const generic = options.includes('generic_plan')
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (${options}, costs off) ${text}`,
    generic ? [] : [...values],
  )
  return rows.map((row) => row['QUERY PLAN'])
}

const BY = ['sort_order', 'name', 'price', 'created'] as const
const orders = BY.flatMap((sortBy) => (['asc', 'desc'] as const).map((sortDirection) => ({ sortBy, sortDirection })))

const filters: [string, Partial<ProductFilter>][] = [
  ['nothing (secret key)', {}],
  ['active (public key)', { active: true }],
  ['inactive', { active: false }],
  ['a category of 50,000', { category_id: ['cat_1'], active: true }],
  ['a category of 10', { category_id: ['cat_2'], active: true }],
  ['a category by its slug', { category_slug: ['slug-9'], active: true }],
  ['two categories', { category_id: ['cat_1', 'cat_10'], active: true }],
  ['two categories by slug', { category_slug: ['slug-1', 'slug-10'], active: true }],
  ['part of a name', { query: 'a87ff', active: true }],
  ['a word in 20,000 names', { query: 'kettle', active: true }],
  ['a SKU', { query: 'SKU-4711', active: true }],
  ['an id', { query: `prod_${'0'.repeat(22)}4711`, active: true }],
  ['the beginning of a word', { query: 'ke', active: true }],
  ['a word in a category', { query: 'kettle', category_slug: ['slug-9'], active: true }],
]

/** The index that each order walks, without a filter and by is_active. */
const INDEXES = {
  sort_order: ['products_by_sort_order', 'products_by_active_and_sort_order'],
  name: ['products_by_name', 'products_by_active_and_name'],
  price: ['products_by_price', 'products_by_active_and_price'],
  created: ['products_pkey', 'products_by_active_and_age'],
} as const

describe.skipIf(isOnCitus()).each(filters)('a list of products filtered by %s', (_name, filter) => {
  it.each(orders)('in the order of $sortBy $sortDirection does not read the table from end to end', async (order) => {
    const sent = await sentFor({ ...filter, ...order })
    // Both may be used: PostgreSQL decides after a statement has been sent five times.
    for (const options of ['verbose off', 'generic_plan']) {
      const plan = await explain(options, sent)
      expect(plan.join('\n')).toMatch(/Index.* products/)
      expect(plan.filter((line) => /Seq Scan on products/.test(line))).toEqual([])
    }
  })
})

describe.skipIf(isOnCitus()).each(orders)('a page of products in the order of $sortBy $sortDirection', (order) => {
  it.each([0, 80_000])('that begins at %i is read off an index, without sorting', async (offset) => {
    const [all, byActive] = INDEXES[order.sortBy]
    for (const [filter, index] of [
      [{}, all],
      [{ active: true }, byActive],
      [{ active: false }, byActive],
    ] as const) {
      const plan = (await explain('verbose off', await sentFor({ ...filter, ...order }, offset))).join('\n')
      expect(plan).toMatch(new RegExp(`Index Only Scan( Backward)? using ${index} on products`))
      expect(plan).not.toContain('Sort')
    }
  })
})

const HEAD = `# How the list of products is read, at 100,000 products

Written by \`WRITE_PLANS=1 npx vitest run test/api/products/plans.test.ts\`, which loads 100,000 products of one merchant and 20,000 of
another and asks PostgreSQL for the plan of every filter in every order. The same test fails when one of them reads the table of
products from end to end.

The statement shown here gives the ids of the page (the \`Limit\`) with their stamps, and the total (the \`Aggregate\`). Products that are
not kept under these stamps are read by a second one, with all that belongs to them, by their primary key.

- Each order is the order of an index, so a page without a filter, and one of active products, is the first rows of that index. A late
  page skips rows in the index alone.
- The total of all products, and of the active ones, is kept; any other count visits one index entry for each product that matches.
- Of a small category the products are looked up and sorted; of a large one the order's index is walked until the page is full.
- Search uses one index of parts: every three characters that follow one another, and the beginnings of words for one or two characters.
  Those that match are found first, and then sorted.
`

const trimmed = (plan: string[]) =>
  plan.filter(
    (line) =>
      !/^\s*(Heap Fetches|Index Searches|Buffers|Planning|Memory|Sort Method|Cache|Hits|Buckets|Batches)/.test(line),
  )

it.runIf(process.env.WRITE_PLANS)('writes the plans down', async () => {
  const parts = [HEAD]
  const add = async (title: string, listed: Partial<ProductFilter>, offset = 0) => {
    const plan = await explain('analyze, timing off, summary off, buffers off', await sentFor(listed, offset))
    parts.push(`## ${title}\n\n\`\`\`\n${trimmed(plan).join('\n')}\n\`\`\`\n`)
  }
  for (const order of orders) await add(`Active, by ${order.sortBy} ${order.sortDirection}`, { active: true, ...order })
  await add('Active, by name, at 80,000', { active: true, sortBy: 'name' }, 80_000)
  for (const [name, filter] of filters) await add(`${name}, by sort_order asc`, filter)
  await writeFile('docs/product-list-plans.md', parts.join('\n'))
})
