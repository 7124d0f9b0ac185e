// Every setting as `cartwright help` lists it. config.ts reads them.

import { LOG_LEVELS } from './config.ts'

/** Every setting, its default and what it does. */
export const SETTINGS: readonly { name: string; fallback: string; meaning: string }[] = [
  { name: 'PORT', fallback: '4000', meaning: 'the port to listen on; 0 takes any free one' },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'the address to listen on; 0.0.0.0 or :: for all' },
  { name: 'DATA_DIR', fallback: './data', meaning: 'the folder for the embedded PostgreSQL and files' },
  { name: 'DATABASE_URL', fallback: '', meaning: 'a PostgreSQL 15 or newer to use instead of the embedded one' },
  {
    name: 'CREDENTIALS_KEY',
    fallback: '',
    meaning:
      'encrypts the credentials of payment gateways: 32 bytes in base64 or hex (openssl rand -base64 32). Separate several keys with commas: the first one encrypts, all of them decrypt. Default: a key file in DATA_DIR; with DATABASE_URL there is no default, and credentials cannot be entered without it',
  },
  {
    name: 'PUBLIC_URL',
    fallback: '',
    meaning:
      'scheme and host that clients use to reach the service (https://api.shop.example), for links in orders, events and mails',
  },
  {
    name: 'PUBLIC_HOSTS',
    fallback: '',
    meaning: 'host names to trust, instead of or besides PUBLIC_URL (api.shop.example,shop.example:8443)',
  },
  {
    name: 'TRUST_PROXY',
    fallback: '',
    meaning: 'trusted proxies, for X-Forwarded-* headers: how many, or their addresses (10.0.0.0/8,::1)',
  },
  {
    name: 'TLS_CERT, TLS_KEY',
    fallback: '',
    meaning: 'PEM files of the certificate and its key; set both to use HTTPS',
  },
  {
    name: 'SMTP_URL',
    fallback: '',
    meaning:
      'the mail server: smtp://user:password@host:587 or smtps://…; without it, sandbox mails are stored and live mails are not sent',
  },
  {
    name: 'MAIL_FROM',
    fallback: '',
    meaning: 'the sender of mails; default: the user of SMTP_URL, or noreply@ the host of PUBLIC_URL',
  },
  {
    name: 'S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY',
    fallback: '',
    meaning: 'an S3-compatible store for assets; set all five',
  },
  {
    name: 'ALLOW_PRIVATE_ADDRESSES',
    fallback: 'false',
    meaning: 'whether the service may fetch from private network addresses',
  },
  {
    name: 'GEOIP_DATABASE',
    fallback: '',
    meaning: "a city database in MaxMind's format (.mmdb), to locate shoppers",
  },
  {
    name: 'CLIENT_REQUESTS_PER_SECOND',
    fallback: '300',
    meaning:
      'limit for requests with a public key, per client and process; large requests count more, and carts and checkouts are counted separately; 0 for no limit',
  },
  { name: 'LOG_LEVEL', fallback: 'info', meaning: LOG_LEVELS.join(', ') },
  {
    name: 'WORKERS',
    fallback: '1',
    meaning: 'number of HTTP processes; with more than one, an additional process runs the database and the jobs',
  },
  {
    name: 'MIN_FREE_DISK_MB',
    fallback: '200',
    meaning:
      'free disk space below which public keys cannot save anything and files are refused, so that the database never fills the disk; 0: off',
  },
  {
    name: 'SANDBOX_DAYS',
    fallback: '90',
    meaning: 'days to keep orders, customers and test charges of the sandbox; 0: for ever',
  },
  {
    name: 'SANDBOX_QUOTA',
    fallback: '10000',
    meaning:
      "limit each for orders, carts and checkout tokens in a shop's sandbox; the oldest are removed first; 0: no limit",
  },
  {
    name: 'LIVE_CARTS',
    fallback: '1000000',
    meaning:
      'number of carts, or of checkout tokens, of a shop above which empty and long unused ones are removed; 0: no limit',
  },
  {
    name: 'EVENT_DAYS',
    fallback: '30',
    meaning: 'days to keep events and their deliveries to webhooks; 1 or more',
  },
  {
    name: 'REQUEST_LOG',
    fallback: 'all',
    meaning:
      'which requests GET /v1/developer/logs shows: all, writes (changes and refusals), errors (refusals) or off; secrets are never stored',
  },
  { name: 'REQUEST_LOG_DAYS', fallback: '7', meaning: 'days to keep the request log, besides today' },
  {
    name: 'CARTWRIGHT_API, CARTWRIGHT_KEY',
    fallback: '',
    meaning: 'the service, and one of its secret keys, for commands that call a service; same as --api and --key',
  },
]
