// @alone
// A page of the list of products, early or late, is the next rows of an index in every order, and nothing is sorted. test/plans has every filter
// in every order, and counts the rows that each visits.

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listProducts, type ProductFilter } from '../../../src/api/products/list/store.ts'
import { type Db, orderedValues, type Statement, type Values } from '../../../src/db/db.ts'
import { cloneDatabase, isOnCitus } from '../../support/database.ts'

const COUNT = 5_000
const client = new pg.Client(await cloneDatabase())
await client.connect()
afterAll(() => client.end())

/** Two merchants. One product in ten is inactive. */
const LOAD = `
  insert into merchants (name, currency, support_email, api_version, created_at, updated_at)
  select 'Shop', 'USD', 'shop@example.com', 'x', now(), now() from generate_series(1, 2);

  insert into products (
    merchant_id, id, name, permalink, sku, description, price, is_active, is_tax_exempt, is_pay_what_you_want,
    is_inventory_managed, sort_order, collects_fullname, collects_billing_address, is_physical, created_at, updated_at
  )
  select
    merchant, 'prod_' || lpad(n::text, 26, '0'), md5(n::text), 'product-' || n, 'SKU-' || n, 'Some text.',
    hashint4(n)::bigint + 2147483648, n % 10 <> 3, false, false, false, n % 100, false, false, true, now(), now()
  from generate_series(1, 2) merchant, generate_series(1, ${COUNT}) n
  where merchant = 1 or n <= 1000;
`

beforeAll(async () => {
  if (isOnCitus()) return
  await client.query(LOAD)
  // As autovacuum would: the planner knows the sizes, and an index alone can answer.
  await client.query('vacuum analyze')
})

/** What the store would send for this list. */
async function sentFor(
  listed: Partial<ProductFilter>,
  offset: number,
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

async function planOf(listed: Partial<ProductFilter>, offset: number): Promise<string> {
  const { text, values } = await sentFor(listed, offset)
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, [...values])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

const BY = ['sort_order', 'name', 'price', 'created'] as const
const orders = BY.flatMap((sortBy) => (['asc', 'desc'] as const).map((sortDirection) => ({ sortBy, sortDirection })))

/** The index that each order walks, without a filter and by is_active. */
const INDEXES = {
  sort_order: ['products_by_sort_order', 'products_by_active_and_sort_order'],
  name: ['products_by_name', 'products_by_active_and_name'],
  price: ['products_by_price', 'products_by_active_and_price'],
  created: ['products_pkey', 'products_by_active_and_age'],
} as const

describe.skipIf(isOnCitus()).each(orders)('a page of products in the order of $sortBy $sortDirection', (order) => {
  it.each([0, 80_000])('that begins at %i is read off an index, without sorting', async (offset) => {
    const [all, byActive] = INDEXES[order.sortBy]
    for (const [filter, index] of [
      [{}, all],
      [{ active: true }, byActive],
      [{ active: false }, byActive],
    ] as const) {
      const plan = await planOf({ ...filter, ...order }, offset)
      expect(plan).toMatch(new RegExp(`Index Only Scan( Backward)? using ${index} on products`))
      expect(plan).not.toContain('Sort')
    }
  })
})
