// The schedules table: periodic work that all processes share and one of them runs at a time.
// worker.ts runs it; sweeps.ts holds the sweeps of the queue's and the outbox's own tables.

import { type Database, type Db, statement } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'

export type SweepContext = {
  db: Database
  clock: Clock
  /** Fires when the run is no longer this process's own, or the process is stopping. */
  signal: AbortSignal
}

export type Sweep = {
  name: string
  everySeconds: number
  /** Returns the number of rows it changed. A run may be repeated, or overlap with one that lost its lease. */
  run(context: SweepContext): Promise<number>
}

/** One run of a sweep. It can be renewed and ended only while `claim` is the newest. */
export type ClaimedSweep = { name: string; claim: number }

// A sweep whose period has become shorter must not first sit out the longer one.
const register = statement(
  'schedules.register',
  `insert into schedules (name, next_run_at) values ($1, $2)
   on conflict (name) do update set next_run_at = $3 where schedules.next_run_at > $3`,
)

/** Makes the sweep known; a new one is due at once. */
export async function registerSweep(db: Db, sweep: Sweep, now: Date): Promise<void> {
  await db.run(register, [sweep.name, now, runAfter(sweep, now)])
}

const claimDue = statement<ClaimedSweep>(
  'schedules.claim',
  `update schedules set leased_until = $3, claim = claim + 1
   where name = (
     select name from schedules
     where name = any($1::text[]) and next_run_at <= $2 and (leased_until is null or leased_until <= $2)
     order by next_run_at limit 1
     for update skip locked
   )
   returning name, claim`,
)

/** Takes the sweep that has been due the longest, if any is. */
export const claimSweep = (db: Db, names: readonly string[], now: Date, leasedUntil: Date) =>
  db.maybe(claimDue, [names, now, leasedUntil])

const renewLease = statement(
  'schedules.renew',
  'update schedules set leased_until = $3 where name = $1 and claim = $2 and leased_until is not null',
)

/** False when the run has been taken over. */
export const renewSweep = async (db: Db, sweep: ClaimedSweep, leasedUntil: Date): Promise<boolean> =>
  (await db.run(renewLease, [sweep.name, sweep.claim, leasedUntil])) === 1

const end = statement(
  'schedules.end',
  `update schedules set next_run_at = $3, leased_until = null
   where name = $1 and claim = $2 and leased_until is not null`,
)

/** False when the run has been taken over. */
export const endSweep = async (db: Db, sweep: ClaimedSweep, nextRunAt: Date): Promise<boolean> =>
  (await db.run(end, [sweep.name, sweep.claim, nextRunAt])) === 1

/** Counted from the start of a run, so that long runs do not stretch the period. */
export const runAfter = (sweep: Sweep, startedAt: Date): Date =>
  new Date(startedAt.getTime() + sweep.everySeconds * 1_000)
