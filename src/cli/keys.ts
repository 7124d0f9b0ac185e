// `cartwright keys list | create | import | revoke | rotate`.

import { createKey, importKey, isSecretKey, NO_SECRET_KEYS, prefixOf, revokeKey } from '../api/merchants/merchant.ts'
import { allMerchants, announceChange, findMerchant, type KeyRow, keysOf } from '../api/merchants/store.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { replaceSessionKey } from '../keys/session-keys.ts'
import { notFound } from '../lib/errors.ts'
import { oneLine } from '../lib/text.ts'
import { withDatabase } from './database.ts'
import { merchantIdFrom, readArguments, say, UsageError } from './help.ts'

export async function keys(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'list') return list(config, rest)
  if (verb === 'create') return create(config, rest)
  if (verb === 'import') return importPublicKey(config, rest)
  if (verb === 'revoke') return revoke(config, rest)
  if (verb === 'rotate') return rotate(config, rest)
  throw new UsageError('keys needs a subcommand: list, create, import, revoke or rotate.')
}

const MERCHANT = { merchant: { type: 'string' } } as const

async function list(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, MERCHANT)
  await withDatabase(config, async (db) => {
    const ids = values.merchant === undefined ? await listMerchantIds(db) : [merchantIdFrom(values.merchant)]
    for (const id of ids) {
      const merchant = await findMerchant(db, id)
      if (merchant === null) throw notFound('merchant')
      say(`Merchant ${id}, ${oneLine(merchant.name)}${merchant.is_disabled ? ' (disabled)' : ''}`)
      for (const key of await keysOf(db, id)) say(`  ${key.id}  ${describe(key)}`)
    }
  })
}

const listMerchantIds = async (db: Db) => (await allMerchants(db)).map(({ merchant_id }) => merchant_id)

function describe(key: KeyRow): string {
  const text = key.public_key ?? `${prefixOf({ isSecret: key.is_secret, isSandbox: key.is_sandbox })}…${key.last_four}`
  return key.revoked_at === null ? text : `${text}  revoked ${key.revoked_at.toISOString()}`
}

async function create(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, { ...MERCHANT, secret: { type: 'boolean' }, live: { type: 'boolean' } })
  const id = merchantIdFrom(values.merchant)
  const kind = { isSecret: values.secret ?? false, isSandbox: !(values.live ?? false) }
  const key = await withDatabase(config, (db, clock) => createKey({ db, clock }, id, kind))
  say(`${key.id}  ${key.text}`)
  if (kind.isSecret) say('This secret key is shown only once.')
}

/** Call it before reading the arguments. An error would repeat a secret key, and a shop's name is shown to everybody. */
export function refuseSecretKeys(args: readonly string[]): void {
  const isSecret = (text: string) => isSecretKey(text.replace(/^--[\w-]+=/, ''))
  if (args.some(isSecret)) throw new UsageError(`The key ${NO_SECRET_KEYS}.`)
}

async function importPublicKey(config: Config, args: readonly string[]) {
  refuseSecretKeys(args)
  const { values, positionals } = readArguments(args, MERCHANT, 1)
  const [text] = positionals
  if (text === undefined) throw new UsageError('keys import needs --merchant ID and a public key, pk_… or pk_test_….')
  const id = merchantIdFrom(values.merchant)
  const key = await withDatabase(config, (db, clock) => importKey({ db, clock }, id, text))
  say(`${key.id}  ${key.text}`)
  say(
    key.isSandbox
      ? `Storefronts with this key ${key.isNew ? 'now' : 'already'} reach the sandbox of merchant ${id}.`
      : `Storefronts with this key ${key.isNew ? 'now' : 'already'} reach merchant ${id}, live. Live keys work over HTTPS only.`,
  )
}

async function revoke(config: Config, args: readonly string[]) {
  const { values, positionals } = readArguments(args, MERCHANT, 1)
  const [keyId] = positionals
  if (keyId === undefined)
    throw new UsageError('keys revoke needs --merchant ID and the id of a key (key_…), as keys list shows it.')
  const id = merchantIdFrom(values.merchant)
  await withDatabase(config, (db, clock) => revokeKey({ db, clock }, id, keyId))
  say(`${keyId} is revoked.`)
}

async function rotate(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, { now: { type: 'boolean' } })
  const endsSessions = values.now ?? false
  await withDatabase(config, (db, clock) =>
    db.transaction(async (tx) => {
      await replaceSessionKey(tx, clock, { endsSessions })
      await announceChange(tx)
    }),
  )
  say(
    endsSessions
      ? 'Every customer is logged out. New sessions are signed with a new key.'
      : 'New sessions of customers are signed with a new key. Existing sessions last up to 24 hours; end them with --now.',
  )
}
