// The SQL of the sweep of checkout tokens, which goes through all merchants.

import { type Db, statement } from '../../db/db.ts'

const deleteExpired = statement(
  'sweep.checkouts',
  `delete from checkouts
   where (merchant_id, id) in (
     select merchant_id, id from checkouts where expires_at <= $1 order by expires_at limit $2
   )`,
)

/** Deletes at most `limit` tokens that have expired by `moment`, with their lines, and returns how many it deleted. */
export const deleteCheckoutsExpiredBy = (db: Db, moment: Date, limit: number): Promise<number> =>
  db.run(deleteExpired, [moment, limit])
