// SQL of an order export: only the columns that the table shows. list-store.ts selects the orders.

import { type Db, type Scope, statement } from '../../../db/db.ts'
import type { OrderContent, OrderRow } from '../read-store.ts'

export type ExportRow = Pick<
  OrderRow,
  | 'id'
  | 'customer_reference'
  | 'email'
  | 'firstname'
  | 'lastname'
  | 'phone'
  | 'shipping_address'
  | 'currency'
  | 'order_value'
  | 'total_due'
  | 'status_payment'
  | 'status_fulfillment'
> & {
  readonly created_at: Date
  readonly paid_at: Date | null
  readonly cancelled_at: Date | null
  readonly content: Pick<OrderContent, 'lines' | 'subtotal' | 'discount' | 'shipping' | 'tax' | 'gift_card'>
  /** Refunded amount, including the part that was returned to a gift card. */
  readonly refunded: number
}

const findRows = statement<ExportRow>(
  'export.find_rows',
  `select o.id, o.customer_reference, o.email, o.firstname, o.lastname, o.phone, o.shipping_address, o.content, o.currency,
     o.order_value, o.total_due, o.status_payment, o.status_fulfillment, o.created_at, o.paid_at, o.cancelled_at,
     o.credit_returned + (
       select coalesce(sum(t.amount), 0)::bigint
       from order_transactions t
       where t.merchant_id = :merchant_id and t.order_id = o.id and t.type = 'refund' and t.status = 'complete'
     ) as refunded
   from orders o
   where o.merchant_id = :merchant_id and o.is_sandbox = :is_sandbox and o.id = any(:ids)
   order by array_position(:ids::text[], o.id)`,
)

/** Rows are in the order of `ids`. */
export const findExportRows = (db: Db, scope: Scope, ids: readonly string[]) => db.many(findRows, { ...scope, ids })
