// Following the request log by polling: every row once, and also those that are written late. Several processes write it, each in its own
// batches, and a request is dated by its beginning: so a row may appear below newer ones, a moment later or a long request later.

import { setTimeout as pause } from 'node:timers/promises'
import { Refusal, Unreachable } from '../client/call.ts'

export type LogRow = {
  readonly id: string
  readonly created: number
  readonly status_code: number
  readonly method: string
  readonly url: string
  readonly ms: number | null
  readonly user_agent?: string | null
}

type Page = { readonly data: readonly LogRow[]; readonly next: string | null }

export type Tail = {
  /** A page of the rows since that second, newest first; the next one by `after`. */
  read(since: number, after: string | null): Promise<Page>
  /** The newest rows that are there at the beginning, newest first. */
  begin(): Promise<readonly LogRow[]>
  /** How many of them are shown. */
  readonly first: number
  show(row: LogRow): void
  cut(reason: string): void
  reconnected(): void
  readonly stop: AbortSignal
  /** For tests, which do not wait. */
  readonly rest?: (ms: number) => Promise<unknown>
}

const EVERY_MS = 1_000
/** Each time as far back as batches take to be written; now and then as far as the longest request, which a pull is. */
const SHORT_LOOK_S = 5
const LONG_LOOK_S = 90
const LONG_LOOK_EVERY = 10
const FORGET_AFTER_S = 2 * LONG_LOOK_S
const LONGEST_PAUSE_MS = 10_000

export async function followLog({
  read,
  begin,
  first,
  show,
  cut,
  reconnected,
  stop,
  rest = restUntil(stop),
}: Tail): Promise<void> {
  const seen = new Map<string, number>()
  let newest: LogRow | null = null

  function note(row: LogRow) {
    seen.set(row.id, row.created)
    if (newest === null || isAfter(row, newest)) newest = row
  }

  /** Oldest first, as a person reads. */
  function showNew(rows: readonly LogRow[]) {
    for (const row of rows.toSorted((one, other) => (isAfter(one, other) ? 1 : -1))) {
      if (seen.has(row.id)) continue
      note(row)
      show(row)
    }
    const past = secondsBefore(newest, FORGET_AFTER_S)
    for (const [id, created] of seen) if (created < past) seen.delete(id)
  }

  async function readSince(since: number): Promise<LogRow[]> {
    const rows: LogRow[] = []
    let after: string | null = null
    do {
      const page: Page = await read(since, after)
      rows.push(...page.data)
      after = page.next
    } while (after !== null)
    return rows
  }

  const rows = await begin()
  showNew(rows.slice(0, first))
  const last = newest
  // What is there already and was not shown is no news, however often the look back meets it.
  for (const row of await readSince(secondsBefore(last, LONG_LOOK_S)))
    if (last !== null && !isAfter(row, last)) note(row)
  let failures = 0
  for (let round = 1; !stop.aborted; round++) {
    await rest(failures === 0 ? EVERY_MS : Math.min(EVERY_MS * 2 ** failures, LONGEST_PAUSE_MS))
    if (stop.aborted) return
    try {
      // However long the line was cut: what was written meanwhile is newer than the newest row that came through it.
      const isLong = failures > 0 || round % LONG_LOOK_EVERY === 0
      showNew(await readSince(secondsBefore(newest, isLong ? LONG_LOOK_S : SHORT_LOOK_S)))
      if (failures > 0) reconnected()
      failures = 0
    } catch (error) {
      if (stop.aborted) return
      if (!(error instanceof Unreachable || (error instanceof Refusal && error.status >= 500))) throw error
      if (failures === 0) cut(error.message)
      failures++
    }
  }
}

const restUntil = (stop: AbortSignal) => (ms: number) => pause(ms, undefined, { signal: stop }).catch(() => undefined)

const isAfter = (one: LogRow, other: LogRow): boolean =>
  one.created > other.created || (one.created === other.created && one.id > other.id)

/** From the first second on while there is no row yet. */
const secondsBefore = (row: LogRow | null, seconds: number): number =>
  row === null ? 0 : Math.max(0, row.created - seconds)
