// Bulk work that a request asks for, such as an import: a few jobs of a kind may wait in a shop, and no more.

import type { Db, Tx } from '../../db/db.ts'
import { countWaitingJobs, enqueue, type NewJob } from '../../jobs/queue.ts'
import { type BulkRequest, tooManyWaiting } from '../../lib/errors.ts'
import { lockMerchant } from './store.ts'

/** Jobs of one kind that wait in one shop, beside the one that runs. */
const MOST_WAITING = 10

type BulkJob = Pick<NewJob, 'kind' | 'payload' | 'runAt'> & { readonly merchantId: number }

/** Throws a 429 where as many wait as may. Before anything costly is done; `enqueueBulk` decides. */
export async function refuseFullQueue(
  db: Db,
  { merchantId, kind }: Pick<BulkJob, 'merchantId' | 'kind'>,
  request: BulkRequest,
) {
  const waiting = await countWaitingJobs(db, merchantId, kind, MOST_WAITING)
  if (waiting >= MOST_WAITING) throw tooManyWaiting(request, MOST_WAITING)
}

/**
 * Puts the job in, or throws as `refuseFullQueue` does. Requests of one moment count one after the other, by the lock of their merchant. Call it
 * last in the transaction, so that the lock is held only for the commit.
 */
export async function enqueueBulk(tx: Tx, job: BulkJob, request: BulkRequest) {
  await lockMerchant(tx, job.merchantId)
  await refuseFullQueue(tx, job, request)
  await enqueue(tx, job)
}
