// `cartwright seed`: the demo shop, in a database that has no merchant yet.

import { filesOf } from '../app.ts'
import type { Config } from '../config.ts'
import { seedDemo } from '../demo/seed.ts'
import { withDatabase } from './database.ts'
import { describeKeys } from './describe-keys.ts'
import { say, takeNoArguments } from './usage.ts'

export async function seed(config: Config, args: readonly string[]): Promise<void> {
  takeNoArguments(args)
  const { dataDir, publicUrl } = config
  const made = await withDatabase(config, (db, clock) =>
    seedDemo(db, clock, dataDir, { files: filesOf(config), publicUrl }),
  )
  if (made === null) return say('There is a merchant already; nothing was changed.')
  say('The demo shop is ready.')
  for (const line of describeKeys(made)) say(line)
}
