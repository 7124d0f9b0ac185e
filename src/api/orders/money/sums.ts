// Sums of an order, without I/O: how much of each charge and of the gift card's credit is still refundable. Also how many of each line were
// refunded and restocked.

import type { Minor } from '../../../lib/money.ts'
import type { OrderRow, TransactionRow } from '../read-store.ts'
import type { PaymentStatusInput } from '../status.ts'

/** Amount that the gift card paid. */
const creditOf = ({ content }: OrderRow): Minor => content.gift_card?.credit ?? 0

/** An order refunded by an older release has only the flag, which means that all credit was returned. */
export const creditReturnedOf = (row: OrderRow): Minor => (row.is_credit_returned ? creditOf(row) : row.credit_returned)

/** Input for deriving the payment status. */
export const paymentStatusInput = (row: OrderRow): PaymentStatusInput => ({
  due: row.total_due,
  credit: creditOf(row),
  creditReturned: creditReturnedOf(row),
  wasPaid: row.paid !== null,
  transactions: row.transactions,
})

/** True for a refund that is pending or complete. */
const isEffective = ({ type, status }: TransactionRow): boolean =>
  type === 'refund' && (status === 'pending' || status === 'complete')

/** Amount of a charge that complete refunds cover; `withPending` adds the pending ones. */
export const refundedAmountOf = (
  charge: TransactionRow,
  transactions: readonly TransactionRow[],
  { withPending }: { readonly withPending: boolean },
): Minor =>
  transactions
    .filter((each) => each.refunds_id === charge.id && isEffective(each) && (withPending || each.status === 'complete'))
    .reduce((sum, { amount }) => sum + amount, 0)

/** A charge that the merchant has received, and the amount of it that is still refundable. */
export type OpenCharge = { readonly charge: TransactionRow; readonly left: Minor }

/** Keeps the order of the charges. */
export const openChargesOf = (transactions: readonly TransactionRow[]): OpenCharge[] =>
  transactions
    .filter(({ type, status }) => type === 'charge' && status === 'complete')
    .map((charge) => ({
      charge,
      left: charge.amount - refundedAmountOf(charge, transactions, { withPending: true }),
    }))

/** Gift card credit that is still refundable. */
export const creditLeftOf = (row: OrderRow): Minor =>
  row.refunds
    .filter(({ status }) => status === 'pending')
    .reduce((left, { credit }) => left - credit, creditOf(row) - creditReturnedOf(row))

/** Total that is still refundable. */
export const refundableOf = (row: OrderRow): Minor =>
  openChargesOf(row.transactions).reduce((sum, { left }) => sum + left, creditLeftOf(row))

/** Quantity of a line that refunds cover. Failed refunds do not count. */
export const quantityRefunded = ({ refunds }: Pick<OrderRow, 'refunds'>, lineId: string): number =>
  refunds
    .filter(({ status }) => status !== 'failed')
    .flatMap(({ items }) => items)
    .reduce((sum, { line_item_id, quantity }) => sum + (line_item_id === lineId ? quantity : 0), 0)

/** Quantity of a line that is back in stock. Refunds that failed later count too, because the goods are back anyway. */
export const quantityRestocked = ({ restocked }: Pick<OrderRow, 'restocked'>, lineId: string): number =>
  (restocked ?? []).reduce((sum, { line_item_id, quantity }) => sum + (line_item_id === lineId ? quantity : 0), 0)

/** Sets `refunded` of each charge, as the store writes it. */
export const withRefundedAmounts = (transactions: readonly TransactionRow[]): TransactionRow[] =>
  transactions.map((each) =>
    each.type === 'charge' ? { ...each, refunded: refundedAmountOf(each, transactions, { withPending: true }) } : each,
  )
