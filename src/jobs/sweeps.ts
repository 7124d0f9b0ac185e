// How rows that have served their time are deleted, whichever table they are in: each owner says `sweepOf(table, when)`.
// Each batch is a statement of its own: one long delete would hold its locks, and the vacuum, for as long as it runs.

import { type ModeList, uncountedOfModes } from '../db/counts.ts'
import { type Statement, statementOfFamily } from '../db/db.ts'
import { byShop } from './due.ts'
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
  /** What the primary key has beside merchant_id, with the types. */
  readonly key?: Readonly<Record<string, string>>
  /** The kept count that goes down by each row. */
  readonly countedAs?: ModeList
  /** The name it is prepared under, where that is not `sweep.` and the table's. */
  readonly statement?: string
}

/** The old rows of all shops by their keys, and the deletion of those of one shop. */
type Deletion = { readonly find: Statement<OldKey>; readonly remove: Statement<never> }

type OldKey = { readonly merchant_id: number } & Readonly<Record<string, unknown>>

/**
 * The statements that delete rows of one table, of all merchants, the oldest first: found without a lock and deleted shop by shop, because
 * on a sharded database no statement can lock rows of several. A row that somebody holds is passed over: it may be in use again, and the
 * next run finds it.
 */
export function deletionOf(table: string, times: SweepTimes): Deletion {
  const { column, keptDays, where = 'true', key = { id: 'text' }, countedAs } = times
  const name = times.statement ?? `sweep.${table}`
  const parts = Object.keys(key)
  const isOld = `${column} ${keptDays === undefined ? '<=' : '<'} :moment`
  const find = statementOfFamily<OldKey>(
    `${name}_found`,
    `select merchant_id, ${parts.join(', ')} from ${table}
     where ${isOld} and ${where}
     order by ${column} limit :limit`,
  )
  const deletion = `delete from ${table} using old
     where ${table}.merchant_id = :merchant_id and ${parts.map((part) => `${table}.${part} = old.${part}`).join(' and ')}`
  const counted =
    countedAs === undefined
      ? deletion
      : `, gone as (${deletion} returning ${table}.is_sandbox),
     ${uncountedOfModes(countedAs, 'gone')}
     select 1 from gone`
  // Each key is looked up by itself: one plan for all of them could read the whole shop.
  const remove = statementOfFamily<never>(
    name,
    `with old as materialized (
       select held.*
       from unnest(${parts.map((part) => `:${part}::${key[part]}[]`).join(', ')}) as found (${parts.join(', ')})
       cross join lateral (
         select ${parts.join(', ')} from ${table}
         where merchant_id = :merchant_id and ${parts.map((part) => `${table}.${part} = found.${part}`).join(' and ')}
           and (${isOld} and ${where}) is true
         offset 0
         for update skip locked
       ) held
     )
     ${counted}`,
  )
  return { find, remove }
}

/** `deletion`: the statements, where they were made before the times were known. */
export function sweepOf(table: string, times: SweepTimes, deletion = deletionOf(table, times)): Sweep {
  const { name, everySeconds, fromAgeMs = 0, keptDays, key = { id: 'text' } } = times
  return {
    name,
    everySeconds,
    run({ db, clock, signal }) {
      const ageMs = keptDays === undefined ? fromAgeMs : keptDays * DAY_MS
      const moment = new Date(clock.now().getTime() - ageMs)
      return inBatches(signal, async (limit) => {
        const found = await db.many(deletion.find, { moment, limit })
        let deleted = 0
        for (const [merchant_id, rows] of byShop(found)) {
          const keys = Object.keys(key).map((part) => [part, rows.map((row) => row[part])])
          deleted += await db.run(deletion.remove, { moment, merchant_id, ...Object.fromEntries(keys) })
        }
        return deleted
      })
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
