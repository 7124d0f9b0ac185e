// Lists by key: newest first, from where the page before has ended. They cost the same however much there is.

/** A part of a list. `seen`: how many rows were looked at, and the last of them, which is where the next part begins. */
export type KeyRows<Row> = { rows: Row[]; seen: number; last: string | null }

type KeyList = {
  readonly from: string
  /** What is read of each row that is looked at: nothing large. */
  readonly columns: string
  readonly where: string
  /** Which of them are shown, and how. */
  readonly wanted: string
  readonly row: string
}

/** Newest first, below `:before`: so many are looked at, and of those that are wanted so many shown. */
export const keyList = ({ from, columns, where, wanted, row }: KeyList) => `with looked_at as materialized (
     select ${columns} from ${from} where ${where} and id < :before and id >= :from
     order by id desc limit :reach
   ), shown as (
     select * from looked_at where ${wanted} order by id desc limit :limit
   )
   select (select count(*)::integer from looked_at) as seen, (select min(id) from looked_at) as last,
     coalesce((select json_agg(shown) from (select ${row} from shown order by id desc) shown), '[]') as rows`
