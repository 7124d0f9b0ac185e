// `cartwright merchant create | disable | enable`.

import { openMerchant, setMerchantDisabled } from '../api/merchants/merchant.ts'
import type { Config } from '../config.ts'
import { withDatabase } from './database.ts'
import { describeKeys } from './describe-keys.ts'
import { merchantIdFrom, readArguments, say, UsageError } from './usage.ts'

export async function merchant(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'create') return create(config, rest)
  if (verb === 'disable' || verb === 'enable') return setDisabled(config, rest, verb === 'disable')
  throw new UsageError('merchant is followed by create, disable or enable.')
}

async function create(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, {
    name: { type: 'string' },
    email: { type: 'string' },
    currency: { type: 'string' },
    version: { type: 'string' },
    json: { type: 'boolean' },
  })
  const { name, email, currency, version, json } = values
  if (name === undefined || email === undefined)
    throw new UsageError('merchant create needs --name "Your shop" and --email you@example.com.')
  const draft = { name, email, currency: currency?.toUpperCase(), apiVersion: version }
  const made = await withDatabase(config, (db, clock) => db.transaction((tx) => openMerchant(tx, clock, draft)))
  if (json) return say(JSON.stringify(made))
  say(`Merchant ${made.id}, ${name}. The secret keys and the password are shown this once:`)
  for (const line of describeKeys(made)) say(line)
}

async function setDisabled(config: Config, args: readonly string[], isDisabled: boolean) {
  const { positionals } = readArguments(args, {}, 1)
  const id = merchantIdFrom(positionals[0])
  await withDatabase(config, (db, clock) => setMerchantDisabled(db, clock, id, isDisabled))
  say(`Merchant ${id} is ${isDisabled ? 'disabled: it can be read, and takes no orders' : 'enabled'}.`)
}
