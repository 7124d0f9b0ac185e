// The jobs table: putting work in, renewing a claim, and ending it by success, failure or loss. claim.ts takes the claims.
// worker.ts decides when; everything that keeps a job from being lost or ended twice is in the statements here.

import { type Db, statement, type Tx, violates } from '../db/db.ts'
import { newId } from '../lib/ids.ts'
import { kindAt } from './job.ts'
import { sweepOf } from './sweeps.ts'

export type NewJob = {
  /** null for the service's own jobs. */
  merchantId: number | null
  kind: string
  payload: object
  runAt: Date
  /**
   * At most one job waits per merchant, kind and key; a further one joins it and its payload is dropped. Only for jobs that read
   * what they need when they run.
   */
  key?: string
  /** Takes the place of the waiting one instead, as a job of its own: with its payload, at its time, with no failures yet. */
  replaces?: boolean
  /** Overrides the handler's. */
  maxFailures?: number
  /** Whose server it will wait for, where its handler is of the lane `provider`. */
  provider?: string | null
}

/** One run of a job. Its statements take effect only while `claim` is the newest claim of the job. */
export type ClaimedJob = {
  merchantId: number
  id: string
  kind: string
  payload: unknown
  claim: number
  /** Runs that failed before this one. */
  failures: number
  /** Runs that were told to stop before this one. */
  interruptions: number
  maxFailures: number | null
}

/** The run's lease ran out and another may be working on the job; what this run was about to commit must not happen. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/** The merchant of jobs that belong to no merchant. */
const SERVICE = 0

/** Longest time by which the failures of a job delay new work that joins it. */
const NEW_WORK_WAITS_MS = 60_000

/** Sent as a parameter: Citus refuses a time that is computed from a column. */
const afterWait = (time: Date) => new Date(time.getTime() + NEW_WORK_WAITS_MS)

/*
 * A second enqueue with the same key touches the waiting row, although it may have nothing to change. The lock it thereby holds
 * until it commits keeps claims away: with `do nothing` a worker could run the waiting job before this transaction commits, see
 * nothing of its change, and no job would be left to see it.
 * A job that waits after a failure keeps its wait, so that new work does not hammer what is failing. Only a wait that is longer than
 * NEW_WORK_WAITS_MS is shortened: backoff grows to an hour, and a provider's message must not be ignored for that long. A job that
 * replaces the waiting one has an id of its own, so that a run of the other that has lost its lease cannot end it, and begins to count anew.
 */
const insertJob = statement(
  'jobs.enqueue',
  `insert into jobs (merchant_id, id, kind, key, payload, due_at, max_attempts)
   values (:merchant_id, :id, :kind, :key, :payload, :due_at, :max_failures)
   on conflict (merchant_id, kind, key) where key is not null and not is_running and failed_at is null
   do update set
     id = case when :replaces then excluded.id else jobs.id end,
     payload = case when :replaces then excluded.payload else jobs.payload end,
     max_attempts = case when :replaces then excluded.max_attempts else jobs.max_attempts end,
     claim = case when :replaces then 0 else jobs.claim end,
     attempts = case when :replaces then 0 else jobs.attempts end,
     interruptions = case when :replaces then 0 else jobs.interruptions end,
     last_error = case when :replaces then null else jobs.last_error end,
     due_at = case
       when :replaces then excluded.due_at
       when jobs.attempts = 0 then least(jobs.due_at, excluded.due_at)
       else least(jobs.due_at, :due_after_wait)
     end`,
)

/** In a transaction the job exists exactly when the change does that asks for it. */
export async function enqueue(db: Db, job: NewJob): Promise<void> {
  await db.run(insertJob, valuesOf(job))
}

/** The same as the last thing that a transaction does, without a round trip of its own. */
export const enqueueWithCommit = (tx: Tx, job: NewJob): void => tx.withCommit(insertJob, valuesOf(job))

function valuesOf({ merchantId, kind, key, payload, runAt, maxFailures, provider = null, replaces = false }: NewJob) {
  return {
    merchant_id: merchantId ?? SERVICE,
    // The time in the id only keeps neighbours together in the index; the time it is due serves as well as any.
    id: newId('job', runAt),
    kind: kindAt(kind, provider),
    key: key ?? null,
    payload: JSON.stringify(payload),
    due_at: runAt,
    due_after_wait: afterWait(runAt),
    max_failures: maxFailures ?? null,
    replaces,
  }
}

/**
 * Puts jobs in as part of another statement, where one more would keep locks for longer. Due :now, without a key. The parameter beside
 * :merchant_id and :now is that of `jobParameters`.
 */
export const INSERT_JOBS = `insert into jobs (merchant_id, id, kind, payload, due_at)
     select :merchant_id::integer, job.id, job.kind, job.payload, :now::timestamptz
     from json_to_recordset(:jobs::json) as job (id text, kind text, payload json)`

export type JobParameters = { readonly jobs: string }

export const jobParameters = (jobs: readonly Pick<NewJob, 'kind' | 'payload'>[], now: Date): JobParameters => ({
  jobs: JSON.stringify(jobs.map(({ kind, payload }) => ({ id: newId('job', now), kind, payload }))),
})

const countWaiting = statement<{ waiting: number }>(
  'jobs.count_waiting',
  `select count(*)::integer as waiting
   from (
     select 1 from jobs
     where merchant_id = :merchant_id and kind = :kind and failed_at is null and not is_running
     limit :most
   ) waiting`,
)

/** How many jobs of the kind wait in the shop; no more than `most` are counted. */
export const countWaitingJobs = async (db: Db, merchantId: number, kind: string, most: number): Promise<number> =>
  (await db.one(countWaiting, { merchant_id: merchantId, kind, most })).waiting

/** The run that holds the job now, and no other. */
const THIS_RUN = 'merchant_id = :merchant_id and id = :id and claim = :claim and is_running'

const runValues = ({ merchantId, id, claim }: ClaimedJob) => ({ merchant_id: merchantId, id, claim })

const renewLease = statement('jobs.renew', `update jobs set due_at = :leased_until where ${THIS_RUN}`)

/** False when the run has lost its job. */
export const renewJob = async (db: Db, job: ClaimedJob, leasedUntil: Date): Promise<boolean> =>
  (await db.run(renewLease, { ...runValues(job), leased_until: leasedUntil })) === 1

/** Runs that neither ended nor were told to stop: their process died, perhaps because of them. This run counts as one. */
export const vanishedRuns = ({ claim, failures, interruptions }: ClaimedJob): number =>
  claim - failures - 2 * interruptions

const interrupt = statement(
  'jobs.interrupt',
  `update jobs set interruptions = interruptions + 1, claim = claim + 1
   where ${THIS_RUN}`,
)

/**
 * This run is given up on purpose: it loses its claim, so that whatever it still tries is refused. The lease stays, so that nobody
 * begins anew while it winds down.
 */
export async function interruptJob(db: Db, job: ClaimedJob): Promise<void> {
  await db.run(interrupt, runValues(job))
}

const deleteDone = statement('jobs.complete', `delete from jobs where ${THIS_RUN}`)

/** False when the run has lost its job. */
export const completeJob = async (db: Db, job: ClaimedJob): Promise<boolean> =>
  (await db.run(deleteDone, runValues(job))) === 1

/** Ends the job in the transaction of what it did, so that a run that lost its lease takes back everything. */
export async function completeJobIn(tx: Tx, job: ClaimedJob): Promise<void> {
  if (!(await completeJob(tx, job))) throw new LeaseLostError(`Another run has taken over the job ${job.id}.`)
}

export type Failure = { error: unknown } & ({ failedAt: Date; retryAt: Date } | { gaveUpAt: Date })

const retryLater = statement(
  'jobs.retry',
  `update jobs set is_running = false, runs_alone = false, attempts = attempts + 1, due_at = :retry_at, last_error = :last_error
   where ${THIS_RUN}`,
)

const giveUp = statement(
  'jobs.give_up',
  `update jobs set is_running = false, runs_alone = false, attempts = attempts + 1, failed_at = :gave_up_at, last_error = :last_error
   where ${THIS_RUN}`,
)

// The failed run is retried at its own time, even if the waiting job was scheduled for much later: after this nothing else would repeat it.
// A waiting job that was due earlier waits for that retry too, but no longer than new work waits for any failing job.
// The key by a sub-select and not by a join: joined, the planner may look at every job of the shop that waits.
const joinWaiting = statement(
  'jobs.join_waiting',
  `with mine as (
     delete from jobs where ${THIS_RUN}
     returning key, attempts
   )
   update jobs set attempts = greatest(jobs.attempts, (select attempts + 1 from mine)),
     due_at = case when jobs.due_at > :retry_at then :retry_at else :new_work_at end, last_error = :last_error
   where jobs.merchant_id = :merchant_id and jobs.kind = :kind and jobs.key = (select key from mine)
     and not jobs.is_running and jobs.failed_at is null`,
)

/** False when the run has lost its job. */
export async function failJob(db: Db, job: ClaimedJob, failure: Failure): Promise<boolean> {
  const failed = { ...runValues(job), last_error: describe(failure.error) }
  if ('gaveUpAt' in failure) return (await db.run(giveUp, { ...failed, gave_up_at: failure.gaveUpAt })) === 1
  const waiting = { ...failed, retry_at: failure.retryAt }
  try {
    return (await db.run(retryLater, waiting)) === 1
  } catch (error) {
    if (!violates(error, 'jobs_one_waiting_per_key')) throw error
    // While this one ran, another with its key was put in: that one goes on, with the failures of this one and its retry time.
    const new_work_at = new Date(Math.min(failure.retryAt.getTime(), afterWait(failure.failedAt).getTime()))
    await db.run(joinWaiting, { ...waiting, new_work_at, kind: job.kind })
    return true
  }
}

const LONGEST_ERROR = 500

/** Name and message only: other properties of an error may hold what a request or a receiver said. */
function describe(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `A thrown ${typeof error}`
  // PostgreSQL refuses U+0000 in text; the failure itself could then never be recorded and the job would run for ever.
  return text.replaceAll('\0', '').slice(0, LONGEST_ERROR)
}

/** Jobs that were given up are kept 30 days for whoever looks into them. */
export const sweepFailedJobs = sweepOf('jobs', {
  name: 'failed-jobs',
  statement: 'sweep.failed_jobs',
  everySeconds: 3_600,
  column: 'failed_at',
  keptDays: 30,
})
