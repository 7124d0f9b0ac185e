// Lists that go by key: what a page looks at, and where the next one begins. db/key-lists.ts has their SQL.

import { MAX_LIMIT } from './page.ts'

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

type Found<Row> = { readonly rows: readonly Row[]; readonly seen: number; readonly last: string | null }

/** The next page begins below the last that was shown, or, where fewer were found than asked for, below the last that was looked at. */
export function keyPage<Row extends { readonly id: string }, T>(
  { rows, seen, last }: Found<Row>,
  { limit, reach }: Reach,
  view: (row: Row) => T,
): KeyPage<T> {
  const isFull = rows.length === limit
  const next = isFull ? (rows.at(-1)?.id ?? null) : last
  return { data: rows.map(view), next: seen < reach && !isFull ? null : next }
}
