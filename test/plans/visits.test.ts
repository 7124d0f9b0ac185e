// The judge of plans is judged: what it must see in a plan, and what it must let pass.

import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { PLANNING } from '../../src/db/pool.ts'
import { cloneDatabase } from '../support/database.ts'
import { hasFound, type PlanNode, problemsOf, visitsOf } from './visits.ts'

const scan: PlanNode = {
  'Node Type': 'Index Scan',
  'Relation Name': 'carts',
  'Index Name': 'carts_pkey',
  'Actual Rows': 1,
  'Actual Loops': 1,
}

describe('a node', () => {
  it.each([
    ['rows in all loops', { 'Actual Rows': 2, 'Actual Loops': 30 }, 60],
    ['rows that a filter threw away', { 'Rows Removed by Filter': 999 }, 1_000],
    ['rows that a join threw away', { 'Rows Removed by Join Filter': 9, 'Actual Loops': 10 }, 100],
    ['rows that an index could not vouch for', { 'Heap Fetches': 500 }, 500],
    ['entries that it skipped to, one after the other', { 'Index Searches': 800 }, 799],
  ])('is charged for %s', (_, changes, visits) => {
    const node = { ...scan, ...changes }
    expect(visitsOf(node)).toBe(visits)
    expect(problemsOf({ ...scan, 'Node Type': 'Result', Plans: [node] }, visits)).toEqual([])
    expect(problemsOf({ ...scan, 'Node Type': 'Result', Plans: [node] }, visits - 1)).toHaveLength(1)
  })

  it('may not read a table that grows from end to end, however few rows it has', () => {
    expect(problemsOf({ ...scan, 'Node Type': 'Seq Scan' }, 10)).toEqual([
      'Seq Scan using carts_pkey on carts reads the table from end to end',
    ])
    expect(problemsOf({ ...scan, 'Node Type': 'Seq Scan', 'Relation Name': 'schedules' }, 10)).toEqual([])
  })

  it('may not go through all pages of an index to give one row', () => {
    expect(problemsOf({ ...scan, 'Shared Hit Blocks': 900, 'Shared Read Blocks': 100 }, 10)).toEqual([
      'Index Scan using carts_pkey on carts touched 1000 pages for 1 rows, more than 36',
    ])
  })
})

describe('a plan', () => {
  it('that gave nothing and changed nothing has found nothing', () => {
    const nothing = { ...scan, 'Actual Rows': 0 }
    expect(hasFound(nothing)).toBe(false)
    expect(hasFound(scan)).toBe(true)
    expect(hasFound({ ...nothing, 'Node Type': 'ModifyTable', Plans: [nothing] })).toBe(false)
    expect(hasFound({ ...nothing, 'Node Type': 'ModifyTable', Plans: [scan] })).toBe(true)
  })
})

// What was found in life: an added line touched its cart by a join, and read every cart of the shop.
describe('a change of one cart, planned on empty tables', () => {
  const line = `with line as (
    insert into cart_lines (merchant_id, cart_id, id, product_id, name, options, quantity)
    values ($1, $2, 'item_' || random(), 'prod_' || random(), 'Hat', '{}', 1) returning cart_id
  )`
  const TEXTS = {
    joined: `${line} update carts set updated_at = now() from line where carts.merchant_id = $1 and carts.id = line.cart_id`,
    named: `${line} update carts set updated_at = now() from line where carts.merchant_id = $1 and carts.id = $2`,
  }
  let connection: pg.ClientConfig
  beforeAll(async () => {
    connection = await cloneDatabase()
  })

  async function planOf(text: string, options: string): Promise<PlanNode> {
    const client = new pg.Client({ ...connection, options })
    await client.connect()
    try {
      await client.query(`alter table carts set (autovacuum_enabled = off)`)
      await client.query(`prepare change(integer, text) as ${text}`)
      await client.query(`explain execute change(1, '')`)
      await client.query(
        `insert into merchants (name, currency, support_email, api_version, created_at, updated_at)
         select 'Shop', 'USD', 'shop@example.com', 'x', now(), now() where not exists (select from merchants)`,
      )
      await client.query(
        `insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at)
         select 1, 'cart_' || n, false, now(), now(), now() from generate_series(1, 2000) n on conflict do nothing`,
      )
      const { rows } = await client.query(
        `explain (analyze, buffers, timing off, costs off, format json) execute change(1, 'cart_1000')`,
      )
      return rows[0]['QUERY PLAN'][0].Plan
    } finally {
      await client.end()
    }
  }

  it('is caught where it reads all carts of the shop', async () => {
    const before = '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan'
    expect(problemsOf(await planOf(TEXTS.joined, before), 18).join('\n')).toMatch(/using carts_pkey visited 2000 rows/)
  })

  it('passes where it names the cart', async () => {
    expect(problemsOf(await planOf(TEXTS.named, PLANNING), 18)).toEqual([])
  })
})
