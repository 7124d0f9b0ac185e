// The SQL of disputes.

import { statement, type Tx } from '../../../db/db.ts'
import type { DisputeRow, OrderRow } from '../../orders/read-store.ts'
import { TOUCH_ORDER } from '../../orders/store.ts'

const write = statement(
  'orders.write_dispute',
  `with written as (
     insert into order_disputes (
       merchant_id, order_id, id, transaction_id, gateway, gateway_dispute_id, status, reason, amount, created_at, updated_at
     )
     values (
       :merchant_id, :order_id, :id, :transaction_id, :gateway, :gateway_dispute_id, :status, :reason, :amount, :now, :now
     )
     on conflict (merchant_id, order_id, id)
     do update set status = excluded.status, reason = excluded.reason, amount = excluded.amount, updated_at = excluded.updated_at
   )
   ${TOUCH_ORDER}`,
)

/** Call it under the order's lock. A second row for the same dispute violates `order_disputes_told_once`. */
export const writeDisputeRow = (tx: Tx, { merchant_id, id: orderId }: OrderRow, dispute: DisputeRow, now: Date) =>
  tx.run(write, { ...dispute, merchant_id, order_id: orderId, now })
