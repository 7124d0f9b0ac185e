// A database for the length of one command, whether or not a server is running, at the newest schema; and the command that needs only that,
// `cartwright migrate`.

import type { Config } from '../config.ts'
import type { Database } from '../db/db.ts'
import { databaseClock } from '../db/heartbeat.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { openForCommand } from '../db/open.ts'
import { openPool } from '../db/pool.ts'
import type { Clock } from '../lib/clock.ts'
import { say, takeNoArguments } from './help.ts'
import { progress } from './progress.ts'

export async function withDatabase<T>(config: Config, work: (db: Database, clock: Clock) => Promise<T>): Promise<T> {
  const opened = await openForCommand(config, progress.tell)
  try {
    await migrate(opened.connection, await readMigrations(), progress.tell)
    progress.clear()
    const db = openPool(opened.connection, { size: 1, waitMs: 10_000 })
    try {
      return await work(db, await databaseClock(db))
    } finally {
      await db.close()
    }
  } finally {
    await opened.close()
  }
}

// `cartwright migrate`: brings the database to this release's schema and says what it did.

export async function migrateCommand(config: Config, args: readonly string[]): Promise<void> {
  takeNoArguments(args)
  const opened = await openForCommand(config, progress.tell)
  try {
    const applied = await migrate(opened.connection, await readMigrations(), progress.tell)
    for (const name of applied) say(`applied ${name}`)
    say(applied.length === 0 ? 'The database is up to date.' : `${applied.length} migrations applied.`)
  } finally {
    await opened.close()
  }
}
