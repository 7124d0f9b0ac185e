// Gathers what requests leave behind and writes it a few times a second, one statement a shop, all in one round trip. Nothing of it is on a
// request's way: what cannot be written waits, so much of it, and what does not fit any more is dropped and counted.

import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/db.ts'
import { ApiError } from '../lib/errors.ts'
import { type Entry, type NewRow, rowMaker } from './row.ts'
import { DAY_MS, dayOf, insertRows, openLogDay } from './store.ts'

/** Which requests are kept: all; changes and refusals; refusals; none. */
export type LogMode = 'all' | 'writes' | 'errors' | 'off'

export type RequestLog = {
  readonly mode: Exclude<LogMode, 'off'>
  /** Never waits and never throws. */
  add(entry: Entry): void
  /** Writes what is left, for at most `withinMs`, and lets go of the database. */
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
/** While the database cannot be reached. */
const AGAIN_MS = 1_000
export const MOST_WAITING = 5_000
/** Of bodies that wait. */
const MOST_WAITING_BYTES = 32 * 1_048_576
/** What is made ready and sent at once: few enough that requests of the same moment do not notice. */
const MOST_AT_ONCE = 1_000
const MOST_BYTES_AT_ONCE = 262_144

/** `db` should be a pool of its own: behind it requests would wait, or it behind them. */
export function openRequestLog(db: Database, { mode, kinds, onDropped, warn }: Options): RequestLog {
  const rowOf = rowMaker(kinds)
  let waiting: Entry[] = []
  let waitingBytes = 0
  /** Made ready, and not known to be written. */
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

  /** True when nothing is left; false where the database cannot take it at the moment. Never throws. */
  async function writeAll(): Promise<boolean> {
    for (;;) {
      unsent ??= nextBatch()
      if (unsent === null) return true
      try {
        await write(unsent)
        isFailing = false
      } catch (error) {
        if (isOutage(error)) {
          if (!isFailing) warn(error, 'the request log cannot be written at the moment; what it holds waits')
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
    while (count < waiting.length && count < MOST_AT_ONCE && bytes < MOST_BYTES_AT_ONCE)
      bytes += sizeOf(waiting[count++] as Entry)
    const taken = waiting.splice(0, count)
    waitingBytes -= bytes
    const shops = new Map<number, NewRow[]>()
    const days = new Set<number>()
    for (const entry of taken) {
      const row = rowOrNull(entry)
      if (row === null) continue
      const rows = shops.get(entry.merchantId)
      if (rows === undefined) shops.set(entry.merchantId, [row])
      else rows.push(row)
      days.add(Math.floor(entry.at / DAY_MS))
    }
    return { shops, days: Array.from(days, (day) => dayOf(day * DAY_MS)), count, isAgain: false }
  }

  /** What cannot be made into a row is a bug, and must not take the others with it, nor the process. */
  function rowOrNull(entry: Entry): NewRow | null {
    try {
      return rowOf(entry)
    } catch (error) {
      onDropped(1)
      warn(error, 'a request could not be made into a row of the request log')
      return null
    }
  }

  async function write({ shops, days, isAgain }: Batch) {
    for (const day of days)
      if (!openDays.has(day)) {
        await openLogDay(db, day)
        openDays.add(day)
      }
    await db.together((all) => Array.from(shops, ([merchantId, rows]) => insertRows(all, merchantId, rows, isAgain)))
  }

  /** Something of it was refused, as when a proxy gives an id twice at once: each shop by itself, so that the others lose nothing. */
  async function writeEach({ shops, days }: Batch) {
    // The day may have been dropped, where clocks are far apart.
    openDays.clear()
    for (const [merchantId, rows] of shops)
      try {
        await write({ shops: new Map([[merchantId, rows]]), days, count: rows.length, isAgain: true })
      } catch (error) {
        onDropped(rows.length)
        warn(error, 'rows of the request log were refused by the database and are lost')
      }
  }

  return {
    mode,
    add(entry) {
      const size = sizeOf(entry)
      const count = waiting.length + (unsent?.count ?? 0)
      if (isStopped || count >= MOST_WAITING || (size > 0 && waitingBytes + size > MOST_WAITING_BYTES))
        return onDropped(1)
      waiting.push(entry)
      waitingBytes += size
      if (timer === undefined && writing === undefined) schedule(EVERY_MS)
    },
    async stop(withinMs) {
      isStopped = true
      clearTimeout(timer)
      // The one under way has not seen what came since.
      const ending = (writing ?? Promise.resolve(true)).then(() => writeAll())
      const isDone = await Promise.race([ending, pause(withinMs, false, { ref: false })])
      if (!isDone) onDropped(waiting.length + (unsent?.count ?? 0))
      waiting = []
      await db.close().catch(() => undefined)
    },
  }
}

type Batch = {
  readonly shops: ReadonlyMap<number, NewRow[]>
  readonly days: readonly string[]
  readonly count: number
  /** Some of it may have been written. */
  readonly isAgain: boolean
}

const sizeOf = ({ bodies }: Entry): number =>
  bodies === null ? 0 : bodies.requestSize + (bodies.response?.length ?? 0)

/** It will be there again, and take the same rows. */
const isOutage = (error: unknown): boolean => error instanceof ApiError && error.status === 503
