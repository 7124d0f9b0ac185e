// Calls to gateways about the charges and refunds of an order: never inside a transaction, and always within a time.

import { type GatewayCall, GatewayUnavailable, within } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { gatewayTimeout } from '../../lib/errors.ts'
import type { TransactionRow } from '../orders/read-store.ts'
import { findOrder } from '../orders/store.ts'
import { findPaymentMethod } from '../payment-methods/store.ts'

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
  const method = methodId ? await findPaymentMethod(db, { merchantId }, methodId) : null
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

// Lets go of money that a gateway holds for an order which was cancelled, after the commit: a job, so that neither a crash nor an
// outage of the gateway leaves a shopper's money held.

export const RELEASE_AUTHORIZATION = 'orders.release_authorization'

type ReleasePayload = { orderId: string; isSandbox: boolean; transactionId: string }

export const releaseAuthorization = ({ db, payments }: Services): JobHandler => ({
  kind: RELEASE_AUTHORIZATION,
  async handle({ payload, merchantId, signal }) {
    const { orderId, isSandbox, transactionId } = payload as ReleasePayload
    const order = await findOrder(db, { merchantId, isSandbox }, orderId)
    const charge = order?.transactions.find(({ id }) => id === transactionId)
    if (!charge) return
    const charging = payments.charging(charge.gateway)
    if (!charging) throw new GatewayUnavailable(`${charge.gateway} is not known here.`, { isNothingCharged: true })
    // Refused: there is nothing to let go of any more. The gateway itself lets go after some days.
    await callGateway({ db, payments, signal }, merchantId, charge, async (call) =>
      charging.release?.({ ...call, transactionId: transactionIdOf(charge) }),
    )
  },
})
