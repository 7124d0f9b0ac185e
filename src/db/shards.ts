// Citus: where each table lies when the database is spread over several machines, and what migrations do besides on such a database.
// A database without the extension never gets here.

import type pg from 'pg'

/**
 * Small, read with every request before the merchant is known, and therefore whole on every node. Every other table that has a
 * merchant_id is distributed by it; what is left belongs to no merchant and stays on the coordinator.
 */
export const REFERENCE_TABLES: readonly string[] = ['merchants', 'api_keys', 'dashboard_accounts']

/** The first table that is distributed. All others lie with it, so that the rows of one merchant are on one node. */
export const FIRST_TABLE = 'events'

export async function isSharded(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'")
  return rows.length > 0
}

/** The tables of shops that have no place yet, in the order in which they were made. */
export const NOT_YET_PLACED = `
  select class.relname::text as name
  from pg_class class
  join pg_attribute key on key.attrelid = class.oid and key.attname = 'merchant_id' and not key.attisdropped
  where class.relnamespace = 'public'::regnamespace
    and class.relkind in ('r', 'p')
    and not exists (select 1 from pg_dist_partition placed where placed.logicalrelid = class.oid)
  order by class.oid`

/**
 * What Citus refuses in migrations that are older than our use of it, and what it is given instead. Nothing is lost by leaving out the
 * updates: no older release ran on Citus, so they would find empty tables.
 */
const REWORDED: Readonly<Record<string, (sql: string) => string>> = {
  '0027_order_content_in_row_spelling.sql': withoutUpdates,
  '0028_physical_unsaid.sql': withoutUpdates,
}

function withoutUpdates(sql: string): string {
  return sql.replace(/^update [^;]*;/gm, '')
}

/**
 * Runs a migration one statement after the other and gives each table its place as soon as it is made: once another table refers to it,
 * it could not be moved any more.
 */
export async function applySharded(client: pg.Client, { name, sql }: { name: string; sql: string }): Promise<void> {
  // Within one transaction Citus uses one connection per node, so that a table may refer to another that the same migration made.
  await client.query("set local citus.multi_shard_modify_mode = 'sequential'")
  // Else a new table that refers to merchants would first be made one of Citus's own local tables, which cannot all be distributed.
  await client.query('set local citus.enable_local_reference_table_foreign_keys = off')
  for (const text of statementsOf(REWORDED[name]?.(sql) ?? sql)) {
    await client.query(text)
    const { rows } = await client.query<{ name: string }>(NOT_YET_PLACED)
    for (const table of rows) await place(client, table.name)
  }
}

async function place(client: pg.Client, table: string) {
  if (REFERENCE_TABLES.includes(table)) await client.query('select create_reference_table($1)', [table])
  else
    await client.query("select create_distributed_table($1, 'merchant_id', colocate_with => $2)", [
      table,
      table === FIRST_TABLE ? 'none' : FIRST_TABLE,
    ])
}

/** What stands as one piece: comments, strings, quoted names, bodies of functions between dollar signs; each other sign by itself. */
const PIECES = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|[^-/'"$;,()]+|[\s\S]/g

const ALTERATION = /^((?:\s|--.*\n)*alter table \w+)(\s[\s\S]*)$/

/**
 * The statements of a migration. Comments stay with the statement that they stand before. An `alter table` that does several things becomes
 * several: Citus takes constraints one by one.
 */
export function statementsOf(sql: string): string[] {
  return dividedBy(sql, ';').flatMap((text) => {
    const [, table, changes] = ALTERATION.exec(text) ?? []
    return table === undefined || changes === undefined
      ? [text]
      : dividedBy(changes, ',').map((change) => `${table} ${change}`)
  })
}

/** The parts between separators that stand outside of parentheses, without those that are empty or mere comment. */
function dividedBy(sql: string, separator: ';' | ','): string[] {
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
