// `cartwright migrate`: brings the database to this release's schema and says what it did.

import type { Config } from '../config.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { openForCommand } from '../db/open.ts'
import { say, takeNoArguments } from './usage.ts'

export async function migrateCommand(config: Config, args: readonly string[]): Promise<void> {
  takeNoArguments(args)
  const opened = await openForCommand(config)
  try {
    const applied = await migrate(opened.connection, await readMigrations())
    for (const name of applied) say(`applied ${name}`)
    say(applied.length === 0 ? 'The database is up to date.' : `${applied.length} migrations applied.`)
  } finally {
    await opened.close()
  }
}
