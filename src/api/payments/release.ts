// How an order is let go, whoever asks for it: a merchant, the last of its refunds, or the time in which it was to be paid. In one
// transaction: the order and its pending charges, the use of its code, what goes back into stock, the event that tells it, and the jobs
// that release the money which gateways hold for it.

import type { Tx } from '../../db/db.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { uncountDiscountUse } from '../discounts/store.ts'
import type { OrderOwner } from '../orders/links.ts'
import { enqueueOrderMail } from '../orders/mails/order-mail.ts'
import { paymentsOf } from '../orders/money/sums.ts'
import { changed, emitOrder } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { sumsOf } from '../orders/status.ts'
import { cancelOrderRow, findOrder } from '../orders/store.ts'
import { jobProvider } from '../payment-methods/account.ts'
import { askRelease, askStanding, throwIfOpen } from './ask.ts'
import { isBeingDecided, LOOK_AGAIN_MS, lookIntoLater } from './look-later.ts'
import { entryOf, MOST_FAILURES, paymentOf, transactionIdOf } from './movement.ts'
import { restock, unshippedOf } from './restock.ts'
import { isBeingTaken } from './take.ts'

/** Whether the merchant has money for it, on a gift card or through a gateway. */
export const isPaidFor = (row: OrderRow): boolean => sumsOf(paymentsOf(row)).paid > 0

export const hasShipped = ({ items }: OrderRow): boolean =>
  items.some(({ quantity_fulfilled }) => quantity_fulfilled > 0)

/** Whether nothing stands against it in this moment. */
export const canBeCancelled = (row: OrderRow): boolean =>
  row.cancelled === null && !isPaidFor(row) && !hasShipped(row) && !row.transactions.some(isBeingTaken)

/** How the customer hears of it: `refundIds` are the refunds that end with it, of which the one mail tells too. */
type Told = { readonly isExpired?: boolean; readonly refundIds?: readonly string[] }

/** Under the order's lock, where it `canBeCancelled`. Gives the order as it then is. */
export async function writeCancel(
  tx: Tx,
  owner: OrderOwner,
  row: OrderRow,
  reason: string | null,
  now: Date,
  { isExpired = false, refundIds = [] }: Told = {},
): Promise<OrderRow> {
  const transactions = row.transactions.map((transaction) =>
    transaction.status === 'pending'
      ? ({ ...transaction, status: 'cancelled', status_reason: 'order_cancelled', updated: unixSeconds(now) } as const)
      : transaction,
  )
  for (const charge of row.transactions)
    if (charge.status === 'pending' && charge.is_authorized) await enqueueRelease(tx, owner, row, charge, now)
  // What a provider has not decided about cannot be called off: should the money come, it is given back.
  const undecided = row.transactions.find(isBeingDecided)
  if (undecided !== undefined)
    await lookIntoLater(
      tx,
      owner.merchantId,
      { order_id: row.id, is_sandbox: owner.isSandbox },
      undecided,
      new Date(now.getTime() + LOOK_AGAIN_MS),
    )
  const { discount } = row.content
  // A code that saved nothing was not counted.
  if (discount !== null && discount.amount_saved > 0) await uncountDiscountUse(tx, owner, discount.id)
  // The last of all locks, as in captures: many wait for stock.
  const restocked = await restock(tx, owner, row, unshippedOf(row))
  const cancelled = { cancelling: null, cancelled: unixSeconds(now), cancel_reason: reason, restocked }
  const next = changed(row, { transactions, ...cancelled }, now)
  await cancelOrderRow(tx, next, now)
  await emitOrder(tx, owner, 'orders.cancel', next, now)
  const refunds = refundIds.map((refundId) => ({ kind: 'refund', refundId }) as const)
  await enqueueOrderMail(tx, owner, next, { kind: 'cancellation', isExpired }, now, refunds)
  return next
}

/** A job, so that neither a crash nor an outage of the gateway leaves a shopper's money held. */
const RELEASE_AUTHORIZATION = 'orders.release_authorization'

type ReleasePayload = { orderId: string; isSandbox: boolean; transactionId: string }

/** In the transaction that ends the charge. */
export const enqueueRelease = (
  tx: Tx,
  { merchantId, isSandbox }: OrderOwner,
  { id: orderId }: OrderRow,
  charge: TransactionRow,
  now: Date,
) =>
  enqueue(tx, {
    merchantId,
    kind: RELEASE_AUTHORIZATION,
    payload: { orderId, isSandbox, transactionId: charge.id } satisfies ReleasePayload,
    provider: jobProvider(charge),
    runAt: now,
  })

export const releaseAuthorization = (services: Services): JobHandler => ({
  kind: RELEASE_AUTHORIZATION,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MOST_FAILURES,
  async handle({ payload, merchantId, signal }) {
    const { orderId, isSandbox, transactionId } = payload as ReleasePayload
    const order = await findOrder(services.db, { merchantId, isSandbox }, orderId)
    const charge = order?.transactions.find(({ id }) => id === transactionId)
    if (!order || !charge) return
    const [context, entry, id] = [{ ...services, signal }, entryOf(order, charge), transactionIdOf(charge)]
    const answer = await askRelease(context, entry, id)
    throwIfOpen(answer)
    const { release, story } = services.payments.charging(charge.gateway, charge.is_simulated) ?? {}
    const isLetGo = release !== undefined && answer.kind === 'released'
    if (isLetGo || story === undefined) return
    // Somebody may have taken it at the provider. Then the shopper has paid, and the order has to say so.
    const { charge: state } = await askStanding(context, entry, paymentOf(order, charge))
    if (state === 'complete')
      await lookIntoLater(
        services.db,
        merchantId,
        { order_id: orderId, is_sandbox: isSandbox },
        charge,
        services.clock.now(),
      )
    // Tried again later. What cannot be told to let go does so by itself after some days.
    else if (state === 'held' && answer.kind === 'declined') throw new Error(`Money stays held: ${answer.message}`)
  },
})
