// The bench and the test of plans measure on tables that are filled with copies of the API's rows. A copy must be a right row: of its own
// id, with what hangs on it, and readable by the API.

import pg from 'pg'
import { expect, it } from 'vitest'
import { testApp } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'
import { openShop } from '../support/shop.ts'

const of = (file: string) => import(new URL(`../../bench/${file}`, import.meta.url).href)
const { fillTables, leaveUnanalysed } = await of('full-tables.js')
const { makeShop } = await of('shop.js')

const ROWS = 40
const OTHERS = 10

const connection = await cloneDatabase()
const app = await testApp({ connection })
const shop = await openShop(app)
const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  // Apart in time, so that no two ids of one kind are of the same moment.
  app.clock.advance(1)
  const answer = await app.call(method as 'GET', path, { key: shop.keys.sandbox.secret, body, headers })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}
const made = await makeShop(send)
await leaveUnanalysed(connection)
const filled = await fillTables(connection, {
  merchantId: shop.id,
  rows: ROWS,
  shops: 3,
  rowsOfOthers: OTHERS,
  now: app.clock.now(),
  templates: made.templates,
})

const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

it('the large shop and each of the others has as many of everything as it was asked for', async () => {
  expect(filled.shops).toHaveLength(2)
  // Only a worker writes a mail, and none runs here.
  expect(filled.missing).toEqual(['mails'])
  for (const table of ['products', 'customers', 'carts', 'checkouts', 'orders', 'capture_attempts', 'events', 'jobs'])
    expect([table, filled.rows[table]]).toEqual([table, ROWS + 2 * OTHERS])
  for (const table of ['cart_lines', 'checkout_lines', 'order_items'])
    expect([table, filled.rows[table]]).toEqual([table, 3 * (ROWS + 2 * OTHERS)])
})

it('no copy refers to what is not there', async () => {
  type Key = { child: string; parent: string; columns: string[]; named: string[] }
  const keys = await query<Key>(
    `select conrelid::regclass::text as child, confrelid::regclass::text as parent,
       (select json_agg(attname order by place) from unnest(conkey) with ordinality as own (number, place)
        join pg_attribute on attrelid = conrelid and attnum = number) as columns,
       (select json_agg(attname order by place) from unnest(confkey) with ordinality as other (number, place)
        join pg_attribute on attrelid = confrelid and attnum = number) as named
     from pg_constraint where contype = 'f'`,
  )
  expect(keys.length).toBeGreaterThan(40)
  for (const { child, parent, columns, named } of keys) {
    const same = columns.map((column, index) => `parent.${named[index]} = child.${column}`).join(' and ')
    const isSet = columns.map((column) => `child.${column} is not null`).join(' and ')
    const lost = await query(
      `select child.* from ${child} child where ${isSet} and not exists (select from ${parent} parent where ${same}) limit 1`,
    )
    expect([child, parent, lost]).toEqual([child, parent, []])
  }
})
