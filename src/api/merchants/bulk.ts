// Limits the bulk jobs of a shop, such as batches of product changes and replays of webhooks. A shop may have a limited
// number of waiting jobs of each kind. The file is in this slice because counting them needs a lock on the merchant's row.

import type { Db, Tx } from '../../db/db.ts'
import { countWaitingJobs, enqueue, type NewJob } from '../../jobs/queue.ts'
import { type LimitWording, tooManyWaiting } from '../../lib/errors.ts'
import { lockMerchant } from './store.ts'

/** Maximum waiting jobs of one kind in one shop. The running job is not counted. */
const MAX_WAITING = 10

type BulkJob = Pick<NewJob, 'kind' | 'payload' | 'runAt'> & { readonly merchant_id: number }

/**
 * Throws a 429 if the shop has the maximum number of waiting jobs. Call it before costly work, to refuse early. Concurrent
 * requests may all pass it; `enqueueBulk` checks again under a lock.
 */
export async function refuseAtJobLimit(
  db: Db,
  { merchant_id, kind }: Pick<BulkJob, 'merchant_id' | 'kind'>,
  wording: LimitWording,
) {
  const waitingJobs = await countWaitingJobs(db, { merchant_id }, kind, MAX_WAITING)
  if (waitingJobs >= MAX_WAITING) throw tooManyWaiting(wording, MAX_WAITING)
}

/**
 * Enqueues the job, or throws as `refuseAtJobLimit` does. Locks the merchant's row, so that concurrent requests cannot
 * exceed the limit together. Call it last in the transaction, so that the lock is held only until the commit.
 */
export async function enqueueBulk(tx: Tx, job: BulkJob, wording: LimitWording) {
  await lockMerchant(tx, job)
  await refuseAtJobLimit(tx, job, wording)
  await enqueue(tx, job)
}
