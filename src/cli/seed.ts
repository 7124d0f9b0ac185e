// `cartwright seed`: creates the demo shop in a database without a merchant.

import type { Config } from '../config.ts'
import { seedDemo } from '../demo/seed.ts'
import { filesOf } from '../files/files.ts'
import { HEAD } from '../versions/index.ts'
import { withDatabase } from './database.ts'
import { describeKeys, say, takeNoArguments } from './help.ts'
import { progress } from './progress.ts'

export async function seed(config: Config, args: readonly string[]): Promise<void> {
  takeNoArguments(args)
  const { dataDir, publicUrl } = config
  const merchant = await withDatabase(
    config,
    (db, clock) =>
      seedDemo(db, clock, dataDir, {
        files: filesOf(config),
        publicUrl,
        version: HEAD,
        onStep: progress.tell,
      }),
    { mayMake: true },
  )
  if (merchant === null) return say('A merchant already exists; nothing was changed.')
  say('The demo shop is ready.')
  for (const line of describeKeys(merchant)) say(line)
}
