// `cartwright help`: every command and every setting.

import { SETTINGS } from '../config.ts'
import { say } from './usage.ts'

const COMMANDS: readonly [string, string][] = [
  ['start', 'run the service; the first start makes a demo shop and prints its keys'],
  ['migrate', 'bring the database to this release and stop'],
  ['seed', 'make the demo shop in an empty database'],
  ['merchant create --name N --email E [--currency C] [--version V] [--json]', 'open a shop with its four keys'],
  [
    'merchant version ID [VERSION] [--dry-run]',
    'the API version of requests that name none: tells what another would change, and sets it',
  ],
  ['merchant disable ID · merchant enable ID', 'stop or resume taking orders'],
  ['keys list [--merchant ID]', 'every key: the public ones whole, of the secret ones the end'],
  ['keys create --merchant ID [--secret] [--live]', 'a further key; public and sandbox unless said otherwise'],
  ['keys revoke --merchant ID KEY_ID', 'refuse a key from now on, everywhere within a second'],
  ['keys rotate [--now]', 'a new key for the sessions of customers; with --now every customer is logged out'],
  [
    'mail preview [login|receipt] [--merchant ID] [--order ORDER_ID] [--out FOLDER]',
    'write the mails to customers as HTML and text files (./mail-preview), to look at; sends nothing',
  ],
  [
    'doctor',
    'check this machine, the settings and the database; starts the embedded PostgreSQL for a moment if none runs',
  ],
  ['help', 'this page'],
]

export function help(): void {
  say('cartwright: a self-hosted commerce API\n\nCommands')
  for (const [form, meaning] of COMMANDS) say(`  ${form}\n      ${meaning}`)
  say('\nSettings, from the environment')
  for (const { name, fallback, meaning } of SETTINGS)
    say(`  ${name}${fallback === '' ? '' : ` (${fallback})`}\n      ${meaning}`)
}
