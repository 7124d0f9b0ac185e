// Composition root: the only place that constructs things. Settings and a database in, a server and its jobs out.

import { setTimeout as pause } from 'node:timers/promises'
import { customerAuthenticator } from './api/customers/login/session.ts'
import { apiSlices as resources } from './api/index.ts'
import { createKeyAuthenticator } from './api/merchants/authenticate.ts'
import { createKeyUseRecorder } from './api/merchants/key-uses.ts'
import type { Slice } from './api/slice.ts'
import { startBackground } from './background.ts'
import { compat, oldEndpoints } from './compat/index.ts'
import { readSdkFile } from './compat/sdk-file.ts'
import { createServices, type ServiceOptions } from './construct.ts'
import { dashboard } from './dashboard/routes.ts'
import { createSessionAuth } from './dashboard/session.ts'
import { type DatabaseOptions, openDatabases } from './db/databases.ts'
import type { Database } from './db/db.ts'
import { describeEvents } from './events/reference.ts'
import { watchFreeSpace } from './files/free-space.ts'
import { openGeo } from './geo/locate.ts'
import { type ApiDescription, openApiDocument } from './http/openapi.ts'
import { createMetrics, type Metrics } from './http/server/metrics.ts'
import { buildServer, type Server, type ServerOptions } from './http/server/server.ts'
import type { Worker } from './jobs/worker.ts'
import { type CredentialKeys, keysInFile } from './keys/credential-keys.ts'
import type { Clock } from './lib/clock.ts'
import { serveNonApiRoutes } from './outside.ts'
import { release } from './release.ts'
import { openRequestLog } from './request-log/writer.ts'
import { compileVersions } from './versions/apply.ts'
import type { Version } from './versions/change.ts'
import { versions as allVersions } from './versions/index.ts'

/** Everything served under /v1, and the background work of the dashboard. */
export const slices: readonly Slice[] = [...resources, oldEndpoints, dashboard]

export type AppOptions = DatabaseOptions &
  ServiceOptions &
  Pick<ServerOptions, 'tls' | 'trustProxy' | 'publicUrl' | 'publicHosts' | 'limits' | 'clientRequestsPerSecond'> & {
    /** A file in MaxMind's format that tells where addresses are. */
    geoDatabase?: string | null
    /** Builds the text of /metrics, for example with the figures of other processes. Default: this process's own. */
    metricsText?: (own: Metrics) => Promise<string>
    /** Keys that encrypt gateway credentials. Default: a key file in the data folder. */
    credentialKeys?: CredentialKeys
    /** The demo shop's public sandbox key, for the example storefront; null where there is none. */
    findDemoKey?: () => Promise<string | null>
    /** Free space on the data disk below which public keys may save nothing. Default: no check. */
    minFreeDiskMb?: number
    /** Shortened by tests, so that due deliveries are found sooner. */
    webhookPollMs?: number
    /** Set by tests. Default: the clock of the database. */
    clock?: Clock
    /** Replaced by tests to add resources and versions of their own. */
    slices?: readonly Slice[]
    versions?: readonly Version[]
  }

export type App = {
  readonly server: Server
  readonly db: Database
  readonly clock: Clock
  readonly metrics: Metrics
  /** Starts the jobs, the completer and the sealing. Stopping the returned worker stops all of them. */
  startJobs(): Worker
  /** Refuses new requests, gives running ones `withinMs` to finish, then closes the database connections. */
  close(withinMs?: number): Promise<void>
}

/** Time that a stop gives database connections that are still in use after the last request. */
const POOL_CLOSE_MS = 1_000

export async function createApp(options: AppOptions): Promise<App> {
  const { log, credentialKeys = keysInFile(options.dataDir) } = options
  const enabledSlices = options.slices ?? slices
  const warn = (error: unknown, message: string) => log.warn({ err: error }, message)
  // Open this first: it may refuse the start, and there is nothing to close yet.
  const geo = await openGeo(options.geoDatabase ?? null, {
    onError: (error) => warn(error, 'the address database cannot be used'),
  })
  // Fail at the start if the key file is unusable, not when the first merchant enters credentials.
  await credentialKeys.list()
  const sdkFile = await readSdkFile()
  const leastBytes = (options.minFreeDiskMb ?? 0) * 1_048_576
  const disk = await watchFreeSpace({ folder: options.dataDir, leastBytes, log })
  const databases = openDatabases(options, (error) => warn(error, 'a database connection was lost'))
  const { db, heartbeat } = databases
  const clock = options.clock ?? heartbeat.clock
  const metrics = createMetrics(db)
  const endpoints = enabledSlices.flatMap((slice) => slice.endpoints)
  const kinds = enabledSlices.flatMap((slice) => slice.kinds)
  const versions = compileVersions({
    versions: options.versions ?? allVersions,
    operations: endpoints.map(({ operation, returns = null, conflict = null }) => ({ operation, returns, conflict })),
    kinds: Object.fromEntries(kinds.map((kind) => [kind.$id, kind])),
  })
  const { services, ports, closeProviders } = await createServices(options, {
    db,
    heartbeat,
    clock,
    disk,
    geo,
    versions,
    credentialKeys,
  })
  const keyUses = createKeyUseRecorder(db, { clock, warn })
  const authenticate = createKeyAuthenticator(db, heartbeat, keyUses.record)
  const requests = openRequests()
  const server = buildServer({
    ...options,
    endpoints,
    kinds,
    metrics,
    requests,
    serving: {
      services,
      versions,
      compat,
      authenticate,
      authenticateCustomer: customerAuthenticator(services, heartbeat),
      sessions: createSessionAuth(services),
    },
  })
  const { metricsText = metrics.text } = options
  serveNonApiRoutes(server, {
    services,
    ports,
    sdkFile,
    findDemoKey: options.findDemoKey ?? (async () => null),
    authenticate,
    version: versions.head,
    metrics: { ...metrics, text: () => metricsText(metrics) },
    isReady: databases.readiness.get,
    openApi: () => openApiDocument(describeApi(enabledSlices, options.versions ?? allVersions)),
  })
  await server.ready()
  // Without this beat, every request of the first second would look up its key. /health/ready reports an outage.
  await heartbeat.beat().catch(() => undefined)

  let worker: Worker | undefined
  let closing: Promise<void> | undefined
  return {
    server,
    db,
    clock,
    metrics,
    startJobs() {
      worker = startBackground({
        slices: enabledSlices,
        services: { ...services, db: databases.background() },
        credentialKeys,
        log,
        webhookPollMs: options.webhookPollMs,
      })
      return worker
    },
    close(withinMs = 10_000) {
      closing ??= close(withinMs)
      return closing
    },
  }

  function openRequests() {
    const { requestLog: mode = 'off' } = options
    if (mode === 'off') return null
    return openRequestLog(databases.openLogPool(), {
      mode,
      kinds: new Map(kinds.map((kind) => [kind.$id, kind])),
      onDropped: metrics.logDropped,
      warn,
    })
  }

  async function close(withinMs: number) {
    disk.stop()
    databases.stopWatching()
    const deadline = setTimeout(() => server.server.closeAllConnections(), withinMs)
    await Promise.all([server.close(), worker?.stop(withinMs - 1_000)])
    clearTimeout(deadline)
    // A handler that outlived its request may still hold a connection. Do not wait for it a second time.
    closeProviders()
    const allClosed = Promise.all([databases.close(keyUses.stop()), requests?.stop(POOL_CLOSE_MS)])
    await Promise.race([allClosed, pause(POOL_CLOSE_MS, undefined, { ref: false })])
  }
}

/** Also used by the script that writes openapi.json. */
export const describeApi = (enabledSlices: readonly Slice[], versions: readonly Version[]): ApiDescription => ({
  endpoints: enabledSlices.flatMap((slice) => slice.endpoints),
  kinds: enabledSlices.flatMap((slice) => slice.kinds),
  release,
  dates: versions.map(({ date }) => date),
  customerToken: 'What customers/exchange-token gives: the session of one customer, for 24 hours.',
  webhooks: describeEvents(),
})
