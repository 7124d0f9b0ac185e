// `cartwright seed`: creates the demo shop in a database without a merchant.

import type { Config } from '../config.ts'
import { seedDemo } from '../demo/seed.ts'
import { createFileServices } from '../files/files.ts'
import { HEAD } from '../versions/index.ts'
import { withDatabase } from './database.ts'
import { describeKeys, printLine, requireNoArguments } from './help.ts'
import { progress } from './progress.ts'

export async function seedCommand(config: Config, args: readonly string[]): Promise<void> {
  requireNoArguments(args)
  const { dataDir, publicUrl } = config
  const merchant = await withDatabase(
    config,
    (db, clock) =>
      seedDemo(db, clock, dataDir, {
        files: createFileServices(config),
        publicUrl,
        version: HEAD,
        onStep: progress.show,
      }),
    { mayMake: true },
  )
  if (merchant === null) return printLine('A merchant already exists; nothing was changed.')
  printLine('The demo shop is ready.')
  for (const line of describeKeys(merchant)) printLine(line)
}
