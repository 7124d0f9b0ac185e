// @unit
// Settings: what they are when nothing is said, which values are taken, and the one sentence that refuses the others.

import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Config, ConfigError, readConfig } from '../src/config.ts'
import { SETTINGS } from '../src/settings.ts'

const DEFAULTS: Config = {
  port: 4000,
  host: '127.0.0.1',
  dataDir: resolve('data'),
  databaseUrl: null,
  credentialsKeys: null,
  publicUrl: null,
  publicHosts: [],
  trustProxy: null,
  tls: null,
  mailServer: null,
  s3: null,
  allowPrivateAddresses: false,
  geoipDatabase: null,
  clientRequestsPerSecond: 300,
  logLevel: 'info',
  requestLog: 'all',
  workers: 1,
  command: { api: null, key: null },
  minFreeDiskMb: 200,
  retention: { sandboxDays: 90, sandboxQuota: 10_000, liveCarts: 1_000_000, eventDays: 30, requestLogDays: 7 },
}

const S3 = {
  S3_ENDPOINT: 'https://s3.example',
  S3_BUCKET: 'assets',
  S3_REGION: 'eu-1',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'hush',
}

function complaint(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('Nothing was refused.')
}

describe('settings', () => {
  test('have these defaults', () => {
    expect(readConfig({})).toEqual(DEFAULTS)
  })

  test('that are empty or blank are not set; others are none of ours', () => {
    const names = SETTINGS.flatMap(({ name }) => name.split(', '))
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(DEFAULTS)
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ' \t'])))).toEqual(DEFAULTS)
    expect(readConfig({ PATH: '/bin', port: '1', DATABASE: 'x' })).toEqual(DEFAULTS)
  })

  test.each<[Record<string, string>, Partial<Config>]>([
    [{ PORT: '0' }, { port: 0 }],
    [{ CREDENTIALS_KEY: '0f'.repeat(32) }, { credentialsKeys: [Buffer.alloc(32, 15)] }],
    [{ CREDENTIALS_KEY: Buffer.alloc(32, 255).toString('base64') }, { credentialsKeys: [Buffer.alloc(32, 255)] }],
    [{ CREDENTIALS_KEY: Buffer.alloc(32, 255).toString('base64url') }, { credentialsKeys: [Buffer.alloc(32, 255)] }],
    [
      { CREDENTIALS_KEY: ` ${'01'.repeat(32)}, ${Buffer.alloc(32, 2).toString('base64')} ` },
      { credentialsKeys: [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] },
    ],
    [{ PORT: '65535' }, { port: 65_535 }],
    [{ CLIENT_REQUESTS_PER_SECOND: '0' }, { clientRequestsPerSecond: 0 }],
    [{ CLIENT_REQUESTS_PER_SECOND: '1000000' }, { clientRequestsPerSecond: 1_000_000 }],
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
    [{ HOST: '::' }, { host: '::' }],
    [{ HOST: 'api.shop-1.example' }, { host: 'api.shop-1.example' }],
    [{ DATA_DIR: '/var/lib/cartwright' }, { dataDir: '/var/lib/cartwright' }],
    [{ DATA_DIR: 'elsewhere/../here' }, { dataDir: resolve('here') }],
    [{ DATABASE_URL: 'postgres://u:p@db.example:5432/shop' }, { databaseUrl: 'postgres://u:p@db.example:5432/shop' }],
    [{ DATABASE_URL: 'postgresql://db/shop?sslmode=require' }, { databaseUrl: 'postgresql://db/shop?sslmode=require' }],
    [{ DATABASE_URL: 'postgres://u@/shop?host=/run/pg' }, { databaseUrl: 'postgres://u@/shop?host=/run/pg' }],
    [{ PUBLIC_URL: 'https://api.shop.example' }, { publicUrl: 'https://api.shop.example' }],
    [{ PUBLIC_URL: 'https://API.shop.example:443/' }, { publicUrl: 'https://api.shop.example' }],
    [{ PUBLIC_HOSTS: 'API.shop.example' }, { publicHosts: ['api.shop.example'] }],
    [
      { PUBLIC_HOSTS: ' shop_1:8443, 192.0.2.7 ,[2001:DB8::1]:80' },
      { publicHosts: ['shop_1:8443', '192.0.2.7', '[2001:db8::1]:80'] },
    ],
    [{ MIN_FREE_DISK_MB: '0' }, { minFreeDiskMb: 0 }],
    [
      { SANDBOX_DAYS: '0', SANDBOX_QUOTA: '500', LIVE_CARTS: '0', EVENT_DAYS: '7' },
      { retention: { sandboxDays: 0, sandboxQuota: 500, liveCarts: 0, eventDays: 7, requestLogDays: 7 } },
    ],
    [{ REQUEST_LOG: 'Writes' }, { requestLog: 'writes' }],
    [{ REQUEST_LOG_DAYS: '30' }, { retention: { ...DEFAULTS.retention, requestLogDays: 30 } }],
    [{ TRUST_PROXY: '0' }, { trustProxy: null }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: '10.0.0.0/8, ::1' }, { trustProxy: ['10.0.0.0/8', '::1'] }],
    [{ TRUST_PROXY: 'loopback,fd00::/8' }, { trustProxy: ['loopback', 'fd00::/8'] }],
    [{ TLS_CERT: 'a.pem', TLS_KEY: 'b.pem' }, { tls: { certFile: 'a.pem', keyFile: 'b.pem' } }],
    [{ MAIL_FROM: 'shop@mail.example' }, {}],
    [
      { SMTP_URL: 'smtp://u:p@mail.example:587', MAIL_FROM: 'shop@mail.example' },
      { mailServer: { url: 'smtp://u:p@mail.example:587', from: 'shop@mail.example' } },
    ],
    [
      { SMTP_URL: 'smtps://a%40mail.example:p@mail.example', PUBLIC_URL: 'https://api.shop.example' },
      {
        mailServer: { url: 'smtps://a%40mail.example:p@mail.example', from: 'a@mail.example' },
        publicUrl: 'https://api.shop.example',
      },
    ],
    [
      { SMTP_URL: 'smtps://u:p@mail.example', PUBLIC_URL: 'https://api.shop.example' },
      {
        mailServer: { url: 'smtps://u:p@mail.example', from: 'noreply@api.shop.example' },
        publicUrl: 'https://api.shop.example',
      },
    ],
    [
      S3,
      {
        s3: {
          endpoint: 'https://s3.example',
          bucket: 'assets',
          region: 'eu-1',
          accessKeyId: 'id',
          secretAccessKey: 'hush',
        },
      },
    ],
    [{ ALLOW_PRIVATE_ADDRESSES: 'true' }, { allowPrivateAddresses: true }],
    [{ ALLOW_PRIVATE_ADDRESSES: 'ON' }, { allowPrivateAddresses: true }],
    [{ ALLOW_PRIVATE_ADDRESSES: 'no' }, { allowPrivateAddresses: false }],
    [{ GEOIP_DATABASE: 'City.mmdb' }, { geoipDatabase: resolve('City.mmdb') }],
    [{ LOG_LEVEL: 'DEBUG' }, { logLevel: 'debug' }],
    [{ WORKERS: '64' }, { workers: 64 }],
  ])('%j is taken', (environment, config) => {
    expect(readConfig(environment)).toEqual({ ...DEFAULTS, ...config })
  })
})

describe('a value that cannot be used is refused in one sentence that names the setting', () => {
  const s3 = 'S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY must be set together;'
  const pathless =
    'must be only a scheme and a host, such as https://api.shop.example, without a user, path, query or fragment.'
  const key32 = '0f'.repeat(32)
  const base64 = (length: number) => Buffer.alloc(length).toString('base64')

  /** A setting, values that it refuses, and the sentence behind its name. The value stands there in place of VALUE. */
  const REFUSED: [string, string[], string][] = [
    ['PORT', ['65536', '-1', 'abc', '80.5', '0x50', '4000;'], 'must be a whole number from 0 to 65535; it is "VALUE".'],
    [
      'HOST',
      ['not a host', 'http://localhost', 'localhost:80', 'a_b!', '-', '999.999.999.999', '1.2.3', '/run/socket'],
      'must be an IP address or the name of this machine; it is "VALUE".',
    ],
    [
      'DATABASE_URL',
      ['localhost:5432/shop', 'mysql://db/shop', 'postgres', 'postgres:shop', 'postgres:/shop', '//db'],
      'must be an address of the form postgres://… or postgresql://….',
    ],
    [
      'SMTP_URL',
      ['mail.example', 'http://mail.example', 'smtp:mail.example', 'smtp://', 'smtp://:587'],
      'must be an address of the form smtp://… or smtps://….',
    ],
    [
      'SMTP_URL',
      ['smtp://u:%zz@mail.example'],
      'must have its user and password percent-encoded: % is written as %25.',
    ],
    ['MAIL_FROM', ['shop'], 'must be an e-mail address such as shop@example.com; it is "VALUE".'],
    [
      'PUBLIC_URL',
      ['shop.example', 'ftp://shop.example', 'https://', 'http:shop', '/base', 'https://a b'],
      'must be an address of the form http://… or https://….',
    ],
    [
      'PUBLIC_URL',
      ['/api', '//', '\\api', '?', '/?a=1', '#', '"example'].map((more) => `https://shop.example${more}`),
      pathless,
    ],
    ['PUBLIC_URL', ['https://user:hunter2@shop.example', 'https://@shop.example'], pathless],
    [
      'PUBLIC_HOSTS',
      ['https://shop.example', 'a b', 'shop.example,', 'shop.example:0', '*', '*.shop.example', 'a/b', '1.2.3'],
      'must be host names, with or without a port, separated by commas, such as api.shop.example,shop.example:8443; it is "VALUE".',
    ],
    [
      'TRUST_PROXY',
      ['true', '10.0.0.0/33', '10.0.0.0/0', '::1/129', '1.2.3', '10.0.0.1,,10.0.0.2', '1234', '-1'],
      'must be the number of proxies in front, or their addresses separated by commas; it is "VALUE".',
    ],
    [
      'CREDENTIALS_KEY',
      [key32.slice(2), `${key32}0f`, base64(31), base64(33), `${key32},`, `${key32},hunter2`],
      'must be 32 bytes in base64 or hex, such as openssl rand -base64 32 prints; separate several keys with commas.',
    ],
    ['TLS_CERT', ['a.pem'], 'and TLS_KEY must be set together; TLS_KEY is missing.'],
    ['ALLOW_PRIVATE_ADDRESSES', ['maybe'], 'must be true or false; it is "VALUE".'],
    ['REQUEST_LOG', ['yes'], 'must be one of all, writes, errors, off; it is "VALUE".'],
    ['REQUEST_LOG_DAYS', ['0'], 'must be a whole number from 1 to 365; it is "VALUE".'],
    ['LOG_LEVEL', ['loud'], 'must be one of trace, debug, info, warn, error, fatal, silent; it is "VALUE".'],
    ['CLIENT_REQUESTS_PER_SECOND', ['1000001'], 'must be a whole number from 0 to 1000000; it is "VALUE".'],
    ['WORKERS', ['0', '65'], 'must be a whole number from 1 to 64; it is "VALUE".'],
  ]
  const alone = REFUSED.flatMap(([name, values, rule]) =>
    values.map((value): [Record<string, string>, string] => [
      { [name]: value },
      `${name} ${rule.replace('VALUE', value)}`,
    ]),
  )
  test.each<[Record<string, string>, string]>([
    ...alone,
    ...['smtp://mail.example', 'smtp://u@mail.example', 'smtp://u%0a%40mail.example@mail.example'].map(
      (value): [Record<string, string>, string] => [
        { SMTP_URL: value, PUBLIC_URL: 'http://localhost:4000' },
        'MAIL_FROM must be set to the address that mails come from, such as shop@example.com.',
      ],
    ),
    [{ TLS_KEY: 'b.pem' }, 'TLS_CERT and TLS_KEY must be set together; TLS_CERT is missing.'],
    [{ S3_BUCKET: 'a' }, `${s3} S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY is missing.`],
    [{ ...S3, S3_REGION: '' }, `${s3} S3_REGION is missing.`],
    [{ ...S3, S3_ENDPOINT: 's3.example' }, 'S3_ENDPOINT must be an address of the form http://… or https://….'],
  ])('that is how %j is refused', (environment, sentence) => {
    expect(complaint(environment)).toBe(sentence)
  })

  test('a password in it is not repeated', () => {
    for (const [name, value] of [
      ['DATABASE_URL', 'mysql://u:hunter2@db/shop'],
      ['DATABASE_URL', 'u:hunter2@db/shop'],
      ['SMTP_URL', 'http://u:hunter2@mail.example'],
      ['PUBLIC_URL', 'ftp://u:hunter2@mail.example'],
      ['S3_ENDPOINT', 'u:hunter2@s3'],
    ] as const)
      expect(complaint({ ...S3, [name]: value })).not.toContain('hunter2')
    expect(complaint({ ...S3, S3_SECRET_ACCESS_KEY: 'hunter2', S3_BUCKET: '' })).not.toContain('hunter2')
  })
})

describe('the documentation', () => {
  const documented = SETTINGS.flatMap(({ name }) => name.split(', '))

  test('lists exactly the settings that are read', () => {
    const read = new Set<string>()
    const environment = new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) })
    readConfig(environment)
    expect([...read].sort()).toEqual([...documented].sort())
  })

  test('names the defaults that apply', () => {
    const fallbacks = SETTINGS.filter(({ fallback }) => fallback !== '').map(({ name, fallback }) => [name, fallback])
    expect(readConfig(Object.fromEntries(fallbacks))).toEqual(DEFAULTS)
  })
})
