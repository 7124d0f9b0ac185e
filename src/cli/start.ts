// `cartwright start`: settings, database and migrations. serve.ts continues with the demo shop, the server and the jobs; exit.ts ends the
// service.

import cluster from 'node:cluster'
import type { Config } from '../config.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { isInUse, type OpenedDatabase, openForServer } from '../db/open.ts'
import { createLog } from '../http/server/log.ts'
import { readTls } from './certificate.ts'
import { installExitHandlers } from './exit.ts'
import { requireNoArguments } from './help.ts'
import { requirePort } from './port.ts'
import { progress } from './progress.ts'

export async function startCommand(config: Config, args: readonly string[]): Promise<void> {
  requireNoArguments(args)
  const log = createLog(config.logLevel)
  const tls = await readTls(config)
  if (cluster.isWorker) {
    const { serveAsWorker } = await import('./serve.ts')
    return serveAsWorker({ config, tls, log, migrations: await readMigrations() })
  }

  // A service that already runs here probably has the port, and is the better error to report.
  if (!isInUse(config)) await requirePort(config)
  progress.show('Starting')
  let database: OpenedDatabase | undefined
  const opening = openForServer(config, {
    log(message, level = 'info') {
      progress.clear()
      log[level](message)
    },
    onStep: progress.show,
  })
  // In parallel: loading the service takes about as long as starting PostgreSQL.
  const serveModule = import('./serve.ts')
  serveModule.catch(() => undefined)
  const exit = installExitHandlers(log, {
    closeNow: () =>
      database === undefined
        ? opening.then((openedDatabase) => openedDatabase.closeNow()).catch(() => undefined)
        : void database.closeNow(),
  })
  try {
    const openedDatabase = await opening
    database = openedDatabase
    exit.addExitStep(() => openedDatabase.close())
    const migrations = await readMigrations()
    await migrate(openedDatabase.connection, migrations, progress.show)
    const { serve } = await serveModule
    await serve({ config, tls, log, migrations, connection: openedDatabase.connection, exit })
  } catch (error) {
    await exit.undoSteps()
    throw error
  }
}
