// The secret key that commands use with the service of this machine. A shop's keys are stored as hashes and cannot be read back. So the
// commands have their own key for each shop and mode, in a file of the data folder. A missing or revoked key is replaced.

import { createKey, hashKey } from '../../api/merchants/merchant.ts'
import { findCallerByKeyHash, findMerchant, listAllMerchants, lockMerchantCreation } from '../../api/merchants/store.ts'
import { type Config, ConfigError } from '../../config.ts'
import { type Database, databaseOf } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { notFound } from '../../lib/errors.ts'
import { withDatabase } from '../database.ts'
import { fileInDataDir, readPrivateFile, writePrivateFile } from './private-file.ts'

type RequestedKey = { readonly merchant_id: number | null; readonly is_sandbox: boolean }

type OwnKey = {
  readonly text: string
  /** Explains the new key to a person who sees it in `cartwright keys list`; null if the key already existed. */
  readonly note: string | null
}

const FILE = 'command-keys.json'

export const obtainCommandKey = (config: Config, { merchant_id, is_sandbox }: RequestedKey): Promise<OwnKey> =>
  withDatabase(config, async (db, clock) => {
    const id = merchant_id ?? (await onlyMerchant(db))
    if ((await findMerchant(db, { merchant_id: id })) === null) throw notFound('merchant')
    return takeKey(config, { db, clock }, { merchant_id: id, is_sandbox })
  })

async function onlyMerchant(db: Database): Promise<number> {
  const [first, ...others] = await listAllMerchants(db)
  if (first !== undefined && others.length === 0) return first.merchant_id
  throw new ConfigError(
    'There are several shops here. Choose one with --merchant ID; cartwright keys list shows the ids.',
  )
}

async function takeKey(
  config: Config,
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { merchant_id, is_sandbox }: { readonly merchant_id: number; readonly is_sandbox: boolean },
): Promise<OwnKey> {
  const file = fileInDataDir(config, FILE)
  const name = `${merchant_id} ${is_sandbox ? 'sandbox' : 'live'}`
  return db.transaction(async (tx) => {
    // Two commands that start together would create two keys, one of them in no file. So they take turns.
    await lockMerchantCreation(tx)
    const storedKeys = await readPrivateFile(file)
    const text = readText(storedKeys[name])
    const caller = text === null ? null : await findCallerByKeyHash(tx, hashKey(text))
    // The file may have been made for another database.
    const isOurs = caller?.merchant_id === merchant_id && caller.is_secret && caller.is_sandbox === is_sandbox
    if (text !== null && isOurs) return { text, note: null }
    const newKey = await createKey({ db: databaseOf(tx), clock }, merchant_id, { isSecret: true, is_sandbox })
    // Before the commit: otherwise a crash could leave a key in the shop that nobody knows.
    await writePrivateFile(file, { ...storedKeys, [name]: newKey })
    const kind = is_sandbox ? 'sandbox' : 'live'
    return { text: newKey.text, note: `${newKey.id} is a new secret ${kind} key for these commands, kept in ${file}.` }
  })
}

const readText = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string' ? value.text : null
