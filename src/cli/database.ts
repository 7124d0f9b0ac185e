// A database for the length of one command, whether or not a server is running, at the newest schema; and the command that needs only that,
// `cartwright migrate`.

import { setTimeout as pause } from 'node:timers/promises'
import { allMerchants } from '../api/merchants/store.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Database } from '../db/db.ts'
import { databaseClock } from '../db/heartbeat.ts'
import { hasBegun, migrate, readMigrations } from '../db/migrate.ts'
import { openForCommand } from '../db/open.ts'
import { openPool } from '../db/pool.ts'
import type { Clock } from '../lib/clock.ts'
import { say, takeNoArguments } from './help.ts'
import { progress } from './progress.ts'

/** How long a first start is given to make its demo shop. */
const FIRST_SHOP_MS = 20_000

type Needs = {
  /** The command is one to begin with: it makes the database where there is none, and needs no shop. */
  readonly mayMake?: boolean
}

export async function withDatabase<T>(
  config: Config,
  work: (db: Database, clock: Clock) => Promise<T>,
  { mayMake = false }: Needs = {},
): Promise<T> {
  const opened = await openForCommand(config, { onStep: progress.tell, mayMake })
  const db = openPool(opened.connection, { size: 1, waitMs: 10_000 })
  try {
    if (!mayMake && config.databaseUrl !== null && !(await hasBegun(db)))
      throw new ConfigError(
        'The database of DATABASE_URL is not one of Cartwright. Start the service first, or set DATABASE_URL to where it is.',
      )
    await migrate(opened.connection, await readMigrations(), progress.tell)
    // Also for a command that makes a shop: it would take the number, and the place, of the demo shop.
    const hasShop = await isThereAShop(db, opened.isShared ? FIRST_SHOP_MS : 0)
    if (!hasShop && !mayMake)
      throw new ConfigError(
        'There is no merchant yet. If the service is being started for the first time, wait until it says that it is ready; else make one with cartwright merchant create.',
      )
    progress.clear()
    return await work(db, await databaseClock(db))
  } finally {
    await db.close()
    await opened.close()
  }
}

/** A service on an empty database is about to fill the demo shop. */
async function isThereAShop(db: Database, patienceMs: number): Promise<boolean> {
  const end = performance.now() + patienceMs
  while ((await allMerchants(db)).length === 0) {
    if (performance.now() >= end) return false
    progress.tell('Waiting for the first start to make its shop')
    await pause(100)
  }
  return true
}

// `cartwright migrate`: brings the database to this release's schema and says what it did.

export async function migrateCommand(config: Config, args: readonly string[]): Promise<void> {
  takeNoArguments(args)
  const opened = await openForCommand(config, { onStep: progress.tell, mayMake: true })
  try {
    const applied = await migrate(opened.connection, await readMigrations(), progress.tell)
    for (const name of applied) say(`applied ${name}`)
    say(applied.length === 0 ? 'The database is up to date.' : `${applied.length} migrations applied.`)
  } finally {
    await opened.close()
  }
}
