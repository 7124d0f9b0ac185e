// Limits bulk jobs that requests enqueue, such as imports: a shop may have a few waiting jobs of each kind.

import type { Db, Tx } from '../../db/db.ts'
import { countWaitingJobs, enqueue, type NewJob } from '../../jobs/queue.ts'
import { type BulkRequest, tooManyWaiting } from '../../lib/errors.ts'
import { lockMerchant } from './store.ts'

/** Waiting jobs of one kind in one shop, besides the running one. */
const MAX_WAITING = 10

type BulkJob = Pick<NewJob, 'kind' | 'payload' | 'runAt'> & { readonly merchant_id: number }

/** Throws a 429 if the limit of waiting jobs is reached. Call it before costly work; `enqueueBulk` decides. */
export async function refuseFullQueue(
  db: Db,
  { merchant_id, kind }: Pick<BulkJob, 'merchant_id' | 'kind'>,
  request: BulkRequest,
) {
  const waitingJobs = await countWaitingJobs(db, { merchant_id }, kind, MAX_WAITING)
  if (waitingJobs >= MAX_WAITING) throw tooManyWaiting(request, MAX_WAITING)
}

/**
 * Enqueues the job, or throws as `refuseFullQueue` does. The merchant's lock makes concurrent requests count in sequence.
 * Call it last in the transaction, so that the lock is held only for the commit.
 */
export async function enqueueBulk(tx: Tx, job: BulkJob, request: BulkRequest) {
  await lockMerchant(tx, job)
  await refuseFullQueue(tx, job, request)
  await enqueue(tx, job)
}
