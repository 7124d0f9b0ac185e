// Hashes each table: equal hashes mean that a request has changed nothing.

import { type Db, type Statement, statement } from '../../src/db/db.ts'

export type State = Readonly<Record<string, string>>

const listTables = statement<{ name: string }>(
  'test.access_tables',
  `select c.relname as name from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
)

/** Leaves out when a key was last used: any request writes it once a minute. */
const rowOf = (name: string) => (name === 'api_keys' ? "(to_jsonb(r) - 'last_used_at')" : 'r')

/** Prepares the queries once: the tables do not change under a running app. */
export async function stateReader(db: Db): Promise<() => Promise<State>> {
  const tables = await db.many(listTables, {})
  const hashes = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(string_agg(${rowOf(name)}::text, E'\\n' order by ${rowOf(name)}::text)) as hash from "${name}" r`,
  )
  const readAll: Statement<{ name: string; hash: string | null }> = statement(
    'test.access_state',
    hashes.join(' union all '),
  )
  return async () => {
    const rows = await db.many(readAll, {})
    return Object.fromEntries(rows.map(({ name, hash }) => [name, hash ?? 'empty']))
  }
}
