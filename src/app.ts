// Composition root: the only place that constructs things. Settings and a database in, a server and its jobs out.

import { setTimeout as pause } from 'node:timers/promises'
import { startCompleter } from './api/capture/completer.ts'
import { hastenAttempt } from './api/capture/store.ts'
import { customerAuthenticator } from './api/customers/login/session.ts'
import { apiSlices as resources } from './api/index.ts'
import { createKeyAuthenticator } from './api/merchants/authenticate.ts'
import { createKeyUseRecorder } from './api/merchants/key-uses.ts'
import { configCredentials } from './api/payment-methods/credentials.ts'
import { startSealing } from './api/payment-methods/reseal.ts'
import type { Slice } from './api/slice.ts'
import { startWorkers } from './background.ts'
import { compat, oldEndpoints } from './compat/index.ts'
import { readSdkFile } from './compat/sdk-file.ts'
import { dashboard } from './dashboard/routes.ts'
import { createSessionAuth } from './dashboard/session.ts'
import type { Database } from './db/db.ts'
import { watchGrowth } from './db/growth.ts'
import { HEARTBEAT_CONNECTIONS, startHeartbeat } from './db/heartbeat.ts'
import type { Migration } from './db/migrate.ts'
import { type ConnectionSettings, LOG_CONNECTIONS, openPool, type PoolOptions } from './db/pool.ts'
import { watchReadiness } from './db/readiness.ts'
import { describeEvents } from './events/reference.ts'
import { createFileServices, type FileOptions } from './files/files.ts'
import { watchFreeSpace } from './files/free-space.ts'
import type { GatewayPorts, PaymentGateways } from './gateways/gateway.ts'
import { createAdapters, providers } from './gateways/index.ts'
import { type Breaker, openBreaker } from './gateways/provider/breaker.ts'
import { providerClient } from './gateways/provider/client.ts'
import { openAccountSlots } from './gateways/provider/places.ts'
import { testJournal } from './gateways/sandbox/journal-store.ts'
import { openGeo } from './geo/locate.ts'
import type { Retention, Services } from './http/endpoint/endpoint.ts'
import { type ApiDescription, openApiDocument } from './http/openapi.ts'
import type { Log } from './http/server/log.ts'
import { createMetrics, type Metrics } from './http/server/metrics.ts'
import { buildServer, type Server, type ServerOptions } from './http/server/server.ts'
import type { Worker } from './jobs/worker.ts'
import { type CredentialKeys, keysInFile } from './keys/credential-keys.ts'
import { createCredentials } from './keys/credentials.ts'
import { sessionKeys } from './keys/session-keys.ts'
import { signingSecrets } from './keys/signing.ts'
import type { Clock } from './lib/clock.ts'
import type { Mailer } from './mail/mailer.ts'
import { storeUnsentMail } from './mail/outbox-store.ts'
import type { MailServer } from './mail/smtp.ts'
import { serveNonApiRoutes } from './outside.ts'
import { release } from './release.ts'
import { type LogMode, openRequestLog } from './request-log/writer.ts'
import { compileVersions } from './versions/apply.ts'
import type { Version } from './versions/change.ts'
import { versions as allVersions } from './versions/index.ts'

/** Everything served under /v1, and the background work of the dashboard. */
export const slices: readonly Slice[] = [...resources, oldEndpoints, dashboard]

export type AppOptions = FileOptions &
  Pick<ServerOptions, 'tls' | 'trustProxy' | 'publicUrl' | 'publicHosts' | 'limits' | 'clientRequestsPerSecond'> & {
    connection: ConnectionSettings
    log: Log
    /** A file in MaxMind's format that tells where addresses are. */
    geoDatabase?: string | null
    /** Migrations that the database must have before the service is ready. */
    migrations: readonly Migration[]
    pool?: PoolOptions
    /** Builds the text of /metrics, for example with the figures of other processes. Default: this process's own. */
    metricsText?: (own: Metrics) => Promise<string>
    /**
     * Seconds after which the completer settles a payment that nobody works on any more. A gateway may take two thirds of them to answer.
     */
    captureSettleSeconds?: number
    /** Mail server. Without one, mails are stored and can be read with the sandbox's secret key. */
    mailServer?: MailServer | null
    /** Keys that encrypt gateway credentials. Default: a key file in the data folder. */
    credentialKeys?: CredentialKeys
    /** The demo shop's public sandbox key, for the example storefront; null where there is none. */
    findDemoKey?: () => Promise<string | null>
    /** Free space on the data disk below which public keys may save nothing. Default: no check. */
    minFreeDiskMb?: number
    /** Default: `KEEP_ALL`. */
    retention?: Omit<Retention, 'requestLog'>
    /** Requests to keep in the request log. Default: none. */
    requestLog?: LogMode
    /** Replaced by tests to change how gateways answer. */
    charging?: PaymentGateways['charging']
    /** Replaced by tests to use their own server instead of a provider's. */
    providerAddress?: GatewayPorts['address']
    /** Replaced by tests to wait less for a provider that is down. */
    breaker?: Breaker
    /** Shortened by tests, so that due deliveries are found sooner. */
    webhookPollMs?: number
    /** Set by tests. Default: the clock of the database. */
    clock?: Clock
    /** For tests that inspect the SQL sent: keeps query plans when tables have grown. */
    keepsPlans?: boolean
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

/** A gateway gets two thirds of it: 20 seconds, less than a request's own time limit. */
const CAPTURE_SETTLE_SECONDS = 30

const KEEP_ALL: Omit<Retention, 'requestLog'> = {
  sandboxDays: 0,
  sandboxQuota: 0,
  liveCarts: 0,
  eventDays: 30,
  requestLogDays: 7,
}

/** Jobs may wait long for a connection. With WORKERS, the job process serves no requests, so this pool adds no connections. */
export const BACKGROUND_POOL = { size: 4, waitMs: 30_000 }

/** Time limit of one write to the request log. */
const LOG_STATEMENT_MS = 5_000

/** Default time that a stop gives running jobs. */
const JOBS_STOP_MS = 8_000

/** Time that a stop gives database connections that are still in use after the last request. */
const POOL_CLOSE_MS = 1_000

export async function createApp(options: AppOptions): Promise<App> {
  const { connection, log, versions = allVersions } = options
  const enabledSlices = options.slices ?? slices
  // Open this first: it may refuse the start, and there is nothing to close yet.
  const geo = await openGeo(options.geoDatabase ?? null, {
    onError: (error) => log.warn({ err: error }, 'the address database cannot be used'),
  })
  const { credentialKeys = keysInFile(options.dataDir) } = options
  // Fail at the start if the key file is unusable, not when the first merchant enters credentials.
  await credentialKeys.list()
  const sdkFile = await readSdkFile()
  const disk = await watchFreeSpace({
    folder: options.dataDir,
    leastBytes: (options.minFreeDiskMb ?? 0) * 1_048_576,
    log,
  })
  const onError = (error: Error) => {
    log.warn({ err: error }, 'a database connection was lost')
    readiness.forget()
  }
  const db = openPool(connection, { onError, ...options.pool })
  const auxiliaryDb = openPool(connection, { size: HEARTBEAT_CONNECTIONS, onError, statementTimeoutMs: 1_000 })
  const heartbeat = startHeartbeat(auxiliaryDb)
  let background: Database | undefined
  const growth = options.keepsPlans
    ? null
    : watchGrowth(auxiliaryDb, () => {
        db.forgetPlans()
        background?.forgetPlans()
      })
  const readiness = watchReadiness(db, heartbeat, options.migrations)
  const clock = options.clock ?? heartbeat.clock
  const metrics = createMetrics(db)
  const { metricsText = metrics.text } = options

  const providerHttp = providerClient(`Cartwright/${release}`)
  const ports: GatewayPorts = {
    journal: testJournal(db, clock),
    announce: async (merchant_id, key) => void (await hastenAttempt(db, { merchant_id, id: key }, clock.now())),
    http: providerHttp,
    address: options.providerAddress ?? ((official) => official),
    clock,
  }
  const { captureSettleSeconds = CAPTURE_SETTLE_SECONDS, charging = createAdapters(ports) } = options
  const mailer: Mailer = options.mailServer
    ? (await import('./mail/smtp.ts')).smtpMailer(options.mailServer)
    : { goesOut: false, send: (mail) => storeUnsentMail(db, mail, clock.now()) }
  const credentials = createCredentials(credentialKeys)
  const endpoints = enabledSlices.flatMap((slice) => slice.endpoints)
  const kinds = enabledSlices.flatMap((slice) => slice.kinds)
  const compiled = compileVersions({
    versions,
    operations: endpoints.map(({ operation, returns = null, conflict = null }) => ({ operation, returns, conflict })),
    kinds: Object.fromEntries(kinds.map((kind) => [kind.$id, kind])),
  })
  const { allowPrivateAddresses = false, requestLog: mode = 'off' } = options
  const services: Services = {
    db,
    clock,
    files: createFileServices(options),
    signingSecret: signingSecrets(db, clock),
    geo,
    sessionKeys: sessionKeys(db, clock, heartbeat),
    mailer,
    payments: {
      charging,
      credentials: configCredentials(credentials, log),
      settleAfterMs: captureSettleSeconds * 1_000,
      breaker: options.breaker ?? openBreaker(),
    },
    webhooks: {
      credentials,
      ageKind: compiled.ageKind,
      userAgent: `Cartwright-Webhooks/${release}`,
      hasVersion: compiled.has,
      allowsPrivateAddresses: allowPrivateAddresses,
    },
    publicUrl: options.publicUrl ?? null,
    disk,
    retention: { ...(options.retention ?? KEEP_ALL), requestLog: mode },
  }

  const warn = (error: unknown, message: string) => log.warn({ err: error }, message)
  const keyUses = createKeyUseRecorder(db, { clock, warn })
  const authenticate = createKeyAuthenticator(db, heartbeat, keyUses.record)
  const requests =
    mode === 'off'
      ? null
      : openRequestLog(openPool(connection, { size: LOG_CONNECTIONS, onError, statementTimeoutMs: LOG_STATEMENT_MS }), {
          mode,
          kinds: new Map(kinds.map((kind) => [kind.$id, kind])),
          onDropped: metrics.logDropped,
          warn,
        })
  const server = buildServer({
    ...options,
    endpoints,
    kinds,
    metrics,
    requests,
    serving: {
      services,
      versions: compiled,
      compat,
      authenticate,
      authenticateCustomer: customerAuthenticator(services, heartbeat),
      sessions: createSessionAuth(services),
    },
  })
  serveNonApiRoutes(server, {
    services,
    ports,
    sdkFile,
    findDemoKey: options.findDemoKey ?? (async () => null),
    authenticate,
    version: compiled.head,
    metrics: { ...metrics, text: () => metricsText(metrics) },
    isReady: readiness.get,
    openApi: () => openApiDocument(describeApi(enabledSlices, versions)),
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
      if (!mailer.goesOut)
        log.warn(
          'Live mails are not sent: SMTP_URL is not set. Customers of live shops get no receipts and cannot log in.',
        )
      // A separate pool: requests must not wait behind jobs for a connection.
      background ??= openPool(connection, { onError, ...options.pool, ...BACKGROUND_POOL })
      const completer = startCompleter({ ...services, db: background }, log)
      const sealing = startSealing({ db: background, credentials, keys: credentialKeys }, log)
      const payments = { ...services.payments, accountSlots: openAccountSlots() }
      const jobs = startWorkers(
        enabledSlices,
        { ...services, db: background, payments },
        providers,
        log,
        options.webhookPollMs,
      )
      const tasks = [completer, sealing]
      worker = {
        poke: jobs.poke,
        async stop(waitMs = JOBS_STOP_MS) {
          const tasksStop = Promise.all(tasks.map((each) => each.stop()))
          // Any process later resumes work that they leave unfinished.
          await Promise.all([jobs.stop(waitMs), Promise.race([tasksStop, pause(waitMs, undefined, { ref: false })])])
        },
      }
      return worker
    },
    close(withinMs = 10_000) {
      closing ??= close(withinMs)
      return closing
    },
  }

  async function close(withinMs: number) {
    disk.stop()
    growth?.stop()
    const deadline = setTimeout(() => server.server.closeAllConnections(), withinMs)
    await Promise.all([server.close(), worker?.stop(withinMs - 1_000)])
    clearTimeout(deadline)
    // A handler that outlived its request may still hold a connection. Do not wait for it a second time.
    providerHttp.close()
    const dbClose = keyUses.stop().then(() => db.close())
    const allClosed = Promise.all([heartbeat.stop(), dbClose, background?.close(), requests?.stop(POOL_CLOSE_MS)])
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
