// The SQL of the sweep of unpaid orders. `orders_unpaid` holds those alone that it has still to decide about, so that what it costs does
// not grow with the orders of a shop.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { OrderRow } from './row-store.ts'

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
