// Findings of `cartwright doctor` about gateway credentials: lost keys, credentials not encrypted as they should be, and the providers' own
// verdicts.

import { type CredentialState, inspectCredentials } from '../../api/payment-methods/reseal.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/db.ts'
import { credentialKeysFile, credentialKeysOf } from '../../keys/credential-keys.ts'
import { createCredentials } from '../../keys/credentials.ts'
import type { Finding } from '../shards.ts'
import { describeGateway } from './gateway-name.ts'
import { providerFindings } from './providers.ts'

/** Limit for each kind. An operator who lost the key of a thousand shops restores it and does not read a list. */
export const MAX_NAMED_GATEWAYS = 20

/** Sentence after each listed gateway. Gateways without problems are not listed. */
const SENTENCES: Readonly<Record<Exclude<CredentialState, 'current'>, string>> = {
  lost: 'no key decrypts them; restore the lost key, or have the merchant enter them again',
  plain: 'stored as plain text in the database; cartwright credentials rotate encrypts them',
  older: 'encrypted with an older key; cartwright credentials rotate encrypts them with the first',
}

/** `merchant_id` selects the shop to check with its providers; null checks all shops. */
export async function credentialFindings(db: Db, config: Config, merchant_id: number | null): Promise<Finding[]> {
  try {
    return [...(await findings(db, config)), ...(await providerFindings(db, config, merchant_id))]
  } catch (error) {
    // Report it here, where it names the file with the key. As a database failure it would mislead.
    if (error instanceof Error && 'isForOperator' in error)
      return [{ ok: false, text: `credentials: ${error.message}` }]
    throw error
  }
}

async function findings(db: Db, config: Config): Promise<Finding[]> {
  const keys = credentialKeysOf(config)
  const listed: Finding[] = []
  const counts: Record<CredentialState, number> = { current: 0, older: 0, plain: 0, lost: 0 }
  for await (const { method, state } of inspectCredentials({ db, credentials: createCredentials(keys), keys })) {
    counts[state]++
    if (state === 'current' || counts[state] > MAX_NAMED_GATEWAYS) continue
    listed.push(findingOf(state, `${describeGateway('credentials', method)}: ${SENTENCES[state]}`))
  }
  const more = (['lost', 'plain', 'older'] as const).flatMap((state) => {
    const remaining = counts[state] - MAX_NAMED_GATEWAYS
    return remaining > 0 ? [findingOf(state, `credentials: ${remaining} more gateways: ${SENTENCES[state]}`)] : []
  })
  return [keyFinding(config, (await keys.list()).length, counts), ...listed, ...more]
}

const findingOf = (state: CredentialState, text: string): Finding =>
  state === 'lost' ? { ok: false, text } : { ok: true, isWarning: true, text }

function keyFinding(config: Config, keys: number, counts: Readonly<Record<CredentialState, number>>) {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0)
  const of = sum === 0 ? 'no gateway has any yet' : `of ${sum} ${sum === 1 ? 'gateway' : 'gateways'}`
  const keyCount = keys === 1 ? 'one key' : `${keys} keys`
  if (config.credentialsKeys !== null)
    return { ok: true, text: `credentials: ${of}; ${keyCount} in CREDENTIALS_KEY` } satisfies Finding
  if (config.databaseUrl !== null)
    return {
      ok: true,
      isWarning: true,
      text: `credentials: ${of}; CREDENTIALS_KEY is not set; without it merchants cannot enter credentials`,
    } satisfies Finding
  const file = credentialKeysFile(config.dataDir)
  const where =
    keys === 0 ? `the first credentials that a merchant enters create the key file ${file}` : `${keyCount} in ${file}`
  return { ok: true, text: `credentials: ${of}; ${where}; include this file in backups` } satisfies Finding
}
