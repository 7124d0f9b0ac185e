// SQL of the schedules table: sweeps, which is periodic work that all processes share. Only one process runs a sweep at a time. worker.ts
// runs the sweeps; sweeps.ts creates those that delete old rows.

import { type Database, type Db, statement } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'

export type SweepContext = {
  db: Database
  clock: Clock
  /** Fires when this process has lost the run or is stopping. */
  signal: AbortSignal
}

export type Sweep = {
  name: string
  /** Period, from the start of one run to the start of the next. */
  everySeconds: number
  /** Returns the number of changed rows. A run may be repeated, or overlap with one that lost its lease. */
  run(context: SweepContext): Promise<number>
}

/** One run of a sweep. Its statements take effect only while `claim` is the newest claim of the sweep. */
export type ClaimedSweep = { name: string; claim: number }

// If the period of a sweep was shortened, its next run moves forward. It must not wait for the end of the longer period.
const register = statement(
  'schedules.register',
  `insert into schedules (name, next_run_at) values (:name, :now)
   on conflict (name) do update set next_run_at = :next_run_at where schedules.next_run_at > :next_run_at`,
)

/** Registers the sweep; a new one is due at once. */
export async function registerSweep(db: Db, sweep: Sweep, now: Date): Promise<void> {
  await db.run(register, { name: sweep.name, now, next_run_at: nextRunAfter(sweep, now) })
}

const claimDue = statement<ClaimedSweep>(
  'schedules.claim',
  `update schedules set leased_until = :leased_until, claim = claim + 1
   where name = (
     select name from schedules
     where name = any(:names::text[]) and next_run_at <= :now and (leased_until is null or leased_until <= :now)
     order by next_run_at limit 1
     for update skip locked
   )
   returning name, claim`,
)

/** Claims the sweep that has been due the longest, if any. */
export const claimSweep = (db: Db, names: readonly string[], now: Date, leasedUntil: Date) =>
  db.maybe(claimDue, { names, now, leased_until: leasedUntil })

/** Matches only the run that holds the sweep now. */
const THIS_RUN = 'name = :name and claim = :claim and leased_until is not null'

const renewLease = statement('schedules.renew', `update schedules set leased_until = :leased_until where ${THIS_RUN}`)

/** Renews the lease of a run. Returns false if another run has taken over. */
export const renewSweep = async (db: Db, sweep: ClaimedSweep, leasedUntil: Date): Promise<boolean> =>
  (await db.run(renewLease, { ...sweep, leased_until: leasedUntil })) === 1

const end = statement(
  'schedules.end',
  `update schedules set next_run_at = :next_run_at, leased_until = null where ${THIS_RUN}`,
)

/** Ends a run and sets the time of the next one. Returns false if another run has taken over. */
export const endSweep = async (db: Db, sweep: ClaimedSweep, nextRunAt: Date): Promise<boolean> =>
  (await db.run(end, { ...sweep, next_run_at: nextRunAt })) === 1

const selectPositions = statement<{ places: Readonly<Record<string, string>> }>(
  'schedules.read_places',
  'select places from schedules where name = :name',
)

/**
 * Positions at which earlier runs of the sweep stopped, by the name of the traversal. They are in the database, because any process may do the
 * next run.
 */
export const findSweepPositions = async (db: Db, name: string): Promise<Readonly<Record<string, string>>> =>
  (await db.maybe(selectPositions, { name }))?.places ?? {}

const updatePosition = statement(
  'schedules.keep_place',
  `update schedules set places = jsonb_strip_nulls(places || jsonb_build_object(:traversal::text, :position::text))
   where name = :name`,
)

/** Stores the position of a traversal. Null restarts it from the beginning. */
export async function saveSweepPosition(
  db: Db,
  name: string,
  traversal: string,
  position: string | null,
): Promise<void> {
  await db.run(updatePosition, { name, traversal, position })
}

/** Time of the next run. It counts from the start of this run, so that long runs do not stretch the period. */
export const nextRunAfter = (sweep: Sweep, startedAt: Date): Date =>
  new Date(startedAt.getTime() + sweep.everySeconds * 1_000)
