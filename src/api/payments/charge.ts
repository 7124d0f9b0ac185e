// Completes a charge, for any caller: updates the charge and its order, and opens the downloads.

import type { Tx } from '../../db/db.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Minor } from '../../lib/money.ts'
import { computeDownloadEnd, type OrderOwner } from '../orders/links.ts'
import { applyOrderChange, emitPaymentChange } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { type TransactionChange, updateTransactionRow } from './store.ts'

/** Fields to set on a charge that was paid. */
export const completedFields = (now: Date) =>
  ({ status: 'complete', status_reason: 'complete', is_authorized: false, completed: unixSeconds(now) }) as const

/**
 * Writes the changed charge with its effects on the order, and emits the events. `rest` is the part that is still to be paid. Returns the
 * order.
 */
export async function writeCharge(
  tx: Tx,
  owner: OrderOwner,
  row: OrderRow,
  { transaction, rest }: Pick<TransactionChange, 'transaction' | 'rest'>,
  now: Date,
): Promise<OrderRow> {
  const transactions = withCharge(row, transaction).concat(rest ?? [])
  const { next, endings } = openDownloads(row, applyOrderChange(row, { transactions }, now), now)
  await updateTransactionRow(tx, next, { transaction, rest, endings }, now)
  await emitPaymentChange(tx, owner, row, next, now)
  return next
}

export const withCharge = ({ transactions }: OrderRow, charge: TransactionRow): TransactionRow[] =>
  transactions.map((each) => (each.id === charge.id ? charge : each))

/** Opens the downloads of an order that is paid now. Their time begins here. */
function openDownloads(
  before: OrderRow,
  next: OrderRow,
  now: Date,
): { next: OrderRow; endings: TransactionChange['endings'] } {
  if (before.paid !== null || next.paid === null) return { next, endings: [] }
  const lifespans = new Map(next.content.lines.map(({ id, lifespan }) => [id, lifespan]))
  const ends = next.downloads.map(({ id, line_item_id }) => ({
    id,
    expires_at: computeDownloadEnd(lifespans.get(line_item_id) ?? null, now),
  }))
  const downloads = next.downloads.map((download, index) => {
    const end = ends[index]?.expires_at ?? null
    return { ...download, expires: end && unixSeconds(end) }
  })
  return { next: { ...next, downloads }, endings: ends }
}

/** The unpaid part of a charge, as a charge of its own. It waits like the original, so that it can be completed later. */
export const pendingRestOf = (charge: TransactionRow, amount: Minor, now: Date): TransactionRow => ({
  ...charge,
  id: newId('transaction', now),
  payment_id: newId('payment', now),
  amount,
  taking: null,
  gateway_key: newId('paymentAttempt', now),
  gateway_transaction_id: null,
  gateway_reference: null,
  payment_source_type: null,
  payment_source: null,
  notes: '',
  meta: null,
  created: unixSeconds(now),
  updated: unixSeconds(now),
})

/** Fields to set on a held charge after `amount` was taken, with the id that the gateway gave. */
export const takenFields = (amount: Minor, transactionId: string | null, now: Date) => ({
  ...completedFields(now),
  amount,
  taking: null,
  gateway_transaction_id: transactionId,
})

/** The part that the gateway released when the other part was taken. It cannot be taken later, because nothing holds it. */
export const releasedRestOf = (charge: TransactionRow, takenAmount: Minor, now: Date): TransactionRow => ({
  ...pendingRestOf(charge, charge.amount - takenAmount, now),
  status: 'cancelled',
  status_reason: 'released',
  is_authorized: false,
})

/** The part that the gateway still holds after the other part was taken. It keeps the id of the whole. */
export const heldRestOf = (charge: TransactionRow, takenAmount: Minor, now: Date): TransactionRow => ({
  ...pendingRestOf(charge, charge.amount - takenAmount, now),
  gateway_transaction_id: charge.gateway_transaction_id,
  gateway_reference: charge.gateway_reference,
  payment_source_type: charge.payment_source_type,
  payment_source: charge.payment_source,
})
