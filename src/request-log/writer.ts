// Collects data of requests and writes it a few times a second: one statement per shop, all in one round trip. No request waits for the
// log. Rows that cannot be written are queued up to a limit; further rows are dropped and counted.

import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/db.ts'
import { ApiError } from '../lib/errors.ts'
import { createRowBuilder, type LoggedRequest, type NewLogRow } from './row.ts'
import { DAY_MS, insertRows, openLogDay, utcDayOf } from './store.ts'

/** Requests that are logged: all; changes and failures; failures; none. */
export type LogMode = 'all' | 'writes' | 'errors' | 'off'

export type RequestLog = {
  readonly mode: Exclude<LogMode, 'off'>
  /** Never waits and never throws. */
  add(entry: LoggedRequest): void
  /** Writes the queue for at most `withinMs`, and closes the pool. */
  stop(withinMs: number): Promise<void>
}

type Options = {
  readonly mode: RequestLog['mode']
  /** Named schemas, by their names. */
  readonly kinds: ReadonlyMap<string, object>
  readonly onDropped: (rows: number) => void
  readonly warn: (error: unknown, message: string) => void
}

const EVERY_MS = 250
/** Retry interval while the database is unreachable. */
const AGAIN_MS = 1_000
export const MAX_WAITING = 5_000
/** Limit for queued bodies. */
const MAX_WAITING_BYTES = 32 * 1_048_576
/** Size of a batch, small enough that other requests do not notice. */
const MAX_AT_ONCE = 1_000
const MAX_BYTES_AT_ONCE = 262_144

/** `db` should be a pool of its own: requests would wait for the log, or the log for requests. */
export function openRequestLog(db: Database, { mode, kinds, onDropped, warn }: Options): RequestLog {
  const buildRow = createRowBuilder(kinds)
  let waiting: LoggedRequest[] = []
  let waitingBytes = 0
  /** Batch that is ready, but not confirmed as written. */
  let unsent: Batch | null = null
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<boolean> | undefined
  let isStopped = false
  let isFailing = false
  const openDays = new Set<string>()

  function schedule(afterMs: number) {
    if (timer !== undefined || isStopped) return
    timer = setTimeout(() => {
      timer = undefined
      writing = writeAll().finally(() => {
        writing = undefined
      })
      void writing.then((isDone) => {
        if (!isDone) schedule(AGAIN_MS)
        else if (waiting.length > 0) schedule(EVERY_MS)
      })
    }, afterMs)
    timer.unref()
  }

  /** True when the queue is empty; false if the database is unavailable. Never throws. */
  async function writeAll(): Promise<boolean> {
    for (;;) {
      unsent ??= nextBatch()
      if (unsent === null) return true
      try {
        await write(unsent)
        isFailing = false
      } catch (error) {
        if (isOutage(error)) {
          if (!isFailing) warn(error, 'the request log cannot be written at the moment; its rows are written later')
          isFailing = true
          unsent = { ...unsent, isAgain: true }
          return false
        }
        await writeEach(unsent)
      }
      unsent = null
    }
  }

  function nextBatch(): Batch | null {
    if (waiting.length === 0) return null
    let bytes = 0
    let count = 0
    while (count < waiting.length && count < MAX_AT_ONCE && bytes < MAX_BYTES_AT_ONCE)
      bytes += sizeOf(waiting[count++] as LoggedRequest)
    const entries = waiting.splice(0, count)
    waitingBytes -= bytes
    const shops = new Map<number, NewLogRow[]>()
    const days = new Set<number>()
    for (const entry of entries) {
      const row = tryBuildRow(entry)
      if (row === null) continue
      const rows = shops.get(entry.merchant_id)
      if (rows === undefined) shops.set(entry.merchant_id, [row])
      else rows.push(row)
      days.add(Math.floor(entry.at / DAY_MS))
    }
    return { shops, days: Array.from(days, (day) => utcDayOf(day * DAY_MS)), count, isAgain: false }
  }

  /** An entry that cannot become a row is a bug. It must not stop the other entries or the process. */
  function tryBuildRow(entry: LoggedRequest): NewLogRow | null {
    try {
      return buildRow(entry)
    } catch (error) {
      onDropped(1)
      warn(error, 'a request could not be converted to a row of the request log')
      return null
    }
  }

  async function write({ shops, days, isAgain }: Batch) {
    for (const day of days)
      if (!openDays.has(day)) {
        await openLogDay(db, day)
        openDays.add(day)
      }
    await db.together((all) =>
      Array.from(shops, ([merchant_id, rows]) => insertRows(all, { merchant_id }, rows, isAgain)),
    )
  }

  /**
   * The database rejected the batch, for example because a proxy sent an id twice. Each shop is written separately, so that other shops
   * lose nothing.
   */
  async function writeEach({ shops, days }: Batch) {
    // The partition may have been dropped if clocks are far apart.
    openDays.clear()
    for (const [merchant_id, rows] of shops)
      try {
        await write({ shops: new Map([[merchant_id, rows]]), days, count: rows.length, isAgain: true })
      } catch (error) {
        onDropped(rows.length)
        warn(error, 'the database refused rows of the request log; they are lost')
      }
  }

  return {
    mode,
    add(entry) {
      const size = sizeOf(entry)
      const count = waiting.length + (unsent?.count ?? 0)
      if (isStopped || count >= MAX_WAITING || (size > 0 && waitingBytes + size > MAX_WAITING_BYTES))
        return onDropped(1)
      waiting.push(entry)
      waitingBytes += size
      if (timer === undefined && writing === undefined) schedule(EVERY_MS)
    },
    async stop(withinMs) {
      isStopped = true
      clearTimeout(timer)
      // A write under way does not include the newest entries.
      const ending = (writing ?? Promise.resolve(true)).then(() => writeAll())
      const isDone = await Promise.race([ending, pause(withinMs, false, { ref: false })])
      if (!isDone) onDropped(waiting.length + (unsent?.count ?? 0))
      waiting = []
      await db.close().catch(() => undefined)
    },
  }
}

type Batch = {
  readonly shops: ReadonlyMap<number, NewLogRow[]>
  readonly days: readonly string[]
  readonly count: number
  /** Some of the rows may exist already. */
  readonly isAgain: boolean
}

const sizeOf = ({ bodies }: LoggedRequest): number =>
  bodies === null ? 0 : bodies.requestSize + (bodies.response?.length ?? 0)

/** True if the database is only unavailable and will accept the same rows later. */
const isOutage = (error: unknown): boolean => error instanceof ApiError && error.status === 503
