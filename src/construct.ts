// Builds the services that handlers and jobs use: files, mails, payments, keys, webhooks.

import { hastenAttempt } from './api/capture/store.ts'
import { configCredentials } from './api/payment-methods/credentials.ts'
import type { Databases } from './db/databases.ts'
import { createFileServices, type FileOptions } from './files/files.ts'
import type { GatewayPorts, PaymentGateways } from './gateways/gateway.ts'
import { createAdapters } from './gateways/index.ts'
import { type Breaker, openBreaker } from './gateways/provider/breaker.ts'
import { providerClient } from './gateways/provider/client.ts'
import { testJournal } from './gateways/sandbox/journal-store.ts'
import type { Disk, Retention, Services } from './http/endpoint/endpoint.ts'
import type { Log } from './http/server/log.ts'
import type { CredentialKeys } from './keys/credential-keys.ts'
import { createCredentials } from './keys/credentials.ts'
import { sessionKeys } from './keys/session-keys.ts'
import { signingSecrets } from './keys/signing.ts'
import type { Clock } from './lib/clock.ts'
import type { Mailer } from './mail/mailer.ts'
import { storeUnsentMail } from './mail/outbox-store.ts'
import type { MailServer } from './mail/smtp.ts'
import { release } from './release.ts'
import type { LogMode } from './request-log/writer.ts'
import type { Versions } from './versions/apply.ts'

export type ServiceOptions = FileOptions & {
  log: Log
  publicUrl?: string | null
  /**
   * Seconds after which the completer settles a payment that nobody works on any more. A gateway may take two thirds of them to answer.
   */
  captureSettleSeconds?: number
  /** Mail server. Without one, mails are stored and can be read with the sandbox's secret key. */
  mailServer?: MailServer | null
  /** Default: `KEEP_ALL`. */
  retention?: Omit<Retention, 'requestLog'>
  /** Requests to keep in the request log. Default: none. */
  requestLog?: LogMode
  /** Replaced by tests to change how gateways answer. */
  findAdapter?: PaymentGateways['findAdapter']
  /** Replaced by tests to use their own server instead of a provider's. */
  providerAddress?: GatewayPorts['address']
  /** Replaced by tests to wait less for a provider that is down. */
  breaker?: Breaker
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

type Parts = Pick<Databases, 'db' | 'heartbeat'> &
  Pick<Services, 'geo'> & {
    readonly clock: Clock
    readonly disk: Disk
    readonly versions: Versions
    readonly credentialKeys: CredentialKeys
  }

export async function createServices(
  options: ServiceOptions,
  { db, heartbeat, clock, disk, geo, versions, credentialKeys }: Parts,
): Promise<{ services: Services; ports: GatewayPorts; closeProviders(): void }> {
  const { log, captureSettleSeconds = CAPTURE_SETTLE_SECONDS, allowPrivateAddresses = false } = options
  const providerHttp = providerClient(`Cartwright/${release}`)
  const ports: GatewayPorts = {
    journal: testJournal(db, clock),
    announce: async (merchant_id, key) => void (await hastenAttempt(db, { merchant_id, id: key }, clock.now())),
    http: providerHttp,
    address: options.providerAddress ?? ((official) => official),
    clock,
  }
  const mailer: Mailer = options.mailServer
    ? (await import('./mail/smtp.ts')).smtpMailer(options.mailServer)
    : { goesOut: false, send: (mail) => storeUnsentMail(db, mail, clock.now()) }
  const credentials = createCredentials(credentialKeys)
  const services: Services = {
    db,
    clock,
    files: createFileServices(options),
    signingSecret: signingSecrets(db, clock),
    geo,
    sessionKeys: sessionKeys(db, clock, heartbeat),
    mailer,
    payments: {
      findAdapter: options.findAdapter ?? createAdapters(ports),
      credentials: configCredentials(credentials, log),
      settleAfterMs: captureSettleSeconds * 1_000,
      breaker: options.breaker ?? openBreaker(),
    },
    webhooks: {
      credentials,
      ageKind: versions.ageKind,
      userAgent: `Cartwright-Webhooks/${release}`,
      hasVersion: versions.has,
      allowsPrivateAddresses: allowPrivateAddresses,
    },
    publicUrl: options.publicUrl ?? null,
    disk,
    retention: { ...(options.retention ?? KEEP_ALL), requestLog: options.requestLog ?? 'off' },
  }
  return { services, ports, closeProviders: () => providerHttp.close() }
}
