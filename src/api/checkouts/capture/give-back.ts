// Money that has come for an attempt which had been given up: there is no order for it, so that it goes back. A job, so that neither a
// crash nor an outage of the gateway keeps it. What is asked of the gateway is keyed by the attempt, and asked twice is done once.

import type { Db } from '../../../db/db.ts'
import type { JobHandler } from '../../../jobs/job.ts'
import { enqueue } from '../../../jobs/queue.ts'
import type { PaymentMade } from '../../orders/draft.ts'
import { type AttemptKey, findAttempt } from './attempt-store.ts'
import { gatewayOf, letGo, refund } from './gateway-call.ts'
import type { CaptureServices } from './reserve.ts'

const GIVE_BACK = 'capture.give_back'

type GiveBackPayload = { attemptId: string; kind: 'charged' | 'authorized'; transactionId: string }

/** Nothing is to be done about a payment of which no money has moved. */
export async function giveBackLater(
  db: Db,
  { merchant_id: merchantId, id: attemptId }: AttemptKey,
  { kind, transactionId }: PaymentMade,
  now: Date,
): Promise<void> {
  if (kind === 'pending') return
  const payload: GiveBackPayload = { attemptId, kind, transactionId: transactionId ?? attemptId }
  await enqueue(db, { merchantId, kind: GIVE_BACK, key: attemptId, payload, runAt: now })
}

export const giveBackLatePayments = (services: CaptureServices): JobHandler => ({
  kind: GIVE_BACK,
  async handle({ payload, merchantId }) {
    const { attemptId, kind, transactionId } = payload as GiveBackPayload
    const attempt = await findAttempt(services.db, { merchant_id: merchantId, id: attemptId })
    if (attempt?.state !== 'released') throw new Error(`The attempt ${attemptId} has not been given up.`)
    const { charging, call } = await gatewayOf(services, attempt)
    // Refused: there is nothing to let go of any more. The gateway itself lets go after some days.
    if (kind === 'authorized') return void (await letGo(charging, { ...call, transactionId }))
    const { amount, currency } = attempt
    // Another key than the charge's: a gateway may remember a key with what was first asked by it.
    const request = { ...call, key: `${attemptId}_refund`, transactionId, amount, currency }
    const answer = await refund(charging, request)
    // Tried again, and told in the end: somebody has to look into it.
    if (answer.kind === 'declined') throw new Error(`The payment of ${attemptId} is not given back: ${answer.message}`)
  },
})
