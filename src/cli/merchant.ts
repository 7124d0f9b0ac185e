// `cartwright merchant create | version | disable | enable`.

import { createMerchant, setMerchantDisabled, setMerchantVersion } from '../api/merchants/merchant.ts'
import { isVersion, VERSION_RULE } from '../api/merchants/settings.ts'
import { findMerchant } from '../api/merchants/store.ts'
import type { Config } from '../config.ts'
import { notFound } from '../lib/errors.ts'
import { toOneLine } from '../lib/text.ts'
import { newsBetween } from '../versions/changelog.ts'
import { HEAD, versions } from '../versions/index.ts'
import { withDatabase } from './database.ts'
import { describeKeys, parseMerchantId, printLine, readArguments, UsageError } from './help.ts'
import { refuseSecretKeys } from './keys.ts'

export async function merchantCommand(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'create') return create(config, rest)
  if (verb === 'version') return version(config, rest)
  if (verb === 'disable' || verb === 'enable') return setDisabled(config, rest, verb === 'disable')
  throw new UsageError('merchant needs a subcommand: create, version, disable or enable.')
}

async function create(config: Config, args: readonly string[]) {
  refuseSecretKeys(args)
  const { values } = readArguments(args, {
    name: { type: 'string' },
    email: { type: 'string' },
    currency: { type: 'string' },
    version: { type: 'string' },
    'public-key': { type: 'string', multiple: true },
    json: { type: 'boolean' },
  })
  const { name, email, currency, version, 'public-key': publicKeys = [], json } = values
  if (name === undefined || email === undefined)
    throw new UsageError('merchant create needs --name "Your shop" and --email you@example.com.')
  const draft = { name, email, currency: currency?.toUpperCase(), apiVersion: version, publicKeys }
  // An operator who wants no demo shop starts with this command, so it may create the database.
  const merchant = await withDatabase(config, (db, clock) => db.transaction((tx) => createMerchant(tx, clock, draft)), {
    mayMake: true,
  })
  if (json) return printLine(JSON.stringify(merchant))
  printLine(`Merchant ${merchant.id}, ${toOneLine(name)}. The secret keys and the password are shown only once:`)
  for (const line of describeKeys(merchant)) printLine(line)
}

async function setDisabled(config: Config, args: readonly string[], isDisabled: boolean) {
  const { positionals } = readArguments(args, {}, 1)
  const id = parseMerchantId(positionals[0])
  await withDatabase(config, (db, clock) => setMerchantDisabled({ db, clock }, id, isDisabled))
  printLine(`Merchant ${id} is ${isDisabled ? 'disabled: it can be read, but takes no orders' : 'enabled'}.`)
}

/** Without a date it changes nothing and describes the changes up to the newest version. */
async function version(config: Config, args: readonly string[]) {
  const { values, positionals } = readArguments(args, { 'dry-run': { type: 'boolean' } }, 2)
  const id = parseMerchantId(positionals[0])
  const date = positionals[1]
  await withDatabase(config, async (db, clock) => {
    const merchant = await findMerchant(db, { merchant_id: id })
    if (merchant === null) throw notFound('merchant')
    const next = date ?? HEAD
    if (!isVersion(next)) throw new UsageError(`version ${VERSION_RULE}.`)
    const isDryRun = date === undefined || values['dry-run'] === true
    const before = isDryRun ? merchant.api_version : await setMerchantVersion({ db, clock }, id, next)
    // A shop's name may contain anything, but it must not control the operator's terminal.
    describeMove({ id, name: toOneLine(merchant.name) }, before, next, isDryRun)
  })
}

function describeMove({ id, name }: { id: number; name: string }, before: string, next: string, isDryRun: boolean) {
  if (before === next)
    return printLine(`${name} is at version ${next}${next === HEAD ? ', the newest' : ''}. Nothing changes.`)
  const isUp = next > before
  const news = isUp ? newsBetween(versions, before, next) : newsBetween(versions, next, before)
  printLine(
    `${name}: requests that name no version ${isDryRun ? 'would be' : 'are now'} answered in ${next}; before, in ${before}.`,
  )
  if (news.length === 0) return printLine('Nothing changes between these versions.')
  printLine(isUp ? 'What changes for them:' : 'What no longer applies to them:')
  for (const { date, summaries } of news) {
    printLine(`\n${date}`)
    for (const summary of summaries) printLine(`  - ${summary}`)
  }
  if (isDryRun) printLine(`\nNothing has been changed. To change it: cartwright merchant version ${id} ${next}`)
}
