// `cartwright start`: database, migrations, demo shop, server, jobs; and the way back out on a signal or a crash.
// Also what a start prints, and how it reads the TLS certificate.

import cluster from 'node:cluster'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'
import { hashKey, type OpenedMerchant } from '../api/merchants/merchant.ts'
import { findCallerByKeyHash } from '../api/merchants/store.ts'
import { type App, createApp, filesOf } from '../app.ts'
import { type Config, ConfigError } from '../config.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { connectionOf, type OpenedDatabase, openForServer } from '../db/open.ts'
import type { ConnectionSettings } from '../db/pool.ts'
import { keysFile, rememberedDemo, seedDemo } from '../demo/seed.ts'
import { createLog, type Log } from '../http/server/log.ts'
import { measureProcess } from '../http/server/metrics.ts'
import { leaveWhenDismissed, metricsOfAll, supervisor, tellFigures, tellPrimary } from './cluster.ts'
import { leaveWith } from './exit.ts'
import { describeKeys, say, takeNoArguments } from './help.ts'

/** In-flight requests have this long to finish once a stop is asked for. */
const DRAIN_MS = 10_000

export async function start(config: Config, args: readonly string[]): Promise<void> {
  takeNoArguments(args)
  const log = createLog(config.logLevel)
  if (cluster.isWorker) return startHttpProcess(config, log)

  const options = await appOptions(config)
  let database: OpenedDatabase | undefined
  const opening = openForServer(config, (message, level = 'info') => log[level](message))
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
    await migrate(opened.connection, migrations)
    const app = await createApp({ ...options, connection: opened.connection, log, migrations })
    const workers = config.workers > 1 ? supervisor(log) : null
    exit.beforeLeaving(async () => {
      // At the same time: requests and jobs finish side by side, and a stop takes as long as one of them.
      const stopping = workers?.stop(DRAIN_MS)
      await app.close(DRAIN_MS).finally(() => stopping)
    })
    measureProcess(app.metrics)
    const newShop = await seedDemo(app.db, app.clock, config.dataDir, {
      files: filesOf(config),
      publicUrl: config.publicUrl,
    })
    const port = workers === null ? await listen(app, config) : await workers.start(config, app.metrics)
    app.startJobs()
    exit.ready()
    announce(config, port, await workingDemo(app, config), newShop !== null)
  } catch (error) {
    await exit.quietly()
    throw error
  }
}

/** The keys in the data folder are printed only if they open something: the database may have changed since, or be another one. */
async function workingDemo({ db }: App, { dataDir }: Config) {
  const demo = await rememberedDemo(dataDir)
  const isKnown = demo !== null && (await findCallerByKeyHash(db, hashKey(demo.keys.sandbox.secret))) !== null
  return isKnown ? demo : null
}

/** One of several processes that only answer requests; the primary has opened, migrated and seeded the database. */
async function startHttpProcess(config: Config, log: Log) {
  const connection: ConnectionSettings = connectionOf(config)
  const migrations = await readMigrations()
  const app = await createApp({
    ...(await appOptions(config)),
    connection,
    log,
    migrations,
    metricsText: metricsOfAll,
  })
  const exit = leaveWith(log, { isSupervised: true })
  exit.beforeLeaving(() => app.close(DRAIN_MS))
  measureProcess(app.metrics)
  tellFigures(app.metrics)
  leaveWhenDismissed(exit)
  try {
    await listen(app, config)
    exit.ready()
  } catch (error) {
    await exit.quietly()
    if (!(error instanceof ConfigError)) throw error
    // Said once, by the primary, however many processes it happened to.
    tellPrimary(error.message)
  }
}

async function listen(app: App, config: Config): Promise<number> {
  try {
    await app.server.listen({ host: config.host, port: config.port })
  } catch (error) {
    throw new ConfigError(whyNotListening(error as NodeJS.ErrnoException, config), { cause: error })
  }
  return (app.server.server.address() as AddressInfo).port
}

function whyNotListening({ code, message }: NodeJS.ErrnoException, { host, port }: Config): string {
  if (code === 'EADDRINUSE') return `Another program listens on port ${port} already; set PORT to another one.`
  if (code === 'EACCES') return `PORT ${port} may not be used by this user; set PORT to one above 1023.`
  return `HOST must be an address of this machine; it is "${host}" (${message}).`
}

async function appOptions(config: Config) {
  const { trustProxy, publicUrl, publicHosts, dataDir, s3, allowPrivateAddresses, geoipDatabase, mailServer } = config
  const { minFreeDiskMb, retention, clientRequestsPerSecond } = config
  const tls = await readTls(config)
  return {
    dataDir,
    s3,
    allowPrivateAddresses,
    geoDatabase: geoipDatabase,
    findDemoKey: async () => (await rememberedDemo(dataDir))?.keys.sandbox.public ?? null,
    mailServer,
    publicHosts,
    minFreeDiskMb,
    retention,
    clientRequestsPerSecond,
    ...(tls === null ? {} : { tls }),
    ...(publicUrl === null ? {} : { publicUrl }),
    ...(trustProxy === null
      ? {}
      : { trustProxy: typeof trustProxy === 'number' ? (_: string, hop: number) => hop < trustProxy : trustProxy }),
  }
}

// What a start tells the person who typed it: where the service is, the demo shop's keys, and a line to paste.

/** Secrets are said by the start that made them alone: later ones are often read by more than the person who typed the first. */
export function announce(config: Config, port: number, demo: OpenedMerchant | null, isNew: boolean) {
  const url = `${config.tls ? 'https' : 'http'}://${reachable(config.host)}:${port}`
  say(`Cartwright is ready at ${url}`)
  say(`  API reference    ${url}/openapi.json`)
  say(`  health, metrics  ${url}/health/ready  ${url}/metrics`)
  if (demo === null) return say('\nKeys: cartwright keys list. A new shop: cartwright merchant create.')
  say(`  demo storefront  ${url}/storefront/`)
  const file = keysFile(config.dataDir)
  if (isNew) {
    say(`\nDemo shop keys, shown this once (they are kept in ${file}):`)
    for (const line of describeKeys(demo)) say(line)
  } else say(`\nDemo shop: public sandbox key ${demo.keys.sandbox.public}; the others are in ${file}`)
  say('\nTry it:')
  say(`  curl ${config.tls ? '-k ' : ''}-H 'X-Authorization: ${demo.keys.sandbox.public}' ${url}/v1/products\n`)
}

/** An address one can type: "all addresses" is not one. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

// TLS_CERT and TLS_KEY: read and tried before anything else is started, so that a wrong file is one sentence.

export async function readTls({ tls }: Config): Promise<{ cert: Buffer; key: Buffer } | null> {
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
