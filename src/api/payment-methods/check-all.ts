// Asks the providers of all merchants' gateways, or of one merchant's, whether they know the credentials: for the operator. No money moves.

import type { Db } from '../../db/db.ts'
import { databaseClock } from '../../db/heartbeat.ts'
import type { GatewayPorts } from '../../gateways/gateway.ts'
import { chargingWith } from '../../gateways/index.ts'
import { providerClient } from '../../gateways/provider/client.ts'
import type { CredentialsCheck } from '../../gateways/provider/story.ts'
import { testJournal } from '../../gateways/sandbox/journal-store.ts'
import type { CredentialKeys } from '../../keys/credential-keys.ts'
import { credentialsWith } from '../../keys/credentials.ts'
import { checkPaymentMethod } from './check.ts'
import { configCredentials } from './credentials.ts'
import { inspectCredentials } from './reseal.ts'
import type { StoredConfig } from './store.ts'

export type CheckOptions = {
  readonly keys: CredentialKeys
  /** Whose; null: everybody's. */
  readonly merchantId: number | null
  /** At most so many are asked: whoever runs thousands of shops does not wait for all. */
  readonly most: number
  /** What providers see as the sender. */
  readonly sender: string
  /** Where a provider's API is, as in the service itself: other than what is given only in tests. */
  readonly address?: GatewayPorts['address']
}

export type CheckedMethod = CredentialsCheck & { readonly method: StoredConfig }

/** At the same time. */
const AT_ONCE = 5

/** `others`: how many were not asked. Those whose credentials cannot be opened, deleted and simulated ones are left out. */
export async function checkAllMethods(
  db: Db,
  { keys, merchantId, most, sender, address = (official) => official }: CheckOptions,
): Promise<{ readonly checked: readonly CheckedMethod[]; readonly others: number }> {
  const credentials = credentialsWith(keys)
  const wanted: StoredConfig[] = []
  let others = 0
  for await (const { method, state } of inspectCredentials({ db, credentials, keys })) {
    const isAsked = merchantId === null || method.merchant_id === merchantId
    if (!isAsked || state === 'lost' || method.is_deleted || method.is_simulated) continue
    if (wanted.length < most) wanted.push(method)
    else others++
  }
  const clock = await databaseClock(db)
  const http = providerClient(sender)
  // Nothing is paid here, so nothing is announced.
  const ports = { journal: testJournal(db, clock), announce: async () => undefined, http, address, clock }
  const payments = { charging: chargingWith(ports), credentials: configCredentials(credentials) }
  const ask = async (method: StoredConfig): Promise<CheckedMethod> => ({
    method,
    ...(await checkPaymentMethod({ payments }, method.merchant_id, method)),
  })
  try {
    const checked: CheckedMethod[] = []
    for (let from = 0; from < wanted.length; from += AT_ONCE)
      checked.push(...(await Promise.all(wanted.slice(from, from + AT_ONCE).map(ask))))
    return { checked, others }
  } finally {
    http.close()
  }
}
