// @unit
// Statements that the rule for shards must refuse, each as Citus itself was seen to do. It lets every statement of the service pass.

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

describe('a statement goes to all shards', () => {
  /** Each ties one table, and takes the merchant of the lines from another part of the statement. */
  const LOOSE_LINES = [
    'select (select 1 from lines l where l.merchant_id = c.merchant_id) from carts c where c.merchant_id = $1',
    'with c as (select merchant_id from carts where merchant_id = $1) select 1 from c join lines l using (merchant_id)',
    'select 1 from (select merchant_id from carts where merchant_id = $1) c join lines l on l.merchant_id = c.merchant_id',
    'select 1 from carts c, lateral (select 1 from lines l where l.merchant_id = c.merchant_id) x where c.merchant_id = $1',
    'select (select 1 from lines l where l.merchant_id = m.merchant_id) from merchants m where m.merchant_id = $1',
  ]

  it.each([
    ...LOOSE_LINES.map((sql): [string, string[]] => [sql, [LINES]]),
    ['select 1 from carts where id = $1', [CARTS]],
    [
      'with c as (delete from lines where merchant_id = $1 returning merchant_id) insert into carts (merchant_id) select merchant_id from c',
      [UNTOLD],
    ],
    ['insert into carts (merchant_id, id) select merchant_id, id from lines l where l.id = $1', [LINES, UNTOLD]],
    [
      'insert into carts (merchant_id, id) select merchant_id, id from lines l where l.merchant_id = $1 or l.id = $2',
      [LINES, UNTOLD],
    ],
    ['insert into carts (merchant_id, id) select l.parent_id, l.id from lines l where l.merchant_id = $1', [UNTOLD]],
  ])('%s', (sql, loose) => {
    expect(check(sql)).toEqual({ loose, refused: [], hazards: [] })
  })
})

describe('Citus refuses', () => {
  it.each([
    ['select 1 from carts for update skip locked', LOCKS],
    ['with c as (select id from carts limit 1 for update) delete from carts using c where carts.id = c.id', LOCKS],
    [
      "update carts set until = case when $2 then $3::timestamptz + interval '1 hour' end where merchant_id = $1",
      'update carts reckons with an interval in a case or coalesce: send the time as a parameter.',
    ],
    [
      'update carts set n = ($2::integer[])[array_position($3::text[], id)] where merchant_id = $1',
      'update carts sets a column to an element of an array: join what unnest makes of it.',
    ],
    [
      'select 1 from carts c where c.merchant_id = $1 and exists (select from lines l where l.merchant_id = $1)',
      'A query of it selects no column: write select 1.',
    ],
    [
      'insert into carts (merchant_id) values ($1) returning (select 1 from lines l where l.merchant_id = $1)',
      'insert into carts has a subquery in its returning: read it in a with or a select.',
    ],
    [
      'insert into carts (merchant_id) values ($1) on conflict (merchant_id) do update set n = 1 where (select true)',
      'insert into carts has a subquery in its on conflict: read it in a with or a select.',
    ],
    [
      'insert into carts (merchant_id, n) values ($1, (select 1 from lines l where l.merchant_id = $1))',
      'insert into carts has a subquery in its values: read it in a with or a select.',
    ],
    [
      'with c as (insert into carts (merchant_id) values ($1) returning (select 1)) select 1 from c',
      'insert into carts has a subquery in its returning: read it in a with or a select.',
    ],
    [
      'select (select value from revisions) from carts where merchant_id = $1',
      'It names revisions, which is on the coordinator alone, and carts, which is on shards.',
    ],
    [
      'update merchants m set n = 1 where m.merchant_id = $1 returning (select 1 from carts where merchant_id = $1)',
      'It writes merchants, which is on every node, and names a table of one shard: make it two statements.',
    ],
  ])('%s', (sql, problem) => {
    expect(check(sql).refused).toEqual([problem])
  })
})

describe('Citus refuses, where a parameter is null', () => {
  const HAZARD =
    'An outer join of it has a parameter in its condition: look the row up in a sub-select if it may be null.'

  it.each([
    'select 1 from carts c left join lines l on l.merchant_id = $1 and l.id = $2 where c.merchant_id = $1',
    'select (select 1 from carts c left join lines l on l.merchant_id = $1 and $2 where c.merchant_id = $1)',
  ])('%s', (sql) => {
    expect(check(sql).hazards).toEqual([HAZARD])
  })
})
