// The loop of a worker: it claims due jobs and sweeps, and runs them under a lease, a few at a time.
// The loop survives outages of the database: no error in this file may end the process or lose a job.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { newAlarm } from './alarm.ts'
import { claimJobs } from './claim.ts'
import type { JobHandler, WorkerLog } from './job.ts'
import { LEASE, type LeaseTimes } from './lease.ts'
import { type ActiveRun, type RunContext, runJob, runSweep } from './run.ts'
import { claimSweep, registerSweep, type Sweep } from './schedule.ts'
import { newTurns } from './turns.ts'

export type WorkerOptions = Partial<LeaseTimes> & {
  db: Database
  clock: Clock
  log: WorkerLog
  handlers: readonly JobHandler[]
  sweeps: readonly Sweep[]
  /** Allows one job at a time per shop, across all processes. */
  isOnePerShop?: boolean
  /** Number of concurrent jobs. A kind that waits long for other servers, like webhooks, should have its own worker. */
  concurrency?: number
  pollMs?: number
}

export type Worker = {
  /** Stops claiming and waits for running work. After `waitMs` it tells the remaining runs to stop; their leases then expire. */
  stop(waitMs?: number): Promise<void>
  /** Polls at once. Call it after enqueueing a job that should not wait for the next poll. */
  poke(): void
}

const MAX_OUTAGE_WAIT_MS = 5_000
/** Delay before the next poll, in which more slots may become free. A search for several slots costs as much as for one. */
const SLOT_GATHERING_MS = 10
/** Time that a stop waits for the database to record the interrupted runs. */
const RECORDING_MS = 1_000

export function startWorker(options: WorkerOptions): Worker {
  const { db, clock, log, sweeps, concurrency = 2, pollMs = 500, isOnePerShop = false } = options
  const { leaseMs = LEASE.leaseMs, renewMs = LEASE.renewMs } = options
  const handlers = byName(options.handlers, ({ kind }) => kind)
  const sweepsByName = byName(sweeps, ({ name }) => name)
  const kinds = [...handlers.keys()]
  const sweepNames = [...sweepsByName.keys()]
  const urgentKinds = new Set(kinds.filter((kind) => handlers.get(kind)?.isUrgent))
  const turns = newTurns({ urgentKinds, isOnePerShop })

  const activeRuns = new Set<ActiveRun>()
  const context: RunContext = { db, clock, log, leaseMs, renewMs, activeRuns }
  const jobs = new Set<Promise<void>>()
  let runningSweep: Promise<void> | null = null
  let areSweepsRegistered = false
  const alarm = newAlarm()
  const stopping = new AbortController()

  async function poll() {
    const freeSlots = concurrency - jobs.size
    if (freeSlots > 0 && kinds.length > 0) {
      const [now, leasedUntil] = leaseFromNow()
      for (const job of await claimJobs(db, kinds, freeSlots, now, leasedUntil, turns)) {
        const handler = handlers.get(job.kind)
        if (!handler) continue
        turns.begin(job, now)
        track(runJob(context, handler, job, leasedUntil).finally(() => turns.end(job)))
      }
    }
    if (!runningSweep && sweepNames.length > 0) await pollSweeps()
  }

  async function pollSweeps() {
    if (!areSweepsRegistered) {
      for (const sweep of sweeps) await registerSweep(db, sweep, clock.now())
      areSweepsRegistered = true
    }
    const [now, leasedUntil] = leaseFromNow()
    const claimedSweep = await claimSweep(db, sweepNames, now, leasedUntil)
    const sweep = claimedSweep && sweepsByName.get(claimedSweep.name)
    if (!sweep) return
    runningSweep = runSweep(context, sweep, claimedSweep, now, leasedUntil).finally(() => {
      runningSweep = null
      alarm.ring()
    })
  }

  /** Call it before the claim: the process must not believe in the lease for longer than the database does. */
  function leaseFromNow(): [now: Date, leasedUntil: Date] {
    const now = clock.now()
    return [now, new Date(now.getTime() + leaseMs)]
  }

  function track(run: Promise<void>) {
    const trackedRun = run.finally(() => {
      jobs.delete(trackedRun)
      // A job may be waiting for the free slot.
      alarm.ring()
    })
    jobs.add(trackedRun)
  }

  async function loop() {
    let failures = 0
    while (!stopping.signal.aborted) {
      try {
        await poll()
        if (failures > 0) log.info({ failedPolls: failures }, 'The job queue can be read again.')
        failures = 0
        await alarm.wait(pollMs)
        if (jobs.size > 0) await sleep(SLOT_GATHERING_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      } catch (error) {
        failures += 1
        // Logged once per outage, because a line per poll would bury the rest of the log.
        if (failures === 1) log.error({ err: error }, 'The job queue cannot be read; trying again until it can.')
        // Only stop() ends this sleep. If the alarm ended it, handlers that fail at once in the same outage would cause a tight loop.
        const wait = Math.min(pollMs * 2 ** failures, MAX_OUTAGE_WAIT_MS)
        await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  const loopRun = loop()

  async function drain() {
    await loopRun
    await Promise.all([...jobs, runningSweep])
  }

  return {
    poke: alarm.ring,
    async stop(waitMs = 8_000) {
      stopping.abort()
      alarm.ring()
      const waitLimit = new AbortController()
      const timedOut = sleep(waitMs, 'timed out' as const, { signal: waitLimit.signal }).catch(() => 'drained' as const)
      const outcome = await Promise.race([drain(), timedOut])
      waitLimit.abort()
      if (outcome !== 'timed out') return
      log.warn(
        { running: activeRuns.size },
        'Stopping without waiting longer; another worker repeats the running jobs.',
      )
      const interrupted = [...activeRuns]
      for (const { lease } of interrupted) lease.abandon(new Error('The worker is stopping.'))
      // If the interruptions were not recorded, a long job would look after some deployments like one that kills its process.
      const recording = Promise.allSettled(interrupted.map(({ interrupt }) => interrupt?.()))
      await Promise.race([recording, sleep(RECORDING_MS, undefined, { ref: false })])
    },
  }
}

function byName<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, T> {
  const map = new Map(items.map((item) => [nameOf(item), item]))
  // Without this check the last one would silently win, and handle the work of the others.
  if (map.size < items.length) throw new Error('Two job handlers or two sweeps have the same name.')
  return map
}
