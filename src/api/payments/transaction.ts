// What a merchant says of a transaction: that the money has come, or is to be taken from the gateway that holds it, and how much; that the
// gateway is to let go of it; and notes.

import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { type Minor, parseAmount, priceOf } from '../../lib/money.ts'
import type { TransactionChanges } from '../orders/body-schema.ts'
import { ownerOf } from '../orders/links.ts'
import type { Transaction } from '../orders/money/schema.ts'
import { viewTransaction } from '../orders/money/view.ts'
import { refuseWhileCancelling, takeOrder } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import type { PaymentRequest } from './ask.ts'
import { completeAt, restOf, writeCharge } from './charge.ts'
import { isBeingDecided } from './look-later.ts'
import { enqueueRelease } from './release.ts'
import { isBeingTaken, noteTaking, takeHeld } from './take.ts'

export async function updateTransaction(
  context: PaymentRequest,
  orderId: string,
  id: string,
  body: TransactionChanges,
): Promise<Transaction> {
  const owner = await ownerOf(context)
  const { order, transaction } = await context.db.transaction(async (tx) => {
    const row = await takeOrder(tx, owner, orderId)
    const current = row.transactions.find((each) => each.id === id)
    if (!current) throw notFound('transaction')
    const now = context.clock.now()
    const paid = amountOf(body, current, row.currency)
    const isCompleting = completes(body, current, row, paid)
    refuseOtherCharge(body, current)
    if (isCompleting && isBeingDecided(current))
      throw conflict(
        `${current.gateway} has not decided about this payment yet. It is asked again now and then.`,
        3_600,
      )
    if (isCompleting && current.is_authorized)
      return { order: await noteTaking(tx, context, owner, row, current, paid), transaction: null }
    const isReleasing = releases(body, current, row)
    if (isReleasing) await enqueueRelease(tx, owner, row, current, now)
    const next: TransactionRow = {
      ...current,
      ...(isCompleting ? { ...completeAt(now), amount: paid } : {}),
      ...(isReleasing ? RELEASED : {}),
      gateway_transaction_id:
        body.gateway_transaction_id === undefined ? current.gateway_transaction_id : body.gateway_transaction_id,
      ...remarksOf(body, current),
      updated: unixSeconds(now),
    }
    const rest = isCompleting && paid < current.amount ? restOf(current, current.amount - paid, now) : null
    await writeCharge(tx, owner, row, { transaction: next, rest }, now)
    return { order: row, transaction: next }
  })
  const written = transaction ?? (await takeHeld(context, owner, order, id, (charge) => remarksOf(body, charge)))
  return viewTransaction(written, order.currency)
}

const remarksOf = ({ notes, meta }: TransactionChanges, current: TransactionRow) => ({
  notes: notes ?? current.notes,
  meta: meta === undefined ? current.meta : meta,
})

/** How much has come: all of it unless said. */
function amountOf({ amount, status }: TransactionChanges, current: TransactionRow, currency: string): Minor {
  if (amount === undefined) return current.amount
  if (status !== 'complete') throw unprocessable({ amount: ['amount goes with the status complete.'] })
  const parsed = parseAmount(amount, currency, { field: 'amount' })
  if (!parsed.ok) throw unprocessable({ amount: [parsed.reason] })
  if (parsed.minor === 0) throw unprocessable({ amount: ['amount must be above 0.'] })
  if (parsed.minor > current.amount) {
    const most = priceOf(current.amount, currency).formatted_with_code
    throw notValid({ amount: [`amount must be at most ${most}, which is what this transaction is about.`] })
  }
  return parsed.minor
}

/** False where that is not asked, and where the transaction is complete already: to say it twice does no harm. */
function completes({ status }: TransactionChanges, current: TransactionRow, row: OrderRow, paid: Minor): boolean {
  if (status !== 'complete') return false
  if (current.type === 'refund')
    throw notValid({ status: ['status of a refund follows from what the gateway says, and cannot be set.'] })
  if (current.status === 'complete') {
    if (paid !== current.amount)
      throw notValid({ amount: ['amount cannot be changed any more: the transaction has been completed.'] })
    return false
  }
  refuseWhileCancelling(row)
  if (current.status !== 'pending' || row.cancelled !== null)
    throw notValid({ status: [`status is ${current.status}; only a pending transaction can be completed.`] })
  return true
}

const RELEASED = { status: 'cancelled', status_reason: 'released' } as const

/** Whether the gateway is to let go of it, by the job that is put in with the change. False where that is not asked, or was before. */
function releases({ status }: TransactionChanges, current: TransactionRow, row: OrderRow): boolean {
  if (status !== 'cancelled' || current.status_reason === 'released') return false
  if (!current.is_authorized || current.status !== 'pending')
    throw notValid({ status: ['status can be cancelled of a charge whose money the gateway holds, and of no other.'] })
  refuseWhileCancelling(row)
  if (isBeingTaken(current)) throw conflict('What the gateway holds is being taken. Look at it again in a moment.', 1)
  return true
}

/** By the id that a gateway gave, it is asked to give the money back: with another one it would refuse, or give back another payment. */
function refuseOtherCharge({ gateway_transaction_id: id }: TransactionChanges, current: TransactionRow) {
  if (id === undefined || id === current.gateway_transaction_id || current.payment_source_type === null) return
  throw notValid({
    gateway_transaction_id: ['gateway_transaction_id was given by the gateway and cannot be changed.'],
  })
}
