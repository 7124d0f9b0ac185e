// @unit
// What the check must refuse, so that it provably fails when it should; what it lets pass is in passed.test.ts.

import { loadModule } from 'libpg-query'
import { describe, expect, it } from 'vitest'
import { checkStatement } from './check-statement.ts'

await loadModule()

const TABLES = new Set(['carts', 'lines', 'products', 'merchants'])
const check = (sql: string) => checkStatement(sql, TABLES)

const CARTS = 'carts is not tied to one merchant: add carts.merchant_id = $n to its where or its join condition.'
const LINES = 'lines l is not tied to one merchant: add l.merchant_id = $n to its where or its join condition.'
const CART_C = 'carts c is not tied to one merchant: add c.merchant_id = $n to its where or its join condition.'

describe('a statement is refused that', () => {
  it.each([
    ['forgets the merchant', 'select * from carts where id = $1', [CARTS]],
    ['has no condition', 'select * from carts', [CARTS]],
    ['names the schema', 'select * from public.carts', [CARTS]],
    ['locks all', 'select id from carts for update', [CARTS]],
    ['has a way around the merchant', 'select 1 from carts where merchant_id = $1 or $1 is null', [CARTS]],
    ['negates the merchant', 'select 1 from carts where not merchant_id = $1', [CARTS]],
    ['excludes the merchant', 'select 1 from carts where merchant_id <> $1', [CARTS]],
    ['takes several merchants', 'select 1 from carts where merchant_id = any($1)', [CARTS]],
    ['lists several merchants', 'select 1 from carts where merchant_id in ($1, $2)', [CARTS]],
    ['falls back to every merchant', 'select 1 from carts where merchant_id = coalesce($1, merchant_id)', [CARTS]],
    ['compares the merchant with itself', 'select 1 from carts where merchant_id = merchant_id', [CARTS]],
    ['names the merchant in having only', 'select 1 from carts group by merchant_id having merchant_id = $1', [CARTS]],
    ['selects the comparison', 'select merchant_id = $1 from carts', [CARTS]],
    ['names another column', 'select 1 from carts where merchant = $1 and id = $2', [CARTS]],
    [
      'forgets a joined table',
      'select 1 from carts c join lines l on l.cart_id = c.id where c.merchant_id = $1',
      [LINES],
    ],
    ['forgets one joined by a comma', 'select 1 from carts c, lines l where c.merchant_id = $1', [LINES]],
    [
      'forgets one in parentheses',
      `select 1 from (carts c join lines l on l.cart_id = c.id)
      where c.merchant_id = $1`,
      [LINES],
    ],
    [
      'ties two tables to each other only',
      'select 1 from carts c join lines l on c.merchant_id = l.merchant_id',
      [CART_C, LINES],
    ],
    [
      'filters the wrong side of a left join',
      `select 1 from carts c left join lines l
      on c.merchant_id = $1 and l.merchant_id = $1`,
      [CART_C],
    ],
    [
      'filters the wrong side of a right join',
      `select 1 from carts c right join lines l
      on c.merchant_id = $1 and l.merchant_id = $1`,
      [LINES],
    ],
    [
      'filters neither side of a full join',
      `select 1 from carts c full join lines l
      on c.merchant_id = $1 and l.merchant_id = $1`,
      [CART_C, LINES],
    ],
    ['joins naturally', 'select 1 from carts c natural join lines l where c.merchant_id = $1', [LINES]],
    ['joins using another column', 'select 1 from carts c join lines l using (id) where c.merchant_id = $1', [LINES]],
    ['forgets in a subquery', 'select (select count(*) from lines l) from carts c where c.merchant_id = $1', [LINES]],
    [
      'forgets in exists',
      `select 1 from carts c where c.merchant_id = $1
      and exists (select from lines l where l.cart_id = c.id)`,
      [LINES],
    ],
    [
      'forgets in in',
      `select 1 from carts c where c.merchant_id = $1
      and id in (select cart_id from lines l)`,
      [LINES],
    ],
    [
      'leans on an outer query that forgets',
      `select 1 from carts c
      where exists (select from lines l where l.merchant_id = c.merchant_id)`,
      [LINES, CART_C],
    ],
    [
      'names the merchant in the inner query only',
      `select 1 from carts c
      where exists (select from lines l where l.merchant_id = $1 and c.merchant_id = $1)`,
      [CART_C],
    ],
    ['filters a subquery from outside', 'select 1 from (select * from carts) x where x.merchant_id = $1', [CARTS]],
    [
      'forgets in a lateral join',
      `select 1 from carts c, lateral (select from lines l where l.cart_id = c.id) x
      where c.merchant_id = $1`,
      [LINES],
    ],
    ['forgets in a CTE', 'with c as (select * from carts) select * from c where merchant_id = $1', [CARTS]],
    ['forgets beside a CTE', `with x as (select $1::int as id) select 1 from lines l, x where l.id = x.id`, [LINES]],
    ['forgets in a CTE that changes', 'with gone as (delete from carts returning id) select * from gone', [CARTS]],
    [
      'forgets in the recursive part',
      `with recursive t as (select merchant_id, id from carts where merchant_id = $1
      union all select l.merchant_id, l.id from lines l join t on l.parent = t.id) select * from t`,
      [LINES],
    ],
    [
      'forgets in the second part of a union',
      `select id from carts where merchant_id = $1
      union all select id from lines l`,
      [LINES],
    ],
    [
      'calls another column merchant_id',
      `select 1 from (select c.id as merchant_id from carts c where merchant_id = $1) x
      join lines l on l.merchant_id = x.merchant_id`,
      [LINES],
    ],
    [
      'joins merchants from an array',
      `select 1 from unnest($1::int[]) u (merchant_id)
      join lines l on l.merchant_id = u.merchant_id`,
      [LINES],
    ],
    [
      'joins several merchants from values',
      `select 1 from (values ($1), ($2)) v (merchant_id)
      join lines l using (merchant_id)`,
      [LINES],
    ],
    ['updates all', 'update carts set n = 1 where id = $1', [CARTS]],
    ['sets the merchant without asking for it', 'update carts set merchant_id = $1', [CARTS]],
    ['forgets the source of an update', `update carts set n = l.n from lines l where carts.merchant_id = $1`, [LINES]],
    ['forgets in what it sets', 'update carts set n = (select 1 from lines l) where merchant_id = $1', [LINES]],
    ['forgets in returning', 'delete from carts where merchant_id = $1 returning (select 1 from lines l)', [LINES]],
    ['deletes all', 'delete from carts', [CARTS]],
    ['deletes what a subquery names', 'delete from carts where (merchant_id, id) in (select $1::int, $2)', [CARTS]],
    ['forgets the other table of a delete', 'delete from carts using lines l where carts.merchant_id = $1', [LINES]],
    [
      'inserts without a merchant',
      'insert into carts (id) values ($1)',
      ['insert into carts does not list merchant_id among its columns.'],
    ],
    [
      'inserts without columns',
      'insert into carts values ($1, $2)',
      ['insert into carts does not list merchant_id among its columns.'],
    ],
    [
      'inserts what it selects from all',
      'insert into carts (merchant_id, id) select merchant_id, id from lines l',
      [LINES],
    ],
    [
      'may update another merchant on conflict',
      `insert into carts (merchant_id, email) values ($1, $2)
      on conflict (email) do update set n = 1`,
      ["on conflict … do update of carts may meet another merchant's row: name merchant_id in the conflict target."],
    ],
    [
      'forgets in on conflict',
      `insert into carts (merchant_id, id) values ($1, $2) on conflict (merchant_id, id)
      do update set n = (select max(n) from lines l)`,
      [LINES],
    ],
    ['hides behind a good one', 'select 1 from carts where merchant_id = $1; delete from carts', [CARTS]],
    ['explains a bad one', 'explain analyze delete from carts', [CARTS]],
    ['names no merchant', 'select 1 from carts where merchant_id = null', [CARTS]],
    [
      'names the merchant of nobody knows which',
      'select 1 from carts c join lines l on merchant_id = $1',
      [CART_C, LINES],
    ],
    ['reads the table behind a CTE of its name', 'with carts as (select 1) select * from public.carts', [CARTS]],
    [
      'forgets in the limit of a union',
      `select id from carts where merchant_id = $1 union
      select id from carts where merchant_id = $1 limit (select count(*) from lines l)`,
      [LINES],
    ],
    [
      'joins a union with other merchants',
      `select 1 from (select merchant_id from carts where merchant_id = $1
      union select m from unnest($2::int[]) u (m)) x join lines l on l.merchant_id = x.merchant_id`,
      [LINES],
    ],
    [
      'joins a union of everything',
      `select 1 from (select * from carts where merchant_id = $1
      union select * from json_to_recordset($2) as r (merchant_id int)) x join lines l using (merchant_id)`,
      [LINES],
    ],
    [
      'renames what a star gives',
      `select 1 from (select * from carts where merchant_id = $1) x (merchant_id)
      join lines l using (merchant_id)`,
      [LINES],
    ],
    [
      'joins what it inserted for several',
      `with i as (insert into carts (merchant_id) select m from unnest($1::int[]) u (m)
      returning merchant_id) select 1 from lines l join i using (merchant_id)`,
      [LINES],
    ],
    [
      'truncates',
      'truncate carts',
      ['TruncateStmt is not a statement this check knows: write it as select, insert, update or delete.'],
    ],
    [
      'changes the schema',
      'drop table carts',
      ['DropStmt is not a statement this check knows: write it as select, insert, update or delete.'],
    ],
  ])('%s', (_, sql, problems) => {
    expect(check(sql)).toEqual(problems)
  })
})
