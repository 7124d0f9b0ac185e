// Citus: the place of each table if the database is spread over several machines, and the extra steps of migrations there. Not used on a
// database without the extension.

import type pg from 'pg'

/**
 * Small tables that every request reads before the merchant is known, so every node has a copy. Every other table with a merchant_id is
 * distributed by it. The rest belongs to no merchant and stays on the coordinator.
 */
export const REFERENCE_TABLES: readonly string[] = ['merchants', 'api_keys', 'dashboard_accounts']

/** The first distributed table. All others are placed with it, so that the rows of one merchant are on one node. */
export const COLOCATION_TABLE = 'events'

export async function isSharded(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'")
  return rows.length > 0
}

/** Tables of shops that are not placed yet, in order of creation. */
export const UNPLACED_TABLES_SQL = `
  select class.relname::text as name
  from pg_class class
  join pg_attribute key on key.attrelid = class.oid and key.attname = 'merchant_id' and not key.attisdropped
  where class.relnamespace = 'public'::regnamespace
    and class.relkind in ('r', 'p')
    and not exists (select 1 from pg_dist_partition placed where placed.logicalrelid = class.oid)
  order by class.oid`

/**
 * Replacements for SQL that Citus refuses, in migrations older than our support for it. Leaving out the updates loses nothing: no older
 * release ran on Citus, so they would find empty tables.
 */
const REPLACEMENTS: Readonly<Record<string, (sql: string) => string>> = {
  '0027_order_content_in_row_spelling.sql': withoutUpdates,
  '0028_physical_unsaid.sql': withoutUpdates,
}

function withoutUpdates(sql: string): string {
  return sql.replace(/^update [^;]*;/gm, '')
}

/**
 * Runs a migration statement by statement and places each table as soon as it exists. Once another table refers to it, it can no longer be
 * moved.
 */
export async function applySharded(client: pg.Client, { name, sql }: { name: string; sql: string }): Promise<void> {
  // Makes Citus use one connection per node in a transaction, so that a table may refer to another of the same migration.
  await client.query("set local citus.multi_shard_modify_mode = 'sequential'")
  // Otherwise Citus would make a new table that refers to merchants one of its local tables. Not all of those can be distributed.
  await client.query('set local citus.enable_local_reference_table_foreign_keys = off')
  for (const text of splitStatements(REPLACEMENTS[name]?.(sql) ?? sql)) {
    await client.query(text)
    const { rows } = await client.query<{ name: string }>(UNPLACED_TABLES_SQL)
    for (const table of rows) await placeTable(client, table.name)
  }
}

async function placeTable(client: pg.Client, table: string) {
  if (REFERENCE_TABLES.includes(table)) await client.query('select create_reference_table($1)', [table])
  else
    await client.query("select create_distributed_table($1, 'merchant_id', colocate_with => $2)", [
      table,
      table === COLOCATION_TABLE ? 'none' : COLOCATION_TABLE,
    ])
}

/** Tokens of SQL: comments, strings, quoted names and dollar-quoted bodies are one piece each; any other sign is a piece by itself. */
const PIECES = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|[^-/'"$;,()]+|[\s\S]/g

const ALTERATION = /^((?:\s|--.*\n)*alter table \w+)(\s[\s\S]*)$/

/**
 * Statements of a migration. Comments stay with the statement after them. An `alter table` with several changes becomes several statements:
 * Citus takes constraints one by one.
 */
export function splitStatements(sql: string): string[] {
  return splitBy(sql, ';').flatMap((text) => {
    const [, table, changes] = ALTERATION.exec(text) ?? []
    return table === undefined || changes === undefined
      ? [text]
      : splitBy(changes, ',').map((change) => `${table} ${change}`)
  })
}

/** Parts between separators outside parentheses, without empty parts or mere comments. */
function splitBy(sql: string, separator: ';' | ','): string[] {
  const parts = ['']
  let depth = 0
  for (const [piece] of sql.matchAll(PIECES)) {
    if (piece === '(') depth += 1
    if (piece === ')') depth -= 1
    if (piece === separator && depth === 0) parts.push('')
    else parts.push(`${parts.pop()}${piece}`)
  }
  return parts.filter((part) => part.replaceAll(/--.*/g, '').trim() !== '')
}
