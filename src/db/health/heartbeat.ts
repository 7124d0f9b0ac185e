// A small query several times a second that tells this process what other processes changed, and the database's time. Caches check
// `isFresh` before they answer from memory; without a recent answer they must read the database.

import type { Clock } from '../../lib/clock.ts'
import { type Database, type Db, statement } from '../db.ts'

export interface Heartbeat {
  /** Rises whenever a merchant, a setting or a key changes, in any process. */
  readonly revision: number
  /** False if the last answer is too old for a cache to rely on. */
  isFresh(): boolean
  /** The database's time, so that every process agrees on expiry. */
  readonly clock: Clock
  /** Queries once now. Throws if the database cannot be reached. */
  beat(): Promise<void>
  stop(): Promise<void>
}

const readRevision = statement<{ revision: number; now: Date }>(
  'heartbeat.read',
  `select value as revision, clock_timestamp() as now from revisions where name = 'merchants'`,
)

const readTime = statement<{ now: Date }>('heartbeat.read_time', 'select clock_timestamp() as now')

/** Connections per process for the heartbeat only; `connectionsFor` in open.ts counts them. */
export const HEARTBEAT_CONNECTIONS = 1
const EVERY_MS = 400
/** A revoked key must be refused within a second everywhere; one late answer (400 ms) still leaves room. */
const FRESH_MS = 900

/** `db` should have its own connection: behind a busy pool the heartbeat would stop exactly under load. */
export function startHeartbeat(db: Database): Heartbeat {
  let revision = 0
  let offsetMs = 0
  let requestedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let currentBeat: Promise<void> | undefined
  let isStopped = false

  async function beat() {
    const startedAt = performance.now()
    const wallStarted = Date.now()
    const answer = await db.one(readRevision, {})
    offsetMs = offsetOf(answer.now, wallStarted)
    revision = answer.revision
    // Count from the request, not from the answer: it does not include a change committed in between.
    requestedAt = startedAt
  }

  function schedule() {
    if (isStopped) return
    timer = setTimeout(() => {
      // `isFresh` and /health/ready show an outage, so ignore it here.
      currentBeat = beat()
        .catch(() => undefined)
        .finally(schedule)
    }, EVERY_MS)
    timer.unref()
  }
  schedule()

  return {
    get revision() {
      return revision
    },
    isFresh: () => performance.now() - requestedAt < FRESH_MS,
    clock: { now: () => new Date(Date.now() + offsetMs) },
    beat,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await currentBeat
      await db.close()
    },
  }
}

/** The database's time, read once, for a short command that needs no heartbeat. */
export async function databaseClock(db: Db): Promise<Clock> {
  const requestedAt = Date.now()
  const { now } = await db.one(readTime, {})
  const offsetMs = offsetOf(now, requestedAt)
  return { now: () => new Date(Date.now() + offsetMs) }
}

/** Milliseconds that the database is ahead of this machine. Assumes that the answer was true half-way between request and answer. */
const offsetOf = (now: Date, requestedAt: number) => now.getTime() - (requestedAt + Date.now()) / 2
