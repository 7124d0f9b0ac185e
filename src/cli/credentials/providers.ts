// What `cartwright doctor` hears from the providers of gateways: whether they know the credentials, and in which mode. No money moves.

import { checkPaymentMethod } from '../../api/payment-methods/check.ts'
import { configCredentials } from '../../api/payment-methods/credentials.ts'
import { inspectCredentials } from '../../api/payment-methods/reseal.ts'
import type { StoredConfig } from '../../api/payment-methods/store.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/db.ts'
import { databaseClock } from '../../db/heartbeat.ts'
import type { GatewayPorts } from '../../gateways/gateway.ts'
import { chargingWith } from '../../gateways/index.ts'
import { providerClient } from '../../gateways/provider/client.ts'
import { testJournal } from '../../gateways/sandbox/journal-store.ts'
import { credentialKeysOf } from '../../keys/credential-keys.ts'
import { credentialsWith } from '../../keys/credentials.ts'
import { redact } from '../../lib/redact.ts'
import { release } from '../../release.ts'
import type { Finding } from '../shards.ts'
import { describeGateway } from './gateway-name.ts'

/** Whoever runs thousands of shops asks for one of them, and does not wait for all. */
export const MOST_ASKED = 20
/** Of one doctor, at the same time. */
const AT_ONCE = 5

/** `address`: where a provider's API is; as in the service itself, other than what is given only in tests. */
export async function providerFindings(
  db: Db,
  config: Config,
  merchantId: number | null,
  address: GatewayPorts['address'] = (official) => official,
): Promise<Finding[]> {
  const keys = credentialKeysOf(config)
  const credentials = credentialsWith(keys)
  const wanted: StoredConfig[] = []
  let others = 0
  for await (const { method, state } of inspectCredentials({ db, credentials, keys })) {
    // What cannot be opened is named by findings.ts.
    if (
      state === 'lost' ||
      method.is_deleted ||
      method.is_simulated ||
      (merchantId !== null && method.merchant_id !== merchantId)
    )
      continue
    if (wanted.length < MOST_ASKED) wanted.push(method)
    else others++
  }
  const clock = await databaseClock(db)
  // A doctor pays nothing, so nothing is announced.
  const http = providerClient(`Cartwright/${release}`)
  const charging = chargingWith({
    journal: testJournal(db, clock),
    announce: async () => undefined,
    http,
    address,
    clock,
  })
  const services = { payments: { charging, credentials: configCredentials(credentials) } }
  try {
    const findings: Finding[] = []
    for (let from = 0; from < wanted.length; from += AT_ONCE)
      findings.push(...(await Promise.all(wanted.slice(from, from + AT_ONCE).map((method) => ask(services, method)))))
    return others === 0 ? findings : [...findings, notAsked(others)]
  } finally {
    http.close()
  }
}

async function ask(services: Parameters<typeof checkPaymentMethod>[0], method: StoredConfig): Promise<Finding> {
  const { isUsable, message } = await checkPaymentMethod(services, method.merchant_id, method)
  return { ok: isUsable, text: redact(`${describeGateway('gateway', method)}: ${message}`) }
}

const notAsked = (count: number): Finding => ({
  ok: true,
  isWarning: true,
  text: `gateway: the providers of ${count} more were not asked; cartwright doctor --merchant asks those of one shop`,
})
