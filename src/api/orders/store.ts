// SQL of orders: finding one, locking one, making one with all that belongs to it, and writing what changes of it. Each statement that
// changes the cause of a status writes the status beside it; those of payments, shipments and downloads are in stores of their own.

import { columns, jsonText } from '../../db/columns.ts'
import { addToCountOfMode } from '../../db/counts.ts'
import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import { type EventParameters, TELL_EVENTS } from '../../events/store.ts'
import { INSERT_JOBS, type JobParameters } from '../../jobs/queue.ts'
import {
  type Buyer,
  type CustomerRow,
  MATCHED_CUSTOMER,
  MATCHED_JSON,
  matchValues,
  UNPROVEN_EMAIL_KEY,
} from '../customers/store.ts'
import { columnIn, settingsIn } from '../merchants/read-store.ts'
import type { StoredSettings } from '../merchants/settings.ts'
import { type DownloadRow, type ItemRow, ORDER_COLUMNS, type OrderRow } from './read-store.ts'

/** What the statements of one merchant's one mode are asked with. */
const valuesOf = ({ merchantId, isSandbox }: Scope) => ({ merchant_id: merchantId, is_sandbox: isSandbox })

const OWN = 'o.merchant_id = :merchant_id and o.is_sandbox = :is_sandbox'

const find = statement<OrderRow>('orders.find', `select ${ORDER_COLUMNS} from orders o where ${OWN} and o.id = :id`)

export const findOrder = (db: Db, scope: Scope, id: string) => db.maybe(find, { ...valuesOf(scope), id })

const findByCheckout = statement<OrderRow>(
  'orders.find_by_checkout',
  `select ${ORDER_COLUMNS} from orders o where ${OWN} and o.checkout_id = :checkout_id`,
)

/** The one order of a checkout token. `body_digest` tells whether the same was asked for. */
export const findOrderByCheckout = (db: Db, scope: Scope, checkoutId: string) =>
  db.maybe(findByCheckout, { ...valuesOf(scope), checkout_id: checkoutId })

const findMany = statement<OrderRow>(
  'orders.find_many',
  `select ${ORDER_COLUMNS} from orders o
   where ${OWN} and o.id = any(:ids)
   order by array_position(:ids::text[], o.id)`,
)

/** In the order of the ids. */
export const findOrders = (db: Db, scope: Scope, ids: readonly string[]) =>
  db.many(findMany, { ...valuesOf(scope), ids })

const lock = statement<{ id: string }>(
  'orders.lock',
  `select o.id from orders o where ${OWN} and o.id = :id for no key update`,
)

/**
 * The order as it is once nobody else changes it, and nobody can until the transaction ends. Two statements: one that waits for a lock
 * shows what belongs to the row as it was before it waited.
 */
export async function lockOrder(tx: Tx, scope: Scope, id: string): Promise<OrderRow | null> {
  const locked = await tx.maybe(lock, { ...valuesOf(scope), id })
  return locked && findOrder(tx, scope, id)
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

/** What a merchant changes of an order. */
export type OrderChange = Pick<
  OrderRow,
  'email' | 'firstname' | 'lastname' | 'phone' | 'shipping_address' | 'billing_address' | 'meta'
>

export const updateOrderRow = (tx: Tx, { merchant_id, id }: OrderRow, change: OrderChange, now: Date) =>
  tx.run(update, { merchant_id, id, now, ...CHANGEABLE.values(change) })

/** For a statement that changes what is shipped of the order :order_id: its status that follows. */
export const SET_FULFILLMENT_STATUS = `update orders
   set status_fulfillment = :status_fulfillment, updated_at = :now
   where merchant_id = :merchant_id and id = :order_id`

/** For one that changes something of the order :order_id that no status follows from. */
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

/** With its pending charges. Pending refunds must have been settled before. `next` is the order as it then is. */
export const cancelOrderRow = (tx: Tx, next: OrderRow, now: Date) =>
  tx.run(cancel, { ...next, restocked: jsonText(next.restocked), now })

const mark = statement(
  'orders.mark_cancel',
  `update orders
   set cancelling_at = :cancelling_at, cancel_reason = :cancel_reason
   where merchant_id = :merchant_id and id = :id`,
)

/** That it is to be cancelled, and why; `now` is null where it is not to be any more. */
export const markCancelRow = (tx: Tx, { merchant_id, id, cancel_reason }: OrderRow, now: Date | null) =>
  tx.run(mark, { merchant_id, id, cancel_reason, cancelling_at: now })

// Making one: its number, then who buys in one statement, the order with all that belongs to it in another.

// The commit does not wait for the disk: whatever makes an order durable that has this number was written after it, to the same log. In a
// transaction it would let that whole transaction not wait.
const takeNumber = statement<{ number: number }>(
  'orders.take_number',
  `insert into order_counters (merchant_id, is_sandbox, last_number)
   select :merchant_id::integer, :is_sandbox::boolean, 1
   where set_config('synchronous_commit', 'off', true) = 'off'
   on conflict (merchant_id, is_sandbox) do update set last_number = order_counters.last_number + 1
   returning last_number as number`,
)

/**
 * A number that no other order of the shop and its mode has, 1 for the first. It must be used on the connection that it was taken by
 * (`transactionAfter`), or not at all: a server that crashes may forget that it was taken, and then gives it again.
 */
export const takeOrderNumber = async (db: Db, scope: Scope): Promise<number> =>
  (await db.one(takeNumber, valuesOf(scope))).number

/** Whose order it is, what it keeps of the address, what its reference begins with, and which mails the shop has sent. */
export type OrderBasis = {
  customer: CustomerRow
  unproven_email_key: string | null
  merchant_name: string
  settings: StoredSettings
  /** Known to sell live. */
  sells_live: boolean
}

const begin = statement<OrderBasis>(
  'orders.begin',
  `with ${MATCHED_CUSTOMER}
   select ${MATCHED_JSON} as customer, ${UNPROVEN_EMAIL_KEY} as unproven_email_key, ${columnIn('name')} as merchant_name,
     ${settingsIn()} as settings, m.sells_live
   from matched
   join merchants m on m.merchant_id = :merchant_id`,
)

/** Finds or makes the customer. In a transaction. */
export const beginOrder = (tx: Db, scope: Scope, newCustomerId: string, buyer: Buyer, now: Date) =>
  tx.one(begin, matchValues(scope, newCustomerId, buyer, now))

/** Rows of a table that come as one list of JSON objects, called `alias`: `types` has their columns. */
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

// What belongs to the order comes as JSON, one parameter for each table, and after it: a sharded database inserts in this order, and asks
// foreign keys at each step. The jobs and the events are put in here too: each would be one more statement while the capture holds its locks.
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
   ), ${TELL_EVENTS}
   select 1`,
)

/** `expires_at` of each download beside what the row shows of it in whole seconds. */
type NewDownload = DownloadRow & { readonly expires_at: Date | null; readonly is_sample: boolean }

/** Nothing was given back, disputed or shipped of it yet. */
export type NewOrder = Omit<OrderRow, 'downloads' | 'shipments' | 'refunds' | 'disputes'> & {
  readonly attempt_id: string
  /** UNPROVEN_EMAIL_KEY of customers/store.ts. */
  readonly unproven_email_key: string | null
  readonly downloads: readonly NewDownload[]
}

/** With the jobs that mail its receipt and tell the merchant, and the events that tell of it. Written with the commit. */
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
  addToCountOfMode(tx, { merchantId: order.merchant_id, isSandbox: order.is_sandbox }, 'orders', 1)
}
