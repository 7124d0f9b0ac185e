// Common SQL of record tables: each row belongs to a shop, has an id, and records when it was created and changed.

import { type Shop, violatesConstraint } from './db.ts'

/** Selects one record by its whole key; `keyOf` gives the values. */
export const BY_KEY = 'merchant_id = :merchant_id and id = :id'

export const keyOf = ({ merchant_id }: Shop, id: string) => ({ merchant_id, id })

/** Creation and change time of a record, as views show them. */
export const TIMES = 'unix_seconds(created_at) as created, unix_seconds(updated_at) as updated'

/** One page of rows and their total number. */
export type RowPage<Row> = { total: number; rows: Row[] }

type ListSql = {
  /** Columns of a row. */
  readonly row: string
  /** The table with its joins. */
  readonly from: string
  readonly where?: string
  /** Must be unique, so that pages do not overlap. Ids grow with time, so the default puts the oldest first. */
  readonly orderBy?: string
  /** SQL for the total, if it is stored (counts.ts). */
  readonly total?: string
}

/** SQL of a statement that returns one page (`:limit`, `:offset`) and the total in one round trip, as a `RowPage`. */
export const listSql = ({
  row,
  from,
  where = 'merchant_id = :merchant_id',
  orderBy = 'id',
  total = `(select count(*) from ${from} where ${where})`,
}: ListSql) =>
  `select
     ${total} as total,
     coalesce((
       select json_agg(page)
       from (
         select ${row} from ${from} where ${where} order by ${orderBy} limit :limit offset :offset
       ) page
     ), '[]') as rows`

/**
 * Runs a write that a unique index may refuse, and then throws `refusal()`. The index decides, not an earlier check: between a check and
 * the write another request may take the value.
 */
export async function translateUniqueViolation<T>(
  write: Promise<T>,
  constraint: string,
  refusal: () => Error,
): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw violatesConstraint(error, constraint) ? refusal() : error
  }
}
