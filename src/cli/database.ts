// A database for the length of one command, whether or not a server is running, at the newest schema.

import type { Config } from '../config.ts'
import type { Database } from '../db/db.ts'
import { databaseClock } from '../db/heartbeat.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { openForCommand } from '../db/open.ts'
import { openPool } from '../db/pool.ts'
import type { Clock } from '../lib/clock.ts'

export async function withDatabase<T>(config: Config, work: (db: Database, clock: Clock) => Promise<T>): Promise<T> {
  const opened = await openForCommand(config)
  try {
    await migrate(opened.connection, await readMigrations())
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
