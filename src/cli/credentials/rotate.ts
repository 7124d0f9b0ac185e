// `cartwright credentials rotate`: encrypts the credentials of every gateway with the first key, so that the other keys can be removed.

import { resealCredentials } from '../../api/payment-methods/reseal.ts'
import { reencryptSecrets } from '../../api/webhooks/reencrypt.ts'
import { type Config, ConfigError } from '../../config.ts'
import { credentialKeysFile, credentialKeysOf } from '../../keys/credential-keys.ts'
import { createCredentials } from '../../keys/credentials.ts'
import { withDatabase } from '../database.ts'
import { printLine, requireNoArguments, UsageError } from '../help.ts'
import { progress } from '../progress.ts'
import { MAX_NAMED_GATEWAYS } from './findings.ts'
import { describeGateway } from './gateway-name.ts'

export async function credentialsCommand(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'rotate') return rotate(config, rest)
  throw new UsageError('credentials needs the subcommand rotate.')
}

async function rotate(config: Config, args: readonly string[]) {
  requireNoArguments(args)
  const keys = credentialKeysOf(config)
  // Read the keys before opening the database, so that an unusable file is reported at once.
  const count = (await keys.list()).length
  if (count === 0 && config.databaseUrl !== null)
    throw new ConfigError(
      'There is no key to encrypt with. Set CREDENTIALS_KEY to the same value as for every process of the service.',
    )
  const { sealed, lost, webhooks } = await withDatabase(config, async (db) => {
    progress.show('Encrypting the credentials of gateways')
    const context = { db, credentials: createCredentials(keys), keys }
    const gateways = await resealCredentials(context, ['older', 'plain'])
    progress.show('Encrypting the secrets of webhooks')
    return { ...gateways, webhooks: await reencryptSecrets(context) }
  })
  const reportSealed = (number: number, noun: string) =>
    printLine(`The ${noun}${number === 1 ? '' : 's'} were encrypted with the first key.`)
  if (sealed > 0) reportSealed(sealed, `credentials of ${sealed} gateway`)
  if (webhooks > 0) reportSealed(webhooks, `signing secrets of ${webhooks} webhook`)
  if (sealed + webhooks === 0)
    printLine('Nothing to do: no credentials are stored as plain text, or encrypted with an older key.')
  for (const method of lost.slice(0, MAX_NAMED_GATEWAYS))
    printLine(`${describeGateway('credentials', method)}: no key decrypts its credentials; enter them again`)
  if (lost.length > MAX_NAMED_GATEWAYS) printLine(`and ${lost.length - MAX_NAMED_GATEWAYS} more; restore the lost key`)
  if (lost.length > 0) process.exitCode = 1
  else if (count > 1)
    printLine(
      `You can now remove all keys but the first from ${config.credentialsKeys === null ? credentialKeysFile(config.dataDir) : 'CREDENTIALS_KEY'}.`,
    )
}
