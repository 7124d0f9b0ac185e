// The loop that claims due jobs and sweeps and runs them under a lease, a few at a time.
// It outlives outages of the database: nothing in here may end the process or lose a job.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { newAlarm } from './alarm.ts'
import { claimJobs } from './claim.ts'
import type { JobHandler, Log } from './job.ts'
import { LEASE, type LeaseTimes } from './lease.ts'
import { type Hold, type RunContext, runJob, runSweep } from './run.ts'
import { claimSweep, registerSweep, type Sweep } from './schedule.ts'
import { newTurns } from './turns.ts'

export type WorkerOptions = Partial<LeaseTimes> & {
  db: Database
  clock: Clock
  log: Log
  handlers: readonly JobHandler[]
  sweeps: readonly Sweep[]
  /** One job at a time for each shop, in all processes. */
  isAlone?: boolean
  /** Jobs at a time. A kind that waits long for others, like webhooks, is better given a worker of its own. */
  concurrency?: number
  pollMs?: number
}

export type Worker = {
  /** Claims no more and waits for what runs; what still runs after `waitMs` is told to stop and left to the end of its lease. */
  stop(waitMs?: number): Promise<void>
  /** Looks for work now; called after putting in a job that should not wait for the next poll. */
  poke(): void
}

const LONGEST_OUTAGE_WAIT_MS = 5_000
/** So long it waits for further places to become free before it looks for work again: what is found for several costs as much as for one. */
const GATHERING_MS = 10
/** How long a stop waits for the database to note what it has interrupted. */
const RECORDING_MS = 1_000

export function startWorker(options: WorkerOptions): Worker {
  const { db, clock, log, sweeps, concurrency = 2, pollMs = 500, isAlone = false } = options
  const { leaseMs = LEASE.leaseMs, renewMs = LEASE.renewMs } = options
  const handlers = byName(options.handlers, ({ kind }) => kind)
  const sweepsByName = byName(sweeps, ({ name }) => name)
  const kinds = [...handlers.keys()]
  const sweepNames = [...sweepsByName.keys()]
  const urgentKinds = new Set(kinds.filter((kind) => handlers.get(kind)?.isUrgent))
  const turns = newTurns({ urgentKinds, isAlone })

  const held = new Set<Hold>()
  const context: RunContext = { db, clock, log, leaseMs, renewMs, held }
  const jobs = new Set<Promise<void>>()
  let sweeping: Promise<void> | null = null
  let areSweepsRegistered = false
  const alarm = newAlarm()
  const stopping = new AbortController()

  async function poll() {
    const free = concurrency - jobs.size
    if (free > 0 && kinds.length > 0) {
      const [now, leasedUntil] = leaseFromNow()
      for (const job of await claimJobs(db, kinds, free, now, leasedUntil, turns)) {
        const handler = handlers.get(job.kind)
        if (!handler) continue
        turns.begin(job, now)
        track(runJob(context, handler, job, leasedUntil).finally(() => turns.end(job)))
      }
    }
    if (!sweeping && sweepNames.length > 0) await pollSweeps()
  }

  async function pollSweeps() {
    if (!areSweepsRegistered) {
      for (const sweep of sweeps) await registerSweep(db, sweep, clock.now())
      areSweepsRegistered = true
    }
    const [now, leasedUntil] = leaseFromNow()
    const claimed = await claimSweep(db, sweepNames, now, leasedUntil)
    const sweep = claimed && sweepsByName.get(claimed.name)
    if (!sweep) return
    sweeping = runSweep(context, sweep, claimed, now, leasedUntil).finally(() => {
      sweeping = null
      alarm.ring()
    })
  }

  /** Read before the claim is sent: this side then counts the lease as ending no later than the database does. */
  function leaseFromNow(): [now: Date, leasedUntil: Date] {
    const now = clock.now()
    return [now, new Date(now.getTime() + leaseMs)]
  }

  function track(run: Promise<void>) {
    const tracked = run.finally(() => {
      jobs.delete(tracked)
      // There may be a job waiting for the place that has become free.
      alarm.ring()
    })
    jobs.add(tracked)
  }

  async function loop() {
    let failures = 0
    while (!stopping.signal.aborted) {
      try {
        await poll()
        if (failures > 0) log.info({ failedPolls: failures }, 'The job queue can be read again.')
        failures = 0
        await alarm.wait(pollMs)
        if (jobs.size > 0) await sleep(GATHERING_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      } catch (error) {
        failures += 1
        // Once per outage: a line for every poll would bury what else the log has to say.
        if (failures === 1) log.error({ err: error }, 'The job queue cannot be read; trying again until it can.')
        // Ended only by stop(): handlers that fail at once in the same outage would otherwise ring the alarm in a tight loop.
        const wait = Math.min(pollMs * 2 ** failures, LONGEST_OUTAGE_WAIT_MS)
        await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  const looping = loop()

  async function drain() {
    await looping
    await Promise.all([...jobs, sweeping])
  }

  return {
    poke: alarm.ring,
    async stop(waitMs = 8_000) {
      stopping.abort()
      alarm.ring()
      const patience = new AbortController()
      const timedOut = sleep(waitMs, 'timed out' as const, { signal: patience.signal }).catch(() => 'drained' as const)
      const outcome = await Promise.race([drain(), timedOut])
      patience.abort()
      if (outcome !== 'timed out') return
      log.warn(
        { running: held.size },
        'Stopping without waiting longer; what still runs is repeated by another worker.',
      )
      const interrupted = [...held]
      for (const { lease } of interrupted) lease.abandon(new Error('The worker is stopping.'))
      // Without it a long job would be taken for one that kills its process, after as many deployments.
      const recorded = Promise.allSettled(interrupted.map(({ interrupt }) => interrupt?.()))
      await Promise.race([recorded, sleep(RECORDING_MS, undefined, { ref: false })])
    },
  }
}

function byName<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, T> {
  const map = new Map(items.map((item) => [nameOf(item), item]))
  // The last one would silently win, and the work of the others would be done wrongly.
  if (map.size < items.length) throw new Error('Two job handlers or two sweeps have the same name.')
  return map
}
