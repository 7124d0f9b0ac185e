// Lists by key: newest first, from where the page before has ended. They cost the same however much there is. The SQL of them, what a page
// looks at, and where the next one begins.

import { MAX_LIMIT } from '../lib/page.ts'

/** A part of a list. `seen`: how many rows were looked at, and the last of them, which is where the next part begins. */
export type KeyRows<Row> = { rows: Row[]; seen: number; last: string | null }

type KeyList = {
  readonly from: string
  /** What the index has in order, where that is not the id itself. */
  readonly key?: string
  /** What is read of each row that is looked at: nothing large. */
  readonly columns: string
  readonly where: string
  /** Which of them are shown, and how. */
  readonly wanted: string
  readonly row: string
}

/** Newest first, below `:before`: so many are looked at, and of those that are wanted so many shown. */
export const keyList = ({ from, key = 'id', columns, where, wanted, row }: KeyList) => `with looked_at as materialized (
     select ${columns} from ${from} where ${where} and ${key} < :before and ${key} >= :from
     order by ${key} desc limit :reach
   ), shown as (
     select * from looked_at where ${wanted} order by id desc limit :limit
   )
   select (select count(*)::integer from looked_at) as seen, (select min(id) from looked_at) as last,
     coalesce((select json_agg(shown) from (select ${row} from shown order by id desc) shown), '[]') as rows`

/** So many rows a page with a filter looks at: then it shows what it has found, and where to go on. */
const REACH = 2_000

export type KeyPage<T> = { data: T[]; next: string | null }

/** How many are shown, and how many looked at for them. */
export type Reach = { readonly limit: number; readonly reach: number }

/** `isFiltered`: not every row that is looked at is shown. */
export function reachOf(limit: number, isFiltered: boolean): Reach {
  const cut = Math.min(limit, MAX_LIMIT)
  return { limit: cut, reach: isFiltered ? REACH : cut }
}

/** The next page begins below the last that was shown, or, where fewer were found than asked for, below the last that was looked at. */
export function keyPage<Row extends { readonly id: string }, T>(
  { rows, seen, last }: KeyRows<Row>,
  { limit, reach }: Reach,
  view: (row: Row) => T,
): KeyPage<T> {
  const isFull = rows.length === limit
  const next = isFull ? (rows.at(-1)?.id ?? null) : last
  return { data: rows.map(view), next: seen < reach && !isFull ? null : next }
}
