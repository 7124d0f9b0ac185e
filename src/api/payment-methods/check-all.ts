// Checks for the operator if providers know the credentials of all merchants' gateways, or of one merchant's. No money moves.

import type { Db } from '../../db/db.ts'
import { databaseClock } from '../../db/health/heartbeat.ts'
import type { GatewayPorts } from '../../gateways/gateway.ts'
import { createAdapters } from '../../gateways/index.ts'
import { providerClient } from '../../gateways/provider/client.ts'
import type { CredentialsCheck } from '../../gateways/provider/history.ts'
import { testJournal } from '../../gateways/sandbox/journal-store.ts'
import type { CredentialKeys } from '../../keys/credential-keys.ts'
import { createCredentials } from '../../keys/credentials.ts'
import { checkPaymentMethod } from './check.ts'
import { configCredentials } from './credentials.ts'
import { inspectCredentials } from './reseal.ts'
import type { StoredConfig } from './store.ts'

export type CheckOptions = {
  readonly keys: CredentialKeys
  /** The merchant; null: all merchants. */
  readonly merchant_id: number | null
  /** Maximum number of checks to make, so that an operator of thousands of shops does not wait for all. */
  readonly most: number
  /** Sender that providers see. */
  readonly sender: string
  /** Addresses of the providers' APIs, as in the service itself. Only tests replace the official ones. */
  readonly address?: GatewayPorts['address']
}

export type CheckedMethod = CredentialsCheck & { readonly method: StoredConfig }

/** Checks at the same time. */
const CONCURRENCY = 5

/**
 * `others` counts the gateways that were not checked. Deleted and simulated ones, and those with credentials that cannot be opened, are
 * left out.
 */
export async function checkAllMethods(
  db: Db,
  { keys, merchant_id, most, sender, address = (official) => official }: CheckOptions,
): Promise<{ readonly checked: readonly CheckedMethod[]; readonly others: number }> {
  const credentials = createCredentials(keys)
  const methods: StoredConfig[] = []
  let others = 0
  for await (const { method, state } of inspectCredentials({ db, credentials, keys })) {
    const isSelected = merchant_id === null || method.merchant_id === merchant_id
    if (!isSelected || state === 'lost' || method.is_deleted || method.is_simulated) continue
    if (methods.length < most) methods.push(method)
    else others++
  }
  const clock = await databaseClock(db)
  const http = providerClient(sender)
  // Nothing is paid here, so nothing is announced.
  const ports = { journal: testJournal(db, clock), announce: async () => undefined, http, address, clock }
  const payments = { findAdapter: createAdapters(ports), credentials: configCredentials(credentials) }
  const check = async (method: StoredConfig): Promise<CheckedMethod> => ({
    method,
    ...(await checkPaymentMethod({ payments }, method.merchant_id, method)),
  })
  try {
    const results: CheckedMethod[] = []
    for (let from = 0; from < methods.length; from += CONCURRENCY)
      results.push(...(await Promise.all(methods.slice(from, from + CONCURRENCY).map(check))))
    return { checked: results, others }
  } finally {
    http.close()
  }
}
