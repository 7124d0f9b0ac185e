// Assets, future charges, the transactions of orders, and products by their id.

import {
  type ApiChange,
  type ApiRequest,
  assignField,
  chainEdits,
  isJsonObject,
  type JsonData,
  type JsonObject,
  renameField,
} from '../change.ts'

// Assets no longer name their merchant; before, they did, as `merchant_id`.

export const assetWithoutMerchantId = {
  summary: 'Assets no longer carry `merchant_id`.',
  kinds: { asset: assignField('merchant_id', (_asset, context) => context.merchant_id) },
} satisfies ApiChange

// The totals of a checkout no longer list future charges; before, they did, as `future_charges`. The list was always empty here.

export const liveWithoutFutureCharges = {
  summary: 'The live object of checkouts no longer carries `future_charges`.',
  kinds: { live: assignField('future_charges', []) },
} satisfies ApiChange

// Orders list all money movements as `transactions`, and the amount of a payment is a price. Before, open charges were in
// `pending_payments`, and the amount of a payment was a number.

const numberOf = (amount: JsonData | undefined): JsonData =>
  isJsonObject(amount) ? (amount.raw ?? null) : (amount ?? null)

const isPending = ({ type, status }: JsonObject) => type === 'charge' && status === 'pending'

/** A payment like those in `payments`. Clients complete it by `transaction_id`, because that route has no older form. */
const toPendingPayment = (transaction: JsonObject, currency: JsonData): JsonObject => ({
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

const pendingPayments = ({ transactions, currency = null }: JsonObject): JsonData =>
  (Array.isArray(transactions) ? transactions : [])
    .filter(isJsonObject)
    .filter(isPending)
    .map((transaction) => toPendingPayment(transaction, currency))

export const orderTransactions = {
  summary:
    'Orders list every charge and refund as `transactions`, in place of `pending_payments`; the `amount` of a payment is a price instead of a number.',
  kinds: {
    payment: assignField('amount', ({ amount }) => numberOf(amount)),
    order: chainEdits(assignField('transactions', pendingPayments), renameField('transactions', 'pending_payments')),
  },
} satisfies ApiChange

// Orders no longer list future charges. Before, they did, as `future_payments` and as `future_charges` in `order`. Both were always empty
// here.

export const orderWithoutFutureCharges = {
  summary: 'Orders no longer carry `future_payments`, nor `future_charges` in their `order`.',
  kinds: {
    order: chainEdits(
      assignField('future_payments', []),
      assignField('order', ({ order = {} }) => (isJsonObject(order) ? { ...order, future_charges: [] } : order)),
    ),
  },
} satisfies ApiChange

// A product is retrieved with `type=id`; before, also with `type=product_id`.

const up = (request: ApiRequest): ApiRequest =>
  request.query.type === 'product_id' ? { ...request, query: { ...request.query, type: 'id' } } : request

export const productById = {
  summary: 'Retrieving products by `type=product_id` is removed; use `type=id`.',
  operations: { 'products.get': { up } },
} satisfies ApiChange
