// The schedules table: periodic work that all processes share and one of them runs at a time.
// worker.ts runs it; sweeps.ts makes the sweeps that delete old rows.

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
  `insert into schedules (name, next_run_at) values (:name, :now)
   on conflict (name) do update set next_run_at = :next_run_at where schedules.next_run_at > :next_run_at`,
)

/** Makes the sweep known; a new one is due at once. */
export async function registerSweep(db: Db, sweep: Sweep, now: Date): Promise<void> {
  await db.run(register, { name: sweep.name, now, next_run_at: runAfter(sweep, now) })
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

/** Takes the sweep that has been due the longest, if any is. */
export const claimSweep = (db: Db, names: readonly string[], now: Date, leasedUntil: Date) =>
  db.maybe(claimDue, { names, now, leased_until: leasedUntil })

/** The run that holds the sweep now, and no other. */
const THIS_RUN = 'name = :name and claim = :claim and leased_until is not null'

const renewLease = statement('schedules.renew', `update schedules set leased_until = :leased_until where ${THIS_RUN}`)

/** False when the run has been taken over. */
export const renewSweep = async (db: Db, sweep: ClaimedSweep, leasedUntil: Date): Promise<boolean> =>
  (await db.run(renewLease, { ...sweep, leased_until: leasedUntil })) === 1

const end = statement(
  'schedules.end',
  `update schedules set next_run_at = :next_run_at, leased_until = null where ${THIS_RUN}`,
)

/** False when the run has been taken over. */
export const endSweep = async (db: Db, sweep: ClaimedSweep, nextRunAt: Date): Promise<boolean> =>
  (await db.run(end, { ...sweep, next_run_at: nextRunAt })) === 1

const readPlaces = statement<{ places: Readonly<Record<string, string>> }>(
  'schedules.read_places',
  'select places from schedules where name = :name',
)

/** Where earlier runs of the sweep have stopped, by what each was going through. In the database, because any process may have the next run. */
export const findPlaces = async (db: Db, name: string): Promise<Readonly<Record<string, string>>> =>
  (await db.maybe(readPlaces, { name }))?.places ?? {}

const setPlace = statement(
  'schedules.keep_place',
  `update schedules set places = jsonb_strip_nulls(places || jsonb_build_object(:way::text, :place::text))
   where name = :name`,
)

/** `place`: null where the sweep has come to the end, and begins anew. */
export async function keepPlace(db: Db, name: string, way: string, place: string | null): Promise<void> {
  await db.run(setPlace, { name, way, place })
}

/** Counted from the start of a run, so that long runs do not stretch the period. */
export const runAfter = (sweep: Sweep, startedAt: Date): Date =>
  new Date(startedAt.getTime() + sweep.everySeconds * 1_000)
