// Lists that continue after a key instead of a page number, newest first. Their cost does not depend on the number of
// rows. This file has their SQL, decides how many rows a page scans, and where the next page begins.

import { MAX_LIMIT } from '../lib/page.ts'

/** A part of a list. `seen` is the number of scanned rows, `last` the last of them; the next part begins below it. */
export type KeyRows<Row> = { rows: Row[]; seen: number; last: string | null }

type KeyList = {
  readonly from: string
  /** The ordered index column, if it is not the id. */
  readonly key?: string
  /** Columns read from each scanned row: nothing large. */
  readonly columns: string
  readonly where: string
  /** Condition for the scanned rows to return. `row` has their columns in the result. */
  readonly wanted: string
  readonly row: string
}

/** Newest first, below `:before`: scans up to `:reach` rows and returns up to `:limit` of the wanted ones. */
export const keyListSql = ({
  from,
  key = 'id',
  columns,
  where,
  wanted,
  row,
}: KeyList) => `with looked_at as materialized (
     select ${columns} from ${from} where ${where} and ${key} < :before and ${key} >= :from
     order by ${key} desc limit :reach
   ), shown as (
     select * from looked_at where ${wanted} order by id desc limit :limit
   )
   select (select count(*)::integer from looked_at) as seen, (select min(id) from looked_at) as last,
     coalesce((select json_agg(shown) from (select ${row} from shown order by id desc) shown), '[]') as rows`

/** Maximum number of rows that a filtered page scans. The page may then be short, and the next one continues below. */
const REACH = 2_000

export type KeyPage<T> = { data: T[]; next: string | null }

/** Maximum of rows to return, and of rows to scan for them. */
export type KeyPageLimits = { readonly limit: number; readonly reach: number }

/** `isFiltered`: some scanned rows are not returned. */
export function keyPageLimits(limit: number, isFiltered: boolean): KeyPageLimits {
  const cappedLimit = Math.min(limit, MAX_LIMIT)
  return { limit: cappedLimit, reach: isFiltered ? REACH : cappedLimit }
}

/**
 * The next page begins below the last returned row, or below the last scanned row if this page is short. Null: the list
 * has ended.
 */
export function toKeyPage<Row extends { readonly id: string }, T>(
  { rows, seen, last }: KeyRows<Row>,
  { limit, reach }: KeyPageLimits,
  view: (row: Row) => T,
): KeyPage<T> {
  const isFull = rows.length === limit
  const next = isFull ? (rows.at(-1)?.id ?? null) : last
  return { data: rows.map(view), next: seen < reach && !isFull ? null : next }
}
