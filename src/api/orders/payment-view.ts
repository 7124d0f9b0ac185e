// Transactions → their newest form, and the payments and refunds that are read off them.

import { findGateway } from '../../gateways/index.ts'
import { currencyOf } from '../../lib/currencies.ts'
import { priceOf } from '../../lib/money.ts'
import type { TransactionRow } from './read-store.ts'
import type { Payment, Refund, Transaction } from './schema.ts'

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

const isComplete = ({ status }: TransactionRow) => status === 'complete'

export function viewPayments(rows: readonly TransactionRow[], currency: string): Payment[] {
  const refunds = new Map(
    rows.filter((row) => row.type === 'refund' && isComplete(row)).map((row) => [row.refunds_id, row]),
  )
  return rows
    .filter((row) => row.type === 'charge' && isComplete(row))
    .map((row) => ({
      id: row.payment_id,
      gateway_transaction_id: row.gateway_transaction_id,
      created: row.created,
      type: row.payment_source_type ?? row.gateway,
      gateway: row.gateway,
      reference: row.gateway_reference,
      amount: priceOf(row.amount, currency),
      currency: viewCurrency(currency),
      is_refunded: refunds.has(row.id),
      refund_date: refunds.get(row.id)?.completed ?? null,
      payment_source: viewSource(row),
    }))
}

export const viewRefunds = (rows: readonly TransactionRow[], currency: string): Refund[] =>
  rows
    .filter((row) => row.type === 'refund' && isComplete(row))
    .map((row) => ({
      payment_id: row.payment_id,
      gateway_transaction_id: row.gateway_transaction_id,
      type: 'full',
      gateway: row.gateway,
      amount: priceOf(row.amount, currency),
      currency: viewCurrency(currency),
      created: row.created,
      reason: row.reason,
    }))

export function viewCurrency(currency: string) {
  const { code, symbol } = currencyOf(currency)
  return { code, symbol }
}

const viewSource = ({ payment_source: source }: TransactionRow) => ({
  brand: source?.brand ?? null,
  country: source?.country ?? null,
  billing_zip_postal_code: source?.zip ?? null,
})
