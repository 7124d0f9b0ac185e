// `cartwright help`: lists every command and setting. Also reads the arguments of commands.

import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { CreatedMerchant } from '../api/merchants/merchant.ts'
import { SETTINGS } from '../settings.ts'
import { progress } from './progress.ts'

const COMMANDS: readonly [string, string][] = [
  ['start', 'run the service; the first start creates a demo shop and prints its keys'],
  ['migrate', 'apply the missing migrations to the database and stop'],
  ['seed', 'create the demo shop in an empty database'],
  [
    'merchant create --name N --email E [--currency C] [--version V] [--public-key KEY] [--json]',
    'create a shop with its four keys; --public-key keeps a key that storefronts already use, and may be given for the sandbox and for live',
  ],
  [
    'merchant version ID [VERSION] [--dry-run]',
    'set the API version for requests that name none; --dry-run, or no VERSION, only shows what would change',
  ],
  ['merchant disable ID · merchant enable ID', 'stop or resume taking orders'],
  ['keys list [--merchant ID]', 'list all keys: public keys in full, secret keys by their last characters'],
  ['keys create --merchant ID [--secret] [--live]', 'create another key; public and sandbox by default'],
  [
    'keys import --merchant ID pk_…|pk_test_…',
    'import a public key from elsewhere, so that storefronts can keep it; secret keys cannot be imported',
  ],
  ['keys revoke --merchant ID KEY_ID', 'revoke a key; within a second it is refused everywhere'],
  ['keys rotate [--now]', 'create a new key for the sessions of customers; --now also logs out every customer'],
  ['account list [--merchant ID]', 'list who may log in to the dashboard, and their roles'],
  [
    'account reset-password EMAIL [--merchant ID] [--without-second-factor]',
    'set a new dashboard password and print it once; ends all sessions of the account',
  ],
  [
    'credentials rotate',
    'encrypt the credentials of all payment gateways with the first key of CREDENTIALS_KEY, or of the file in DATA_DIR; then you can remove the other keys',
  ],
  [
    'mail preview [login|receipt|shipment|refund|cancellation|new_order|order_digest|declines] [--merchant ID] [--order ORDER_ID] [--out FOLDER]',
    'write the mails to customers and merchants as HTML and text files (./mail-preview), to view them; sends nothing',
  ],
  [
    'mail last [--merchant ID]',
    'print the newest mail that the sandbox stored instead of sending it, with its link; one about a new order only if there is no other',
  ],
  [
    'doctor [--merchant ID]',
    'check this machine, the settings, the database and the credentials of gateways; show the shards of a sharded database; starts the embedded PostgreSQL briefly if it is not running',
  ],
  [
    'listen --forward-to URL [--events a,b] [--print-secret] [--json]',
    'forward the events of a shop to a receiver on this machine, signed, retried and logged like any webhook; Ctrl-C stops it',
  ],
  [
    'trigger EVENT [--set path=value]',
    'cause the event in the sandbox: trigger orders.create --set product.name=Shirt; without EVENT, list all events',
  ],
  ['logs tail [--status 4xx] [--method POST] [--path /v1/carts] [--json]', 'follow the request log'],
  ['logs show REQUEST_ID [--json]', 'show one request of the log, with its body and its answer'],
  ['events list [--event E] [--object ID] [--limit N] [--json]', 'list events, newest first'],
  ['events resend ID [--webhook ID]', 'send an event again, to all subscribed webhooks or to one'],
  [
    'webhooks list · create --url U --events a,b · test ID · delete ID  [--json]',
    'manage the webhooks of a shop; create shows the signing secret once',
  ],
  ['help', 'show this page'],
  ['--version', 'show the release'],
]

const SERVICE_NOTE =
  'listen, trigger, logs, events and webhooks call the service on this machine, for the sandbox (--live for live) of its only shop or of --merchant ID. To call another service, add --api URL --key sk_…, or set CARTWRIGHT_API and CARTWRIGHT_KEY.'

export function printHelp(): void {
  printLine('cartwright: a self-hosted commerce API\n\nCommands')
  for (const [form, meaning] of COMMANDS) printLine(`  ${form}\n      ${meaning}`)
  printLine(`\n  ${SERVICE_NOTE}`)
  printLine('\nSettings, from the environment')
  for (const { name, fallback, meaning } of SETTINGS)
    printLine(`  ${name}${fallback === '' ? '' : ` (${fallback})`}\n      ${meaning}`)
}

// Reads a command's arguments and reports errors that a person understands.

/** The command was called with wrong arguments. The message says what is wrong and where to read more. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly isForOperator = true

  constructor(complaint: string) {
    super(`${complaint} Run "cartwright help" for all commands.`)
  }
}

type Options = NonNullable<ParseArgsConfig['options']>

/** `words` is the number of positional arguments that the command takes. */
export function readArguments<const O extends Options>(args: readonly string[], options: O, words = 0) {
  const parsed = parse(args, options)
  const unexpected = parsed.positionals[words]
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'.`)
  return parsed
}

function parse<const O extends Options>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/\.\s/)[0]}.`)
  }
}

/** For commands that take everything from the settings. */
export const requireNoArguments = (args: readonly string[]) => void readArguments(args, {})

export function parseMerchantId(text: string | undefined): number {
  if (text !== undefined && /^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError('Enter the id of the merchant, a whole number.')
}

/** Writes the answer of a command to standard output. Logs and errors go to standard error. */
export function printLine(line = ''): void {
  progress.clear()
  process.stdout.write(`${line}\n`)
}

/** Writes a note to standard error, so that the answer can be piped. */
export function printNote(line: string): void {
  progress.clear()
  process.stderr.write(`${line}\n`)
}

/** Keys and login that a merchant gets only once and must store. */
export const describeKeys = ({ keys, dashboard }: CreatedMerchant): string[] => [
  `  sandbox  public  ${keys.sandbox.public}`,
  `           secret  ${keys.sandbox.secret}`,
  `  live     public  ${keys.live.public}     (HTTPS only)`,
  `           secret  ${keys.live.secret}     (HTTPS only)`,
  `  dashboard login  ${dashboard.email} / ${dashboard.password}`,
]
