// `cartwright help`: every command and every setting; and how commands read their arguments.

import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { OpenedMerchant } from '../api/merchants/merchant.ts'
import { SETTINGS } from '../settings.ts'
import { progress } from './progress.ts'

const COMMANDS: readonly [string, string][] = [
  ['start', 'run the service; the first start makes a demo shop and prints its keys'],
  ['migrate', 'bring the database to this release and stop'],
  ['seed', 'make the demo shop in an empty database'],
  [
    'merchant create --name N --email E [--currency C] [--version V] [--public-key KEY] [--json]',
    'open a shop with its four keys; --public-key takes over one that storefronts have already, and may be given for the sandbox and for live',
  ],
  [
    'merchant version ID [VERSION] [--dry-run]',
    'the API version of requests that name none: tells what another would change, and sets it',
  ],
  ['merchant disable ID · merchant enable ID', 'stop or resume taking orders'],
  ['keys list [--merchant ID]', 'every key: the public ones whole, of the secret ones the end'],
  ['keys create --merchant ID [--secret] [--live]', 'a further key; public and sandbox unless said otherwise'],
  [
    'keys import --merchant ID pk_…|pk_test_…',
    'take over a public key of elsewhere, so that storefronts need no other; secret keys are never taken over',
  ],
  ['keys revoke --merchant ID KEY_ID', 'refuse a key from now on, everywhere within a second'],
  ['keys rotate [--now]', 'a new key for the sessions of customers; with --now every customer is logged out'],
  ['account list [--merchant ID]', 'who may log in to the dashboard, and as what'],
  [
    'account reset-password EMAIL [--merchant ID] [--without-second-factor]',
    'a new password for the dashboard, printed once; ends all sessions of the account',
  ],
  [
    'credentials rotate',
    'seal the credentials of all payment gateways with the first key of CREDENTIALS_KEY, or of the file in DATA_DIR; then the others can go',
  ],
  [
    'mail preview [login|receipt|shipment|refund|cancellation|new_order|order_digest|declines] [--merchant ID] [--order ORDER_ID] [--out FOLDER]',
    'write the mails to customers, and those about orders and declined payments to merchants, as HTML and text files (./mail-preview), to look at; sends nothing',
  ],
  [
    'mail last [--merchant ID]',
    'print the newest mail of the sandbox that was kept and not sent, with its link; that of a new order to the merchant only where there is no other',
  ],
  [
    'doctor [--merchant ID]',
    'check this machine, the settings, the database and the credentials of gateways, and on a sharded database tell what lies where; starts the embedded PostgreSQL for a moment if none runs',
  ],
  [
    'listen --forward-to URL [--events a,b] [--print-secret] [--json]',
    'bring the events of a shop to a receiver on this machine, signed, retried and logged as for every webhook; Ctrl-C ends it',
  ],
  [
    'trigger EVENT [--set path=value]',
    'do in the sandbox what causes the event: trigger orders.create --set product.name=Shirt; without EVENT it lists them',
  ],
  ['logs tail [--status 4xx] [--method POST] [--path /v1/carts] [--json]', 'follow the request log'],
  ['logs show REQUEST_ID [--json]', 'one request of it, with what was sent and answered'],
  ['events list [--event E] [--object ID] [--limit N] [--json]', 'what has happened, newest first'],
  ['events resend ID [--webhook ID]', 'send an event again, to every webhook that subscribes to it or to one'],
  [
    'webhooks list · create --url U --events a,b · test ID · delete ID  [--json]',
    'the webhooks of a shop; create shows the signing secret, once',
  ],
  ['help', 'this page'],
  ['--version', 'which release this is'],
]

const OF_SERVICES =
  'listen, trigger, logs, events and webhooks talk to the service of this machine, in the sandbox (--live for live), of its only shop or of --merchant ID; or to any other with --api URL --key sk_…, which may stand in CARTWRIGHT_API and CARTWRIGHT_KEY instead.'

export function help(): void {
  say('cartwright: a self-hosted commerce API\n\nCommands')
  for (const [form, meaning] of COMMANDS) say(`  ${form}\n      ${meaning}`)
  say(`\n  ${OF_SERVICES}`)
  say('\nSettings, from the environment')
  for (const { name, fallback, meaning } of SETTINGS)
    say(`  ${name}${fallback === '' ? '' : ` (${fallback})`}\n      ${meaning}`)
}

// Reading a command's own arguments, with complaints a person understands.

/** The command was called wrongly; the message says how, and where to read more. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly isForOperator = true

  constructor(complaint: string) {
    super(`${complaint} Run "cartwright help" to see what there is.`)
  }
}

type Options = NonNullable<ParseArgsConfig['options']>

/** `words`: how many arguments without a name the command takes. */
export function readArguments<const O extends Options>(args: readonly string[], options: O, words = 0) {
  const read = parse(args, options)
  const unexpected = read.positionals[words]
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'.`)
  return read
}

function parse<const O extends Options>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/\.\s/)[0]}.`)
  }
}

/** For a command that is told everything by the settings. */
export const takeNoArguments = (args: readonly string[]) => void readArguments(args, {})

export function merchantIdFrom(text: string | undefined): number {
  if (text !== undefined && /^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError('Name the merchant by its id, a whole number.')
}

/** What a command answers goes to standard output; logs and complaints go to standard error. */
export function say(line = ''): void {
  progress.clear()
  process.stdout.write(`${line}\n`)
}

/** What is said beside the answer, so that the answer can be piped on. */
export function tell(line: string): void {
  progress.clear()
  process.stderr.write(`${line}\n`)
}

/** What a merchant gets once, and whoever opens the shop must keep. */
export const describeKeys = ({ keys, dashboard }: OpenedMerchant): string[] => [
  `  sandbox  public  ${keys.sandbox.public}`,
  `           secret  ${keys.sandbox.secret}`,
  `  live     public  ${keys.live.public}     (HTTPS only)`,
  `           secret  ${keys.live.secret}     (HTTPS only)`,
  `  dashboard login  ${dashboard.email} / ${dashboard.password}`,
]
