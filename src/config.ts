// Reads the environment into typed settings and checks them once at start. settings.ts describes them for `cartwright help`.

import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseCredentialKeys } from './lib/credentials/keys.ts'
import { hostText, parseUrl, readHost } from './lib/url.ts'

/** A setting with an unusable value. The message is one sentence that names the setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly isForOperator = true
}

export type Config = {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  readonly databaseUrl: string | null
  /** Keys that encrypt gateway credentials: the first encrypts, all of them decrypt. Null without the setting. */
  readonly credentialsKeys: readonly Uint8Array[] | null
  readonly publicUrl: string | null
  /** Our own hosts besides that of `publicUrl`. */
  readonly publicHosts: readonly string[]
  readonly trustProxy: string[] | number | null
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly mailServer: MailServerConfig | null
  readonly s3: S3Config | null
  readonly allowPrivateAddresses: boolean
  readonly geoipDatabase: string | null
  readonly clientRequestsPerSecond: number
  readonly logLevel: LogLevel
  /** Requests to keep in the request log. */
  readonly requestLog: RequestLogMode
  readonly workers: number
  readonly minFreeDiskMb: number
  /** Address and key of the service that commands call, if it is not the one on this machine. */
  readonly command: { readonly api: string | null; readonly key: string | null }
  readonly retention: {
    readonly sandboxDays: number
    readonly sandboxQuota: number
    readonly liveCarts: number
    /** Events and deliveries to webhooks. */
    readonly eventDays: number
    readonly requestLogDays: number
  }
}

type MailServerConfig = {
  readonly url: string
  /** The address that mails come from. */
  readonly from: string
}

type S3Config = {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

const REQUEST_LOG_MODES = ['all', 'writes', 'errors', 'off'] as const
type RequestLogMode = (typeof REQUEST_LOG_MODES)[number]

type Environment = Readonly<Record<string, string | undefined>>

export function readConfig(environment: Environment): Config {
  const text = (name: string): string | null => environment[name]?.trim() || null
  const publicUrl = publicOrigin(text('PUBLIC_URL'))
  return {
    port: wholeNumber('PORT', text('PORT') ?? '4000', 0, 65_535),
    host: host(text('HOST') ?? '127.0.0.1'),
    dataDir: resolve(text('DATA_DIR') ?? './data'),
    databaseUrl: url('DATABASE_URL', text('DATABASE_URL'), ['postgres:', 'postgresql:'], true),
    credentialsKeys: credentialsKeys(text('CREDENTIALS_KEY')),
    publicUrl,
    publicHosts: publicHosts(text('PUBLIC_HOSTS')),
    trustProxy: proxies(text('TRUST_PROXY')),
    tls: together('TLS_CERT', text('TLS_CERT'), 'TLS_KEY', text('TLS_KEY')),
    mailServer: mailServer(
      url('SMTP_URL', text('SMTP_URL'), ['smtp:', 'smtps:']),
      address('MAIL_FROM', text('MAIL_FROM')),
      publicUrl,
    ),
    s3: s3(text),
    allowPrivateAddresses: flag('ALLOW_PRIVATE_ADDRESSES', text('ALLOW_PRIVATE_ADDRESSES') ?? 'false'),
    geoipDatabase: path(text('GEOIP_DATABASE')),
    clientRequestsPerSecond: wholeNumber(
      'CLIENT_REQUESTS_PER_SECOND',
      text('CLIENT_REQUESTS_PER_SECOND') ?? '300',
      0,
      1_000_000,
    ),
    logLevel: choice('LOG_LEVEL', text('LOG_LEVEL') ?? 'info', LOG_LEVELS),
    requestLog: choice('REQUEST_LOG', text('REQUEST_LOG') ?? 'all', REQUEST_LOG_MODES),
    workers: wholeNumber('WORKERS', text('WORKERS') ?? '1', 1, 64),
    command: { api: text('CARTWRIGHT_API'), key: text('CARTWRIGHT_KEY') },
    minFreeDiskMb: wholeNumber('MIN_FREE_DISK_MB', text('MIN_FREE_DISK_MB') ?? '200', 0, 100_000_000),
    retention: {
      sandboxDays: wholeNumber('SANDBOX_DAYS', text('SANDBOX_DAYS') ?? '90', 0, 36_500),
      sandboxQuota: wholeNumber('SANDBOX_QUOTA', text('SANDBOX_QUOTA') ?? '10000', 0, 100_000_000),
      liveCarts: wholeNumber('LIVE_CARTS', text('LIVE_CARTS') ?? '1000000', 0, 100_000_000),
      eventDays: wholeNumber('EVENT_DAYS', text('EVENT_DAYS') ?? '30', 1, 3_650),
      requestLogDays: wholeNumber('REQUEST_LOG_DAYS', text('REQUEST_LOG_DAYS') ?? '7', 1, 365),
    },
  }
}

/** The error does not repeat the value: it is a secret. */
function credentialsKeys(value: string | null): Uint8Array[] | null {
  const keys = value === null ? null : parseCredentialKeys(value)
  if (value === null || keys !== null) return keys
  throw new ConfigError(
    'CREDENTIALS_KEY must be 32 bytes in base64 or hex, such as openssl rand -base64 32 prints; separate several keys with commas.',
  )
}

const path = (value: string | null): string | null => (value === null ? null : resolve(value))

function wholeNumber(name: string, value: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  throw new ConfigError(`${name} must be a whole number from ${least} to ${most}; it is "${value}".`)
}

/** Letters, digits and dashes between dots; where the last part is a number it would be an IP address. */
const HOST_NAME = /^(?!(?:.*\.)?\d+$)[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i

function host(value: string): string {
  if (isIP(value) > 0 || (value.length < 254 && HOST_NAME.test(value))) return value
  throw new ConfigError(`HOST must be an IP address or the name of this machine; it is "${value}".`)
}

/** The error does not repeat the value: it may hold a password. */
function url(name: string, value: string | null, protocols: readonly string[], hostOptional = false): string | null {
  if (value === null) return null
  const forms = protocols.map((protocol) => `${protocol}//…`).join(' or ')
  const complaint = new ConfigError(`${name} must be an address of the form ${forms}.`)
  if (!protocols.some((protocol) => value.toLowerCase().startsWith(`${protocol}//`))) throw complaint
  // node-postgres accepts an empty host (postgres://user@/name?host=/folder), which the URL class does not.
  const checked = hostOptional ? value.replace(/^(\w+:\/\/(?:[^/?#]*@)?)(?=[/?])/, '$1localhost') : value
  if ((parseUrl(checked)?.hostname ?? '') === '') throw complaint
  return value
}

/** Files, downloads and pages have fixed paths, so a URL with a path would not lead to them. The value may hold a password. */
function publicOrigin(value: string | null): string | null {
  const checked = url('PUBLIC_URL', value, ['http:', 'https:'])
  if (checked === null) return null
  const { origin, host, pathname } = new URL(checked)
  if (pathname === '/' && !/[?#@]/.test(checked) && readHost(host) !== null) return origin
  throw new ConfigError(
    'PUBLIC_URL must be only a scheme and a host, such as https://api.shop.example, without a user, path, query or fragment.',
  )
}

function publicHosts(value: string | null): string[] {
  if (value === null) return []
  const hosts = value.split(',').map((text) => readHost(text.trim()))
  if (hosts.every((host) => host !== null)) return hosts.map(hostText)
  throw new ConfigError(
    `PUBLIC_HOSTS must be host names, with or without a port, separated by commas, such as api.shop.example,shop.example:8443; it is "${value}".`,
  )
}

const ADDRESS = /^[a-z\d!#$%&'*+/=?^_`{|}~-][a-z\d!#$%&'*+/=?^_`{|}~.-]{0,63}@([^@]{1,189})$/i

/** An e-mail address at a domain with a dot; mail servers refuse all others. */
const isAddress = (value: string): boolean => {
  const domain = ADDRESS.exec(value)?.[1]
  return domain?.includes('.') === true && HOST_NAME.test(domain) && !/\.\.|\.@/.test(value)
}

function address(name: string, value: string | null): string | null {
  if (value === null || isAddress(value)) return value
  throw new ConfigError(`${name} must be an e-mail address such as shop@example.com; it is "${value}".`)
}

function mailServer(server: string | null, from: string | null, publicUrl: string | null): MailServerConfig | null {
  if (server === null) return null
  const user = mailUser(server)
  const fallback = publicUrl === null ? '' : `noreply@${new URL(publicUrl).hostname}`
  const sender = from ?? [user, fallback].find(isAddress)
  if (sender !== undefined) return { url: server, from: sender }
  throw new ConfigError('MAIL_FROM must be set to the address that mails come from, such as shop@example.com.')
}

function mailUser(server: string): string {
  const { username, password } = new URL(server)
  try {
    decodeURIComponent(password)
    return decodeURIComponent(username)
  } catch {
    // Fail at the start, not with every mail.
    throw new ConfigError('SMTP_URL must have its user and password percent-encoded: % is written as %25.')
  }
}

function proxies(value: string | null): string[] | number | null {
  if (value === null) return null
  if (/^\d{1,3}$/.test(value)) return Number(value) === 0 ? null : Number(value)
  const addresses = value.split(',').map((address) => address.trim())
  if (addresses.every(isProxyAddress)) return addresses
  throw new ConfigError(
    `TRUST_PROXY must be the number of proxies in front, or their addresses separated by commas; it is "${value}".`,
  )
}

function isProxyAddress(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [, address = '', bits = '1'] = /^(.+?)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family > 0 && Number(bits) > 0 && Number(bits) <= (family === 4 ? 32 : 128)
}

function together(certName: string, certFile: string | null, keyName: string, keyFile: string | null) {
  if (certFile !== null && keyFile !== null) return { certFile, keyFile }
  if (certFile === null && keyFile === null) return null
  throw new ConfigError(
    `${certName} and ${keyName} must be set together; ${certFile === null ? certName : keyName} is missing.`,
  )
}

function s3(text: (name: string) => string | null): S3Config | null {
  const names = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
  const values = names.map(text)
  if (values.every((value) => value === null)) return null
  const missing = names.filter((_, index) => values[index] === null)
  if (missing.length > 0)
    throw new ConfigError(`${names.join(', ')} must be set together; ${missing.join(', ')} is missing.`)
  url('S3_ENDPOINT', text('S3_ENDPOINT'), ['http:', 'https:'])
  const [endpoint, bucket, region, accessKeyId, secretAccessKey] = values as [string, string, string, string, string]
  return { endpoint, bucket, region, accessKeyId, secretAccessKey }
}

function flag(name: string, value: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(value.toLowerCase())) return true
  if (['false', '0', 'no', 'off'].includes(value.toLowerCase())) return false
  throw new ConfigError(`${name} must be true or false; it is "${value}".`)
}

function choice<const Values extends readonly string[]>(name: string, value: string, values: Values): Values[number] {
  const match = values.find((candidate) => candidate === value.toLowerCase())
  if (match !== undefined) return match
  throw new ConfigError(`${name} must be one of ${values.join(', ')}; it is "${value}".`)
}
