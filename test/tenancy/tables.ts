// Reads the tables of the migrated schema from PostgreSQL's catalogue.

import { administer, cloneDatabase } from '../support/database.ts'

/** `key`: primary key columns, in order. */
export type Table = { name: string; hasMerchantId: boolean; key: string[] }

export async function readTables(): Promise<Table[]> {
  const { rows } = await administer(
    await cloneDatabase(),
    `select c.relname::text as name,
       exists (
         select from pg_attribute a where a.attrelid = c.oid and a.attname = 'merchant_id' and not a.attisdropped
       ) as "hasMerchantId",
       array(
         select a.attname::text
         from pg_index i
         cross join lateral unnest(i.indkey::int2[]) with ordinality as part (attnum, position)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = part.attnum
         where i.indrelid = c.oid and i.indisprimary
         order by part.position
       ) as key
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     order by c.relname`,
  )
  return rows
}
