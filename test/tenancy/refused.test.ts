// @unit
// Statements that the check must reject, so that it provably fails when it should. It accepts every statement of the service.

import { loadModule } from 'libpg-query'
import { describe, expect, it } from 'vitest'
import { checkStatement } from './check-statement.ts'

await loadModule()

const TABLES = new Set(['carts', 'lines', 'products', 'merchants'])
const check = (sql: string) => checkStatement(sql, TABLES)

const CARTS = 'carts is not tied to one merchant: add carts.merchant_id = $n to its where or its join condition.'
const LINES = 'lines l is not tied to one merchant: add l.merchant_id = $n to its where or its join condition.'
const CART_C = 'carts c is not tied to one merchant: add c.merchant_id = $n to its where or its join condition.'
const OF_CARTS = 'select 1 from carts where'
const OF_ONE_CART = 'select 1 from carts c where c.merchant_id = $1 and'

describe('a statement is refused', () => {
  it.each([
    'select * from carts',
    'select * from public.carts',
    'select id from carts for update',
    `${OF_CARTS} id = $1`,
    `${OF_CARTS} merchant_id = $1 or $1 is null`,
    `${OF_CARTS} not merchant_id = $1`,
    `${OF_CARTS} merchant_id <> $1`,
    `${OF_CARTS} merchant_id = any($1)`,
    `${OF_CARTS} merchant_id in ($1, $2)`,
    `${OF_CARTS} merchant_id = coalesce($1, merchant_id)`,
    `${OF_CARTS} merchant_id = merchant_id`,
    `${OF_CARTS} merchant_id = null`,
    `${OF_CARTS} merchant = $1 and id = $2`,
    'select 1 from carts group by merchant_id having merchant_id = $1',
    'select merchant_id = $1 from carts',
    'select 1 from (select * from carts) x where x.merchant_id = $1',
    'with c as (select * from carts) select * from c where merchant_id = $1',
    'with carts as (select 1) select * from public.carts',
    'with gone as (delete from carts returning id) select * from gone',
    'update carts set n = 1 where id = $1',
    'update carts set merchant_id = $1',
    'delete from carts',
    'delete from carts where (merchant_id, id) in (select $1::int, $2)',
    'select 1 from carts where merchant_id = $1; delete from carts',
    'explain analyze delete from carts',
  ])('that reads or changes carts of all merchants: %s', (sql) => {
    expect(check(sql)).toEqual([CARTS])
  })

  it.each([
    'select 1 from carts c join lines l on l.cart_id = c.id where c.merchant_id = $1',
    'select 1 from carts c, lines l where c.merchant_id = $1',
    'select 1 from (carts c join lines l on l.cart_id = c.id) where c.merchant_id = $1',
    'select 1 from carts c right join lines l on c.merchant_id = $1 and l.merchant_id = $1',
    'select 1 from carts c natural join lines l where c.merchant_id = $1',
    'select 1 from carts c join lines l using (id) where c.merchant_id = $1',
    'select (select count(*) from lines l) from carts c where c.merchant_id = $1',
    `${OF_ONE_CART} exists (select from lines l where l.cart_id = c.id)`,
    `${OF_ONE_CART} id in (select cart_id from lines l)`,
    'select 1 from carts c, lateral (select from lines l where l.cart_id = c.id) x where c.merchant_id = $1',
    'with x as (select $1::int as id) select 1 from lines l, x where l.id = x.id',
    'select id from carts where merchant_id = $1 union all select id from lines l',
    `select id from carts where merchant_id = $1
     union select id from carts where merchant_id = $1 limit (select count(*) from lines l)`,
    'select 1 from unnest($1::int[]) u (merchant_id) join lines l on l.merchant_id = u.merchant_id',
    'select 1 from (values ($1), ($2)) v (merchant_id) join lines l using (merchant_id)',
    'select 1 from (select * from carts where merchant_id = $1) x (merchant_id) join lines l using (merchant_id)',
    'update carts set n = l.n from lines l where carts.merchant_id = $1',
    'update carts set n = (select 1 from lines l) where merchant_id = $1',
    'delete from carts where merchant_id = $1 returning (select 1 from lines l)',
    'delete from carts using lines l where carts.merchant_id = $1',
    'insert into carts (merchant_id, id) select merchant_id, id from lines l',
    `with recursive t as (select merchant_id, id from carts where merchant_id = $1
     union all select l.merchant_id, l.id from lines l join t on l.parent = t.id) select * from t`,
    `select 1 from (select c.id as merchant_id from carts c where merchant_id = $1) x
     join lines l on l.merchant_id = x.merchant_id`,
    `insert into carts (merchant_id, id) values ($1, $2) on conflict (merchant_id, id)
     do update set n = (select max(n) from lines l)`,
    `select 1 from (select merchant_id from carts where merchant_id = $1
     union select m from unnest($2::int[]) u (m)) x join lines l on l.merchant_id = x.merchant_id`,
    `select 1 from (select * from carts where merchant_id = $1
     union select * from json_to_recordset($2) as r (merchant_id int)) x join lines l using (merchant_id)`,
    `with i as (insert into carts (merchant_id) select m from unnest($1::int[]) u (m)
     returning merchant_id) select 1 from lines l join i using (merchant_id)`,
  ])('that forgets the merchant of another table: %s', (sql) => {
    expect(check(sql)).toEqual([LINES])
  })

  it.each([
    ['select 1 from carts c left join lines l on c.merchant_id = $1 and l.merchant_id = $1', [CART_C]],
    ['select 1 from carts c full join lines l on c.merchant_id = $1 and l.merchant_id = $1', [CART_C, LINES]],
    ['select 1 from carts c join lines l on c.merchant_id = l.merchant_id', [CART_C, LINES]],
    ['select 1 from carts c join lines l on merchant_id = $1', [CART_C, LINES]],
    ['select 1 from carts c where exists (select from lines l where l.merchant_id = c.merchant_id)', [LINES, CART_C]],
    [
      'select 1 from carts c where exists (select from lines l where l.merchant_id = $1 and c.merchant_id = $1)',
      [CART_C],
    ],
  ])('that names the merchant where it decides nothing: %s', (sql, problems) => {
    expect(check(sql)).toEqual(problems)
  })

  it.each([
    ['insert into carts (id) values ($1)', 'insert into carts does not list merchant_id among its columns.'],
    ['insert into carts values ($1, $2)', 'insert into carts does not list merchant_id among its columns.'],
    [
      'insert into carts (merchant_id, email) values ($1, $2) on conflict (email) do update set n = 1',
      "on conflict … do update of carts may meet another merchant's row: name merchant_id in the conflict target.",
    ],
    [
      'truncate carts',
      'TruncateStmt is not a statement this check knows: write it as select, insert, update or delete.',
    ],
  ])('with a sentence of its own: %s', (sql, problem) => {
    expect(check(sql)).toEqual([problem])
  })
})
