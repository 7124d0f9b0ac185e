// Views of an order's money in the newest API version: transactions, payments and refunds derived from them, disputes, credit.

import { findGateway } from '../../../gateways/index.ts'
import { currencyOf } from '../../../lib/currencies.ts'
import { priceOf } from '../../../lib/money.ts'
import type { OrderRow, TransactionRow } from '../read-store.ts'
import type { Order } from '../schema.ts'
import type { Dispute, Payment, Refund, Transaction } from './schema.ts'
import { creditReturnedOf, openChargesOf, refundedAmountOf } from './sums.ts'

export const viewTransaction = (row: TransactionRow, currency: string): Transaction => ({
  id: row.id,
  payment_id: row.payment_id,
  type: row.type,
  status: row.status,
  status_reason: row.status_reason,
  charge_date: row.type === 'charge' ? row.completed : null,
  gateway: row.gateway,
  gateway_name: findGateway(row.gateway)?.name ?? row.gateway,
  gateway_transaction_id: row.gateway_transaction_id,
  gateway_customer_id: null,
  gateway_reference: row.gateway_reference,
  notes: row.notes,
  amount: priceOf(row.amount, currency),
  payment_source_type: row.payment_source_type,
  payment_source: viewSource(row),
  reason: row.reason,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
  dunning: { is_dunning: false, failed_attempts: 0, last_failed_attempt: null, next_attempt: null },
})

export const viewPayments = (rows: readonly TransactionRow[], currency: string): Payment[] =>
  openChargesOf(rows).map(({ charge, left }) => {
    const refunded = refundedAmountOf(charge, rows, { withPending: false })
    const isRefunded = refunded === charge.amount
    return {
      id: charge.payment_id,
      gateway_transaction_id: charge.gateway_transaction_id,
      created: charge.created,
      type: charge.payment_source_type ?? charge.gateway,
      gateway: charge.gateway,
      reference: charge.gateway_reference,
      amount: priceOf(charge.amount, currency),
      currency: viewCurrency(currency),
      is_refunded: isRefunded,
      refund_date: isRefunded ? lastRefund(charge, rows) : null,
      refunded: priceOf(refunded, currency),
      refundable: priceOf(left, currency),
      payment_source: viewSource(charge),
    }
  })

const lastRefund = ({ id }: TransactionRow, rows: readonly TransactionRow[]): number | null =>
  rows
    .filter(({ refunds_id }) => refunds_id === id)
    .reduce((last, { completed }) => Math.max(last, completed ?? 0), 0) || null

export const viewRefunds = (rows: readonly TransactionRow[], currency: string): Refund[] =>
  rows
    .filter(({ type, status }) => type === 'refund' && status === 'complete')
    .map((row) => ({
      payment_id: row.payment_id,
      gateway_transaction_id: row.gateway_transaction_id,
      type: rows.find(({ id }) => id === row.refunds_id)?.amount === row.amount ? 'full' : 'partial',
      gateway: row.gateway,
      amount: priceOf(row.amount, currency),
      currency: viewCurrency(currency),
      created: row.created,
      reason: row.reason,
    }))

export const viewDisputes = ({ disputes, transactions, currency }: OrderRow): Dispute[] =>
  disputes.map((row) => ({
    id: row.id,
    gateway_dispute_id: row.gateway_dispute_id,
    payment_id: transactions.find(({ id }) => id === row.transaction_id)?.payment_id ?? '',
    gateway: row.gateway,
    status: row.status,
    reason: row.reason,
    amount: priceOf(row.amount, currency),
    created: row.created,
    updated: row.updated,
  }))

/** Never shows the code: anybody who knows it can spend the card. With the secret key, the card itself shows it. */
export function viewReturnedCredit(row: OrderRow): Order['returned_credit'] {
  const { returned_credit: credit, currency } = row
  return (
    credit && {
      gift_card_id: credit.gift_card_id,
      amount: priceOf(creditReturnedOf(row), currency),
      is_new_card: credit.replaced !== null,
      reason: credit.replaced,
    }
  )
}

export function viewCurrency(currency: string) {
  const { code, symbol } = currencyOf(currency)
  return { code, symbol }
}

export const viewSource = ({ payment_source: source }: TransactionRow) => ({
  brand: source?.brand ?? null,
  country: source?.country ?? null,
  billing_zip_postal_code: source?.zip ?? null,
})
