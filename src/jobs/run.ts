// One run of a job or of a sweep, from its claim to its end. Never rejects: whatever goes wrong is recorded, logged,
// or left to the end of the lease, after which another worker repeats the run.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { doubling, type JobHandler, type Log, withJitter } from './job.ts'
import { keepLease, type Lease, type LeaseTimes } from './lease.ts'
import {
  type ClaimedJob,
  completeJob,
  completeJobIn,
  type Failure,
  failJob,
  interruptJob,
  LeaseLostError,
  renewJob,
  vanishedRuns,
} from './queue.ts'
import { type ClaimedSweep, endSweep, renewSweep, runAfter, type Sweep } from './schedule.ts'

export type RunContext = LeaseTimes & {
  db: Database
  clock: Clock
  log: Log
  /** What runs now. */
  held: Set<Hold>
}

export type Hold = {
  lease: Lease
  /** Records that the run was told to stop, which says nothing against the job. */
  interrupt?: () => Promise<void>
}

/** With `doubling` more than a day: an outage of that length on the other side loses nothing. */
const DEFAULT_MAX_FAILURES = 48

/**
 * Runs of one job that may end with their process, other than by a stop in order. A job that kills its process would otherwise do so every
 * quarter of a minute, for ever. About twenty minutes of them: what only happens to run while something else kills the process must outlast that.
 */
const MAX_VANISHED_RUNS = 80

class VanishedError extends Error {
  override readonly name = 'VanishedError'
}

/** `isFinished`: by the handler, in a transaction that may have been rolled back. `isEnded`: for certain. */
type Outcome = { error: unknown } | { isFinished: boolean; isEnded: boolean }

export async function runJob(context: RunContext, handler: JobHandler, job: ClaimedJob, leasedUntil: Date) {
  const { db, log } = context
  // The log field is called `attempt`, as operators' searches know it; elsewhere the word is a capture's.
  const details = { merchantId: job.merchantId, jobId: job.id, kind: job.kind, attempt: job.failures + 1 }
  const held = hold(
    context,
    leasedUntil,
    (until) => renewJob(db, job, until),
    () => interruptJob(db, job),
  )
  const { lease } = held
  try {
    const outcome = await handle(context, handler, job, lease.signal)
    if ('error' in outcome) await settleFailure(context, handler, job, lease, outcome.error, details)
    else if (outcome.isEnded) return
    // After finish() there is nothing left to delete, unless the handler carried on after its transaction was rolled back.
    else if (!(await insist(lease, () => completeJob(db, job))) && !outcome.isFinished)
      log.warn(details, 'A job was done, but its lease had run out; another worker repeats it.')
  } catch (error) {
    log.error(
      { ...details, err: error },
      'The end of a job could not be recorded; it is repeated when its lease runs out.',
    )
  } finally {
    lease.end()
    context.held.delete(held)
  }
}

async function handle(
  { db, clock, log }: RunContext,
  handler: JobHandler,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<Outcome> {
  let isFinished = false
  let isEnded = false
  try {
    if (vanishedRuns(job) > MAX_VANISHED_RUNS)
      throw new VanishedError(`${MAX_VANISHED_RUNS} runs of this job ended together with their process.`)
    await handler.handle({
      db,
      clock,
      log,
      payload: job.payload,
      merchantId: job.merchantId,
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

async function settleFailure(
  { db, clock, log }: RunContext,
  handler: JobHandler,
  job: ClaimedJob,
  lease: Lease,
  error: unknown,
  details: object,
) {
  // The handler stopped because it was told to: that is no failure of the job, and the row may be another's by now.
  if (lease.signal.aborted)
    return log.warn({ ...details, err: error }, 'A job was interrupted; another worker repeats it.')
  const failure = failureOf(handler, job, error, clock.now())
  if (!(await insist(lease, () => failJob(db, job, failure))))
    return log.warn({ ...details, err: error }, 'A job failed, but its lease had run out; another worker repeats it.')
  if ('gaveUpAt' in failure) log.error({ ...details, err: error }, 'A job failed for the last time and is given up.')
  else log.warn({ ...details, err: error, retryAt: failure.retryAt }, 'A job failed and is tried again later.')
}

function failureOf(handler: JobHandler, job: ClaimedJob, error: unknown, now: Date): Failure {
  const failures = job.failures + 1
  const maxFailures = job.maxFailures ?? handler.maxFailures ?? DEFAULT_MAX_FAILURES
  if (failures >= maxFailures || error instanceof VanishedError || isFinal(error)) return { error, gaveUpAt: now }
  const wait = withJitter((handler.backoff ?? doubling)(failures))
  return { error, failedAt: now, retryAt: new Date(now.getTime() + wait) }
}

/** A mark and not a class: the parts of the code that throw it import nothing of each other. */
const isFinal = (error: unknown): boolean => error instanceof Error && 'isFinal' in error && error.isFinal === true

/** Runs the sweep once. Whether it succeeds or throws, it is due again one period after `startedAt`. */
export async function runSweep(
  context: RunContext,
  sweep: Sweep,
  claimed: ClaimedSweep,
  startedAt: Date,
  leasedUntil: Date,
) {
  const { db, clock, log } = context
  const held = hold(context, leasedUntil, (until) => renewSweep(db, claimed, until))
  const { lease } = held
  try {
    try {
      const rows = await sweep.run({ db, clock, signal: lease.signal })
      if (rows > 0) log.info({ sweep: sweep.name, rows }, 'A sweep has run.')
    } catch (error) {
      log.error({ sweep: sweep.name, err: error }, 'A sweep failed; it runs again after its period.')
    }
    // Cut short by stop(): another worker goes on as soon as the lease ends instead of a whole period later.
    if (!lease.signal.aborted) await insist(lease, () => endSweep(db, claimed, runAfter(sweep, startedAt)))
  } catch (error) {
    log.error(
      { sweep: sweep.name, err: error },
      'The end of a sweep could not be recorded; it is repeated when its lease runs out.',
    )
  } finally {
    lease.end()
    context.held.delete(held)
  }
}

function hold(
  { clock, leaseMs, renewMs, held }: RunContext,
  leasedUntil: Date,
  renew: (until: Date) => Promise<boolean>,
  interrupt?: () => Promise<void>,
): Hold {
  const lease = keepLease({ clock, leaseMs, renewMs, leasedUntil, renew })
  const holding: Hold = { lease, ...(interrupt && { interrupt }) }
  held.add(holding)
  return holding
}

const INSIST_MS = 50_000
const LONGEST_PAUSE_MS = 2_000

/**
 * Tries again for most of a minute: work that has been done should not be repeated because the database was out of reach. Also after the lease
 * has run out: the statement takes effect only if no other run has claimed the job meanwhile. A stop of the worker ends it.
 */
async function insist<T>(lease: Lease, send: () => Promise<T>): Promise<T> {
  const isStopping = () => lease.signal.aborted && !(lease.signal.reason instanceof LeaseLostError)
  for (let [pause, waited] = [400, 0]; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await send()
    } catch (error) {
      if (waited >= INSIST_MS || isStopping()) throw error
      await sleep(pause)
      waited += pause
    }
  }
}
