// At whose server, and at which of a merchant's accounts there, a payment is.

import type { Db } from '../../db/db.ts'
import { providers } from '../../gateways/index.ts'
import { findKeptMethod } from './store.ts'

/** As it is kept with the payment. */
type PaymentAt = {
  readonly merchantId: number
  readonly gateway: string | null
  readonly methodId: string | null
  readonly isSandbox: boolean
  readonly isSimulated: boolean
}

/** What a provider that is down is remembered by; null where there is none, as with made-up payments and those by hand. */
export const providerOf = ({ merchantId, gateway, methodId, isSandbox, isSimulated }: PaymentAt): string | null =>
  methodId === null || jobProvider({ gateway, is_simulated: isSimulated }) === null
    ? null
    : `${merchantId} ${methodId} ${isSandbox}`

/** Whose server a job about a payment waits for; null where there is none. */
export const jobProvider = (payment: {
  readonly gateway: string | null
  readonly is_simulated: boolean
}): string | null => {
  const { gateway, is_simulated: isSimulated } = payment
  return isSimulated || gateway === null || !providers.includes(gateway) ? null : gateway
}

/**
 * Who asks a provider has read the credentials before the moment that is written down with what is asked: a capture reads them before its attempt
 * has an id. What was begun so soon after a change may have been asked of the account before.
 */
const READ_BEFORE_MS = 60_000

/** Whether the gateway may have been set up for another account since: what that one does not know may have happened at the former. */
export async function hasChangedAccount(db: Db, payment: PaymentAt & { readonly begunAt: Date }): Promise<boolean> {
  const { merchantId, methodId, begunAt } = payment
  if (methodId === null || providerOf(payment) === null) return false
  const changedAt = (await findKeptMethod(db, { merchantId }, methodId))?.account_changed_at ?? null
  return changedAt !== null && changedAt.getTime() >= begunAt.getTime() - READ_BEFORE_MS
}
