// The SQL of the sweep of orders that are being cancelled for long. `orders_cancelling` holds those alone that are being cancelled.

import { type Db, statement } from '../../db/db.ts'

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
