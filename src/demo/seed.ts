// Creates the demo shop in an empty database, through the same rules as any other data.

import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CreatedMerchant, createMerchant } from '../api/merchants/merchant.ts'
import { listAllMerchants, lockMerchantCreation, setNextMerchantNumber } from '../api/merchants/store.ts'
import { createExampleListener } from '../api/webhooks/listener.ts'
import { type Database, databaseOf } from '../db/db.ts'
import { chownToFolderOwner, foldersOf, makeDataDir } from '../db/embedded/folders.ts'
import type { Clock } from '../lib/clock.ts'
import { ApiError } from '../lib/errors.ts'
import { createCatalogue } from './catalogue.ts'
import { type AssetFileServices, type DemoFile, removeDemoFiles, storeDemoFiles } from './files.ts'
import { createCheckoutSettings, createShipping } from './terms.ts'

const CURRENCY = 'USD'

/** Subscribes only to some events: deliveries that nobody fetches wait for a month. */
const LISTENER = {
  description: 'Try it: cartwright listen --forward-to http://localhost:3000/webhooks',
  events: ['orders.create', 'orders.paid'],
  message: 'This waits for somebody who listens. Others hold an order, a product or a customer.',
}

export const keysFile = (dataDir: string) => join(dataDir, 'demo-keys.json')

/** Path of the hosted checkout for a demo product, which needs no code and no money. */
export const demoCheckoutPath = ({ id }: Pick<CreatedMerchant, 'id'>): string =>
  `/checkout/${id}/stoneware-mug?sandbox=true`

/** `publicUrl` starts the URLs in the events; without it they are bare paths. */
type SeedServices = {
  readonly files: AssetFileServices
  readonly publicUrl: string | null
  /** The newest version of the API, used for its webhook. */
  readonly version: string
  /** Receives the current step, to show it to a waiting person. */
  readonly onStep?: (doing: string) => void
}

/** Creates the demo merchant and its shop, unless a merchant exists. Returns the new merchant, else null. */
export async function seedDemo(
  db: Database,
  clock: Clock,
  dataDir: string,
  { files, publicUrl, version, onStep = () => undefined }: SeedServices,
): Promise<CreatedMerchant | null> {
  const stored: DemoFile[] = []
  try {
    return await db.transaction(async (tx) => {
      // A retried transaction stores its files again under other names, so remove the first ones.
      await removeDemoFiles(files, stored.splice(0))
      await lockMerchantCreation(tx)
      if ((await listAllMerchants(tx)).length > 0) return null
      // An interrupted start leaves no rows but has used up an id. The documentation says merchant 1.
      await setNextMerchantNumber(tx, 1)
      onStep('Filling the demo shop: its pictures')
      const merchant = await createMerchant(tx, clock, {
        name: 'Cartwright Demo',
        email: 'demo@example.com',
        currency: CURRENCY,
        description: 'A shop to try things out in.',
        country: 'US',
        settings: { demo: true },
      })
      await storeDemoFiles(files, merchant.id, clock.now(), stored)
      const caller = { merchant_id: merchant.id, currency: CURRENCY, is_sandbox: true }
      const context = { db: databaseOf(tx), clock, caller, lastingOrigin: publicUrl ?? '' }
      onStep('Filling the demo shop: its products')
      const zones = await createShipping(context)
      const products = await createCatalogue(context, stored, zones)
      await createCheckoutSettings(context, products)
      await createExampleListener(tx, caller, { ...LISTENER, version }, clock.now())
      // Before the commit: if the process died in between, nobody would know the merchant's keys.
      await rememberKeys(dataDir, merchant)
      return merchant
    })
  } catch (error) {
    // If the connection was lost during the commit, the rows may exist. The daily sweep then removes files without rows.
    const isCertain = !(error instanceof ApiError && error.status === 503)
    if (isCertain) await removeDemoFiles(files, stored)
    throw error
  }
}

/**
 * Secret keys are stored as hashes and shown once. The demo shop's keys are also saved in a file that only the operator can read. So a
 * later start can print an example, and lost keys can be looked up.
 */
async function rememberKeys(dataDir: string, merchant: CreatedMerchant) {
  makeDataDir(foldersOf(dataDir))
  // Delete it first: the mode applies only to new files. A file of an earlier database would keep its mode, and others might read it.
  await rm(keysFile(dataDir), { force: true })
  await writeFile(keysFile(dataDir), `${JSON.stringify(merchant, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  chownToFolderOwner(keysFile(dataDir), foldersOf(dataDir))
}

/** The demo merchant's keys, if this data folder created it. Ignores a file that is not ours. */
export async function readDemoKeys(dataDir: string): Promise<CreatedMerchant | null> {
  try {
    const content: unknown = JSON.parse(await readFile(keysFile(dataDir), 'utf8'))
    return isOpenedMerchant(content) ? content : null
  } catch {
    return null
  }
}

const isOpenedMerchant = (value: unknown): value is CreatedMerchant =>
  hasFields(value, ['id', 'keys', 'dashboard']) &&
  typeof value.id === 'number' &&
  hasFields(value.keys, ['live', 'sandbox']) &&
  [value.keys.live, value.keys.sandbox].every((pair) => hasTexts(pair, ['public', 'secret'])) &&
  hasTexts(value.dashboard, ['email', 'password'])

const hasFields = <Name extends string>(value: unknown, names: readonly Name[]): value is Record<Name, unknown> =>
  typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name))

const hasTexts = (value: unknown, names: readonly string[]): boolean =>
  hasFields(value, names) && names.every((name) => typeof value[name] === 'string')
