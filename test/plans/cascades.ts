// What a delete takes along. `explain` tells no plan of a foreign key's own look-up, so two things are asked in its place: whether there is an
// index that leads to the rows, and how many rows that look-up has read, which PostgreSQL counts.

import type { Client } from 'pg'

/** `index`: those that begin with the columns of the key, in any order, and that hold every row. */
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

/** Keys that need no index of their own, with the reason. */
export const WITHOUT_INDEX: Readonly<Record<string, string>> = {
  'shipment_items (merchant_id, order_id, item_id)':
    'An item goes with its order alone, and the primary key leads to the few that an order has.',
}

/** By table: rows that were read from end to end or found by an index, and those deleted, in this transaction. */
type Read = { readonly table: string; readonly scanned: number; readonly fetched: number; readonly deleted: number }

const READ = `
  select relname as table, coalesce(seq_tup_read, 0)::integer as scanned, coalesce(idx_tup_fetch, 0)::integer as fetched,
    n_tup_del::integer as deleted
  from pg_stat_xact_user_tables`

/** Of all indexes of each table, since ever. They tell of entries that an index has been searched for in vain. */
const PAGES_READ = `
  select relname as table, (coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::integer as pages from pg_statio_user_tables`

/** The way down an index, with some to spare. */
const PAGES = 12

const byTable = async <Row extends { table: string }>(client: Client, text: string) =>
  new Map((await client.query<Row>(text)).rows.map((row) => [row.table, row]))

/** What a session has counted is told from time to time, unless it is asked for. */
async function pagesRead(client: Client) {
  await client.query('select pg_stat_force_next_flush()')
  return byTable<{ table: string; pages: number }>(client, PAGES_READ)
}

/**
 * Sentences about tables that the statement does not name, and that something it deletes has led to: what was read of them beyond the rows
 * that went with it. `keys`: all that there are. `run` is the statement, ready to be sent.
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
  /** One look for each row that something may hang on. */
  const looksAt = (name: string) =>
    keys.filter(({ table }) => table === name).reduce((total, { parent }) => total + deletedOf(parent), 0)
  return after
    .filter(({ table }) => !new RegExp(`\\b${table}\\b`).test(text))
    .flatMap(({ table, scanned, fetched, deleted }) => {
      const pages = (pagesAfter.get(table)?.pages ?? 0) - (pagesBefore.get(table)?.pages ?? 0)
      return [
        ...(scanned > 0 ? [`reads ${scanned} rows of ${table} from end to end`] : []),
        ...(fetched > 2 * deleted + 2 ? [`looks at ${fetched} rows of ${table} to delete ${deleted}`] : []),
        // Others that are read beside, such as the merchant of a row that is written, are no part of it.
        ...(looksAt(table) > 0 && pages > PAGES * (looksAt(table) + deleted)
          ? [`touches ${pages} pages of ${table} in ${looksAt(table)} looks for ${deleted} rows`]
          : []),
      ]
    })
}
