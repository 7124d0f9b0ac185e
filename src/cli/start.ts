// `cartwright start`: settings, database, migrations; and, from serve.ts, the demo shop, the server and the jobs. The way back out is exit.ts.

import cluster from 'node:cluster'
import type { Config } from '../config.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { isInUse, type OpenedDatabase, openForServer } from '../db/open.ts'
import { createLog } from '../http/server/log.ts'
import { readTls } from './certificate.ts'
import { leaveWith } from './exit.ts'
import { takeNoArguments } from './help.ts'
import { requirePort } from './port.ts'
import { progress } from './progress.ts'

export async function start(config: Config, args: readonly string[]): Promise<void> {
  takeNoArguments(args)
  const log = createLog(config.logLevel)
  const tls = await readTls(config)
  if (cluster.isWorker) {
    const { serveAsWorker } = await import('./serve.ts')
    return serveAsWorker({ config, tls, log, migrations: await readMigrations() })
  }

  // A service that runs here already most likely has the port, and is what to tell of.
  if (!isInUse(config)) await requirePort(config)
  progress.tell('Starting')
  let database: OpenedDatabase | undefined
  const opening = openForServer(config, {
    log(message, level = 'info') {
      progress.clear()
      log[level](message)
    },
    onStep: progress.tell,
  })
  // Meanwhile: to load the service takes about as long as PostgreSQL takes to start.
  const loading = import('./serve.ts')
  loading.catch(() => undefined)
  const exit = leaveWith(log, {
    closeNow: () =>
      database === undefined
        ? opening.then((opened) => opened.closeNow()).catch(() => undefined)
        : void database.closeNow(),
  })
  try {
    const opened = await opening
    database = opened
    exit.beforeLeaving(() => opened.close())
    const migrations = await readMigrations()
    await migrate(opened.connection, migrations, progress.tell)
    const { serve } = await loading
    await serve({ config, tls, log, migrations, connection: opened.connection, exit })
  } catch (error) {
    await exit.quietly()
    throw error
  }
}
