// What `cartwright doctor` says of the credentials of gateways: which have lost their key, which are not sealed as they should be, and what
// their providers say of the others.

import { type CredentialState, inspectCredentials } from '../../api/payment-methods/reseal.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/db.ts'
import { credentialKeysFile, credentialKeysOf } from '../../keys/credential-keys.ts'
import { credentialsWith } from '../../keys/credentials.ts'
import type { Finding } from '../shards.ts'
import { describeGateway } from './gateway-name.ts'
import { providerFindings } from './providers.ts'

/** Of each kind: an operator who has lost the key of a thousand shops brings it back, and does not read a list. */
export const MOST_NAMED = 20

/** What follows each gateway that is named; nothing is said of those that are well. */
const SENTENCES: Readonly<Record<Exclude<CredentialState, 'current'>, string>> = {
  lost: 'no key opens them; bring the key back, or have the merchant enter them again',
  plain: 'readable in the database; cartwright credentials rotate seals them',
  older: 'sealed with an older key; cartwright credentials rotate seals them with the first',
}

/** `merchantId`: whose providers are asked; null: those of all. */
export async function credentialFindings(db: Db, config: Config, merchantId: number | null): Promise<Finding[]> {
  try {
    return [...(await findings(db, config)), ...(await providerFindings(db, config, merchantId))]
  } catch (error) {
    // Said here, of the file with the key: as a failure of the database nobody would look there.
    if (error instanceof Error && 'isForOperator' in error)
      return [{ ok: false, text: `credentials: ${error.message}` }]
    throw error
  }
}

async function findings(db: Db, config: Config): Promise<Finding[]> {
  const keys = credentialKeysOf(config)
  const named: Finding[] = []
  const counts: Record<CredentialState, number> = { current: 0, older: 0, plain: 0, lost: 0 }
  for await (const { method, state } of inspectCredentials({ db, credentials: credentialsWith(keys), keys })) {
    counts[state]++
    if (state === 'current' || counts[state] > MOST_NAMED) continue
    named.push(findingOf(state, `${describeGateway('credentials', method)}: ${SENTENCES[state]}`))
  }
  const more = (['lost', 'plain', 'older'] as const).flatMap((state) => {
    const left = counts[state] - MOST_NAMED
    return left > 0 ? [findingOf(state, `credentials: ${left} more gateways: ${SENTENCES[state]}`)] : []
  })
  return [keyFinding(config, (await keys.list()).length, counts), ...named, ...more]
}

const findingOf = (state: CredentialState, text: string): Finding =>
  state === 'lost' ? { ok: false, text } : { ok: true, isWarning: true, text }

function keyFinding(config: Config, keys: number, counts: Readonly<Record<CredentialState, number>>) {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  const of = sum === 0 ? 'no gateway has any yet' : `of ${sum} ${sum === 1 ? 'gateway' : 'gateways'}`
  const counted = keys === 1 ? 'one key' : `${keys} keys`
  if (config.credentialsKeys !== null)
    return { ok: true, text: `credentials: ${of}; ${counted} in CREDENTIALS_KEY` } satisfies Finding
  if (config.databaseUrl !== null)
    return {
      ok: true,
      isWarning: true,
      text: `credentials: ${of}; CREDENTIALS_KEY is not set, and without it no merchant can enter any`,
    } satisfies Finding
  const file = credentialKeysFile(config.dataDir)
  const where = keys === 0 ? `the first that are entered make the key, ${file}` : `${counted} in ${file}`
  return { ok: true, text: `credentials: ${of}; ${where}; backups need this file too` } satisfies Finding
}
