// How a charge is completed, whoever says so: what becomes of the charge and its order, and what was bought as a download opens.

import type { Tx } from '../../db/db.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Minor } from '../../lib/money.ts'
import { endOf, type OrderOwner } from '../orders/links.ts'
import { changed, emitCharged } from '../orders/order.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'
import { type TransactionChange, updateTransactionRow } from './store.ts'

/** What is set of a charge whose money has come. */
export const completeAt = (now: Date) =>
  ({ status: 'complete', status_reason: 'complete', is_authorized: false, completed: unixSeconds(now) }) as const

/** Writes the charge as it now is, with what follows for the order, and tells it. `rest` is what is left to be paid of it. Gives the order. */
export async function writeCharge(
  tx: Tx,
  owner: OrderOwner,
  row: OrderRow,
  { transaction, rest }: Pick<TransactionChange, 'transaction' | 'rest'>,
  now: Date,
): Promise<OrderRow> {
  const transactions = withCharge(row, transaction).concat(rest ?? [])
  const { next, endings } = opened(row, changed(row, { transactions }, now), now)
  await updateTransactionRow(tx, next, { transaction, rest, endings }, now)
  await emitCharged(tx, owner, row, next, now)
  return next
}

export const withCharge = ({ transactions }: OrderRow, charge: TransactionRow): TransactionRow[] =>
  transactions.map((each) => (each.id === charge.id ? charge : each))

/** Once it is paid, what is digital can be fetched: from now on its time runs. */
function opened(
  before: OrderRow,
  next: OrderRow,
  now: Date,
): { next: OrderRow; endings: TransactionChange['endings'] } {
  if (before.paid !== null || next.paid === null) return { next, endings: [] }
  const lifespans = new Map(next.content.lines.map(({ id, lifespan }) => [id, lifespan]))
  const ends = next.downloads.map(({ id, line_item_id }) => ({
    id,
    expires_at: endOf(lifespans.get(line_item_id) ?? null, now),
  }))
  const downloads = next.downloads.map((download, index) => {
    const end = ends[index]?.expires_at ?? null
    return { ...download, expires: end && unixSeconds(end) }
  })
  return { next: { ...next, downloads }, endings: ends }
}

/** What has not come of a charge, as one of its own: it waits like that one, so that it can be completed later. */
export const restOf = (charge: TransactionRow, amount: Minor, now: Date): TransactionRow => ({
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

/** What is set of a charge that was held, and of which so much has been taken, by the id that the gateway gives it then. */
export const takenAt = (amount: Minor, transactionId: string | null, now: Date) => ({
  ...completeAt(now),
  amount,
  taking: null,
  gateway_transaction_id: transactionId,
})

/** What the gateway has let go of when a part was taken. It cannot be taken later: nothing holds it. */
export const releasedOf = (charge: TransactionRow, taken: Minor, now: Date): TransactionRow => ({
  ...restOf(charge, charge.amount - taken, now),
  status: 'cancelled',
  status_reason: 'released',
  is_authorized: false,
})

/** What the gateway has not let go of when a part was taken: it is there as all of it was, and by the same id. */
export const stillHeldOf = (charge: TransactionRow, taken: Minor, now: Date): TransactionRow => ({
  ...restOf(charge, charge.amount - taken, now),
  gateway_transaction_id: charge.gateway_transaction_id,
  gateway_reference: charge.gateway_reference,
  payment_source_type: charge.payment_source_type,
  payment_source: charge.payment_source,
})
