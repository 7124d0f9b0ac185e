// Reads the tables of a shop from PostgreSQL's catalogue: every table with a merchant_id except the request log, which is partitioned by
// day.

const TABLES = `
  select c.relname as table,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null)) order by a.attnum)
     from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity <> 'a') as columns,
    (select json_agg(json_build_object('isKey', i.indisprimary, 'columns', (
       select json_agg(a.attname order by a.attnum) from pg_attribute a
       where a.attrelid = c.oid and (a.attnum = any(i.indkey::smallint[]) or exists (
         select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
           and d.refobjid = c.oid and d.refobjsubid = a.attnum))
     ))) from pg_index i where i.indrelid = c.oid and i.indisunique) as uniques,
    (select json_agg(json_build_object('table', parent.relname, 'columns', (
       select json_agg(a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum = any(f.conkey)
     ))) from pg_constraint f join pg_class parent on parent.oid = f.confrelid
     where f.conrelid = c.oid and f.contype = 'f') as parents
  from pg_class c
  where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'merchant_id')
  order by c.relname`

/**
 * @typedef {{ name: string, type: string }} Column
 * @typedef {{ columns: Column[], key: string[], uniques: string[][], parents: { table: string, columns: string[] }[] }} Table `uniques`:
 * columns of each unique index except the primary key. For an index on an expression: the columns that the expression reads.
 */

/**
 * @param {import('pg').Client} client
 * @returns {Promise<Map<string, Table>>}
 */
export async function readSchema(client) {
  const { rows } = await client.query(TABLES)
  return new Map(
    rows.map(({ table, columns, uniques, parents }) => [
      table,
      {
        columns,
        key: (uniques ?? []).find(({ isKey }) => isKey)?.columns ?? [],
        uniques: (uniques ?? []).filter(({ isKey }) => !isKey).map(({ columns }) => columns),
        parents: parents ?? [],
      },
    ]),
  )
}
