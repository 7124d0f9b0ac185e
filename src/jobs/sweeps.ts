// How rows that have served their time are deleted, whichever table they are in: each owner says `sweepOf(table, when)`.
// Each batch is a statement of its own: one long delete would hold its locks, and the vacuum, for as long as it runs.

import { type Statement, statementOfFamily } from '../db/db.ts'
import type { Sweep } from './schedule.ts'

/** Which rows go, and how often they are looked for. */
type SweepTimes = Pick<Sweep, 'name' | 'everySeconds'> & {
  /** The time of a row that decides. Without `fromAgeMs` and `keptDays` the row goes as soon as this time has come. */
  readonly column: string
  /** A row goes once its time is this long ago. */
  readonly fromAgeMs?: number
  /** A row stays for so many days, and goes after them. */
  readonly keptDays?: number
  /** What else must be true of a row that goes. */
  readonly where?: string
  /** The primary key. */
  readonly key?: readonly string[]
  /** The name it is prepared under, where that is not `sweep.` and the table's. */
  readonly statement?: string
}

/**
 * The statement that deletes rows of one table, of all merchants, the oldest first. A row that somebody holds is passed over: it may be in
 * use again, and the next run finds it.
 */
export function deletionOf(table: string, times: SweepTimes): Statement<never> {
  const { column, keptDays, where = 'true', key = ['merchant_id', 'id'] } = times
  // In a `with`, not in an `in (…)`: the planner may run a subquery several times, and each run would pick further rows.
  return statementOfFamily(
    times.statement ?? `sweep.${table}`,
    `with old as materialized (
       select ${key.join(', ')} from ${table}
       where ${column} ${keptDays === undefined ? '<=' : '<'} :moment and ${where}
       order by ${column} limit :limit
       for update skip locked
     )
     delete from ${table} using old where ${key.map((part) => `${table}.${part} = old.${part}`).join(' and ')}`,
  )
}

/** `deleteOld`: the statement, where it was made before the times were known. */
export function sweepOf(table: string, times: SweepTimes, deleteOld = deletionOf(table, times)): Sweep {
  const { name, everySeconds, fromAgeMs = 0, keptDays } = times
  return {
    name,
    everySeconds,
    run({ db, clock, signal }) {
      const ageMs = keptDays === undefined ? fromAgeMs : keptDays * DAY_MS
      const moment = new Date(clock.now().getTime() - ageMs)
      return inBatches(signal, (limit) => db.run(deleteOld, { moment, limit }))
    },
  }
}

const DAY_MS = 86_400_000
const BATCH = 1_000

/** Repeats `deleteBatch` until it finds less than a full batch, and returns the sum. Stops early when the signal fires. */
export async function inBatches(signal: AbortSignal, deleteBatch: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  while (!signal.aborted) {
    const deleted = await deleteBatch(BATCH)
    total += deleted
    if (deleted < BATCH) break
  }
  return total
}
