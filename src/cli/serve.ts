// The part of a start that follows when the database is open: the demo shop, the server, the jobs, and what is said when they are there.
// A file of its own so that it can be loaded while PostgreSQL starts: all that answers requests is behind it.

import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { hashKey, type OpenedMerchant } from '../api/merchants/merchant.ts'
import { findCallerByKeyHash } from '../api/merchants/store.ts'
import { type App, createApp } from '../app.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Migration } from '../db/migrate.ts'
import { connectionOf } from '../db/open.ts'
import type { ConnectionSettings } from '../db/pool.ts'
import { demoCheckoutPath, keysFile, rememberedDemo, seedDemo } from '../demo/seed.ts'
import { filesOf } from '../files/files.ts'
import type { Log } from '../http/server/log.ts'
import { measureProcess } from '../http/server/metrics.ts'
import { credentialKeysOf } from '../keys/credential-keys.ts'
import { HEAD } from '../versions/index.ts'
import type { Certificate } from './certificate.ts'
import { leaveWhenDismissed, metricsOfAll, supervisor, tellFigures, tellPrimary } from './cluster.ts'
import { type Exit, leaveWith } from './exit.ts'
import { describeKeys, say } from './help.ts'
import { cannotListen } from './port.ts'
import { progress } from './progress.ts'

type Beginning = {
  readonly config: Config
  readonly tls: Certificate | null
  readonly log: Log
  readonly migrations: readonly Migration[]
}

/** In-flight requests have this long to finish once a stop is asked for. */
const DRAIN_MS = 10_000

/** Resolves when requests are answered and the person who typed the command knows where. */
export async function serve(
  beginning: Beginning & { readonly connection: ConnectionSettings; readonly exit: Exit },
): Promise<void> {
  const { config, log, exit } = beginning
  const app = await createApp(appOptions(beginning, beginning.connection))
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
    version: HEAD,
    onStep: progress.tell,
  })
  const port = workers === null ? await listen(app, config) : await workers.start(config, app.metrics)
  progress.clear()
  letHeapGrow()
  app.startJobs()
  exit.ready()
  announce(config, port, await workingDemo(app, config), newShop !== null)
}

/** As Node does by itself: bin/cartwright.js has kept it small for as long as the code was loaded. */
const letHeapGrow = () => setFlagsFromString('--semi-space-growth-factor=2')

/** The keys in the data folder are printed only if they open something: the database may have changed since, or be another one. */
async function workingDemo({ db }: App, { dataDir }: Config) {
  const demo = await rememberedDemo(dataDir)
  const isKnown = demo !== null && (await findCallerByKeyHash(db, hashKey(demo.keys.sandbox.secret))) !== null
  return isKnown ? demo : null
}

/** One of several processes that only answer requests; the primary has opened, migrated and seeded the database. */
export async function serveAsWorker(beginning: Beginning): Promise<void> {
  const { config, log } = beginning
  const app = await createApp({ ...appOptions(beginning, connectionOf(config)), metricsText: metricsOfAll })
  const exit = leaveWith(log, { isSupervised: true })
  exit.beforeLeaving(() => app.close(DRAIN_MS))
  measureProcess(app.metrics)
  tellFigures(app.metrics)
  leaveWhenDismissed(exit)
  try {
    await listen(app, config)
    letHeapGrow()
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
    throw cannotListen(error as NodeJS.ErrnoException, config)
  }
  return (app.server.server.address() as AddressInfo).port
}

function appOptions({ config, tls, log, migrations }: Beginning, connection: ConnectionSettings) {
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
    findDemoKey: async () => (await rememberedDemo(dataDir))?.keys.sandbox.public ?? null,
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

// What a start tells the person who typed it: where the service is, the demo shop's keys, and a line to paste.

/** Secrets are said by the start that made them alone: later ones are often read by more than the person who typed the first. */
function announce(config: Config, port: number, demo: OpenedMerchant | null, isNew: boolean) {
  const url = `${config.tls ? 'https' : 'http'}://${reachable(config.host)}:${port}`
  say(`Cartwright is ready at ${url}`)
  say(`  dashboard        ${url}/dashboard`)
  say(`  API reference    ${url}/openapi.json`)
  say(`  health, metrics  ${url}/health/ready  ${url}/metrics`)
  if (demo === null) return say('\nKeys: cartwright keys list. A new shop: cartwright merchant create.')
  say(`  demo storefront  ${url}/storefront/`)
  say(`  checkout page    ${url}${demoCheckoutPath(demo)}`)
  const file = keysFile(config.dataDir)
  if (isNew) {
    say(`\nDemo shop keys, shown this once (they are kept in ${file}):`)
    for (const line of describeKeys(demo)) say(line)
  } else
    say(
      `\nDemo shop: public sandbox key ${demo.keys.sandbox.public}; the others and the dashboard's password are in ${file}`,
    )
  say('\nTry it:')
  say(`  curl ${config.tls ? '-k ' : ''}-H 'X-Authorization: ${demo.keys.sandbox.public}' ${url}/v1/products\n`)
}

/** An address one can type: "all addresses" is not one. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
