// The schedules table: periodic work that all processes share, and that only one of them runs at a time.
// worker.ts runs it; sweeps.ts creates the sweeps that delete old rows.

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
  everySeconds: number
  /** Returns the number of changed rows. A run may be repeated, or overlap with one that lost its lease. */
  run(context: SweepContext): Promise<number>
}

/** One run of a sweep. It can be renewed and ended only while `claim` is the newest. */
export type ClaimedSweep = { name: string; claim: number }

// A sweep with a shortened period must not wait for the end of the longer one.
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

/** False if another run has taken over. */
export const renewSweep = async (db: Db, sweep: ClaimedSweep, leasedUntil: Date): Promise<boolean> =>
  (await db.run(renewLease, { ...sweep, leased_until: leasedUntil })) === 1

const end = statement(
  'schedules.end',
  `update schedules set next_run_at = :next_run_at, leased_until = null where ${THIS_RUN}`,
)

/** False if another run has taken over. */
export const endSweep = async (db: Db, sweep: ClaimedSweep, nextRunAt: Date): Promise<boolean> =>
  (await db.run(end, { ...sweep, next_run_at: nextRunAt })) === 1

const selectPositions = statement<{ places: Readonly<Record<string, string>> }>(
  'schedules.read_places',
  'select places from schedules where name = :name',
)

/**
 * Positions at which earlier runs of the sweep stopped, by traversal. They are in the database because any process may have the next run.
 */
export const findSweepPositions = async (db: Db, name: string): Promise<Readonly<Record<string, string>>> =>
  (await db.maybe(selectPositions, { name }))?.places ?? {}

const updatePosition = statement(
  'schedules.keep_place',
  `update schedules set places = jsonb_strip_nulls(places || jsonb_build_object(:way::text, :place::text))
   where name = :name`,
)

/** Stores the position of a traversal. Null restarts it from the beginning. */
export async function saveSweepPosition(db: Db, name: string, way: string, place: string | null): Promise<void> {
  await db.run(updatePosition, { name, way, place })
}

/** Counted from the start of a run, so that long runs do not stretch the period. */
export const nextRunAfter = (sweep: Sweep, startedAt: Date): Date =>
  new Date(startedAt.getTime() + sweep.everySeconds * 1_000)
