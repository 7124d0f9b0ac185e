// Findings of `cartwright doctor` from payment providers: do they accept the credentials, and for which mode?

import { type CheckOptions, checkAllMethods } from '../../api/payment-methods/check-all.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/db.ts'
import { credentialKeysOf } from '../../keys/credential-keys.ts'
import { redact } from '../../lib/redact.ts'
import { release } from '../../release.ts'
import { progress } from '../progress.ts'
import type { Finding } from '../shards.ts'
import { describeGateway } from './gateway-name.ts'

export const MAX_CHECKED_PROVIDERS = 20

export async function providerFindings(
  db: Db,
  config: Config,
  merchant_id: number | null,
  address?: CheckOptions['address'],
): Promise<Finding[]> {
  progress.show('Checking the credentials with the payment providers')
  const { checked, others } = await checkAllMethods(db, {
    keys: credentialKeysOf(config),
    merchant_id,
    most: MAX_CHECKED_PROVIDERS,
    sender: `Cartwright/${release}`,
    ...(address === undefined ? {} : { address }),
  })
  const findings = checked.map(({ method, isUsable, message }) => ({
    ok: isUsable,
    text: redact(`${describeGateway('gateway', method)}: ${message}`),
  }))
  return others === 0 ? findings : [...findings, uncheckedFinding(others)]
}

const uncheckedFinding = (count: number): Finding => ({
  ok: true,
  isWarning: true,
  text: `gateway: ${count} more were not checked with their providers; cartwright doctor --merchant ID checks those of one shop`,
})
