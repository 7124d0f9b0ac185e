// Composition root: the only place that constructs things. Settings and a database in, a server and its jobs out.

import { setTimeout as pause } from 'node:timers/promises'
import { startCompleter } from './api/capture/completer.ts'
import { hastenAttempt } from './api/capture/store.ts'
import { customerAuthenticator } from './api/customers/login/session.ts'
import { slices as resources } from './api/index.ts'
import { keyAuthenticator } from './api/merchants/authenticate.ts'
import { gatherKeyUses } from './api/merchants/key-uses.ts'
import { configCredentials } from './api/payment-methods/credentials.ts'
import { startSealing } from './api/payment-methods/reseal.ts'
import type { Slice } from './api/slice.ts'
import { startWorkers } from './background.ts'
import { compat, oldEndpoints } from './compat/index.ts'
import { readSdkFile } from './compat/sdk-file.ts'
import { dashboard } from './dashboard/routes.ts'
import { sessionsWith } from './dashboard/session.ts'
import type { Database } from './db/db.ts'
import { watchGrowth } from './db/growth.ts'
import { HEARTBEAT_CONNECTIONS, startHeartbeat } from './db/heartbeat.ts'
import type { Migration } from './db/migrate.ts'
import { type ConnectionSettings, LOG_CONNECTIONS, openPool, type PoolOptions } from './db/pool.ts'
import { watchReadiness } from './db/readiness.ts'
import { describeEvents } from './events/reference.ts'
import { type FileOptions, filesOf } from './files/files.ts'
import { watchFreeSpace } from './files/free-space.ts'
import type { GatewayPorts, Payments } from './gateways/gateway.ts'
import { chargingWith, providers } from './gateways/index.ts'
import { type Breaker, openBreaker } from './gateways/provider/breaker.ts'
import { providerClient } from './gateways/provider/client.ts'
import { openAccountPlaces } from './gateways/provider/places.ts'
import { testJournal } from './gateways/sandbox/journal-store.ts'
import { openGeo } from './geo/locate.ts'
import type { Retention, Services } from './http/endpoint/endpoint.ts'
import { type ApiDescription, openApiDocument } from './http/openapi.ts'
import type { Log } from './http/server/log.ts'
import { createMetrics, type Metrics } from './http/server/metrics.ts'
import { buildServer, type Server, type ServerOptions } from './http/server/server.ts'
import type { Worker } from './jobs/worker.ts'
import { type CredentialKeys, keysInFile } from './keys/credential-keys.ts'
import { credentialsWith } from './keys/credentials.ts'
import { sessionKeys } from './keys/session-keys.ts'
import { signingSecrets } from './keys/signing.ts'
import type { Clock } from './lib/clock.ts'
import type { Mailer } from './mail/mailer.ts'
import { keepMail } from './mail/outbox-store.ts'
import type { MailServer } from './mail/smtp.ts'
import { serveOutside } from './outside.ts'
import { release } from './release.ts'
import { type LogMode, openRequestLog } from './request-log/writer.ts'
import { compileVersions } from './versions/apply.ts'
import type { Version } from './versions/change.ts'
import { versions as allVersions } from './versions/index.ts'

/** All that is served under /v1, and what the dashboard has done in the background. */
export const slices: readonly Slice[] = [...resources, oldEndpoints, dashboard]

export type AppOptions = FileOptions &
  Pick<ServerOptions, 'tls' | 'trustProxy' | 'publicUrl' | 'publicHosts' | 'limits' | 'clientRequestsPerSecond'> & {
    connection: ConnectionSettings
    log: Log
    /** A file in MaxMind's format that tells where addresses are. */
    geoDatabase?: string | null
    /** What the database must have to be ready. */
    migrations: readonly Migration[]
    pool?: PoolOptions
    /** What /metrics answers, where this process's own figures are not all there is to tell. */
    metricsText?: (own: Metrics) => Promise<string>
    /** After how long the completer settles a payment that nobody is at any more. A gateway has two thirds of it to answer. */
    captureSettleSeconds?: number
    /** Through which mails go out; without one they are kept, to be read with the sandbox's secret key. */
    mailServer?: MailServer | null
    /** What seals the credentials of payment gateways. Unless given, a file in the data folder. */
    credentialKeys?: CredentialKeys
    /** The demo shop's public sandbox key, for the example storefront; null where there is none. */
    findDemoKey?: () => Promise<string | null>
    /** Free space of the data folder's disk below which strangers save nothing more. Unless given, it is not looked at. */
    minFreeDiskMb?: number
    /** Unless given, everything is kept. */
    retention?: Omit<Retention, 'requestLog'>
    /** Which requests are kept for whoever builds on the API: none, unless given. */
    requestLog?: LogMode
    /** Tests change how gateways answer, */
    charging?: Payments['charging']
    /** or have a server of their own in a provider's place. */
    providerAddress?: GatewayPorts['address']
    /** Tests do not wait as long as shops do for a provider that is down. */
    breaker?: Breaker
    /** Tests do not wait as long until what is due is looked for. */
    webhookPollMs?: number
    /** Tests set the clock; otherwise it is the database's. */
    clock?: Clock
    /** For tests that look at what is sent: plans are not made anew when tables have grown. */
    keepsPlans?: boolean
    /** Tests add resources and versions of their own. */
    slices?: readonly Slice[]
    versions?: readonly Version[]
  }

export type App = {
  readonly server: Server
  readonly db: Database
  readonly clock: Clock
  readonly metrics: Metrics
  /** The jobs, the completer and the sealing: all of it ends with the worker's stop. */
  startJobs(): Worker
  /** Refuses new requests, lets those in flight finish for at most `withinMs`, then lets go of the database. */
  close(withinMs?: number): Promise<void>
}

/** The gateway's part of it, 20 seconds, is shorter than the time that a request has. */
const CAPTURE_SETTLE_SECONDS = 30

const KEEP_ALL: Omit<Retention, 'requestLog'> = {
  sandboxDays: 0,
  sandboxQuota: 0,
  liveCarts: 0,
  eventDays: 30,
  requestLogDays: 7,
}

/** Jobs have the time to wait for one another. With WORKERS the process that has them serves no requests, so they add no connections. */
export const BACKGROUND = { size: 4, waitMs: 30_000 }

/** How long the request log may write at a time. */
const LOG_STATEMENT_MS = 5_000

/** How long a stop waits for jobs that run, unless told. */
const STOPPING_MS = 8_000

/** How long a stop waits for connections to the database that are still in use after the requests have ended. */
const LETTING_GO_MS = 1_000

export async function createApp(options: AppOptions): Promise<App> {
  const { connection, log, versions = allVersions } = options
  const served = options.slices ?? slices
  // First: it may refuse the start, and there is nothing yet to let go of.
  const geo = await openGeo(options.geoDatabase ?? null, {
    onError: (error) => log.warn({ err: error }, 'the address database cannot be used'),
  })
  const { credentialKeys = keysInFile(options.dataDir) } = options
  // A file that cannot be used stops the start, and not the first merchant who enters credentials.
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
  const aside = openPool(connection, { size: HEARTBEAT_CONNECTIONS, onError, statementTimeoutMs: 1_000 })
  const heartbeat = startHeartbeat(aside)
  let background: Database | undefined
  const growth = options.keepsPlans
    ? null
    : watchGrowth(aside, () => {
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
    announce: async (merchantId, key) =>
      void (await hastenAttempt(db, { merchant_id: merchantId, id: key }, clock.now())),
    http: providerHttp,
    address: options.providerAddress ?? ((official) => official),
    clock,
  }
  const { captureSettleSeconds = CAPTURE_SETTLE_SECONDS, charging = chargingWith(ports) } = options
  const mailer: Mailer = options.mailServer
    ? (await import('./mail/smtp.ts')).smtpMailer(options.mailServer)
    : { goesOut: false, send: (mail) => keepMail(db, mail, clock.now()) }
  const credentials = credentialsWith(credentialKeys)
  const endpoints = served.flatMap((slice) => slice.endpoints)
  const kinds = served.flatMap((slice) => slice.kinds)
  const compiled = compileVersions({
    versions,
    operations: endpoints.map(({ operation, returns = null, conflict = null }) => ({ operation, returns, conflict })),
    kinds: Object.fromEntries(kinds.map((kind) => [kind.$id, kind])),
  })
  const { allowPrivateAddresses = false, requestLog: mode = 'off' } = options
  const services: Services = {
    db,
    clock,
    files: filesOf(options),
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
  const keyUses = gatherKeyUses(db, { clock, warn })
  const authenticate = keyAuthenticator(db, heartbeat, keyUses.note)
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
      sessions: sessionsWith(services),
    },
  })
  serveOutside(server, {
    services,
    ports,
    sdkFile,
    findDemoKey: options.findDemoKey ?? (async () => null),
    authenticate,
    version: compiled.head,
    metrics: { ...metrics, text: () => metricsText(metrics) },
    isReady: readiness.ask,
    openApi: () => openApiDocument(apiDescription(served, versions)),
  })
  await server.ready()
  // Without it the first second's requests would each look their key up; an outage here is /health/ready's to tell.
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
      // Not the requests' own: a request would wait behind what nobody waits for.
      background ??= openPool(connection, { onError, ...options.pool, ...BACKGROUND })
      const completer = startCompleter({ ...services, db: background }, log)
      const sealing = startSealing({ db: background, credentials, keys: credentialKeys }, log)
      const payments = { ...services.payments, accountPlaces: openAccountPlaces() }
      const jobs = startWorkers(
        served,
        { ...services, db: background, payments },
        providers,
        log,
        options.webhookPollMs,
      )
      const started = [completer, sealing]
      worker = {
        poke: jobs.poke,
        async stop(waitMs = STOPPING_MS) {
          const ending = Promise.all(started.map((each) => each.stop()))
          // Work that they leave unfinished is picked up again by any process.
          await Promise.all([jobs.stop(waitMs), Promise.race([ending, pause(waitMs, undefined, { ref: false })])])
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
    // A handler that outlived its request may still hold a connection; it is not waited for a second time.
    providerHttp.close()
    const ending = keyUses.stop().then(() => db.close())
    const lettingGo = Promise.all([heartbeat.stop(), ending, background?.close(), requests?.stop(LETTING_GO_MS)])
    await Promise.race([lettingGo, pause(LETTING_GO_MS, undefined, { ref: false })])
  }
}

/** Also for the script that writes openapi.json. */
export const apiDescription = (served: readonly Slice[], versions: readonly Version[]): ApiDescription => ({
  endpoints: served.flatMap((slice) => slice.endpoints),
  kinds: served.flatMap((slice) => slice.kinds),
  release,
  dates: versions.map(({ date }) => date),
  customerToken: 'What customers/exchange-token gives: the session of one customer, for 24 hours.',
  webhooks: describeEvents(),
})
