// Migrations on a sharded database. On Citus the tables are read; elsewhere the tests read the statements that a migration is split into.

import { readFile } from 'node:fs/promises'
import { loadModule, parseSync } from 'libpg-query'
import { describe, expect, inject, it } from 'vitest'
import { readMigrations } from '../../src/db/migrate.ts'
import { REFERENCE_TABLES, splitStatements } from '../../src/db/shards.ts'
import { administer, cloneDatabase } from '../support/database.ts'
import { readTables } from '../tenancy/tables.ts'

await loadModule()
const migrations = await readMigrations()
const isSharded = inject('nodes').length > 0

/** Changes of tables that stand in one statement are taken apart. */
const countOf = (sql: string) =>
  (parseSync(sql).stmts ?? []).reduce((sum, { stmt }) => {
    const { AlterTableStmt: alteration } = stmt as { AlterTableStmt?: { cmds?: unknown[] } }
    return sum + (alteration?.cmds?.length ?? 1)
  }, 0)

type Alteration = {
  cmds?: {
    AlterTableCmd?: {
      subtype: string
      def?: { ColumnDef?: { colname: string; constraints?: { Constraint: { contype: string } }[] } }
    }
  }[]
}

const NAMELESS = ['CONSTR_CHECK', 'CONSTR_UNIQUE', 'CONSTR_PRIMARY', 'CONSTR_FOREIGN']

/** Columns that are added to a table with a constraint in the same breath. */
const constrainedColumnsOf = (sql: string): string[] =>
  (parseSync(sql).stmts ?? []).flatMap(({ stmt }) =>
    ((stmt as { AlterTableStmt?: Alteration }).AlterTableStmt?.cmds ?? []).flatMap(({ AlterTableCmd: command }) => {
      const column = command?.subtype === 'AT_AddColumn' ? command.def?.ColumnDef : undefined
      const isConstrained = column?.constraints?.some(({ Constraint }) => NAMELESS.includes(Constraint.contype))
      return column && isConstrained ? [column.colname] : []
    }),
  )

describe('the statements of a migration', () => {
  it.each(migrations)('are those that PostgreSQL reads: $name', ({ sql }) => {
    const statements = splitStatements(sql)
    for (const text of statements) expect(parseSync(text).stmts).toHaveLength(1)
    expect(statements).toHaveLength(countOf(sql))
  })

  // Citus refuses a constraint without a name.
  it.each(migrations)('add no column together with a constraint: $name', ({ sql }) => {
    expect(constrainedColumnsOf(sql)).toEqual([])
  })

  it('would be told if one did', () => {
    const sql = 'alter table t add a int not null default 0, add b int check (b > 0), add c int unique;'
    expect(constrainedColumnsOf(sql)).toEqual(['b', 'c'])
  })

  it.each([
    ['a string', "select ';'; select 'it''s;'", ["select ';'", " select 'it''s;'"]],
    ['a quoted name', 'select 1 as ";"; select 2', ['select 1 as ";"', ' select 2']],
    ['a comment', '-- a; b\nselect 1; /* c; d */ select 2;', ['-- a; b\nselect 1', ' /* c; d */ select 2']],
    ['a body', 'do $x$ begin; $$; $x$; select 2', ['do $x$ begin; $$; $x$', ' select 2']],
  ])('are not divided within %s', (_, sql, statements) => {
    expect(splitStatements(sql)).toEqual(statements)
  })

  it('change a table one by one', () => {
    const sql = '-- a, b\nalter table t drop constraint c, -- d, e\n add constraint c unique (a, b);'
    expect(splitStatements(sql)).toEqual([
      '-- a, b\nalter table t  drop constraint c',
      '-- a, b\nalter table t  -- d, e\n add constraint c unique (a, b)',
    ])
  })
})

describe('docs/shards.md', () => {
  it('tells the number of tables, and of those on the coordinator their names', async () => {
    const page = await readFile(new URL('../../docs/shards.md', import.meta.url), 'utf8')
    const tables = await readTables()
    const own = tables.filter(({ hasMerchantId }) => !hasMerchantId)
    const distributed = tables.length - own.length - REFERENCE_TABLES.length
    expect(page).toContain(
      `shards: ${distributed} tables in 32 shards each, by merchant; ${REFERENCE_TABLES.length} copied to every node; ${own.length} only on the coordinator`,
    )
    for (const { name } of own) expect(page).toContain(`\`${name}\``)
  })
})

describe.skipIf(!isSharded)('on Citus', () => {
  it('every table has its place', async () => {
    const database = await cloneDatabase()
    const { rows } = await administer(
      database,
      `select table_name::text as name, citus_table_type as type, distribution_column as key, colocation_id::int as together
       from citus_tables`,
    )
    const places = new Map(rows.map(({ name, ...place }) => [name, place]))
    const tables = await readTables()
    for (const { name, hasMerchantId } of tables) {
      const type = REFERENCE_TABLES.includes(name) ? 'reference' : hasMerchantId ? 'distributed' : undefined
      expect([name, places.get(name)?.type]).toEqual([name, type])
    }
    const shared = rows.filter(({ type }) => type === 'distributed').map(({ key, together }) => `${key} ${together}`)
    expect(new Set(shared).size).toBe(1)
  })
})
