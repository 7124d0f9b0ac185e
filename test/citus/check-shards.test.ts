// @unit
// What the rule for shards must refuse and what it must let pass, each as Citus itself was seen to do.

import { loadModule } from 'libpg-query'
import { describe, expect, it } from 'vitest'
import { checkShards } from './check-shards.ts'

await loadModule()

const TABLES = new Set(['carts', 'lines', 'products', 'merchants', 'api_keys'])
const LOCALS = new Set(['revisions', 'schedules'])
const check = (sql: string) => checkShards(sql, TABLES, LOCALS)

const LINES = 'lines l is not tied to one merchant: add l.merchant_id = $n to its where or its join condition.'
const CARTS = 'carts is not tied to one merchant: add carts.merchant_id = $n to its where or its join condition.'
const UNTOLD = 'insert into carts is not told its merchant: give it $n as merchant_id.'
const LOCKS = 'It locks rows of several shops: find them without a lock, then lock those of one shop.'

describe('a statement goes to one shard that', () => {
  it.each([
    ['names the merchant', 'select 1 from carts where merchant_id = $1'],
    [
      'joins on the merchant in one query',
      'select 1 from carts c join lines l using (merchant_id) where c.merchant_id = $1',
    ],
    [
      'names it in each subquery',
      'select (select 1 from lines l where l.merchant_id = $1 and l.id = c.id) from carts c where c.merchant_id = $1',
    ],
    [
      'names it beside a CTE',
      'with c as (select id from carts where merchant_id = $1) select 1 from c join lines l on l.merchant_id = $1 and l.id = c.id',
    ],
    [
      'joins, if at all, by columns and the mode',
      'select 1 from carts c left join lines l on l.merchant_id = $1 and l.id = c.id and l.is_sandbox = $2 where c.merchant_id = $1',
    ],
    [
      'looks up by a parameter that may be null',
      'select (select 1 from lines l where l.merchant_id = $1 and l.id = $2) from carts c where c.merchant_id = $1',
    ],
    [
      'changes, then reads',
      'with c as (update carts set n = 1 where merchant_id = $1 returning id) select (select 1 from lines l where l.merchant_id = $1) from c',
    ],
    [
      'locks rows of one shop',
      'with c as (select id from carts where merchant_id = $1 for update skip locked) update carts set n = 1 from c where carts.merchant_id = $1 and carts.id = c.id',
    ],
    [
      'returns a subquery of an update',
      'update carts set n = 1 where merchant_id = $1 returning (select 1 from lines l where l.merchant_id = $1)',
    ],
    [
      'inserts values',
      'insert into carts (id, merchant_id) values ($1, $2) on conflict (merchant_id, id) do update set n = excluded.n',
    ],
    [
      'inserts what it selects of one shop',
      'insert into carts (merchant_id, id) select $1, id from lines where merchant_id = $1',
    ],
    [
      'inserts the merchant of the rows that it selects',
      'insert into carts (merchant_id, id) select merchant_id, id from lines where merchant_id = $1 for key share',
    ],
    [
      'reads a table of every node beside',
      'select 1 from merchants m join carts c on c.merchant_id = m.merchant_id where c.merchant_id = $1',
    ],
    [
      'reads tables of every node by anything',
      'select 1 from api_keys k join merchants m using (merchant_id) where k.hash = $1',
    ],
    ['writes a table of every node', 'update merchants set name = $1 where merchant_id = $2'],
    [
      'writes a table of every node and one of the coordinator',
      'with r as (update revisions set value = value + 1) delete from api_keys where merchant_id = $1',
    ],
  ])('%s', (_, sql) => {
    expect(check(sql)).toEqual({ loose: [], refused: [], hazards: [] })
  })
})

describe('a statement goes to all shards that', () => {
  it.each([
    ['forgets the merchant', 'select 1 from carts where id = $1', [CARTS]],
    [
      'leans on the outer row',
      'select (select 1 from lines l where l.merchant_id = c.merchant_id) from carts c where c.merchant_id = $1',
      [LINES],
    ],
    [
      'leans on a CTE',
      'with c as (select merchant_id from carts where merchant_id = $1) select 1 from c join lines l using (merchant_id)',
      [LINES],
    ],
    [
      'leans on a subquery',
      'select 1 from (select merchant_id from carts where merchant_id = $1) c join lines l on l.merchant_id = c.merchant_id',
      [LINES],
    ],
    [
      'leans on a neighbour',
      'select 1 from carts c, lateral (select 1 from lines l where l.merchant_id = c.merchant_id) x where c.merchant_id = $1',
      [LINES],
    ],
    [
      'leans on a table of every node',
      'select (select 1 from lines l where l.merchant_id = m.merchant_id) from merchants m where m.merchant_id = $1',
      [LINES],
    ],
    [
      'inserts what a CTE gives',
      'with c as (delete from lines where merchant_id = $1 returning merchant_id) insert into carts (merchant_id) select merchant_id from c',
      [UNTOLD],
    ],
    [
      'inserts the merchant of rows of all',
      'insert into carts (merchant_id, id) select merchant_id, id from lines l where l.id = $1',
      [LINES, UNTOLD],
    ],
    [
      'inserts the merchant of rows that a condition lets through by another way',
      'insert into carts (merchant_id, id) select merchant_id, id from lines l where l.merchant_id = $1 or l.id = $2',
      [LINES, UNTOLD],
    ],
    [
      'inserts another column as the merchant',
      'insert into carts (merchant_id, id) select l.parent_id, l.id from lines l where l.merchant_id = $1',
      [UNTOLD],
    ],
  ])('%s', (_, sql, loose) => {
    expect(check(sql)).toEqual({ loose, refused: [], hazards: [] })
  })
})

describe('Citus refuses a statement that', () => {
  it.each([
    ['locks rows of several shops', 'select 1 from carts for update skip locked', LOCKS],
    [
      'locks them before it deletes',
      'with c as (select id from carts limit 1 for update) delete from carts using c where carts.id = c.id',
      LOCKS,
    ],
    [
      'reckons with an interval that may not be needed',
      "update carts set until = case when $2 then $3::timestamptz + interval '1 hour' end where merchant_id = $1",
      'update carts reckons with an interval in a case or coalesce: send the time as a parameter.',
    ],
    [
      'sets an element of an array (it dies of that)',
      'update carts set n = ($2::integer[])[array_position($3::text[], id)] where merchant_id = $1',
      'update carts sets a column to an element of an array: join what unnest makes of it.',
    ],
    [
      'asks for no column',
      'select 1 from carts c where c.merchant_id = $1 and exists (select from lines l where l.merchant_id = $1)',
      'A query of it selects no column: write select 1.',
    ],
    [
      'asks in returning',
      'insert into carts (merchant_id) values ($1) returning (select 1 from lines l where l.merchant_id = $1)',
      'insert into carts has a subquery in its returning: read it in a with or a select.',
    ],
    [
      'asks on conflict',
      'insert into carts (merchant_id) values ($1) on conflict (merchant_id) do update set n = 1 where (select true)',
      'insert into carts has a subquery in its on conflict: read it in a with or a select.',
    ],
    [
      'asks in values',
      'insert into carts (merchant_id, n) values ($1, (select 1 from lines l where l.merchant_id = $1))',
      'insert into carts has a subquery in its values: read it in a with or a select.',
    ],
    [
      'asks in the insert of a CTE',
      'with c as (insert into carts (merchant_id) values ($1) returning (select 1)) select 1 from c',
      'insert into carts has a subquery in its returning: read it in a with or a select.',
    ],
    [
      'reads the coordinator beside a shard',
      'select (select value from revisions) from carts where merchant_id = $1',
      'It names revisions, which is on the coordinator alone, and carts, which is on shards.',
    ],
    [
      'writes every node beside a shard',
      'update merchants m set n = 1 where m.merchant_id = $1 returning (select 1 from carts where merchant_id = $1)',
      'It writes merchants, which is on every node, and names a table of one shard: make it two statements.',
    ],
  ])('%s', (_, sql, problem) => {
    expect(check(sql).refused).toEqual([problem])
  })
})

describe('Citus refuses, where a parameter is null, a statement that', () => {
  const HAZARD =
    'An outer join of it has a parameter in its condition: look the row up in a sub-select if it may be null.'

  it.each([
    [
      'joins by it, if at all',
      'select 1 from carts c left join lines l on l.merchant_id = $1 and l.id = $2 where c.merchant_id = $1',
    ],
    [
      'does so in a subquery',
      'select (select 1 from carts c left join lines l on l.merchant_id = $1 and $2 where c.merchant_id = $1)',
    ],
  ])('%s', (_, sql) => {
    expect(check(sql).hazards).toEqual([HAZARD])
  })
})
