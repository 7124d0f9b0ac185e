// The steps of a start after the database is open: the demo shop, the server, the jobs and the final message. They have their own file, so
// that the server code can load while PostgreSQL starts.

import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { type CreatedMerchant, hashKey } from '../api/merchants/merchant.ts'
import { findCallerByKeyHash } from '../api/merchants/store.ts'
import { type App, createApp } from '../app.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Migration } from '../db/migrate.ts'
import { connectionOf } from '../db/open.ts'
import type { ConnectionSettings } from '../db/pool.ts'
import { demoCheckoutPath, keysFile, readDemoKeys, seedDemo } from '../demo/seed.ts'
import { createFileServices } from '../files/files.ts'
import type { Log } from '../http/server/log.ts'
import { measureProcess } from '../http/server/metrics.ts'
import { credentialKeysOf } from '../keys/credential-keys.ts'
import { HEAD } from '../versions/index.ts'
import type { Certificate } from './certificate.ts'
import {
  collectAllMetrics,
  createSupervisor,
  leaveOnRequest,
  reportFailureToPrimary,
  reportFigures,
} from './cluster.ts'
import { type Exit, installExitHandlers } from './exit.ts'
import { describeKeys, printLine } from './help.ts'
import { listenError } from './port.ts'
import { progress } from './progress.ts'

type StartContext = {
  readonly config: Config
  readonly tls: Certificate | null
  readonly log: Log
  readonly migrations: readonly Migration[]
}

/** Time that running requests get to finish after a stop. */
const DRAIN_MS = 10_000

/** Resolves when requests are answered and the operator was told the address. */
export async function serve(
  context: StartContext & { readonly connection: ConnectionSettings; readonly exit: Exit },
): Promise<void> {
  const { config, log, exit } = context
  const app = await createApp(appOptions(context, context.connection))
  const workers = config.workers > 1 ? createSupervisor(log) : null
  exit.addExitStep(async () => {
    // In parallel: a stop then takes only as long as the slower of requests and jobs.
    const stopping = workers?.stop(DRAIN_MS)
    await app.close(DRAIN_MS).finally(() => stopping)
  })
  measureProcess(app.metrics)
  const newShop = await seedDemo(app.db, app.clock, config.dataDir, {
    files: createFileServices(config),
    publicUrl: config.publicUrl,
    version: HEAD,
    onStep: progress.show,
  })
  const port = workers === null ? await listen(app, config) : await workers.start(config, app.metrics)
  progress.clear()
  restoreHeapGrowth()
  app.startJobs()
  exit.ready()
  printReady(config, port, await findWorkingDemo(app, config), newShop !== null)
}

/** Restores Node's default: bin/cartwright.js keeps the growth small while the code loads. */
const restoreHeapGrowth = () => setFlagsFromString('--semi-space-growth-factor=2')

/** Returns the keys in the data folder only if they work. The database may have changed since, or be another one. */
async function findWorkingDemo({ db }: App, { dataDir }: Config) {
  const demo = await readDemoKeys(dataDir)
  const isWorking = demo !== null && (await findCallerByKeyHash(db, hashKey(demo.keys.sandbox.secret))) !== null
  return isWorking ? demo : null
}

/** Runs one of several processes that only answer requests. The primary has opened, migrated and seeded the database. */
export async function serveAsWorker(context: StartContext): Promise<void> {
  const { config, log } = context
  const app = await createApp({ ...appOptions(context, connectionOf(config)), metricsText: collectAllMetrics })
  const exit = installExitHandlers(log, { isSupervised: true })
  exit.addExitStep(() => app.close(DRAIN_MS))
  measureProcess(app.metrics)
  reportFigures(app.metrics)
  leaveOnRequest(exit)
  try {
    await listen(app, config)
    restoreHeapGrowth()
    exit.ready()
  } catch (error) {
    await exit.undoSteps()
    if (!(error instanceof ConfigError)) throw error
    // The primary reports it once, however many processes fail.
    reportFailureToPrimary(error.message)
  }
}

async function listen(app: App, config: Config): Promise<number> {
  try {
    await app.server.listen({ host: config.host, port: config.port })
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, config)
  }
  return (app.server.server.address() as AddressInfo).port
}

function appOptions({ config, tls, log, migrations }: StartContext, connection: ConnectionSettings) {
  const { trustProxy, publicUrl, publicHosts, dataDir, s3, allowPrivateAddresses, geoipDatabase, mailServer } = config
  const { minFreeDiskMb, retention, clientRequestsPerSecond, requestLog } = config
  return {
    connection,
    log,
    migrations,
    dataDir,
    s3,
    allowPrivateAddresses,
    geoDatabase: geoipDatabase,
    findDemoKey: async () => (await readDemoKeys(dataDir))?.keys.sandbox.public ?? null,
    credentialKeys: credentialKeysOf(config),
    mailServer,
    publicHosts,
    minFreeDiskMb,
    retention,
    clientRequestsPerSecond,
    requestLog,
    ...(tls === null ? {} : { tls }),
    ...(publicUrl === null ? {} : { publicUrl }),
    ...(trustProxy === null
      ? {}
      : { trustProxy: typeof trustProxy === 'number' ? (_: string, hop: number) => hop < trustProxy : trustProxy }),
  }
}

// The output of a start for the operator: the address, the demo shop's keys and a line to paste.

/** Prints secrets only in the start that created them: later output is often read by more people. */
function printReady(config: Config, port: number, demo: CreatedMerchant | null, isNew: boolean) {
  const url = `${config.tls ? 'https' : 'http'}://${toTypableHost(config.host)}:${port}`
  printLine(`Cartwright is ready at ${url}`)
  printLine(`  dashboard        ${url}/dashboard`)
  printLine(`  API reference    ${url}/openapi.json`)
  printLine(`  health, metrics  ${url}/health/ready  ${url}/metrics`)
  if (demo === null) return printLine('\nKeys: cartwright keys list. A new shop: cartwright merchant create.')
  printLine(`  demo storefront  ${url}/storefront/`)
  printLine(`  checkout page    ${url}${demoCheckoutPath(demo)}`)
  const file = keysFile(config.dataDir)
  if (isNew) {
    printLine(`\nDemo shop keys, shown this once (they are kept in ${file}):`)
    for (const line of describeKeys(demo)) printLine(line)
  } else
    printLine(
      `\nDemo shop: public sandbox key ${demo.keys.sandbox.public}; the others and the dashboard's password are in ${file}`,
    )
  printLine('\nTry it:')
  printLine(`  curl ${config.tls ? '-k ' : ''}-H 'X-Authorization: ${demo.keys.sandbox.public}' ${url}/v1/products\n`)
}

/** An address that one can type, which "all addresses" is not. */
function toTypableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
