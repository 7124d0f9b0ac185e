// Records disputes that a provider reports. A shopper has asked the bank for the money back, and the bank and the merchant settle it there.
// The order shows the state of each dispute. A message counts by the state of the dispute in it, not by its name or its time.

import { unixSeconds } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import type { Minor } from '../../../lib/money.ts'
import type { OrderOwner } from '../../orders/links.ts'
import { emitOrderEvent, lockOrderOrThrow } from '../../orders/order.ts'
import type { DisputeRow } from '../../orders/read-store.ts'
import type { PaymentContext } from '../calls.ts'
import type { NoticeResult } from './refunds.ts'
import { writeDisputeRow } from './store.ts'

export type ReportedDispute = {
  readonly gateway: string
  /** Id of the charge at the gateway. */
  readonly chargeId: string
  /** Id of the dispute at the gateway. */
  readonly disputeId: string
  readonly status: DisputeRow['status']
  /** In the gateway's words. */
  readonly reason: string | null
  readonly amount: Minor
}

/** Messages arrive in any order: one with an open state is outdated once the dispute has ended. */
const hasEnded = ({ status }: Pick<DisputeRow, 'status'>): boolean => status !== 'open' && status !== 'under_review'

/** Records each state once. `unknown`: no charge of this order has that id. */
export const recordDispute = (
  { db, clock }: Pick<PaymentContext, 'db' | 'clock'>,
  owner: OrderOwner,
  orderId: string,
  report: ReportedDispute,
): Promise<NoticeResult> =>
  db.transaction(async (tx) => {
    const row = await lockOrderOrThrow(tx, owner, orderId)
    const charge = row.transactions.find(
      ({ type, gateway, gateway_transaction_id: id }) =>
        type === 'charge' && gateway === report.gateway && id === report.chargeId,
    )
    if (charge === undefined) return 'unknown'
    const { gateway, disputeId, status, reason, amount } = report
    const before = row.disputes.find((each) => each.gateway === gateway && each.gateway_dispute_id === disputeId)
    if (before !== undefined) {
      const isSame = before.status === status && before.reason === reason && before.amount === amount
      if (isSame || (hasEnded(before) && !hasEnded(report))) return 'known'
    }
    const now = clock.now()
    const dispute: DisputeRow = {
      id: before?.id ?? newId('dispute', now),
      transaction_id: charge.id,
      gateway,
      gateway_dispute_id: disputeId,
      status,
      reason,
      amount,
      created: before?.created ?? unixSeconds(now),
      updated: unixSeconds(now),
    }
    const disputes = [...row.disputes.filter(({ id }) => id !== dispute.id), dispute].toSorted(byAge)
    await writeDisputeRow(tx, row, dispute, now)
    await emitOrderEvent(tx, owner, 'orders.dispute', { ...row, disputes, updated: unixSeconds(now) }, now)
    return 'recorded'
  })

/** Sorts as a read does. */
const byAge = (one: DisputeRow, other: DisputeRow): number =>
  one.created - other.created || (one.id < other.id ? -1 : 1)
