// Calls to gateways about the charges and refunds of an order: never inside a transaction, and always within a time.

import { within } from '../../gateways/deadline.ts'
import { type GatewayCall, GatewayUnavailable } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint.ts'
import { gatewayTimeout } from '../../lib/errors.ts'
import { findPaymentMethod } from '../payment-methods/store.ts'
import type { TransactionRow } from './row-store.ts'

/** What a request, or a job, needs to ask a gateway and record what it says. */
export type Asking = Pick<Services, 'db' | 'clock' | 'payments'> & { readonly signal: AbortSignal }

/** Nobody knows what the gateway has done. It is asked again, under the same key. */
export type Open = { readonly kind: 'open'; readonly cause: unknown }

/** Throws whatever the gateway throws, and when it takes too long. */
export async function callGateway<T>(
  { db, payments, signal }: Omit<Asking, 'clock'>,
  merchantId: number,
  { gateway_key: key, payment_method_id: methodId }: TransactionRow,
  work: (call: GatewayCall) => Promise<T>,
): Promise<T> {
  const method = methodId ? await findPaymentMethod(db, merchantId, methodId) : null
  // Ends before the job takes over, so that the two do not ask at once.
  return within((payments.settleAfterMs * 2) / 3, (deadline) =>
    work({ merchantId, key, config: method?.config ?? {}, signal: AbortSignal.any([signal, deadline]) }),
  )
}

/** By the id that the gateway gave it, by our key where it gave none. */
export const transactionIdOf = ({ gateway_transaction_id: id, gateway_key: key }: TransactionRow): string => id ?? key

/** With its cause, which is logged. */
export const notAnswered = ({ payments }: Pick<Asking, 'payments'>, { cause }: Open) =>
  Object.assign(gatewayTimeout(Math.ceil(payments.settleAfterMs / 1_000)), { cause })

/** The same, of a job: it is tried again later. */
export const stillOpen = (message: string, { cause }: Open) =>
  new GatewayUnavailable(message, { isNothingCharged: false, cause })
