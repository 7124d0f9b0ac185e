// The jobs table: enqueueing, renewing a claim, and ending it by success, failure or loss. claim.ts takes the claims, and worker.ts decides
// when.
// The statements here ensure that no job is lost or ended twice.

import { type Db, type Shop, statement, type Tx, violatesConstraint } from '../db/db.ts'
import { newId } from '../lib/ids.ts'
import { storedKind } from './job.ts'
import { sweepOf } from './sweeps.ts'

export type NewJob = {
  /** Null for the service's own jobs. */
  merchant_id: number | null
  kind: string
  payload: object
  runAt: Date
  /**
   * At most one job waits per merchant, kind and key. A further one joins it, and its payload is dropped. Only for jobs that read what they
   * need when they run.
   */
  key?: string
  /** Replaces the waiting job instead of joining it. The new job has its own payload and time, and no failures yet. */
  replaces?: boolean
  /** Overrides the handler's value. */
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
  /** Runs that failed before this one. */
  failures: number
  /** Earlier runs that were told to stop. */
  interruptions: number
  maxFailures: number | null
}

/** The run's lease ran out and another run may have the job. Pending commits of this run must fail. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/** Merchant id of the service's own jobs. */
const SERVICE = 0

/** Longest time by which the failures of a job delay new work that joins it. */
const NEW_WORK_WAITS_MS = 60_000

/** Sent as a parameter: Citus refuses a time that is computed from a column. */
const afterWait = (time: Date) => new Date(time.getTime() + NEW_WORK_WAITS_MS)

/*
 * A second enqueue with the same key touches the waiting row even without changes. Its lock keeps claims away until commit.
 * With `do nothing` a worker could run the waiting job before this transaction commits, and miss its change.
 * A job that waits after a failure keeps its wait, so that new work does not overload a failing server. A wait above NEW_WORK_WAITS_MS is
 * shortened: backoff grows to an hour, and a provider's message must not wait that long.
 * A replacing job has a new id and new counters. A run of the old job that lost its lease therefore cannot end it.
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

/** In a transaction, the job exists exactly if the change that needs it is committed. */
export async function enqueue(db: Db, job: NewJob): Promise<void> {
  await db.run(insertJob, valuesOf(job))
}

/** The same as the last statement of a transaction, without a separate round trip. */
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
    due_after_wait: afterWait(runAt),
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

/** False if the run has lost its job. */
export const renewJob = async (db: Db, job: ClaimedJob, leasedUntil: Date): Promise<boolean> =>
  (await db.run(renewLease, { ...runValues(job), leased_until: leasedUntil })) === 1

/** Number of runs, including this one, that neither ended nor were told to stop. Their process died, perhaps because of the job. */
export const countVanishedRuns = ({ claim, failures, interruptions }: ClaimedJob): number =>
  claim - failures - 2 * interruptions

const interruptRun = statement(
  'jobs.interrupt',
  `update jobs set interruptions = interruptions + 1, claim = claim + 1
   where ${THIS_RUN}`,
)

/**
 * Stops this run on purpose. It loses its claim, so its later writes are refused. The lease stays, so that no other run starts while it
 * winds down.
 */
export async function interruptJob(db: Db, job: ClaimedJob): Promise<void> {
  await db.run(interruptRun, runValues(job))
}

const deleteDone = statement('jobs.complete', `delete from jobs where ${THIS_RUN}`)

/** False if the run has lost its job. */
export const completeJob = async (db: Db, job: ClaimedJob): Promise<boolean> =>
  (await db.run(deleteDone, runValues(job))) === 1

/** Ends the job in the handler's transaction. A run that lost its lease thereby rolls everything back. */
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

// Joins the failed run to the waiting job. A later waiting job moves forward to the retry time, because nothing else would repeat the
// failed work.
// A waiting job that was due earlier also waits, but no longer than new work waits for any failing job.
// The key comes from a sub-select: with a join the planner may read every waiting job of the shop.
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

/** False if the run has lost its job. */
export async function failJob(db: Db, job: ClaimedJob, failure: Failure): Promise<boolean> {
  const failureValues = { ...runValues(job), last_error: describe(failure.error) }
  if ('gaveUpAt' in failure) return (await db.run(giveUp, { ...failureValues, gave_up_at: failure.gaveUpAt })) === 1
  const retryValues = { ...failureValues, retry_at: failure.retryAt }
  try {
    return (await db.run(retryLater, retryValues)) === 1
  } catch (error) {
    if (!violatesConstraint(error, 'jobs_one_waiting_per_key')) throw error
    // Another job with the same key was enqueued meanwhile. It continues with this run's failures and retry time.
    const new_work_at = new Date(Math.min(failure.retryAt.getTime(), afterWait(failure.failedAt).getTime()))
    await db.run(joinWaiting, { ...retryValues, new_work_at, kind: job.kind })
    return true
  }
}

const MAX_ERROR_LENGTH = 500

/** Only name and message: other properties of an error may contain data of a request or a receiver. */
function describe(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `A thrown ${typeof error}`
  // PostgreSQL refuses U+0000 in text. The failure could never be stored, and the job would run for ever.
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
