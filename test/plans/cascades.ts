// Cascading deletes. `explain` shows no plan for a foreign key's own lookup: there must be an index, and few rows read in the statistics.

import type { Client } from 'pg'

/** `indexes`: those that begin with the key's columns, in any order, and contain every row. */
export type ForeignKey = {
  readonly name: string
  readonly table: string
  readonly parent: string
  readonly columns: string[]
  readonly indexes: string[]
}

const FOREIGN_KEYS = `
  select f.conname as name, f.conrelid::regclass::text as table, f.confrelid::regclass::text as parent,
    array(
      select a.attname::text from unnest(f.conkey) with ordinality as key (number, place)
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = key.number order by key.place
    ) as columns,
    array(
      select i.indexrelid::regclass::text from pg_index i
      where i.indrelid = f.conrelid and i.indpred is null and i.indisvalid
        and f.conkey @> (i.indkey::smallint[])[0:cardinality(f.conkey) - 1]
        and f.conkey <@ (i.indkey::smallint[])[0:cardinality(f.conkey) - 1]
    ) as indexes
  from pg_constraint f
  where f.contype = 'f' and f.connamespace = 'public'::regnamespace
  order by 2, 1`

export const readForeignKeys = async (client: Client): Promise<ForeignKey[]> =>
  (await client.query<ForeignKey>(FOREIGN_KEYS)).rows

/** Foreign keys that need no index of their own, with the reason. */
export const WITHOUT_INDEX: Readonly<Record<string, string>> = {
  'shipment_items (merchant_id, order_id, item_id)':
    'An item goes with its order alone, and the primary key leads to the few that an order has.',
}

/** Rows of a table in this transaction: read by a full scan, fetched by an index, and deleted. */
type Read = { readonly table: string; readonly scanned: number; readonly fetched: number; readonly deleted: number }

const READ = `
  select relname as table, coalesce(seq_tup_read, 0)::integer as scanned, coalesce(idx_tup_fetch, 0)::integer as fetched,
    n_tup_del::integer as deleted
  from pg_stat_xact_user_tables`

/** Pages read from all indexes of each table, since the statistics began. They reveal index searches that found nothing. */
const PAGES_READ = `
  select relname as table, (coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::integer as pages from pg_statio_user_tables`

/** Depth of an index, with some to spare. */
const PAGES = 12

const byTable = async <Row extends { table: string }>(client: Client, text: string) =>
  new Map((await client.query<Row>(text)).rows.map((row) => [row.table, row]))

/** A session publishes its statistics from time to time, unless it is forced to. */
async function pagesRead(client: Client) {
  await client.query('select pg_stat_force_next_flush()')
  return byTable<{ table: string; pages: number }>(client, PAGES_READ)
}

/**
 * Returns sentences about tables that the statement does not name but a cascade reached: rows read beyond the deleted ones. `keys`: all
 * foreign keys. `run` is the statement, ready to be sent.
 */
export async function cascadeProblems(
  client: Client,
  keys: readonly ForeignKey[],
  text: string,
  run: string,
): Promise<string[]> {
  if (!/\bdelete from\b/.test(text)) return []
  const pagesBefore = await pagesRead(client)
  await client.query('begin')
  const before = await byTable<Read>(client, READ)
  await client.query(run)
  const after = [...(await byTable<Read>(client, READ)).values()].map(({ table, scanned, fetched, deleted }) => {
    const own = before.get(table)
    return {
      table,
      scanned: scanned - (own?.scanned ?? 0),
      fetched: fetched - (own?.fetched ?? 0),
      deleted: deleted - (own?.deleted ?? 0),
    }
  })
  await client.query('rollback')
  const pagesAfter = await pagesRead(client)
  const deletedOf = (name: string) => after.find(({ table }) => table === name)?.deleted ?? 0
  /** One lookup for each deleted row that others may reference. */
  const looksAt = (name: string) =>
    keys.filter(({ table }) => table === name).reduce((total, { parent }) => total + deletedOf(parent), 0)
  return after
    .filter(({ table }) => !new RegExp(`\\b${table}\\b`).test(text))
    .flatMap(({ table, scanned, fetched, deleted }) => {
      const pages = (pagesAfter.get(table)?.pages ?? 0) - (pagesBefore.get(table)?.pages ?? 0)
      return [
        ...(scanned > 0 ? [`reads ${scanned} rows of ${table} from end to end`] : []),
        ...(fetched > 2 * deleted + 2 ? [`looks at ${fetched} rows of ${table} to delete ${deleted}`] : []),
        // Skip other tables that are read as well, such as the merchant of a written row.
        ...(looksAt(table) > 0 && pages > PAGES * (looksAt(table) + deleted)
          ? [`touches ${pages} pages of ${table} in ${looksAt(table)} looks for ${deleted} rows`]
          : []),
      ]
    })
}
