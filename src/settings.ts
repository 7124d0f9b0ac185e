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
      'seals the credentials of payment gateways: 32 bytes in base64 or hex (openssl rand -base64 32); several with commas between them: the first seals, all open. Without it a file in DATA_DIR does, but not with DATABASE_URL: there no credentials can be entered without it',
  },
  {
    name: 'PUBLIC_URL',
    fallback: '',
    meaning:
      'scheme and host that clients reach the service by (https://api.shop.example); orders, events and mails name it',
  },
  {
    name: 'PUBLIC_HOSTS',
    fallback: '',
    meaning: 'hosts to believe where there is no PUBLIC_URL, or beside it (api.shop.example,shop.example:8443)',
  },
  {
    name: 'TRUST_PROXY',
    fallback: '',
    meaning: 'proxies whose X-Forwarded-* headers count: how many, or their addresses (10.0.0.0/8,::1)',
  },
  { name: 'TLS_CERT, TLS_KEY', fallback: '', meaning: 'PEM files; both together make the service speak HTTPS' },
  {
    name: 'SMTP_URL',
    fallback: '',
    meaning: 'the mail server: smtp://user:password@host:587 or smtps://…; without one mails are kept, to be read',
  },
  {
    name: 'MAIL_FROM',
    fallback: '',
    meaning: 'the address mails come from; else the user of SMTP_URL, or noreply@ the host of PUBLIC_URL',
  },
  {
    name: 'S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY',
    fallback: '',
    meaning: 'an S3-compatible store for assets, all five together',
  },
  {
    name: 'ALLOW_PRIVATE_ADDRESSES',
    fallback: 'false',
    meaning: 'whether the service may fetch from private network addresses',
  },
  {
    name: 'GEOIP_DATABASE',
    fallback: '',
    meaning: "a city database in MaxMind's format (.mmdb), to tell where shoppers are",
  },
  {
    name: 'CLIENT_REQUESTS_PER_SECOND',
    fallback: '300',
    meaning:
      'by a public key, of one client in each process; large ones count more, carts and checkouts by themselves; 0 for no limit',
  },
  { name: 'LOG_LEVEL', fallback: 'info', meaning: LOG_LEVELS.join(', ') },
  {
    name: 'WORKERS',
    fallback: '1',
    meaning: 'HTTP processes; with more than one, a further process owns the database and the jobs',
  },
  {
    name: 'MIN_FREE_DISK_MB',
    fallback: '200',
    meaning:
      'below it public keys save nothing more and no files are taken, so that the database never fills the disk; 0: off',
  },
  {
    name: 'SANDBOX_DAYS',
    fallback: '90',
    meaning: 'how long orders, customers and test charges of the sandbox are kept; 0: for ever',
  },
  {
    name: 'SANDBOX_QUOTA',
    fallback: '10000',
    meaning: "orders, carts and checkout tokens that a shop's sandbox holds, each; the oldest go first; 0: any number",
  },
  {
    name: 'LIVE_CARTS',
    fallback: '1000000',
    meaning: 'carts, and checkout tokens, of a shop, above which empty and forgotten ones are removed; 0: any number',
  },
  {
    name: 'EVENT_DAYS',
    fallback: '30',
    meaning: 'how long events, and what is known of their deliveries to webhooks, are kept; 1 or more',
  },
  {
    name: 'REQUEST_LOG',
    fallback: 'all',
    meaning:
      'which requests GET /v1/developer/logs shows: all, writes (changes and refusals), errors (refusals) or off; secrets are never kept',
  },
  { name: 'REQUEST_LOG_DAYS', fallback: '7', meaning: 'how many days the request log keeps, beside today' },
  {
    name: 'CARTWRIGHT_API, CARTWRIGHT_KEY',
    fallback: '',
    meaning: 'for commands that talk to a service: which one, and a secret key of it; as --api and --key',
  },
]
