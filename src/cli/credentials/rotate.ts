// `cartwright credentials rotate`: seals the credentials of every gateway with the first key, after which the others can go.

import { resealCredentials } from '../../api/payment-methods/reseal.ts'
import { resealSecrets } from '../../api/webhooks/reseal.ts'
import { type Config, ConfigError } from '../../config.ts'
import { credentialKeysFile, credentialKeysOf } from '../../keys/credential-keys.ts'
import { credentialsWith } from '../../keys/credentials.ts'
import { withDatabase } from '../database.ts'
import { say, takeNoArguments, UsageError } from '../help.ts'
import { progress } from '../progress.ts'
import { MOST_NAMED } from './findings.ts'
import { describeGateway } from './gateway-name.ts'

export async function credentials(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'rotate') return rotate(config, rest)
  throw new UsageError('credentials is followed by rotate.')
}

async function rotate(config: Config, args: readonly string[]) {
  takeNoArguments(args)
  const keys = credentialKeysOf(config)
  // Read before the database is opened: a file that cannot be used is said at once.
  const count = (await keys.list()).length
  if (count === 0 && config.databaseUrl !== null)
    throw new ConfigError('There is no key to seal with: set CREDENTIALS_KEY, as every process of the service has it.')
  const { sealed, lost, webhooks } = await withDatabase(config, async (db) => {
    progress.tell('Sealing the credentials of gateways')
    const context = { db, credentials: credentialsWith(keys), keys }
    const gateways = await resealCredentials(context, ['older', 'plain'])
    progress.tell('Sealing the secrets of webhooks')
    return { ...gateways, webhooks: await resealSecrets(context) }
  })
  const sealedOf = (number: number, noun: string) =>
    say(`The ${noun}${number === 1 ? '' : 's'} were sealed with the first key.`)
  if (sealed > 0) sealedOf(sealed, `credentials of ${sealed} gateway`)
  if (webhooks > 0) sealedOf(webhooks, `signing secrets of ${webhooks} webhook`)
  if (sealed + webhooks === 0) say('Nothing was to be done: no credentials are readable, or sealed with an older key.')
  for (const method of lost.slice(0, MOST_NAMED))
    say(`${describeGateway('credentials', method)}: no key opens its credentials; they have to be entered again`)
  if (lost.length > MOST_NAMED) say(`and ${lost.length - MOST_NAMED} more; bring the key back that was lost`)
  if (lost.length > 0) process.exitCode = 1
  else if (count > 1)
    say(
      `Every key but the first can be taken out of ${config.credentialsKeys === null ? credentialKeysFile(config.dataDir) : 'CREDENTIALS_KEY'} now.`,
    )
}
