// The SQL that makes an order: who buys and its number in one statement, the order with all that belongs to it in another.

import { statement, type Tx } from '../../db/db.ts'
import {
  type Buyer,
  type CustomerRow,
  MATCHED_CUSTOMER,
  MATCHED_JSON,
  matchValues,
  UNPROVEN_EMAIL_KEY,
} from '../customers/match-store.ts'
import type { DownloadRow, ItemRow, OrderRow } from './row-store.ts'

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
const jsonText = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
