// @unit
// What the check must let pass; what it must refuse is in refused.test.ts.

import { loadModule } from 'libpg-query'
import { describe, expect, it } from 'vitest'
import { checkStatement } from './check-statement.ts'

await loadModule()

const TABLES = new Set(['carts', 'lines', 'products', 'merchants'])
const check = (sql: string) => checkStatement(sql, TABLES)

describe('a statement passes that', () => {
  it.each([
    ['reads a table with its merchant', 'select id from carts where merchant_id = $1 and id = $2'],
    ['names the parameter first', 'select id from carts where $1 = merchant_id'],
    ['casts the parameter', 'select id from carts where merchant_id = $1::integer'],
    ['names a constant merchant', 'select id from carts where merchant_id = 0'],
    ['qualifies the column by the table', 'select id from carts where carts.merchant_id = $1'],
    ['qualifies the column by the schema', 'select id from public.carts where public.carts.merchant_id = $1'],
    ['compares rows', 'select id from carts where (merchant_id, id) = ($1, $2)'],
    ['reads no table of a merchant', 'select value from revisions'],
    ['reads no table', 'select pg_advisory_xact_lock(1)'],
    ['locks what it reads', 'select id from carts where merchant_id = $1 for update skip locked'],
    ['has further conditions in an or', 'select 1 from carts where merchant_id = $1 and (a = 1 or b = 2)'],
    [
      'joins on the merchant',
      'select 1 from carts c join lines l on l.merchant_id = c.merchant_id where c.merchant_id = $1',
    ],
    ['names the merchant in the on', 'select 1 from carts c join lines l on l.merchant_id = $1 and c.merchant_id = $1'],
    [
      'follows a chain of joins',
      `select 1 from lines l join products p on p.merchant_id = l.merchant_id
      join carts c on l.merchant_id = c.merchant_id where c.merchant_id = $1`,
    ],
    [
      'left joins with the merchant in the on',
      `select 1 from carts c left join lines l on l.merchant_id = c.merchant_id
      and l.cart_id = c.id where c.merchant_id = $1`,
    ],
    ['joins using the merchant', 'select 1 from carts join lines using (merchant_id, id) where merchant_id = $1'],
    [
      'left joins using it twice',
      `select 1 from carts left join lines using (merchant_id)
      left join products using (merchant_id) where carts.merchant_id = $1`,
    ],
    ['joins by a comma', 'select 1 from carts c, lines l where c.merchant_id = $1 and l.merchant_id = $1'],
    [
      'aggregates in a subquery',
      `select (select json_agg(l) from lines l where l.merchant_id = c.merchant_id)
      from carts c where c.merchant_id = $1`,
    ],
    [
      'reaches two queries out',
      `select (select (select 1 from lines where merchant_id = c.merchant_id)) from carts c
      where c.merchant_id = $1`,
    ],
    [
      'asks for existence',
      `select 1 from carts c where c.merchant_id = $1 and not exists
      (select from lines l where l.merchant_id = c.merchant_id)`,
    ],
    ['selects from a subquery', 'select * from (select * from carts where merchant_id = $1) c'],
    [
      'joins a subquery by its merchant',
      `select 1 from (select merchant_id, id from carts where merchant_id = $1) c
      join lines l on l.merchant_id = c.merchant_id`,
    ],
    [
      'joins a renamed column of a subquery',
      `select 1 from (select c.merchant_id as shop from carts c
      where c.merchant_id = $1) x (merchant_id) join lines l using (merchant_id)`,
    ],
    [
      'joins laterally',
      `select 1 from carts c cross join lateral
      (select 1 from lines l where l.merchant_id = c.merchant_id) x where c.merchant_id = $1`,
    ],
    ['uses a CTE', 'with c as (select * from carts where merchant_id = $1) select * from c'],
    ['uses a CTE with the name of a table', 'with lines as (select 1 as id) select id from lines'],
    [
      'joins a CTE by its merchant',
      `with c as (select merchant_id, id from carts where merchant_id = $1)
      update lines set n = 1 from c where lines.merchant_id = c.merchant_id and lines.cart_id = c.id`,
    ],
    [
      'changes in a CTE',
      `with gone as (delete from lines where merchant_id = $1 returning merchant_id, n)
      update carts set n = gone.n from gone where carts.merchant_id = gone.merchant_id`,
    ],
    [
      'goes down a tree',
      `with recursive t as (select merchant_id, id from carts where merchant_id = $1 union all
      select c.merchant_id, c.id from carts c join t on c.merchant_id = t.merchant_id and c.parent = t.id) select * from t`,
    ],
    ['unites', 'select id from carts where merchant_id = $1 union all select id from lines where merchant_id = $1'],
    [
      'joins a list of values',
      `select 1 from (values ($1::int, 'a'), ($1, 'b')) v (merchant_id, id)
      join carts c on c.merchant_id = v.merchant_id and c.id = v.id`,
    ],
    ['updates', 'update carts set n = n + 1 where merchant_id = $1 and id = $2 returning n'],
    [
      'updates from another table',
      `update carts c set n = p.n from products p
      where c.merchant_id = $1 and p.merchant_id = c.merchant_id`,
    ],
    ['deletes', 'delete from carts where merchant_id = $1 and id = $2'],
    [
      'deletes using another table',
      `delete from lines l using carts c
      where l.merchant_id = c.merchant_id and c.merchant_id = $1`,
    ],
    ['inserts', 'insert into carts (merchant_id, id) values ($1, $2), ($1, $3)'],
    [
      'inserts what it selects',
      `insert into lines (merchant_id, id) select merchant_id, id from products
      where merchant_id = $1`,
    ],
    ['inserts what an array holds', 'insert into lines (merchant_id, id) select $1, id from unnest($2::text[]) id'],
    [
      'updates on conflict',
      `insert into carts (merchant_id, id) values ($1, $2) on conflict (merchant_id, id)
      do update set n = (select max(n) from lines l where l.merchant_id = excluded.merchant_id)`,
    ],
    ['does nothing on conflict', 'insert into carts (merchant_id, id) values ($1, $2) on conflict do nothing'],
    [
      'inserts and goes on with what it inserted',
      `with c as (insert into carts (merchant_id, id) values ($1, $2)
      returning merchant_id) select 1 from lines l join c using (merchant_id)`,
    ],
    ['reads a table of that name elsewhere', 'select * from pg_catalog.carts'],
    ['begins', 'begin'],
    ['commits', 'commit'],
    ['rolls back', 'rollback'],
    ['sets', 'set local lock_timeout = 100'],
  ])('%s', (_, sql) => {
    expect(check(sql)).toEqual([])
  })
})
