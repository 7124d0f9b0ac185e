// Follows the request log by polling and shows every row once, even if it is written late. Several processes write the log in batches, and
// a row has the time of the request's start. So a row may appear below newer ones, after a moment or after a long request.

import { setTimeout as pause } from 'node:timers/promises'
import { ApiRefusal, ServiceUnreachable } from '../client/call.ts'

export type TailedRow = {
  readonly id: string
  readonly created: number
  readonly status_code: number
  readonly method: string
  readonly url: string
  readonly ms: number | null
  readonly user_agent?: string | null
}

type Page = { readonly data: readonly TailedRow[]; readonly next: string | null }

export type TailOptions = {
  /** Reads a page of the rows since that second, newest first; `after` selects the next page. */
  read(since: number, after: string | null): Promise<Page>
  /** Reads the newest rows at the start, newest first. */
  begin(): Promise<readonly TailedRow[]>
  /** Number of them to show. */
  readonly initialCount: number
  show(row: TailedRow): void
  connectionLost(reason: string): void
  reconnected(): void
  readonly stop: AbortSignal
  /** Replaced by tests, which do not wait. */
  readonly rest?: (ms: number) => Promise<unknown>
}

const EVERY_MS = 1_000
/** Each poll reads back as far as batches are delayed. Some polls read back as far as the longest request, which is a pull. */
const SHORT_WINDOW_S = 5
const LONG_WINDOW_S = 90
const LONG_WINDOW_EVERY = 10
const FORGET_AFTER_S = 2 * LONG_WINDOW_S
const LONGEST_PAUSE_MS = 10_000

export async function followLog({
  read,
  begin,
  initialCount,
  show,
  connectionLost,
  reconnected,
  stop,
  rest = pauseUntil(stop),
}: TailOptions): Promise<void> {
  const seenRows = new Map<string, number>()
  let newest: TailedRow | null = null

  function markSeen(row: TailedRow) {
    seenRows.set(row.id, row.created)
    if (newest === null || isAfter(row, newest)) newest = row
  }

  /** Shows new rows, oldest first. */
  function showNew(rows: readonly TailedRow[]) {
    for (const row of rows.toSorted((one, other) => (isAfter(one, other) ? 1 : -1))) {
      if (seenRows.has(row.id)) continue
      markSeen(row)
      show(row)
    }
    const past = secondsBefore(newest, FORGET_AFTER_S)
    for (const [id, created] of seenRows) if (created < past) seenRows.delete(id)
  }

  async function readSince(since: number): Promise<TailedRow[]> {
    const rows: TailedRow[] = []
    let after: string | null = null
    do {
      const page: Page = await read(since, after)
      rows.push(...page.data)
      after = page.next
    } while (after !== null)
    return rows
  }

  const rows = await begin()
  showNew(rows.slice(0, initialCount))
  const last = newest
  // Rows that existed at the start but were not shown are not new, even if a later poll reads them.
  for (const row of await readSince(secondsBefore(last, LONG_WINDOW_S)))
    if (last !== null && !isAfter(row, last)) markSeen(row)
  let failures = 0
  for (let round = 1; !stop.aborted; round++) {
    await rest(failures === 0 ? EVERY_MS : Math.min(EVERY_MS * 2 ** failures, LONGEST_PAUSE_MS))
    if (stop.aborted) return
    try {
      // After an outage of any length, missed rows are newer than the newest row seen.
      const usesLongWindow = failures > 0 || round % LONG_WINDOW_EVERY === 0
      showNew(await readSince(secondsBefore(newest, usesLongWindow ? LONG_WINDOW_S : SHORT_WINDOW_S)))
      if (failures > 0) reconnected()
      failures = 0
    } catch (error) {
      if (stop.aborted) return
      if (!(error instanceof ServiceUnreachable || (error instanceof ApiRefusal && error.status >= 500))) throw error
      if (failures === 0) connectionLost(error.message)
      failures++
    }
  }
}

const pauseUntil = (stop: AbortSignal) => (ms: number) => pause(ms, undefined, { signal: stop }).catch(() => undefined)

const isAfter = (one: TailedRow, other: TailedRow): boolean =>
  one.created > other.created || (one.created === other.created && one.id > other.id)

/** From the first second on, if there is no row yet. */
const secondsBefore = (row: TailedRow | null, seconds: number): number =>
  row === null ? 0 : Math.max(0, row.created - seconds)
