// An order lists all that moved money as `transactions`, and the amount of a payment is a price; before, what was still to come
// stood in `pending_payments`, and the amount of a payment was a number.
import { type Change, inTurn, isJsonObject, type Json, type JsonObject, rename, set } from './change.ts'

const numberOf = (amount: Json | undefined): Json => (isJsonObject(amount) ? (amount.raw ?? null) : (amount ?? null))

const isPending = ({ type, status }: JsonObject) => type === 'charge' && status === 'pending'

/** A payment like those in `payments`. By `transaction_id` it is completed: that route has no older form. */
const asPayment = (transaction: JsonObject, currency: Json): JsonObject => ({
  id: transaction.payment_id ?? null,
  transaction_id: transaction.id ?? null,
  gateway_transaction_id: transaction.gateway_transaction_id ?? null,
  created: transaction.created ?? null,
  type: transaction.payment_source_type ?? transaction.gateway ?? null,
  gateway: transaction.gateway ?? null,
  reference: transaction.gateway_reference ?? null,
  amount: numberOf(transaction.amount),
  currency,
  is_refunded: false,
  refund_date: null,
  payment_source: transaction.payment_source ?? null,
})

const pendingPayments = ({ transactions, currency = null }: JsonObject): Json =>
  (Array.isArray(transactions) ? transactions : [])
    .filter(isJsonObject)
    .filter(isPending)
    .map((transaction) => asPayment(transaction, currency))

export default {
  summary:
    'Orders list every charge and refund as `transactions`, in place of `pending_payments`; the `amount` of a payment is a price instead of a number.',
  kinds: {
    payment: set('amount', ({ amount }) => numberOf(amount)),
    order: inTurn(set('transactions', pendingPayments), rename('transactions', 'pending_payments')),
  },
} satisfies Change
