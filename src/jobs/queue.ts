// SQL of the jobs table: enqueues jobs, and renews and ends their runs. claim.ts starts the runs, and worker.ts decides when. The statements
// here ensure that no job is lost or ended twice.
//
// These columns of `jobs` need an explanation:
//
// key            At most one job waits per merchant, kind and key. A running or failed job does not count.
// due_at         Time of the next run. During a run, the end of its lease: the job of a dead process then becomes due by itself.
// claim          Rises with each run, and when a run is told to stop. A run may change the row only while `claim` is its own.
// attempts       Number of failed runs. `max_attempts` is the number that ends the job; null for the handler's value.
// interruptions  Number of runs that were told to stop.
// runs_alone     True during a run in the bulk lane, where each shop runs one job at a time.
// failed_at      Time at which the job was given up. Null while it waits or runs.

import { type Db, type Shop, statement, type Tx, violatesConstraint } from '../db/db.ts'
import { newId } from '../lib/ids.ts'
import { storedKind } from './job.ts'
import { sweepOf } from './sweeps.ts'

export type NewJob = {
  /** Shop of the job; null for the service's own jobs. */
  merchant_id: number | null
  kind: string
  payload: object
  runAt: Date
  /**
   * At most one job waits per merchant, kind and key. Another one joins the waiting job, and the payload of the new one is dropped. So a job
   * with a key must read the data it needs when it runs.
   */
  key?: string
  /** Replaces the waiting job instead of joining it. The new job has its own payload and time, and no failures yet. */
  replaces?: boolean
  /** Number of failures that end the job, if not the handler's value. */
  maxFailures?: number
  /** Provider that the job waits for, if its handler is in the lane `provider`. */
  provider?: string | null
}

/** One run of a job. Its statements take effect only while `claim` is the newest claim of the job. */
export type ClaimedJob = {
  merchant_id: number
  id: string
  kind: string
  payload: unknown
  claim: number
  /** Number of earlier runs that failed. */
  failures: number
  /** Number of earlier runs that were told to stop. */
  interruptions: number
  maxFailures: number | null
}

/** Means that the lease of a run has expired, and another run may have the job. The run must commit nothing more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/** Merchant id of the service's own jobs. */
const SERVICE = 0

/** Longest time by which earlier failures of a waiting job delay new work that joins it. */
const NEW_WORK_WAIT_MS = 60_000

/** Latest start of new work that joins a failing job. It is sent as a parameter, because Citus refuses a time computed from a column. */
const newWorkTime = (time: Date) => new Date(time.getTime() + NEW_WORK_WAIT_MS)

/*
 * A second enqueue with the same key updates the waiting row even if no column changes. The row lock keeps workers from claiming the job
 * until this transaction commits. With `do nothing`, a worker could run the job before the commit, and miss the change of this transaction.
 * A job that waits after a failure keeps its wait, so that new work does not overload a failing server. A wait above NEW_WORK_WAIT_MS is
 * shortened: backoff grows to an hour, and a provider's message must not wait that long.
 * A replacing job has a new id and new counters. So a run of the old job that has lost its lease cannot end the new job.
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

/** Adds a job. In the transaction of a change, the job exists exactly if the change is committed. */
export async function enqueue(db: Db, job: NewJob): Promise<void> {
  await db.run(insertJob, valuesOf(job))
}

/** Like `enqueue`, but the statement is sent together with the commit, without a round trip of its own. */
export const enqueueWithCommit = (tx: Tx, job: NewJob): void => tx.withCommit(insertJob, valuesOf(job))

function valuesOf({ merchant_id, kind, key, payload, runAt, maxFailures, provider = null, replaces = false }: NewJob) {
  return {
    merchant_id: merchant_id ?? SERVICE,
    // The time in the id only keeps related rows close in the index. The due time is good enough for that.
    id: newId('job', runAt),
    kind: storedKind(kind, provider),
    key: key ?? null,
    payload: JSON.stringify(payload),
    due_at: runAt,
    due_after_wait: newWorkTime(runAt),
    max_failures: maxFailures ?? null,
    replaces,
  }
}

/**
 * Inserts jobs as a part of another statement, because a separate one would hold locks for longer. The jobs are due :now and have no key.
 * Besides :merchant_id and :now it needs the parameter from `jobParameters`.
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

/** Number of waiting jobs of the kind in the shop, counted up to `most`. */
export const countWaitingJobs = async (db: Db, { merchant_id }: Shop, kind: string, most: number): Promise<number> =>
  (await db.one(countWaiting, { merchant_id, kind, most })).waiting

/** Matches only the run that holds the job now. */
const THIS_RUN = 'merchant_id = :merchant_id and id = :id and claim = :claim and is_running'

const runValues = ({ merchant_id, id, claim }: ClaimedJob) => ({ merchant_id, id, claim })

const renewLease = statement('jobs.renew', `update jobs set due_at = :leased_until where ${THIS_RUN}`)

/** Renews the lease of a run. Returns false if the run has lost its job. */
export const renewJob = async (db: Db, job: ClaimedJob, leasedUntil: Date): Promise<boolean> =>
  (await db.run(renewLease, { ...runValues(job), leased_until: leasedUntil })) === 1

/**
 * Number of runs, including this one, that neither ended nor were told to stop. Their process died, perhaps because of the job. A run that
 * was told to stop has raised `claim` twice.
 */
export const countVanishedRuns = ({ claim, failures, interruptions }: ClaimedJob): number =>
  claim - failures - 2 * interruptions

const interruptRun = statement(
  'jobs.interrupt',
  `update jobs set interruptions = interruptions + 1, claim = claim + 1
   where ${THIS_RUN}`,
)

/**
 * Records that this run was told to stop. The run loses its claim, so its later writes are refused. The lease stays, so that no other run
 * starts while this one winds down.
 */
export async function interruptJob(db: Db, job: ClaimedJob): Promise<void> {
  await db.run(interruptRun, runValues(job))
}

const deleteDone = statement('jobs.complete', `delete from jobs where ${THIS_RUN}`)

/** Deletes a job that is done. Returns false if the run has lost its job. */
export const completeJob = async (db: Db, job: ClaimedJob): Promise<boolean> =>
  (await db.run(deleteDone, runValues(job))) === 1

/** Deletes a job in the handler's transaction. If the run has lost its job, it throws, so that the transaction rolls back. */
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

// Deletes the failed job, because another job with the same key waits and repeats its work. The waiting job takes over the failures.
// If it is due after the retry time, it moves forward to that time. If it is due earlier, it waits too, but not longer than other new work
// that joins a failing job (`newWorkTime`).
// The key comes from a sub-select: with a join the planner may read every waiting job of the shop.
const joinWaiting = statement(
  'jobs.join_waiting',
  `with failed as (
     delete from jobs where ${THIS_RUN}
     returning key, attempts
   )
   update jobs set attempts = greatest(jobs.attempts, (select attempts + 1 from failed)),
     due_at = case when jobs.due_at > :retry_at then :retry_at else :new_work_at end, last_error = :last_error
   where jobs.merchant_id = :merchant_id and jobs.kind = :kind and jobs.key = (select key from failed)
     and not jobs.is_running and jobs.failed_at is null`,
)

/** Records the failure of a run: the job is retried or given up. Returns false if the run has lost its job. */
export async function failJob(db: Db, job: ClaimedJob, failure: Failure): Promise<boolean> {
  const failureValues = { ...runValues(job), last_error: describeError(failure.error) }
  if ('gaveUpAt' in failure) return (await db.run(giveUp, { ...failureValues, gave_up_at: failure.gaveUpAt })) === 1
  const retryValues = { ...failureValues, retry_at: failure.retryAt }
  try {
    return (await db.run(retryLater, retryValues)) === 1
  } catch (error) {
    if (!violatesConstraint(error, 'jobs_one_waiting_per_key')) throw error
    // Another job with the same key was enqueued during the run. It continues with the failures and the retry time of this one.
    const new_work_at = new Date(Math.min(failure.retryAt.getTime(), newWorkTime(failure.failedAt).getTime()))
    await db.run(joinWaiting, { ...retryValues, new_work_at, kind: job.kind })
    return true
  }
}

const MAX_ERROR_LENGTH = 500

/** Name and message of an error. Other properties are left out, because they may contain data of a request or a receiver. */
function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `A thrown ${typeof error}`
  // PostgreSQL refuses U+0000 in text. With it the failure could never be stored, and the job would run for ever.
  return text.replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH)
}

/** Deletes failed jobs 30 days after they were given up. Until then people can investigate them. */
export const sweepFailedJobs = sweepOf('jobs', {
  name: 'failed-jobs',
  statement: 'sweep.failed_jobs',
  everySeconds: 3_600,
  column: 'failed_at',
  keptDays: 30,
})
