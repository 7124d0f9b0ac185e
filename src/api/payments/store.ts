// SQL of charges and refunds. Each statement writes the statuses of the order that follow, in the same breath; all of them run under the
// order's lock.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { OrderRow, TransactionRow } from '../orders/read-store.ts'

const updateTransaction = statement(
  'orders.update_transaction',
  `with changed as (
     update order_transactions
     set status = $4, status_reason = $5, is_authorized = $6, amount = $7, gateway_transaction_id = $8, notes = $9, meta = $10,
       completed_at = case when $4 = 'complete' then coalesce(completed_at, $14::timestamptz) end, updated_at = $14
     where merchant_id = $1 and order_id = $2 and id = $3
   ), rest as (
     insert into order_transactions (
       merchant_id, order_id, id, payment_id, type, status, status_reason, is_authorized, amount, gateway, payment_method_id,
       gateway_key, created_at, updated_at
     )
     select $1, $2, charge.id, charge.payment_id, charge.type, charge.status, charge.status_reason, charge.is_authorized,
       charge.amount, charge.gateway, charge.payment_method_id, charge.gateway_key, $14, $14
     from json_to_recordset($15::json) as charge (
       id text, payment_id text, type text, status text, status_reason text, is_authorized boolean, amount bigint, gateway text,
       payment_method_id text, gateway_key text
     )
   ), opened as (
     update downloads d
     set expires_at = ending.expires_at
     from json_to_recordset($16::json) as ending (id text, expires_at timestamptz)
     where d.merchant_id = $1 and d.order_id = $2 and d.id = ending.id
   )
   update orders
   set status_payment = $11, status_fulfillment = $12, paid_at = coalesce(paid_at, $13), updated_at = $14
   where merchant_id = $1 and id = $2`,
)

export type TransactionChange = {
  readonly transaction: TransactionRow
  /** What is left of a charge that was completed in part. */
  readonly rest: TransactionRow | null
  /** When the downloads end, if it is paid for with this. */
  readonly endings: readonly { readonly id: string; readonly expires_at: Date | null }[]
}

/** `next` is the order as it then is. */
export const updateTransactionRow = (
  tx: Tx,
  next: OrderRow,
  { transaction, rest, endings }: TransactionChange,
  now: Date,
) =>
  tx.run(updateTransaction, [
    next.merchant_id,
    next.id,
    transaction.id,
    transaction.status,
    transaction.status_reason,
    transaction.is_authorized,
    transaction.amount,
    transaction.gateway_transaction_id,
    transaction.notes,
    transaction.meta === null ? null : JSON.stringify(transaction.meta),
    next.status_payment,
    next.status_fulfillment,
    next.paid === null ? null : now,
    now,
    JSON.stringify(rest === null ? [] : [rest]),
    JSON.stringify(endings),
  ])

const beginRefunds = statement(
  'orders.begin_refunds',
  `insert into order_transactions (
     merchant_id, order_id, id, payment_id, type, status, status_reason, amount, gateway, payment_method_id, gateway_key,
     gateway_reference, payment_source_type, payment_source, refunds_id, reason, created_at, updated_at
   )
   select $1, $2, refund.id, refund.payment_id, refund.type, refund.status, refund.status_reason, refund.amount, refund.gateway,
     refund.payment_method_id, refund.gateway_key, refund.gateway_reference, refund.payment_source_type, refund.payment_source,
     refund.refunds_id, refund.reason, $3, $3
   from json_to_recordset($4::json) as refund (
     id text, payment_id text, type text, status text, status_reason text, amount bigint, gateway text, payment_method_id text,
     gateway_key text, gateway_reference text, payment_source_type text, payment_source json, refunds_id text, reason text
   )`,
)

/** Written before any gateway is asked. A second refund of the same charge breaks `order_refunds_unique`. */
export const insertRefunds = (tx: Tx, { merchant_id, id }: OrderRow, refunds: readonly TransactionRow[], now: Date) =>
  tx.run(beginRefunds, [merchant_id, id, now, JSON.stringify(refunds)])

const settleRefunds = statement(
  'orders.settle_refunds',
  `with settled as (
     update order_transactions t
     set status = outcome.status, status_reason = outcome.status_reason,
       gateway_transaction_id = outcome.gateway_transaction_id, notes = outcome.notes,
       completed_at = case when outcome.status = 'complete' then $3::timestamptz end, updated_at = $3
     from json_to_recordset($6::json) as outcome (
       id text, status text, status_reason text, gateway_transaction_id text, notes text
     )
     where t.merchant_id = $1 and t.order_id = $2 and t.id = outcome.id and t.status = 'pending'
   )
   update orders
   set status_payment = $4, is_credit_returned = $5, returned_credit = $7, updated_at = $3
   where merchant_id = $1 and id = $2`,
)

/** `settled` are the refunds as they then are, `next` is the order as it then is. */
export const settleRefundRows = (tx: Tx, next: OrderRow, settled: readonly TransactionRow[], now: Date) =>
  tx.run(settleRefunds, [
    next.merchant_id,
    next.id,
    now,
    next.status_payment,
    next.is_credit_returned,
    JSON.stringify(settled),
    next.returned_credit === null ? null : JSON.stringify(next.returned_credit),
  ])

// The SQL of the sweep of orders that are being cancelled for long. `orders_cancelling` holds those alone that are being cancelled.

export type OpenCancelRow = { merchant_id: number; id: string; is_sandbox: boolean; cancelling_at: Date }

const list = statement<OpenCancelRow>(
  'sweep.open_cancels',
  `select merchant_id, id, is_sandbox, cancelling_at
   from orders
   where cancelling_at is not null and cancelling_at <= $1 and (cancelling_at, merchant_id, id) > ($2, $3, $4)
   order by cancelling_at, merchant_id, id
   limit $5`,
)

/** Of all merchants, oldest first: those that were marked by `moment`, behind `after`. */
export const listOpenCancels = (
  db: Db,
  moment: Date,
  after: Pick<OpenCancelRow, 'cancelling_at' | 'merchant_id' | 'id'>,
  limit: number,
) => db.many(list, [moment, after.cancelling_at, after.merchant_id, after.id, limit])

// The SQL of the sweep of unpaid orders. `orders_unpaid` holds those alone that it has still to decide about, so that what it costs does
// not grow with the orders of a shop.

/** A merchant whose unpaid orders expire. */
export type ExpiringMerchant = { merchant_id: number; hours: number }

/** That of merchants/settings.ts; null: they do not. */
const HOURS = "settings -> 'orders' ->> 'unpaid_expire_after_hours'"

const listMerchants = statement<ExpiringMerchant>(
  'sweep.merchants_expiring_orders',
  `select merchant_id, (${HOURS})::integer as hours
   from merchants
   where ${HOURS} is not null and merchant_id > $1
   order by merchant_id
   limit $2`,
)

export const listExpiringMerchants = (db: Db, afterId: number, limit: number) =>
  db.many(listMerchants, [afterId, limit])

const findHours = statement<{ hours: number | null }>(
  'orders.find_expiry_hours',
  `select (${HOURS})::integer as hours from merchants where merchant_id = $1`,
)

/** As it is set now; null where unpaid orders of the merchant do not expire, or not any more. */
export const findExpiryHours = async (tx: Tx, merchantId: number): Promise<number | null> =>
  (await tx.maybe(findHours, [merchantId]))?.hours ?? null

/** Which order, and where it stands in the sweep's way. */
export type UnpaidRow = { id: string; is_sandbox: boolean; created_at: Date }

const listUnpaid = statement<UnpaidRow>(
  'orders.list_unpaid',
  `select id, is_sandbox, created_at
   from orders
   where merchant_id = $1 and status_payment = 'not_paid' and cancelled_at is null and not is_kept and created_at <= $2
     and (created_at, id) > ($3, $4)
   order by created_at, id
   limit $5`,
)

/** Of both modes, oldest first: those made by `moment`, behind `after`. */
export const listUnpaidOrders = (
  db: Db,
  merchantId: number,
  moment: Date,
  after: Pick<UnpaidRow, 'created_at' | 'id'>,
  limit: number,
) => db.many(listUnpaid, [merchantId, moment, after.created_at, after.id, limit])

const keep = statement('orders.keep', 'update orders set is_kept = true where merchant_id = $1 and id = $2')

/** The sweep does not come to it again. */
export const keepOrderRow = (tx: Tx, { merchant_id, id }: OrderRow) => tx.run(keep, [merchant_id, id])
