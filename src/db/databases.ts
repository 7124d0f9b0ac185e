// Opens the database connections of one process, and watches the database: its clock, its health, the growth of its tables.

import type { Database } from './db.ts'
import { watchGrowth } from './health/growth.ts'
import { HEARTBEAT_CONNECTIONS, type Heartbeat, startHeartbeat } from './health/heartbeat.ts'
import { type Readiness, watchReadiness } from './health/readiness.ts'
import type { Migration } from './migrate.ts'
import { type ConnectionSettings, LOG_CONNECTIONS, openPool, type PoolOptions } from './pool.ts'

export type DatabaseOptions = {
  connection: ConnectionSettings
  /** Migrations that the database must have before the service is ready. */
  migrations: readonly Migration[]
  pool?: PoolOptions
  /** For tests that inspect the SQL sent: keeps query plans when tables have grown. */
  keepsPlans?: boolean
}

export type Databases = {
  /** For requests. */
  readonly db: Database
  readonly heartbeat: Heartbeat
  readonly readiness: Readiness
  /** For jobs, opened at the first call: requests must not wait behind jobs for a connection. */
  background(): Database
  /** For the request log, with a short time limit. The caller closes it. */
  openLogPool(): Database
  stopWatching(): void
  /** Closes the pool of requests after `lastWrites`. */
  close(lastWrites: Promise<unknown>): Promise<unknown>
}

/** Jobs may wait long for a connection. With WORKERS, the job process serves no requests, so this pool adds no connections. */
export const BACKGROUND_POOL = { size: 4, waitMs: 30_000 }

/** Time limit of one write to the request log. */
const LOG_STATEMENT_MS = 5_000

export function openDatabases(
  { connection, migrations, pool, keepsPlans = false }: DatabaseOptions,
  onLost: (error: Error) => void,
): Databases {
  const onError = (error: Error) => {
    onLost(error)
    readiness.forget()
  }
  const db = openPool(connection, { onError, ...pool })
  const auxiliaryDb = openPool(connection, { size: HEARTBEAT_CONNECTIONS, onError, statementTimeoutMs: 1_000 })
  const heartbeat = startHeartbeat(auxiliaryDb)
  let background: Database | undefined
  const forgetPlans = () => {
    db.forgetPlans()
    background?.forgetPlans()
  }
  const growth = keepsPlans ? null : watchGrowth(auxiliaryDb, forgetPlans)
  const readiness = watchReadiness(db, heartbeat, migrations)
  return {
    db,
    heartbeat,
    readiness,
    background() {
      background ??= openPool(connection, { onError, ...pool, ...BACKGROUND_POOL })
      return background
    },
    openLogPool: () => openPool(connection, { size: LOG_CONNECTIONS, onError, statementTimeoutMs: LOG_STATEMENT_MS }),
    stopWatching: () => growth?.stop(),
    close: (lastWrites) => Promise.all([heartbeat.stop(), lastWrites.then(() => db.close()), background?.close()]),
  }
}
