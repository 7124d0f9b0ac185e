// The SQL of the completer and of the sweep of attempts, which go through all merchants.

import { type Db, statement } from '../../../db/db.ts'
import type { AttemptKey } from './attempt-store.ts'

// Others pass over what one has taken; should that one die, it is due again at $2.
const claim = statement<AttemptKey>(
  'capture.claim_attempts',
  `update capture_attempts
   set settle_after = $2
   where (merchant_id, id) in (
     select merchant_id, id
     from capture_attempts
     where state in ('charging', 'waiting') and settle_after <= $1
     order by settle_after
     limit $3
     for update skip locked
   )
   returning merchant_id, id`,
)

/** Takes at most `limit` attempts that are due at `now`, until `dueAgainAt`. */
export const claimAttempts = (db: Db, now: Date, dueAgainAt: Date, limit: number) =>
  db.many(claim, [now, dueAgainAt, limit])

const deleteSettled = statement(
  'sweep.capture_attempts',
  `delete from capture_attempts
   where (merchant_id, id) in (
     select merchant_id, id
     from capture_attempts
     where state in ('done', 'released') and updated_at < $1
     order by updated_at
     limit $2
   )`,
)

/** Deletes at most `limit` attempts that were settled before `moment`, and returns how many it deleted. */
export const deleteAttemptsSettledBefore = (db: Db, moment: Date, limit: number): Promise<number> =>
  db.run(deleteSettled, [moment, limit])
