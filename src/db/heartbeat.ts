// A short question to the database, several times a second, that tells this process what other processes changed and what
// time the database has. Caches ask `isFresh` before they answer from memory: silence means "read through".

import type { Clock } from '../lib/clock.ts'
import { type Database, type Db, statement } from './db.ts'

export interface Heartbeat {
  /** Rises whenever a merchant, a setting or a key changes, in any process. */
  readonly revision: number
  /** False when the last answer is too old for a cache to rely on. */
  isFresh(): boolean
  /** The database's time, so that every process agrees on what has expired. */
  readonly clock: Clock
  /** Asks once now. Throws when the database cannot be reached. */
  beat(): Promise<void>
  stop(): Promise<void>
}

const read = statement<{ revision: number; now: Date }>(
  'heartbeat.read',
  `select value as revision, clock_timestamp() as now from revisions where name = 'merchants'`,
)

const readTime = statement<{ now: Date }>('heartbeat.read_time', 'select clock_timestamp() as now')

/** Connections per process for it alone; `connectionsFor` in open.ts counts with it. */
export const HEARTBEAT_CONNECTIONS = 1
const EVERY_MS = 400
/** A revoked key must be refused within a second everywhere; one late answer (400 ms) still leaves room. */
const FRESH_MS = 900

/** `db` should be a connection of its own: behind a busy pool the heartbeat would fall silent exactly under load. */
export function startHeartbeat(db: Database): Heartbeat {
  let revision = 0
  let offsetMs = 0
  let askedAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = false

  async function beat() {
    const started = performance.now()
    const wallStarted = Date.now()
    const answer = await db.one(read, {})
    offsetMs = offsetOf(answer.now, wallStarted)
    revision = answer.revision
    // The moment of asking counts, not that of the answer: a change committed in between is not in it.
    askedAt = started
  }

  function schedule() {
    if (stopped) return
    timer = setTimeout(() => {
      // An outage shows in isFresh() and in /health/ready; there is nobody here to tell.
      running = beat()
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
    isFresh: () => performance.now() - askedAt < FRESH_MS,
    clock: { now: () => new Date(Date.now() + offsetMs) },
    beat,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
      await db.close()
    },
  }
}

/** The database's time asked for once, for a command that ends before a heartbeat would be worth it. */
export async function databaseClock(db: Db): Promise<Clock> {
  const askedAt = Date.now()
  const { now } = await db.one(readTime, {})
  const offsetMs = offsetOf(now, askedAt)
  return { now: () => new Date(Date.now() + offsetMs) }
}

/** How far the database is ahead of this machine; its answer was true half-way between asking and hearing it. */
const offsetOf = (now: Date, askedAt: number) => now.getTime() - (askedAt + Date.now()) / 2
