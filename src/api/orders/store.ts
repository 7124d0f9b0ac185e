// SQL of orders: finding one, locking one, and writing what the merchant changes of it. Each statement that changes the cause of a
// status writes the status beside it; those of payments, shipments and downloads are in stores of their own.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { Address } from './draft.ts'
import { ORDER_COLUMNS, type OrderRow } from './row-store.ts'

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
  readonly shipping_address: Address | null
  readonly billing_address: Address | null
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
