// The secret key that commands use at the service of this machine. Those of a shop are kept as hashes and cannot be read back, so the commands
// have one of their own for each shop and mode, in a file of the data folder; it is made when there is none, or when it was revoked.

import { createKey, hashKey } from '../../api/merchants/merchant.ts'
import { allMerchants, findCallerByKeyHash, findMerchant, lockOpening } from '../../api/merchants/store.ts'
import { type Config, ConfigError } from '../../config.ts'
import { type Database, databaseOf } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { notFound } from '../../lib/errors.ts'
import { withDatabase } from '../database.ts'
import { fileInDataDir, readPrivate, writePrivate } from './private-file.ts'

type Wish = { readonly merchantId: number | null; readonly isSandbox: boolean }

type OwnKey = {
  readonly text: string
  /** Said once, to whoever sees it among `cartwright keys list`; null where the key was there. */
  readonly note: string | null
}

const FILE = 'command-keys.json'

export const ownKey = (config: Config, { merchantId, isSandbox }: Wish): Promise<OwnKey> =>
  withDatabase(config, async (db, clock) => {
    const id = merchantId ?? (await onlyMerchant(db))
    if ((await findMerchant(db, id)) === null) throw notFound('merchant')
    return takeKey(config, { db, clock }, { merchantId: id, isSandbox })
  })

async function onlyMerchant(db: Database): Promise<number> {
  const [first, ...others] = await allMerchants(db)
  if (first !== undefined && others.length === 0) return first.merchant_id
  throw new ConfigError(
    'There are several shops here: say which with --merchant ID. cartwright keys list shows their ids.',
  )
}

async function takeKey(
  config: Config,
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { merchantId, isSandbox }: { readonly merchantId: number; readonly isSandbox: boolean },
): Promise<OwnKey> {
  const file = fileInDataDir(config, FILE)
  const name = `${merchantId} ${isSandbox ? 'sandbox' : 'live'}`
  return db.transaction(async (tx) => {
    // Two commands that begin at once would make two keys, of which one is in no file: they come here one after the other.
    await lockOpening(tx)
    const kept = await readPrivate(file)
    const text = textIn(kept[name])
    const caller = text === null ? null : await findCallerByKeyHash(tx, hashKey(text))
    // The database may be another than the one that the file was made for.
    const isOurs = caller?.merchant_id === merchantId && caller.is_secret && caller.is_sandbox === isSandbox
    if (text !== null && isOurs) return { text, note: null }
    const made = await createKey({ db: databaseOf(tx), clock }, merchantId, { isSecret: true, isSandbox })
    // Before the commit: a key that nobody knows would stay among those of the shop.
    await writePrivate(file, { ...kept, [name]: made })
    const kind = isSandbox ? 'sandbox' : 'live'
    return { text: made.text, note: `${made.id} is a new secret ${kind} key for these commands, kept in ${file}.` }
  })
}

const textIn = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string' ? value.text : null
