// `cartwright start`: settings, database, migrations; and, from serve.ts, the demo shop, the server and the jobs. The way back out is exit.ts.
// Also how a start reads the TLS certificate.

import cluster from 'node:cluster'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { type Config, ConfigError } from '../config.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { type OpenedDatabase, openForServer } from '../db/open.ts'
import { createLog } from '../http/server/log.ts'
import { leaveWith } from './exit.ts'
import { takeNoArguments } from './help.ts'
import { progress } from './progress.ts'

export async function start(config: Config, args: readonly string[]): Promise<void> {
  takeNoArguments(args)
  const log = createLog(config.logLevel)
  const tls = await readTls(config)
  if (cluster.isWorker) {
    const { serveAsWorker } = await import('./serve.ts')
    return serveAsWorker({ config, tls, log, migrations: await readMigrations() })
  }

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

// TLS_CERT and TLS_KEY: read and tried before anything else is started, so that a wrong file is one sentence.

export type Certificate = { readonly cert: Buffer; readonly key: Buffer }

export async function readTls({ tls }: Config): Promise<Certificate | null> {
  if (tls === null) return null
  const [cert, key] = await Promise.all([read('TLS_CERT', tls.certFile), read('TLS_KEY', tls.keyFile)])
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new ConfigError(
      `TLS_CERT and TLS_KEY must be a certificate and its key in PEM form (${(error as Error).message}).`,
    )
  }
  return { cert, key }
}

const read = (name: string, file: string) =>
  readFile(file).catch((error: Error) => {
    throw new ConfigError(`${name} cannot be read: ${error.message}.`)
  })
