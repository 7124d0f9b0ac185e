// What tables of records have in common: a row belongs to a shop, is known by its id and says when it was made and changed.

import { type Scope, violates } from './db.ts'

/** Whose rows, where sandbox and live share them. */
export type Shop = Pick<Scope, 'merchantId'>

/** Picks one record by its whole key; `keyOf` gives the values. */
export const BY_KEY = 'merchant_id = :merchant_id and id = :id'

export const keyOf = ({ merchantId }: Shop, id: string) => ({ merchant_id: merchantId, id })

export const shopValues = ({ merchantId }: Shop) => ({ merchant_id: merchantId })

export const scopeValues = ({ merchantId, isSandbox }: Scope) => ({ merchant_id: merchantId, is_sandbox: isSandbox })

/** When a record was made and changed, as views show it. */
export const TIMES = 'unix_seconds(created_at) as created, unix_seconds(updated_at) as updated'

/** One page of rows, and how many there are in all. */
export type RowPage<Row> = { total: number; rows: Row[] }

type ListSql = {
  /** The columns of a row. */
  readonly row: string
  /** The table, with what it is joined to. */
  readonly from: string
  readonly where?: string
  /** Unique, so that pages do not overlap. Ids are made in the order of time: by them the oldest comes first. */
  readonly orderBy?: string
  /** SQL for the count of all, where it is kept (counts.ts). */
  readonly total?: string
}

/** The text of a statement that gives one page (`:limit`, `:offset`) and the count of all, in one round trip: a `RowPage`. */
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
 * A write that a unique index may refuse: then what `refusal` says is thrown. The index decides and not a look beforehand: between a look
 * and the write another request may take the value.
 */
export async function unlessTaken<T>(write: Promise<T>, constraint: string, refusal: () => Error): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw violates(error, constraint) ? refusal() : error
  }
}
