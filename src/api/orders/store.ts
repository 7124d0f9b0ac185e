// SQL of orders: find, lock, insert with all related rows, and update.
// A statement that changes the cause of a status also writes the status. Payments, shipments and downloads have their own stores.

import { columns, toJsonColumn } from '../../db/columns.ts'
import { addToCountOfMode } from '../../db/counts.ts'
import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import { type EventParameters, INSERT_EVENTS_SQL } from '../../events/store.ts'
import { INSERT_JOBS, type JobParameters } from '../../jobs/queue.ts'
import {
  type Buyer,
  type CustomerRow,
  MATCHED_CUSTOMER,
  MATCHED_JSON,
  matchValues,
  UNPROVEN_EMAIL_KEY,
} from '../customers/store.ts'
import { merchantColumnSql, merchantSettingsSql } from '../merchants/read-store.ts'
import type { StoredSettings } from '../merchants/settings.ts'
import { type DownloadRow, type ItemRow, ORDER_COLUMNS, type OrderRow } from './read-store.ts'

/** Query parameters for one merchant in one mode. */
const valuesOf = ({ merchant_id, is_sandbox }: Scope) => ({ merchant_id, is_sandbox })

const OWN = 'o.merchant_id = :merchant_id and o.is_sandbox = :is_sandbox'

const find = statement<OrderRow>('orders.find', `select ${ORDER_COLUMNS} from orders o where ${OWN} and o.id = :id`)

export const findOrder = (db: Db, scope: Scope, id: string) => db.maybe(find, { ...valuesOf(scope), id })

const findByCheckout = statement<OrderRow>(
  'orders.find_by_checkout',
  `select ${ORDER_COLUMNS} from orders o where ${OWN} and o.checkout_id = :checkout_id`,
)

/** The only order of a checkout token. `body_digest` shows if the same request made it. */
export const findOrderByCheckout = (db: Db, scope: Scope, checkoutId: string) =>
  db.maybe(findByCheckout, { ...valuesOf(scope), checkout_id: checkoutId })

const findMany = statement<OrderRow>(
  'orders.find_many',
  `select ${ORDER_COLUMNS} from orders o
   where ${OWN} and o.id = any(:ids)
   order by array_position(:ids::text[], o.id)`,
)

/** Rows are in the order of `ids`. */
export const findOrders = (db: Db, scope: Scope, ids: readonly string[]) =>
  db.many(findMany, { ...valuesOf(scope), ids })

const lock = statement<{ id: string }>(
  'orders.lock',
  `select o.id from orders o where ${OWN} and o.id = :id for no key update`,
)

/**
 * Locks the order and reads it; nobody else can change it until the transaction ends.
 * It takes two statements. A single one that waits for the lock would return related rows as they were before the wait.
 */
export async function lockOrder(tx: Tx, scope: Scope, id: string): Promise<OrderRow | null> {
  const lockedId = await tx.maybe(lock, { ...valuesOf(scope), id })
  return lockedId && findOrder(tx, scope, id)
}

const CHANGEABLE = columns(
  ['email', 'firstname', 'lastname', 'phone', 'shipping_address', 'billing_address', 'meta'],
  ['shipping_address', 'billing_address', 'meta'],
)

const update = statement(
  'orders.update',
  `update orders
   set ${CHANGEABLE.assignments}, updated_at = :now
   where merchant_id = :merchant_id and id = :id`,
)

/** Fields of an order that a merchant can change. */
export type OrderChange = Pick<
  OrderRow,
  'email' | 'firstname' | 'lastname' | 'phone' | 'shipping_address' | 'billing_address' | 'meta'
>

export const updateOrderRow = (tx: Tx, { merchant_id, id }: OrderRow, change: OrderChange, now: Date) =>
  tx.run(update, { merchant_id, id, now, ...CHANGEABLE.values(change) })

/** For a statement that changes the delivery of the order :order_id; sets the resulting status. */
export const SET_FULFILLMENT_STATUS = `update orders
   set status_fulfillment = :status_fulfillment, updated_at = :now
   where merchant_id = :merchant_id and id = :order_id`

/** For a statement that changes the order :order_id without effect on a status. */
export const TOUCH_ORDER = 'update orders set updated_at = :now where merchant_id = :merchant_id and id = :order_id'

const cancel = statement(
  'orders.cancel',
  `with cancelled as (
     update order_transactions
     set status = 'cancelled', status_reason = 'order_cancelled', updated_at = :now
     where merchant_id = :merchant_id and order_id = :id and status = 'pending'
   )
   update orders
   set cancelled_at = :now, cancelling_at = null, cancel_reason = :cancel_reason, restocked = :restocked,
     status_payment = :status_payment, updated_at = :now
   where merchant_id = :merchant_id and id = :id`,
)

/** Also cancels the pending charges. Pending refunds must be settled before. `next` is the order after the cancellation. */
export const cancelOrderRow = (tx: Tx, next: OrderRow, now: Date) =>
  tx.run(cancel, { ...next, restocked: toJsonColumn(next.restocked), now })

const mark = statement(
  'orders.mark_cancel',
  `update orders
   set cancelling_at = :cancelling_at, cancel_reason = :cancel_reason
   where merchant_id = :merchant_id and id = :id`,
)

/** Marks the order for cancellation, with the reason. A null `now` removes the mark. */
export const markCancelRow = (tx: Tx, { merchant_id, id, cancel_reason }: OrderRow, now: Date | null) =>
  tx.run(mark, { merchant_id, id, cancel_reason, cancelling_at: now })

// Making an order: its number first, then the customer in one statement, then the order with its related rows in another.

// The commit does not wait for the disk. An order with this number is written to the same log later, so it never becomes durable first.
// Never run it inside a transaction: the whole transaction would then not wait for the disk.
const takeNumber = statement<{ number: number }>(
  'orders.take_number',
  `insert into order_counters (merchant_id, is_sandbox, last_number)
   select :merchant_id::integer, :is_sandbox::boolean, 1
   where set_config('synchronous_commit', 'off', true) = 'off'
   on conflict (merchant_id, is_sandbox) do update set last_number = order_counters.last_number + 1
   returning last_number as number`,
)

/**
 * Returns a number that no other order of the shop and mode has, starting with 1.
 * Use it on the connection that took it (`transactionAfter`), or not at all. A server that crashes may forget that it was taken, and return
 * it again.
 */
export const takeOrderNumber = async (db: Db, scope: Scope): Promise<number> =>
  (await db.one(takeNumber, valuesOf(scope))).number

/** Data for a new order: its customer, the unproven e-mail key, the prefix of its reference, and the mail settings of the shop. */
export type NewOrderBasis = {
  customer: CustomerRow
  unproven_email_key: string | null
  merchant_name: string
  settings: StoredSettings
  /** True if the shop is known to sell live. */
  sells_live: boolean
}

const begin = statement<NewOrderBasis>(
  'orders.begin',
  `with ${MATCHED_CUSTOMER}
   select ${MATCHED_JSON} as customer, ${UNPROVEN_EMAIL_KEY} as unproven_email_key, ${merchantColumnSql('name')} as merchant_name,
     ${merchantSettingsSql()} as settings, m.sells_live
   from matched
   join merchants m on m.merchant_id = :merchant_id`,
)

/** Finds or creates the customer. Call it in a transaction. */
export const prepareNewOrder = (tx: Db, scope: Scope, newCustomerId: string, buyer: Buyer, now: Date) =>
  tx.one(begin, matchValues(scope, newCustomerId, buyer, now))

/** SQL for rows that arrive as one list of JSON objects, aliased `alias`. `types` maps its columns to their types. */
const rowsOf = (alias: string, types: Readonly<Record<string, string>>) => ({
  names: Object.keys(types).join(', '),
  values: Object.keys(types)
    .map((name) => `${alias}.${name}`)
    .join(', '),
  from: (parameter: string) =>
    `json_to_recordset(${parameter}::json) as ${alias} (${Object.entries(types)
      .map(([name, type]) => `${name} ${type}`)
      .join(', ')})`,
})

const CHARGE = rowsOf('charge', {
  id: 'text',
  payment_id: 'text',
  type: 'text',
  status: 'text',
  status_reason: 'text',
  is_authorized: 'boolean',
  amount: 'bigint',
  gateway: 'text',
  payment_method_id: 'text',
  is_simulated: 'boolean',
  gateway_key: 'text',
  gateway_transaction_id: 'text',
  gateway_reference: 'text',
  payment_source_type: 'text',
  payment_source: 'json',
  notes: 'text',
})

const ITEM = rowsOf('item', {
  id: 'text',
  line_item_id: 'text',
  position: 'integer',
  quantity: 'integer',
  quantity_fulfilled: 'integer',
  is_returned: 'boolean',
})

const DOWNLOAD = rowsOf('download', {
  id: 'text',
  line_item_id: 'text',
  asset_id: 'text',
  position: 'integer',
  name: 'text',
  ext: 'text',
  size_in_bytes: 'bigint',
  is_sample: 'boolean',
  remaining: 'integer',
  expires_at: 'timestamptz',
  is_revoked: 'boolean',
})

const ORDER = columns(
  [
    'merchant_id',
    'id',
    'is_sandbox',
    'checkout_id',
    'cart_id',
    'attempt_id',
    'body_digest',
    'customer_id',
    'unproven_email_key',
    'customer_reference',
    'email',
    'firstname',
    'lastname',
    'phone',
    'shipping_address',
    'billing_address',
    'content',
    'meta',
    'currency',
    'order_value',
    'total_due',
    'status_payment',
    'status_fulfillment',
    'paid_at',
    'is_credit_returned',
    'created_at',
    'updated_at',
  ],
  ['shipping_address', 'billing_address', 'content', 'meta'],
)

// Related rows arrive as JSON, one parameter per table, after the order itself. A sharded database inserts in this order and checks foreign
// keys at each step.
// Jobs and events are inserted here too. Each would otherwise be another statement while the capture holds its locks.
const insert = statement(
  'orders.insert',
  `with placed as (
     insert into orders (${ORDER.names})
     values (${ORDER.parameters})
   ), charges as (
     insert into order_transactions (merchant_id, order_id, ${CHARGE.names}, completed_at, created_at, updated_at)
     select :merchant_id::integer, :id, ${CHARGE.values},
       case when charge.status = 'complete' then :now::timestamptz end, :now, :now
     from ${CHARGE.from(':charges')}
   ), shipped as (
     insert into order_items (merchant_id, order_id, ${ITEM.names}, updated_at)
     select :merchant_id, :id, ${ITEM.values}, :now
     from ${ITEM.from(':items')}
   ), digital as (
     insert into downloads (merchant_id, order_id, ${DOWNLOAD.names})
     select :merchant_id, :id, ${DOWNLOAD.values}
     from ${DOWNLOAD.from(':downloads')}
   ), mails as (
     ${INSERT_JOBS}
   ), ${INSERT_EVENTS_SQL}
   select 1`,
)

/** `expires_at` is the exact time, beside the whole seconds that the row shows. */
type NewDownload = DownloadRow & { readonly expires_at: Date | null; readonly is_sample: boolean }

/** A new order has no refunds, disputes or shipments. */
export type NewOrder = Omit<OrderRow, 'downloads' | 'shipments' | 'refunds' | 'disputes'> & {
  readonly attempt_id: string
  /** Value of UNPROVEN_EMAIL_KEY from customers/store.ts. */
  readonly unproven_email_key: string | null
  readonly downloads: readonly NewDownload[]
}

/** Inserts the order with the jobs for its mails and with its events. The statement goes out with the commit. */
export function insertOrder(tx: Tx, order: NewOrder, mails: JobParameters, events: EventParameters, now: Date): void {
  tx.withCommit(insert, {
    ...ORDER.values({ ...order, paid_at: order.paid === null ? null : now, created_at: now, updated_at: now }),
    ...mails,
    ...events,
    charges: JSON.stringify(order.transactions),
    items: JSON.stringify(order.items.map((item: ItemRow, position) => ({ ...item, position }))),
    downloads: JSON.stringify(order.downloads),
    now,
  })
  addToCountOfMode(tx, { merchant_id: order.merchant_id, is_sandbox: order.is_sandbox }, 'orders', 1)
}
