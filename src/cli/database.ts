// Opens a database for one command, with or without a running server, and brings it to the newest schema. Also has the command that does
// only that: `cartwright migrate`.

import { setTimeout as pause } from 'node:timers/promises'
import { listAllMerchants } from '../api/merchants/store.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Database } from '../db/db.ts'
import { databaseClock } from '../db/health/heartbeat.ts'
import { hasAppliedMigrations, migrate, readMigrations } from '../db/migrate.ts'
import { openForCommand } from '../db/open.ts'
import { openPool } from '../db/pool.ts'
import type { Clock } from '../lib/clock.ts'
import { printLine, requireNoArguments } from './help.ts'
import { progress } from './progress.ts'

/** Time that a first start gets to create its demo shop. */
const FIRST_SHOP_MS = 20_000

type DatabaseOptions = {
  /** For commands that can be the first: creates a missing database and needs no shop. */
  readonly mayMake?: boolean
}

export async function withDatabase<T>(
  config: Config,
  work: (db: Database, clock: Clock) => Promise<T>,
  { mayMake = false }: DatabaseOptions = {},
): Promise<T> {
  const database = await openForCommand(config, { onStep: progress.show, mayMake })
  const db = openPool(database.connection, { size: 1, waitMs: 10_000 })
  try {
    if (!mayMake && config.databaseUrl !== null && !(await hasAppliedMigrations(db)))
      throw new ConfigError(
        'DATABASE_URL does not lead to a database of Cartwright. Start the service first, or correct DATABASE_URL.',
      )
    await migrate(database.connection, await readMigrations(), progress.show)
    // Also for a command that creates a shop: it would take the id and the place of the demo shop.
    const hasShop = await waitForShop(db, database.isShared ? FIRST_SHOP_MS : 0)
    if (!hasShop && !mayMake)
      throw new ConfigError(
        'There is no merchant yet. If the first start of the service is in progress, wait until it is ready. Otherwise create a merchant with cartwright merchant create.',
      )
    progress.clear()
    return await work(db, await databaseClock(db))
  } finally {
    await db.close()
    await database.close()
  }
}

/** Waits because a service on an empty database is about to create the demo shop. */
async function waitForShop(db: Database, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs
  while ((await listAllMerchants(db)).length === 0) {
    if (performance.now() >= end) return false
    progress.show('Waiting for the first start to create its shop')
    await pause(100)
  }
  return true
}

// `cartwright migrate`: brings the database to this release's schema and reports the applied migrations.

export async function migrateCommand(config: Config, args: readonly string[]): Promise<void> {
  requireNoArguments(args)
  const database = await openForCommand(config, { onStep: progress.show, mayMake: true })
  try {
    const applied = await migrate(database.connection, await readMigrations(), progress.show)
    for (const name of applied) printLine(`applied ${name}`)
    printLine(applied.length === 0 ? 'The database is up to date.' : `${applied.length} migrations applied.`)
  } finally {
    await database.close()
  }
}
