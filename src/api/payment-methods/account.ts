// Identifies the provider of a payment, and the merchant's account there.

import type { Db } from '../../db/db.ts'
import { providers } from '../../gateways/index.ts'
import { findMethodOrDeleted } from './store.ts'

/** Fields stored with the payment. */
type PaymentAt = {
  readonly merchant_id: number
  readonly gateway: string | null
  readonly methodId: string | null
  readonly is_sandbox: boolean
  readonly isSimulated: boolean
}

/** Key by which an outage of the provider is remembered. Null without a provider, as for simulated payments and payments by hand. */
export const outageKeyOf = ({ merchant_id, gateway, methodId, is_sandbox, isSimulated }: PaymentAt): string | null =>
  methodId === null || jobProvider({ gateway, is_simulated: isSimulated }) === null
    ? null
    : `${merchant_id} ${methodId} ${is_sandbox}`

/** Provider that a job about a payment waits for; null if there is none. */
export const jobProvider = (payment: {
  readonly gateway: string | null
  readonly is_simulated: boolean
}): string | null => {
  const { gateway, is_simulated: isSimulated } = payment
  return isSimulated || gateway === null || !providers.includes(gateway) ? null : gateway
}

/**
 * Credentials are read before the time that is recorded with a call: a capture reads them before its attempt has an id. So a call recorded
 * this soon after a change may have gone to the previous account.
 */
const READ_BEFORE_MS = 60_000

/**
 * True if the gateway may have been set up for another account since. A payment that this account does not know may be at the previous one.
 */
export async function hasChangedAccount(db: Db, payment: PaymentAt & { readonly begunAt: Date }): Promise<boolean> {
  const { merchant_id, methodId, begunAt } = payment
  if (methodId === null || outageKeyOf(payment) === null) return false
  const changedAt = (await findMethodOrDeleted(db, { merchant_id }, methodId))?.account_changed_at ?? null
  return changedAt !== null && changedAt.getTime() >= begunAt.getTime() - READ_BEFORE_MS
}
