// SQL of orders: finding one, locking one, and writing what the merchant changes of it. Each statement that changes the cause of a
// status writes the status beside it; those of payments, shipments and downloads are in stores of their own.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { PostalAddress } from '../customers/postal-address.ts'
import {
  type Buyer,
  type CustomerRow,
  MATCHED_CUSTOMER,
  MATCHED_JSON,
  matchValues,
  UNPROVEN_EMAIL_KEY,
} from '../customers/store.ts'
import { type DownloadRow, type ItemRow, ORDER_COLUMNS, type OrderRow } from './read-store.ts'

/** Whose order: that of another merchant, or of the other mode, is none. */
export type Owner = { readonly merchantId: number; readonly isSandbox: boolean }

const find = statement<OrderRow>(
  'orders.find',
  `select ${ORDER_COLUMNS} from orders o where o.merchant_id = $1 and o.is_sandbox = $2 and o.id = $3`,
)

export const findOrder = (db: Db, { merchantId, isSandbox }: Owner, id: string) =>
  db.maybe(find, [merchantId, isSandbox, id])

const findByCheckout = statement<OrderRow>(
  'orders.find_by_checkout',
  `select ${ORDER_COLUMNS} from orders o where o.merchant_id = $1 and o.is_sandbox = $2 and o.checkout_id = $3`,
)

/** The one order of a checkout token. `body_digest` tells whether the same was asked for. */
export const findOrderByCheckout = (db: Db, { merchantId, isSandbox }: Owner, checkoutId: string) =>
  db.maybe(findByCheckout, [merchantId, isSandbox, checkoutId])

const findMany = statement<OrderRow>(
  'orders.find_many',
  `select ${ORDER_COLUMNS} from orders o
   where o.merchant_id = $1 and o.is_sandbox = $2 and o.id = any($3)
   order by array_position($3::text[], o.id)`,
)

/** In the order of the ids. */
export const findOrders = (db: Db, { merchantId, isSandbox }: Owner, ids: readonly string[]) =>
  db.many(findMany, [merchantId, isSandbox, ids])

const lock = statement<{ id: string }>(
  'orders.lock',
  'select id from orders where merchant_id = $1 and is_sandbox = $2 and id = $3 for no key update',
)

/**
 * The order as it is once nobody else changes it, and nobody can until the transaction ends. Two statements: one that waits for a lock
 * shows what belongs to the row as it was before it waited.
 */
export async function lockOrder(tx: Tx, owner: Owner, id: string): Promise<OrderRow | null> {
  const locked = await tx.maybe(lock, [owner.merchantId, owner.isSandbox, id])
  return locked && findOrder(tx, owner, id)
}

const update = statement(
  'orders.update',
  `update orders
   set email = $3, firstname = $4, lastname = $5, phone = $6, shipping_address = $7, billing_address = $8, meta = $9,
     updated_at = $10
   where merchant_id = $1 and id = $2`,
)

type Changeable = {
  readonly email: string
  readonly firstname: string | null
  readonly lastname: string | null
  readonly phone: string | null
  readonly shipping_address: PostalAddress | null
  readonly billing_address: PostalAddress | null
  readonly meta: Record<string, unknown> | null
}

export const updateOrderRow = (tx: Tx, { merchant_id, id }: OrderRow, fields: Changeable, now: Date) =>
  tx.run(update, [
    merchant_id,
    id,
    fields.email,
    fields.firstname,
    fields.lastname,
    fields.phone,
    jsonText(fields.shipping_address),
    jsonText(fields.billing_address),
    jsonText(fields.meta),
    now,
  ])

const cancel = statement(
  'orders.cancel',
  `with cancelled as (
     update order_transactions
     set status = 'cancelled', status_reason = 'order_cancelled', updated_at = $5
     where merchant_id = $1 and order_id = $2 and status = 'pending'
   )
   update orders
   set cancelled_at = $5, cancelling_at = null, cancel_reason = $4, restocked = $6, status_payment = $3, updated_at = $5
   where merchant_id = $1 and id = $2`,
)

/** With its pending charges. Pending refunds must have been settled before. `next` is the order as it then is. */
export const cancelOrderRow = (tx: Tx, next: OrderRow, now: Date) =>
  tx.run(cancel, [
    next.merchant_id,
    next.id,
    next.status_payment,
    next.cancel_reason,
    now,
    next.restocked === null ? null : JSON.stringify(next.restocked),
  ])

const mark = statement(
  'orders.mark_cancel',
  `update orders
   set cancelling_at = $3, cancel_reason = $4
   where merchant_id = $1 and id = $2`,
)

/** That it is to be cancelled, and why; `now` is null where it is not to be any more. */
export const markCancelRow = (tx: Tx, { merchant_id, id, cancel_reason }: OrderRow, now: Date | null) =>
  tx.run(mark, [merchant_id, id, now, cancel_reason])

/** As text: left to itself the client would send a list as a PostgreSQL array. */
const jsonText = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

// The SQL that makes an order: who buys and its number in one statement, the order with all that belongs to it in another.

/** Whose order it is, what it keeps of the address, and what its reference is made of. */
export type Begun = { customer: CustomerRow; unproven_email_key: string | null; merchant_name: string; number: number }

const begin = statement<Begun>(
  'orders.begin',
  `with ${MATCHED_CUSTOMER}
   select ${MATCHED_JSON} as customer, ${UNPROVEN_EMAIL_KEY} as unproven_email_key, m.name as merchant_name,
     nextval('order_numbers') as number
   from matched
   join merchants m on m.merchant_id = $1`,
)

/** Finds or makes the customer, and takes a number. */
export const beginOrder = (
  tx: Tx,
  owner: { readonly merchantId: number; readonly isSandbox: boolean },
  newCustomerId: string,
  buyer: Buyer,
  now: Date,
) => tx.one(begin, matchValues(owner, newCustomerId, buyer, now))

// What belongs to the order comes as JSON, one parameter for each table. Foreign keys are asked at the end of the statement.
const insert = statement(
  'orders.insert',
  `with charges as (
     insert into order_transactions (
       merchant_id, order_id, id, payment_id, type, status, status_reason, is_authorized, amount, gateway, payment_method_id,
       gateway_key, gateway_transaction_id, gateway_reference, payment_source_type, payment_source, completed_at, created_at,
       updated_at
     )
     select $1::integer, $2, charge.id, charge.payment_id, charge.type, charge.status, charge.status_reason, charge.is_authorized,
       charge.amount, charge.gateway, charge.payment_method_id, charge.gateway_key, charge.gateway_transaction_id,
       charge.gateway_reference, charge.payment_source_type, charge.payment_source,
       case when charge.status = 'complete' then $25::timestamptz end, $25, $25
     from json_to_recordset($26::json) as charge (
       id text, payment_id text, type text, status text, status_reason text, is_authorized boolean, amount bigint, gateway text,
       payment_method_id text, gateway_key text, gateway_transaction_id text, gateway_reference text, payment_source_type text,
       payment_source json
     )
   ), shipped as (
     insert into order_items (
       merchant_id, order_id, id, line_item_id, position, quantity, quantity_fulfilled, is_returned, updated_at
     )
     select $1, $2, item.id, item.line_item_id, item.position, item.quantity, 0, false, $25
     from json_to_recordset($27::json) as item (id text, line_item_id text, position integer, quantity integer)
   ), digital as (
     insert into downloads (
       merchant_id, order_id, id, line_item_id, asset_id, position, name, ext, size_in_bytes, is_sample, remaining,
       expires_at, is_revoked
     )
     select $1, $2, download.id, download.line_item_id, download.asset_id, download.position, download.name, download.ext,
       download.size_in_bytes, download.is_sample, download.remaining, download.expires_at, false
     from json_to_recordset($28::json) as download (
       id text, line_item_id text, asset_id text, position integer, name text, ext text, size_in_bytes bigint, is_sample boolean,
       remaining integer, expires_at timestamptz
     )
   ), receipt as (
     insert into jobs (merchant_id, id, kind, payload, due_at)
     values ($1, $29, $30, $31, $25)
   )
   insert into orders (
     merchant_id, id, is_sandbox, checkout_id, cart_id, attempt_id, body_digest, customer_id, customer_reference, email, firstname,
     lastname, phone, shipping_address, billing_address, content, meta, currency, order_value, total_due, status_payment,
     status_fulfillment, paid_at, is_credit_returned, created_at, updated_at, unproven_email_key
   )
   values (
     $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $25, $32
   )`,
)

/** `expiresAt` of each download beside what the row shows of it in whole seconds. */
type NewDownload = DownloadRow & { readonly expires_at: Date | null; readonly is_sample: boolean }

export type NewOrder = Omit<OrderRow, 'downloads' | 'shipments'> & {
  readonly attempt_id: string
  /** UNPROVEN_EMAIL_KEY of customers/match-store.ts. */
  readonly unproven_email_key: string | null
  readonly downloads: readonly NewDownload[]
}

/** Put in here and not by `enqueue`, which would be one more statement while the capture holds its locks. */
export type ReceiptToSend = { readonly id: string; readonly kind: string; readonly payload: object }

export const insertOrder = (tx: Tx, order: NewOrder, receipt: ReceiptToSend, now: Date) =>
  tx.run(insert, [
    order.merchant_id,
    order.id,
    order.is_sandbox,
    order.checkout_id,
    order.cart_id,
    order.attempt_id,
    order.body_digest,
    order.customer_id,
    order.customer_reference,
    order.email,
    order.firstname,
    order.lastname,
    order.phone,
    jsonText(order.shipping_address),
    jsonText(order.billing_address),
    JSON.stringify(order.content),
    jsonText(order.meta),
    order.currency,
    order.order_value,
    order.total_due,
    order.status_payment,
    order.status_fulfillment,
    order.paid === null ? null : now,
    order.is_credit_returned,
    now,
    JSON.stringify(order.transactions),
    JSON.stringify(order.items.map(withPosition)),
    JSON.stringify(order.downloads),
    receipt.id,
    receipt.kind,
    JSON.stringify(receipt.payload),
    order.unproven_email_key,
  ])

const withPosition = (item: ItemRow, position: number) => ({ ...item, position })

/** As text: left to itself the client would send a list as a PostgreSQL array. */
