// `cartwright start`: database, migrations, demo shop, server, jobs; and the way back out on a signal or a crash.

import cluster from 'node:cluster'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { connectionOf, openForServer } from '../db/open.ts'
import type { ConnectionSettings } from '../db/pool.ts'
import { rememberedDemo, seedDemo } from '../demo/seed.ts'
import { createLog, type Log } from '../http/log.ts'
import { measureProcess } from '../http/metrics.ts'
import { announce } from './announce.ts'
import { serveFromCluster, superviseWorkers } from './cluster.ts'
import { leaveWith } from './exit.ts'

/** In-flight requests have this long to finish once a stop is asked for. */
const DRAIN_MS = 10_000

export async function start(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  if (cluster.isWorker) return startHttpProcess(config, log)

  const database = await openForServer(config, (message) => log.info(message))
  const exit = leaveWith(log, () => database.closeNow())
  exit.on(() => database.close())
  try {
    const migrations = await readMigrations()
    await migrate(database.connection, migrations)
    const app = await createApp({ ...(await httpOptions(config)), connection: database.connection, log, migrations })
    exit.on(() => app.close(DRAIN_MS))
    measureProcess(app.metrics)
    await seedDemo(app.db, app.clock, config.dataDir)
    const port = config.workers > 1 ? await superviseWorkers(config, log, exit) : await listen(app, config)
    app.startJobs()
    database.died.then(() => exit.now('The embedded PostgreSQL ended by itself; its log is in the data folder.'))
    announce(config, port, await rememberedDemo(config.dataDir))
  } catch (error) {
    await exit.quietly()
    throw error
  }
}

/** One of several processes that only answer requests; the primary has opened, migrated and seeded the database. */
async function startHttpProcess(config: Config, log: Log) {
  const connection: ConnectionSettings = connectionOf(config)
  const app = await createApp({ ...(await httpOptions(config)), connection, log, migrations: await readMigrations() })
  const exit = leaveWith(log, () => undefined, { isSupervised: true })
  exit.on(() => app.close(DRAIN_MS))
  measureProcess(app.metrics)
  serveFromCluster(app.metrics)
  await listen(app, config)
}

async function listen(app: App, { host, port }: Config): Promise<number> {
  await app.server.listen({ host, port })
  return (app.server.server.address() as AddressInfo).port
}

async function httpOptions({ tls, trustProxy, publicUrl }: Config) {
  return {
    ...(tls === null ? {} : { tls: { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) } }),
    ...(publicUrl === null ? {} : { publicUrl }),
    ...(trustProxy === null
      ? {}
      : { trustProxy: typeof trustProxy === 'number' ? (_: string, hop: number) => hop < trustProxy : trustProxy }),
  }
}
