// Creates the sweeps that delete old rows. Each owner of a table calls `sweepOf(table, options)`.
// Each batch is a separate statement: one long delete would hold its locks, and delay the vacuum, until it ends.

import { type ModeList, modeCountDecreaseSql } from '../db/counts.ts'
import { type Statement, statementOfFamily } from '../db/db.ts'
import { groupByShop } from './due.ts'
import type { Sweep } from './schedule.ts'

/** Rows that a sweep deletes, and its period. */
type SweepOptions = Pick<Sweep, 'name' | 'everySeconds'> & {
  /** Column with a time. Without `fromAgeMs` and `keptDays`, a row is deleted when that time has come. */
  readonly column: string
  /** Age at which a row is deleted. */
  readonly fromAgeMs?: number
  /** Number of days for which a row is kept. */
  readonly keptDays?: number
  /** Further condition for a deleted row. */
  readonly where?: string
  /** Columns of the primary key besides merchant_id, with their types. */
  readonly key?: Readonly<Record<string, string>>
  /** Stored count that each deleted row lowers. */
  readonly countedAs?: ModeList
  /** Name of the prepared statement, if it is not `sweep.` plus the table. */
  readonly statement?: string
}

/** Two statements: one finds the keys of old rows of all shops, the other deletes the rows of one shop. */
type Deletion = { readonly find: Statement<OldKey>; readonly remove: Statement<never> }

type OldKey = { readonly merchant_id: number } & Readonly<Record<string, unknown>>

/**
 * Creates the statements that delete old rows of a table, for all merchants, oldest first.
 * The search locks nothing, and the deletion runs shop by shop: on a sharded database no statement can lock rows of several shops.
 * The deletion skips a locked row, because somebody may be using it. The next run finds that row again.
 */
export function deletionOf(table: string, options: SweepOptions): Deletion {
  const { column, keptDays, where = 'true', key = { id: 'text' }, countedAs } = options
  const name = options.statement ?? `sweep.${table}`
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
     ${modeCountDecreaseSql(countedAs, 'gone')}
     select 1 from gone`
  // The lateral join looks up each key by itself. A plain join could read all rows of the shop.
  const remove = statementOfFamily<never>(
    name,
    `with old as materialized (
       select locked.*
       from unnest(${parts.map((part) => `:${part}::${key[part]}[]`).join(', ')}) as candidate (${parts.join(', ')})
       cross join lateral (
         select ${parts.join(', ')} from ${table}
         where merchant_id = :merchant_id and ${parts.map((part) => `${table}.${part} = candidate.${part}`).join(' and ')}
           and (${isOld} and ${where}) is true
         offset 0
         for update skip locked
       ) locked
     )
     ${counted}`,
  )
  return { find, remove }
}

/** Pass `deletion` if `keptDays` is a setting: statements must be created before the settings are read. */
export function sweepOf(table: string, options: SweepOptions, deletion = deletionOf(table, options)): Sweep {
  const { name, everySeconds, fromAgeMs = 0, keptDays, key = { id: 'text' } } = options
  return {
    name,
    everySeconds,
    run({ db, clock, signal }) {
      const ageMs = keptDays === undefined ? fromAgeMs : keptDays * DAY_MS
      const moment = new Date(clock.now().getTime() - ageMs)
      return deleteInBatches(signal, async (limit) => {
        const oldKeys = await db.many(deletion.find, { moment, limit })
        let deleted = 0
        for (const [merchant_id, rows] of groupByShop(oldKeys)) {
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

/** Repeats `deleteBatch` until it deletes less than a full batch, and returns the sum. Stops early when the signal fires. */
export async function deleteInBatches(
  signal: AbortSignal,
  deleteBatch: (limit: number) => Promise<number>,
): Promise<number> {
  let total = 0
  while (!signal.aborted) {
    const deleted = await deleteBatch(BATCH)
    total += deleted
    if (deleted < BATCH) break
  }
  return total
}
