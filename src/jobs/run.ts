// One run of a job or of a sweep, from its claim to its end. The functions never reject: they record and log a failure. If a failure cannot
// be recorded, the lease expires and another worker repeats the run.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { doublingBackoff, type JobHandler, type WorkerLog, withJitter } from './job.ts'
import { keepLease, type Lease, type LeaseTimes } from './lease.ts'
import {
  type ClaimedJob,
  completeJob,
  completeJobIn,
  countVanishedRuns,
  type Failure,
  failJob,
  interruptJob,
  LeaseLostError,
  renewJob,
} from './queue.ts'
import { type ClaimedSweep, endSweep, nextRunAfter, renewSweep, type Sweep } from './schedule.ts'

export type RunContext = LeaseTimes & {
  db: Database
  clock: Clock
  log: WorkerLog
  /** Runs in progress. */
  activeRuns: Set<ActiveRun>
}

export type ActiveRun = {
  lease: Lease
  /** Records that the run was told to stop, which does not count as a failure of the job. */
  interrupt?: () => Promise<void>
}

/** With `doublingBackoff`, so many failures take more than a day. A server may be down that long without the loss of a job. */
const DEFAULT_MAX_FAILURES = 48

/**
 * Number of runs of one job that may die with their process without an orderly stop. Without a limit, a job that kills its process would do
 * so again every quarter of a minute.
 * The number covers about twenty minutes, so that a harmless job survives while something else kills the processes.
 */
const MAX_VANISHED_RUNS = 80

class VanishedError extends Error {
  override readonly name = 'VanishedError'
}

/** Result of a handler. `isFinished`: it ended the job in a transaction that may be rolled back. `isEnded`: the job certainly ended. */
type Outcome = { error: unknown } | { isFinished: boolean; isEnded: boolean }

export async function runJob(context: RunContext, handler: JobHandler, job: ClaimedJob, leasedUntil: Date) {
  const { db, log } = context
  // Operators search for the log field `attempt`. Elsewhere in the code an attempt is one try to pay.
  const details = { merchant_id: job.merchant_id, jobId: job.id, kind: job.kind, attempt: job.failures + 1 }
  const activeRun = startActiveRun(
    context,
    leasedUntil,
    (until) => renewJob(db, job, until),
    () => interruptJob(db, job),
  )
  const { lease } = activeRun
  try {
    const outcome = await runHandler(context, handler, job, lease.signal)
    if ('error' in outcome) await recordFailure(context, handler, job, lease, outcome.error, details)
    else if (outcome.isEnded) return
    // After finish() the job is already deleted, unless its transaction was rolled back and the handler went on.
    else if (!(await retryWhileDatabaseIsDown(lease, () => completeJob(db, job))) && !outcome.isFinished)
      log.warn(details, 'A job was done, but its lease had run out; another worker repeats it.')
  } catch (error) {
    log.error(
      { ...details, err: error },
      'The end of a job could not be recorded; it is repeated when its lease runs out.',
    )
  } finally {
    lease.end()
    context.activeRuns.delete(activeRun)
  }
}

async function runHandler(
  { db, clock, log }: RunContext,
  handler: JobHandler,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<Outcome> {
  let isFinished = false
  let isEnded = false
  try {
    if (countVanishedRuns(job) > MAX_VANISHED_RUNS)
      throw new VanishedError(`${MAX_VANISHED_RUNS} runs of this job ended because their process ended.`)
    await handler.handle({
      db,
      clock,
      log,
      payload: job.payload,
      merchant_id: job.merchant_id,
      jobId: job.id,
      run: job.failures + 1,
      signal,
      finish: async (tx) => {
        await completeJobIn(tx, job)
        isFinished = true
      },
      endWith: async (write) => {
        await db.together((all) => [write(all), completeJob(all, job)])
        isEnded = true
      },
    })
    return { isFinished, isEnded }
  } catch (error) {
    return { error }
  }
}

async function recordFailure(
  { db, clock, log }: RunContext,
  handler: JobHandler,
  job: ClaimedJob,
  lease: Lease,
  error: unknown,
  details: object,
) {
  // The handler stopped because it was told to. That is no failure of the job, and another run may have the job by now.
  if (lease.signal.aborted)
    return log.warn({ ...details, err: error }, 'A job was interrupted; another worker repeats it.')
  const failure = toFailure(handler, job, error, clock.now())
  if (!(await retryWhileDatabaseIsDown(lease, () => failJob(db, job, failure))))
    return log.warn({ ...details, err: error }, 'A job failed, but its lease had run out; another worker repeats it.')
  if ('gaveUpAt' in failure) log.error({ ...details, err: error }, 'A job failed for the last time; it is not retried.')
  else log.warn({ ...details, err: error, retryAt: failure.retryAt }, 'A job failed and is tried again later.')
}

function toFailure(handler: JobHandler, job: ClaimedJob, error: unknown, now: Date): Failure {
  const failures = job.failures + 1
  const maxFailures = job.maxFailures ?? handler.maxFailures ?? DEFAULT_MAX_FAILURES
  if (failures >= maxFailures || error instanceof VanishedError || isFinal(error)) return { error, gaveUpAt: now }
  const wait = withJitter((handler.backoff ?? doublingBackoff)(failures))
  return { error, failedAt: now, retryAt: new Date(now.getTime() + wait) }
}

/** True for an error that ends the job at once. It has a property instead of a class, because the modules that throw it share no imports. */
const isFinal = (error: unknown): boolean => error instanceof Error && 'isFinal' in error && error.isFinal === true

/** Runs the sweep once. After success or failure it is due again one period after `startedAt`. */
export async function runSweep(
  context: RunContext,
  sweep: Sweep,
  claimedSweep: ClaimedSweep,
  startedAt: Date,
  leasedUntil: Date,
) {
  const { db, clock, log } = context
  const activeRun = startActiveRun(context, leasedUntil, (until) => renewSweep(db, claimedSweep, until))
  const { lease } = activeRun
  try {
    try {
      const rows = await sweep.run({ db, clock, signal: lease.signal })
      if (rows > 0) log.info({ sweep: sweep.name, rows }, 'A sweep has run.')
    } catch (error) {
      log.error({ sweep: sweep.name, err: error }, 'A sweep failed; it runs again after its period.')
    }
    // After a stop the schedule stays unchanged, so that another worker continues when the lease ends and not a whole period later.
    if (!lease.signal.aborted)
      await retryWhileDatabaseIsDown(lease, () => endSweep(db, claimedSweep, nextRunAfter(sweep, startedAt)))
  } catch (error) {
    log.error(
      { sweep: sweep.name, err: error },
      'The end of a sweep could not be recorded; it is repeated when its lease runs out.',
    )
  } finally {
    lease.end()
    context.activeRuns.delete(activeRun)
  }
}

/** Starts to renew the lease of a run, and adds the run to the active ones. */
function startActiveRun(
  { clock, leaseMs, renewMs, activeRuns }: RunContext,
  leasedUntil: Date,
  renew: (until: Date) => Promise<boolean>,
  interrupt?: () => Promise<void>,
): ActiveRun {
  const lease = keepLease({ clock, leaseMs, renewMs, leasedUntil, renew })
  const activeRun: ActiveRun = { lease, ...(interrupt && { interrupt }) }
  activeRuns.add(activeRun)
  return activeRun
}

const MAX_RETRY_MS = 50_000
const MAX_PAUSE_MS = 2_000

/**
 * Retries a statement for most of a minute: an unreachable database should not cause finished work to be repeated.
 * The retries may go on after the lease has expired, because the statement takes effect only without a newer claim. A stop of the worker ends
 * them.
 */
async function retryWhileDatabaseIsDown<T>(lease: Lease, sendStatement: () => Promise<T>): Promise<T> {
  const isStopping = () => lease.signal.aborted && !(lease.signal.reason instanceof LeaseLostError)
  for (let [pause, waited] = [400, 0]; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await sendStatement()
    } catch (error) {
      if (waited >= MAX_RETRY_MS || isStopping()) throw error
      await sleep(pause)
      waited += pause
    }
  }
}
