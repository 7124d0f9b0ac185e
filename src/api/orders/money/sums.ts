// What an order's money adds up to: how much of each charge, and of a gift card's credit, can still be given back, and of how many of each
// line refunds and stock say that they are back. No I/O.

import type { Minor } from '../../../lib/money.ts'
import type { OrderRow, TransactionRow } from '../read-store.ts'
import type { Payments } from '../status.ts'

/** What the gift card paid. */
const creditOf = ({ content }: OrderRow): Minor => content.gift_card?.credit ?? 0

/** Of an order that an older release has refunded the flag alone says that all of it is back. */
export const creditReturnedOf = (row: OrderRow): Minor => (row.is_credit_returned ? creditOf(row) : row.credit_returned)

/** What the status of its payment is derived from. */
export const paymentsOf = (row: OrderRow): Payments => ({
  due: row.total_due,
  credit: creditOf(row),
  creditReturned: creditReturnedOf(row),
  wasPaid: row.paid !== null,
  transactions: row.transactions,
})

/** Whether it gives something back, or is about to. */
const counts = ({ type, status }: TransactionRow): boolean =>
  type === 'refund' && (status === 'pending' || status === 'complete')

/** What refunds that are complete, or pending too, give back of a charge. */
export const givenBackOf = (
  charge: TransactionRow,
  transactions: readonly TransactionRow[],
  { withPending }: { readonly withPending: boolean },
): Minor =>
  transactions
    .filter((each) => each.refunds_id === charge.id && counts(each) && (withPending || each.status === 'complete'))
    .reduce((sum, { amount }) => sum + amount, 0)

/** A charge whose money the merchant has, and how much of it can still be given back. */
export type OpenCharge = { readonly charge: TransactionRow; readonly left: Minor }

/** In the order of the charges. */
export const openChargesOf = (transactions: readonly TransactionRow[]): OpenCharge[] =>
  transactions
    .filter(({ type, status }) => type === 'charge' && status === 'complete')
    .map((charge) => ({
      charge,
      left: charge.amount - givenBackOf(charge, transactions, { withPending: true }),
    }))

/** What can still be given back to the gift card. */
export const creditLeftOf = (row: OrderRow): Minor =>
  row.refunds
    .filter(({ status }) => status === 'pending')
    .reduce((left, { credit }) => left - credit, creditOf(row) - creditReturnedOf(row))

/** All that can still be given back. */
export const refundableOf = (row: OrderRow): Minor =>
  openChargesOf(row.transactions).reduce((sum, { left }) => sum + left, creditLeftOf(row))

/** Of how many of a line the refunds say that they are for. One that has failed says nothing. */
export const quantityRefunded = ({ refunds }: Pick<OrderRow, 'refunds'>, lineId: string): number =>
  refunds
    .filter(({ status }) => status !== 'failed')
    .flatMap(({ items }) => items)
    .reduce((sum, { line_item_id, quantity }) => sum + (line_item_id === lineId ? quantity : 0), 0)

/** How many of a line are in stock again. Also where the refund has failed since: the goods are back all the same. */
export const quantityRestocked = ({ restocked }: Pick<OrderRow, 'restocked'>, lineId: string): number =>
  (restocked ?? []).reduce((sum, { line_item_id, quantity }) => sum + (line_item_id === lineId ? quantity : 0), 0)

/** With what each charge counts as given back, as the store writes it beside them. */
export const withCounts = (transactions: readonly TransactionRow[]): TransactionRow[] =>
  transactions.map((each) =>
    each.type === 'charge' ? { ...each, refunded: givenBackOf(each, transactions, { withPending: true }) } : each,
  )
