// Changes that a merchant makes to a transaction: complete it, for all or a part of its amount, or release it. Completing takes the money
// from a gateway that holds it. Also saves notes.

import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { type Minor, parseAmount, priceOf } from '../../lib/money.ts'
import type { TransactionChanges } from '../orders/body-schema.ts'
import { resolveOrderOwner } from '../orders/links.ts'
import type { Transaction } from '../orders/money/schema.ts'
import { viewTransaction } from '../orders/money/view.ts'
import { lockOrderOrThrow, refuseWhileCancelling } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import type { PaymentRequest } from './calls.ts'
import { completedFields, pendingRestOf, writeCharge } from './charge.ts'
import { isPendingAtProvider } from './polls.ts'
import { enqueueRelease } from './release.ts'
import { beginTake, executeTake, isBeingTaken } from './take.ts'

export async function updateTransaction(
  context: PaymentRequest,
  orderId: string,
  id: string,
  body: TransactionChanges,
): Promise<Transaction> {
  const owner = await resolveOrderOwner(context)
  const { order, transaction } = await context.db.transaction(async (tx) => {
    const row = await lockOrderOrThrow(tx, owner, orderId)
    const current = row.transactions.find((each) => each.id === id)
    if (!current) throw notFound('transaction')
    const now = context.clock.now()
    const paidAmount = amountOf(body, current, row.currency)
    const isCompleting = shouldComplete(body, current, row, paidAmount)
    refuseOtherCharge(body, current)
    if (isCompleting && isPendingAtProvider(current))
      throw conflict(
        `${current.gateway} has not decided about this payment yet. Its status is checked again from time to time.`,
        3_600,
      )
    if (isCompleting && current.is_authorized)
      return { order: await beginTake(tx, context, owner, row, current, paidAmount), transaction: null }
    const isReleasing = shouldRelease(body, current, row)
    if (isReleasing) await enqueueRelease(tx, owner, row, current, now)
    const next: TransactionRow = {
      ...current,
      ...(isCompleting ? { ...completedFields(now), amount: paidAmount } : {}),
      ...(isReleasing ? RELEASED : {}),
      gateway_transaction_id:
        body.gateway_transaction_id === undefined ? current.gateway_transaction_id : body.gateway_transaction_id,
      ...remarksOf(body, current),
      updated: unixSeconds(now),
    }
    const rest =
      isCompleting && paidAmount < current.amount ? pendingRestOf(current, current.amount - paidAmount, now) : null
    await writeCharge(tx, owner, row, { transaction: next, rest }, now)
    return { order: row, transaction: next }
  })
  const result = transaction ?? (await executeTake(context, owner, order, id, (charge) => remarksOf(body, charge)))
  return viewTransaction(result, order.currency)
}

const remarksOf = ({ notes, meta }: TransactionChanges, current: TransactionRow) => ({
  notes: notes ?? current.notes,
  meta: meta === undefined ? current.meta : meta,
})

/** Amount that was paid; all of it unless given. */
function amountOf({ amount, status }: TransactionChanges, current: TransactionRow, currency: string): Minor {
  if (amount === undefined) return current.amount
  if (status !== 'complete') throw unprocessable({ amount: ['amount can only be sent with status complete.'] })
  const parsed = parseAmount(amount, currency, { field: 'amount' })
  if (!parsed.ok) throw unprocessable({ amount: [parsed.reason] })
  if (parsed.minor === 0) throw unprocessable({ amount: ['amount must be above 0.'] })
  if (parsed.minor > current.amount) {
    const most = priceOf(current.amount, currency).formatted_with_code
    throw notValid({ amount: [`amount must be at most ${most}, the amount of this transaction.`] })
  }
  return parsed.minor
}

/** False if that was not requested, or if the transaction is complete already: repeating the request does no harm. */
function shouldComplete({ status }: TransactionChanges, current: TransactionRow, row: OrderRow, paid: Minor): boolean {
  if (status !== 'complete') return false
  if (current.type === 'refund')
    throw notValid({ status: ['status of a refund is set by the gateway and cannot be changed.'] })
  if (current.status === 'complete') {
    if (paid !== current.amount)
      throw notValid({ amount: ['amount cannot be changed once the transaction is complete.'] })
    return false
  }
  refuseWhileCancelling(row)
  if (current.status !== 'pending' || row.cancelled !== null)
    throw notValid({ status: [`status is ${current.status}; only a pending transaction can be completed.`] })
  return true
}

const RELEASED = { status: 'cancelled', status_reason: 'released' } as const

/**
 * True if the gateway has to release the money, by the job that is enqueued with the change. False if that was not requested, or was
 * before.
 */
function shouldRelease({ status }: TransactionChanges, current: TransactionRow, row: OrderRow): boolean {
  if (status !== 'cancelled' || current.status_reason === 'released') return false
  if (!current.is_authorized || current.status !== 'pending')
    throw notValid({ status: ['status can be set to cancelled only for a charge that the gateway holds.'] })
  refuseWhileCancelling(row)
  if (isBeingTaken(current)) throw conflict('The held payment is being captured. Try again in a moment.', 1)
  return true
}

/** Refunds name the payment by the id from the gateway. With another id the gateway would refuse, or refund another payment. */
function refuseOtherCharge({ gateway_transaction_id: id }: TransactionChanges, current: TransactionRow) {
  if (id === undefined || id === current.gateway_transaction_id || current.payment_source_type === null) return
  throw notValid({
    gateway_transaction_id: ['gateway_transaction_id was given by the gateway and cannot be changed.'],
  })
}
