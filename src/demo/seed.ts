// The demo shop that an empty database begins with. Made through the same rules as everybody's data.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAttribute } from '../api/attributes/attribute.ts'
import { type OpenedMerchant, openMerchant } from '../api/merchants/merchant.ts'
import { allMerchants, lockSeeding } from '../api/merchants/store.ts'
import type { Database } from '../db/db.ts'
import { foldersOf, giveToFolderOwner } from '../db/embedded/folders.ts'
import type { Clock } from '../lib/clock.ts'
import { demoAttributes } from './attributes.ts'

const keysFile = (dataDir: string) => join(dataDir, 'demo-keys.json')

/** Creates the demo merchant unless there is a merchant already. Returns it when it was made now. */
export async function seedDemo(db: Database, clock: Clock, dataDir: string): Promise<OpenedMerchant | null> {
  return db.transaction(async (tx) => {
    await lockSeeding(tx)
    if ((await allMerchants(tx)).length > 0) return null
    const merchant = await openMerchant(tx, clock, {
      name: 'Cartwright Demo',
      email: 'demo@example.com',
      description: 'A shop to try things out in.',
      country: 'US',
      settings: { demo: true },
    })
    for (const attribute of demoAttributes) await createAttribute(tx, clock, { merchantId: merchant.id }, attribute)
    // Before the commit: a process that died in between would leave a merchant whose keys nobody knows.
    await rememberKeys(dataDir, merchant)
    return merchant
  })
}

/**
 * Secret keys are stored as hashes and shown once. The demo shop's are also kept in a file that only the operator can read,
 * so that every start can print a line to paste.
 */
async function rememberKeys(dataDir: string, merchant: OpenedMerchant) {
  await mkdir(dataDir, { recursive: true })
  // A mode is for new files: one of an earlier database would keep its own, and others might read it.
  await rm(keysFile(dataDir), { force: true })
  await writeFile(keysFile(dataDir), `${JSON.stringify(merchant, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  giveToFolderOwner(keysFile(dataDir), foldersOf(dataDir))
}

/** The demo merchant's keys, if this data folder made it. A file that somebody else has written there is nothing of ours. */
export async function rememberedDemo(dataDir: string): Promise<OpenedMerchant | null> {
  try {
    const read: unknown = JSON.parse(await readFile(keysFile(dataDir), 'utf8'))
    return isOpenedMerchant(read) ? read : null
  } catch {
    return null
  }
}

const isOpenedMerchant = (value: unknown): value is OpenedMerchant =>
  hasFields(value, ['id', 'keys', 'dashboard']) &&
  typeof value.id === 'number' &&
  hasFields(value.keys, ['live', 'sandbox']) &&
  [value.keys.live, value.keys.sandbox].every((pair) => hasTexts(pair, ['public', 'secret'])) &&
  hasTexts(value.dashboard, ['email', 'password'])

const hasFields = <Name extends string>(value: unknown, names: readonly Name[]): value is Record<Name, unknown> =>
  typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name))

const hasTexts = (value: unknown, names: readonly string[]): boolean =>
  hasFields(value, names) && names.every((name) => typeof value[name] === 'string')
