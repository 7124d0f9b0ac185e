// SQL of charges and refunds, and of the sweeps that complete them. A statement that changes a charge or a refund runs under the order's
// lock and writes the resulting statuses of the order.

import { columns, toJsonColumn } from '../../db/columns.ts'
import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import type { Minor } from '../../lib/money.ts'
import { merchantSettingsSql } from '../merchants/read-store.ts'
import { refundedAmountOf } from '../orders/money/sums.ts'
import type { OrderRow, RefundRow, TransactionRow } from '../orders/read-store.ts'

/** Columns of a charge that can change. */
const CHANGEABLE = columns(
  ['status', 'status_reason', 'is_authorized', 'amount', 'taking', 'gateway_transaction_id', 'notes', 'meta'],
  ['meta'],
)

const updateTransaction = statement(
  'orders.update_transaction',
  `with changed as (
     update order_transactions
     set ${CHANGEABLE.assignments},
       completed_at = case when :status = 'complete' then coalesce(completed_at, :now::timestamptz) end, updated_at = :now
     where merchant_id = :merchant_id and order_id = :order_id and id = :id
   ), rest as (
     insert into order_transactions (
       merchant_id, order_id, id, payment_id, type, status, status_reason, is_authorized, amount, gateway, payment_method_id,
       is_simulated, gateway_key, gateway_transaction_id, gateway_reference, payment_source_type, payment_source, created_at,
       updated_at
     )
     select :merchant_id, :order_id, charge.id, charge.payment_id, charge.type, charge.status, charge.status_reason,
       charge.is_authorized, charge.amount, charge.gateway, charge.payment_method_id, charge.is_simulated, charge.gateway_key,
       charge.gateway_transaction_id, charge.gateway_reference, charge.payment_source_type, charge.payment_source, :now, :now
     from json_to_recordset(:rest::json) as charge (
       id text, payment_id text, type text, status text, status_reason text, is_authorized boolean, amount bigint, gateway text,
       payment_method_id text, is_simulated boolean, gateway_key text, gateway_transaction_id text, gateway_reference text,
       payment_source_type text, payment_source json
     )
   ), opened as (
     update downloads d
     set expires_at = ending.expires_at
     from json_to_recordset(:endings::json) as ending (id text, expires_at timestamptz)
     where d.merchant_id = :merchant_id and d.order_id = :order_id and d.id = ending.id
   )
   update orders
   set status_payment = :status_payment, status_fulfillment = :status_fulfillment, paid_at = coalesce(paid_at, :paid_at),
     spent_as_of = null, updated_at = :now
   where merchant_id = :merchant_id and id = :order_id`,
)

export type TransactionChange = {
  readonly transaction: TransactionRow
  /** The rest of a charge that was completed in part. */
  readonly rest: TransactionRow | null
  /** Ends of the downloads, if this change completes the payment. */
  readonly endings: readonly { readonly id: string; readonly expires_at: Date | null }[]
}

/** `next` is the order after the change. */
export const updateTransactionRow = (
  tx: Tx,
  next: OrderRow,
  { transaction, rest, endings }: TransactionChange,
  now: Date,
) =>
  tx.run(updateTransaction, {
    ...CHANGEABLE.values(transaction),
    merchant_id: next.merchant_id,
    order_id: next.id,
    id: transaction.id,
    status_payment: next.status_payment,
    status_fulfillment: next.status_fulfillment,
    paid_at: next.paid === null ? null : now,
    rest: JSON.stringify(rest === null ? [] : [rest]),
    endings: JSON.stringify(endings),
    now,
  })

/** SQL: adds to the refunded amount of each charge. The table refuses more than was charged. */
const COUNTED = `counted as (
     update order_transactions charge
     set refunded = charge.refunded + change.amount
     from json_to_recordset(:counts::json) as change (id text, amount bigint)
     where charge.merchant_id = :merchant_id and charge.order_id = :order_id and charge.id = change.id
   )`

// The request comes first, because a sharded database inserts in this order.
const beginRefund = statement(
  'orders.begin_refund',
  `with requested as (
     insert into order_refunds (
       merchant_id, order_id, id, status, credit, items, is_restocking, request_key, created_at, updated_at
     )
     values (:merchant_id, :order_id, :refund_id, :status, :credit, :items, :is_restocking, :request_key, :now, :now)
   ), ${COUNTED}, entered as (
     insert into order_transactions (
       merchant_id, order_id, id, payment_id, type, status, status_reason, amount, gateway, payment_method_id, is_simulated,
       gateway_key, gateway_transaction_id, gateway_reference, payment_source_type, payment_source, refunds_id, refund_id, reason,
       completed_at, created_at, updated_at
     )
     select :merchant_id, :order_id, refund.id, refund.payment_id, refund.type, refund.status, refund.status_reason, refund.amount,
       refund.gateway, refund.payment_method_id, refund.is_simulated, refund.gateway_key, refund.gateway_transaction_id,
       refund.gateway_reference, refund.payment_source_type, refund.payment_source, refund.refunds_id, :refund_id, refund.reason,
       case when refund.status = 'complete' then :now::timestamptz end, :now, :now
     from json_to_recordset(:parts::json) as refund (
       id text, payment_id text, type text, status text, status_reason text, amount bigint, gateway text, payment_method_id text,
       is_simulated boolean, gateway_key text, gateway_transaction_id text, gateway_reference text, payment_source_type text,
       payment_source json, refunds_id text, reason text
     )
     returning id
   )
   select id from entered`,
)

/** Inserts a request and its part of each charge, before any gateway is called. `next` is the order after that. */
export const insertRefund = (
  tx: Tx,
  before: OrderRow,
  next: OrderRow,
  request: RefundRow,
  parts: readonly TransactionRow[],
  now: Date,
) =>
  tx.run(beginRefund, {
    merchant_id: next.merchant_id,
    order_id: next.id,
    refund_id: request.id,
    status: request.status,
    credit: request.credit,
    items: JSON.stringify(request.items),
    is_restocking: request.is_restocking,
    request_key: request.request_key,
    counts: JSON.stringify(refundedDeltas(before, next)),
    parts: JSON.stringify(parts),
    now,
  })

/**
 * Changes of the refunded amounts of charges. Computed against the rows, so that they correct charges that an older release has not
 * counted.
 * They are differences, so that the table refuses two concurrent refunds that do not see each other.
 */
const refundedDeltas = (before: OrderRow, next: OrderRow): { id: string; amount: Minor }[] =>
  before.transactions
    .filter(({ type }) => type === 'charge')
    .map((charge) => ({
      id: charge.id,
      amount: refundedAmountOf(charge, next.transactions, { withPending: true }) - charge.refunded,
    }))
    .filter(({ amount }) => amount !== 0)

const settleRefunds = statement(
  'orders.settle_refunds',
  `with settled as (
     update order_transactions t
     set status = outcome.status, status_reason = outcome.status_reason,
       gateway_transaction_id = outcome.gateway_transaction_id, notes = outcome.notes,
       completed_at = case when outcome.status = 'complete' then :now::timestamptz end, updated_at = :now
     from json_to_recordset(:outcomes::json) as outcome (
       id text, status text, status_reason text, gateway_transaction_id text, notes text
     )
     where t.merchant_id = :merchant_id and t.order_id = :order_id and t.id = outcome.id and t.status <> outcome.status
   ), ${COUNTED}, concluded as (
     update order_refunds r
     set status = conclusion.status, credit = conclusion.credit, updated_at = :now
     from json_to_recordset(:conclusions::json) as conclusion (id text, status text, credit bigint)
     where r.merchant_id = :merchant_id and r.order_id = :order_id and r.id = conclusion.id
   )
   update orders
   set status_payment = :status_payment, is_credit_returned = :is_credit_returned, credit_returned = :credit_returned,
     returned_credit = :returned_credit, restocked = :restocked, spent_as_of = null, updated_at = :now
   where merchant_id = :merchant_id and id = :order_id`,
)

/** Writes the results of refunds. `settled` are the changed refunds, and `next` is the order after the change, with its requests. */
export const settleRefundRows = (
  tx: Tx,
  before: OrderRow,
  next: OrderRow,
  settled: readonly TransactionRow[],
  now: Date,
) =>
  tx.run(settleRefunds, {
    merchant_id: next.merchant_id,
    order_id: next.id,
    status_payment: next.status_payment,
    is_credit_returned: next.is_credit_returned,
    credit_returned: next.credit_returned,
    returned_credit: toJsonColumn(next.returned_credit),
    restocked: toJsonColumn(next.restocked),
    outcomes: JSON.stringify(settled),
    counts: JSON.stringify(refundedDeltas(before, next)),
    conclusions: JSON.stringify(
      next.refunds.filter(({ id, status }) => before.refunds.some((each) => each.id === id && each.status !== status)),
    ),
    now,
  })

// Read by the sweep of open cancellations. The index `orders_cancelling` holds only orders that are being cancelled.

export type OpenCancelRow = { merchant_id: number; id: string; is_sandbox: boolean; cancelling_at: Date }

const listCancels = statement<OpenCancelRow>(
  'sweep.open_cancels',
  `select merchant_id, id, is_sandbox, cancelling_at
   from orders
   where cancelling_at is not null and cancelling_at <= :moment
     and (cancelling_at, merchant_id, id) > (:cancelling_at, :merchant_id, :id)
   order by cancelling_at, merchant_id, id
   limit :limit`,
)

/** Orders of all merchants that were marked by `moment`, after `after`, oldest first. */
export const listOpenCancels = (
  db: Db,
  moment: Date,
  after: Pick<OpenCancelRow, 'cancelling_at' | 'merchant_id' | 'id'>,
  limit: number,
) => db.many(listCancels, { ...after, moment, limit })

// Read and written by the sweep of unpaid orders. The index `orders_unpaid_of_mode` holds only orders that the sweep still has to decide
// about. So its cost does not grow with the orders of a shop.

/** A merchant with unpaid orders that expire, in one mode or both. `hours` is null if they do not expire in this mode. */
type ExpiringMerchant = { merchant_id: number; is_sandbox: boolean; hours: number | null }

/** SQL condition of the orders that the index holds. */
const IS_UNDECIDED = "status_payment = 'not_paid' and cancelled_at is null and not is_kept"

const SETTING = "-> 'orders' ->> 'unpaid_expire_after_hours'"

/** SQL: the setting in one mode, which merchants/settings.ts reads too. Null: orders do not expire. */
const hoursIn = (is_sandbox?: string) => `((${merchantSettingsSql(is_sandbox)}) ${SETTING})::integer`

// The condition is that of the index `merchants_with_expiring_orders`.
const listMerchants = statement<ExpiringMerchant>(
  'sweep.merchants_expiring_orders',
  `select m.merchant_id, mode.is_sandbox, ${hoursIn('mode.is_sandbox')} as hours
   from (
     select merchant_id, settings, sandbox_own
     from merchants
     where coalesce(settings ${SETTING}, sandbox_own -> 'settings' ${SETTING}) is not null and merchant_id > :after_id
     order by merchant_id
     limit :limit
   ) m
   cross join (values (false), (true)) mode (is_sandbox)
   order by m.merchant_id`,
)

/** Two rows for each merchant, one for each mode. */
export const listExpiringMerchants = (db: Db, afterId: number, limit: number) =>
  db.many(listMerchants, { after_id: afterId, limit })

// One index lookup for each of them, in a single round trip.
// It starts from the counters of orders, because Citus follows a subquery only to the shard of a distributed table's row. Every shop with
// orders has a counter. `offset 0` keeps the planner from joining all unpaid orders instead.
const findDue = statement<{ merchant_id: number; is_sandbox: boolean }>(
  'sweep.merchants_with_due_orders',
  `select counter.merchant_id, counter.is_sandbox
   from unnest(:merchant_ids::integer[], :modes::boolean[], :moments::timestamptz[]) as asked (merchant_id, is_sandbox, moment)
   join order_counters counter on counter.merchant_id = asked.merchant_id and counter.is_sandbox = asked.is_sandbox
   where exists (
     select 1
     from orders
     where orders.merchant_id = counter.merchant_id and orders.is_sandbox = counter.is_sandbox and ${IS_UNDECIDED}
       and created_at <= asked.moment
     offset 0
   )`,
)

/** Orders that were made by `moment` are due. */
type ExpiryMoment = Scope & { readonly moment: Date }

/** Filters the shops that have a due unpaid order. */
export const filterWithDueOrders = async <T extends ExpiryMoment>(db: Db, shops: readonly T[]): Promise<T[]> => {
  const rows = await db.many(findDue, {
    merchant_ids: shops.map(({ merchant_id }) => merchant_id),
    modes: shops.map(({ is_sandbox }) => is_sandbox),
    moments: shops.map(({ moment }) => moment),
  })
  const dueShops = new Set(rows.map(({ merchant_id, is_sandbox }) => `${merchant_id} ${is_sandbox}`))
  return shops.filter(({ merchant_id, is_sandbox }) => dueShops.has(`${merchant_id} ${is_sandbox}`))
}

const findHours = statement<{ hours: number | null }>(
  'orders.find_expiry_hours',
  `select ${hoursIn()} as hours from merchants m where m.merchant_id = :merchant_id`,
)

/** The setting now; null if unpaid orders of the merchant do not expire in this mode, or no longer do. */
export const findExpiryHours = async (tx: Tx, { merchant_id, is_sandbox }: Scope): Promise<number | null> =>
  (await tx.maybe(findHours, { merchant_id, is_sandbox }))?.hours ?? null

/** An unpaid order, and its position in the sweep. */
export type UnpaidRow = { id: string; created_at: Date }

const listUnpaid = statement<UnpaidRow>(
  'orders.list_unpaid',
  `select id, created_at
   from orders
   where merchant_id = :merchant_id and is_sandbox = :is_sandbox and ${IS_UNDECIDED} and created_at <= :moment and (created_at, id) > (:created_at, :id)
   order by created_at, id
   limit :limit`,
)

/** Orders that were made by `moment`, after `after`, oldest first. */
export const listUnpaidOrders = (
  db: Db,
  { merchant_id, is_sandbox }: Scope,
  moment: Date,
  after: Pick<UnpaidRow, 'created_at' | 'id'>,
  limit: number,
) => db.many(listUnpaid, { ...after, merchant_id, is_sandbox, moment, limit })

const keep = statement('orders.keep', 'update orders set is_kept = true where merchant_id = :merchant_id and id = :id')

/** Excludes the order from later runs of the sweep. */
export const excludeOrderFromExpiry = (tx: Tx, { merchant_id, id }: OrderRow) => tx.run(keep, { merchant_id, id })
