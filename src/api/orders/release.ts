// Lets go of money that a gateway holds for an order which was cancelled, after the commit: a job, so that neither a crash nor an
// outage of the gateway leaves a shopper's money held.

import { GatewayUnavailable } from '../../gateways/gateway.ts'
import type { Services } from '../../http/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { callGateway, transactionIdOf } from './gateway-call.ts'
import { findOrder } from './store.ts'

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
