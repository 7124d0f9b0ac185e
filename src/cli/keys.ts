// `cartwright keys list | create | import | revoke | rotate`.

import { createKey, importKey, isSecretKey, keyPrefixOf, NO_SECRET_KEYS, revokeKey } from '../api/merchants/merchant.ts'
import {
  announceChange,
  findMerchant,
  type KeyRow,
  listAllMerchants,
  listMerchantKeys,
} from '../api/merchants/store.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { replaceSessionKey } from '../keys/session-keys.ts'
import { notFound } from '../lib/errors.ts'
import { toOneLine } from '../lib/text.ts'
import { withDatabase } from './database.ts'
import { parseMerchantId, printLine, readArguments, UsageError } from './help.ts'

export async function keysCommand(config: Config, args: readonly string[]): Promise<void> {
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
    const ids = values.merchant === undefined ? await listMerchantIds(db) : [parseMerchantId(values.merchant)]
    for (const id of ids) {
      const merchant = await findMerchant(db, { merchant_id: id })
      if (merchant === null) throw notFound('merchant')
      printLine(`Merchant ${id}, ${toOneLine(merchant.name)}${merchant.is_disabled ? ' (disabled)' : ''}`)
      for (const key of await listMerchantKeys(db, { merchant_id: id })) printLine(`  ${key.id}  ${describe(key)}`)
    }
  })
}

const listMerchantIds = async (db: Db) => (await listAllMerchants(db)).map(({ merchant_id }) => merchant_id)

function describe(key: KeyRow): string {
  const text =
    key.public_key ?? `${keyPrefixOf({ isSecret: key.is_secret, is_sandbox: key.is_sandbox })}…${key.last_four}`
  return key.revoked_at === null ? text : `${text}  revoked ${key.revoked_at.toISOString()}`
}

async function create(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, { ...MERCHANT, secret: { type: 'boolean' }, live: { type: 'boolean' } })
  const id = parseMerchantId(values.merchant)
  const kind = { isSecret: values.secret ?? false, is_sandbox: !(values.live ?? false) }
  const key = await withDatabase(config, (db, clock) => createKey({ db, clock }, id, kind))
  printLine(`${key.id}  ${key.text}`)
  if (kind.isSecret) printLine('This secret key is shown only once.')
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
  const id = parseMerchantId(values.merchant)
  const key = await withDatabase(config, (db, clock) => importKey({ db, clock }, id, text))
  printLine(`${key.id}  ${key.text}`)
  printLine(
    key.is_sandbox
      ? `Storefronts with this key ${key.isNew ? 'now' : 'already'} reach the sandbox of merchant ${id}.`
      : `Storefronts with this key ${key.isNew ? 'now' : 'already'} reach merchant ${id}, live. Live keys work over HTTPS only.`,
  )
}

async function revoke(config: Config, args: readonly string[]) {
  const { values, positionals } = readArguments(args, MERCHANT, 1)
  const [keyId] = positionals
  if (keyId === undefined)
    throw new UsageError('keys revoke needs --merchant ID and the id of a key (key_…), as keys list shows it.')
  const id = parseMerchantId(values.merchant)
  await withDatabase(config, (db, clock) => revokeKey({ db, clock }, id, keyId))
  printLine(`${keyId} is revoked.`)
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
  printLine(
    endsSessions
      ? 'Every customer is logged out. New sessions are signed with a new key.'
      : 'New sessions of customers are signed with a new key. Existing sessions last up to 24 hours; end them with --now.',
  )
}
