// Limits requests in a window of time, across all processes. Unlike guesses, every accepted request counts.
// Both modes share the counters. The subject of a limit names the mode where that matters.

import type { Database, Shop, Tx } from '../db/db.ts'
import { perNetwork } from '../lib/addresses.ts'
import { type Excess, tooManyRequests } from '../lib/errors.ts'
import { countRequest, type Limit } from './store.ts'

/** One limit for each network of a client; wider networks may make more requests. */
export const networkLimits = (subject: string, networks: readonly string[], most: number, windowMs: number): Limit[] =>
  perNetwork(networks, most).map(({ network, most: height }) => ({
    subject: `${subject} ${network}`,
    most: height,
    windowMs,
  }))

/**
 * Counts the request against each limit, or throws `tooManyRequests`; `excess` names the field.
 * It needs the transaction of the request: the throw rolls it back, so a refused request does not count against any limit.
 */
export async function countAgainstLimits(
  tx: Tx,
  merchant: Shop,
  limits: readonly Limit[],
  now: Date,
  excess?: Excess,
): Promise<void> {
  const until = await countRequest(tx, merchant, limits, now)
  if (until !== null) throw tooManyRequests(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)), excess)
}

/** Longer than the retries of any job. */
export const LONGER_THAN_JOBS_MS = 7 * 86_400_000

/**
 * For a job: true if no limit is used up. It counts in a separate transaction.
 * With `jobId` it counts once for all runs of that job: a mail server that is down must not use up the limit. The note about that is stored
 * together with the counts. The number of the run would not do: an earlier run may have failed before it could count.
 */
export const isWithinLimits = async (...args: Parameters<typeof findLimitEnd>): Promise<boolean> =>
  (await findLimitEnd(...args)) === null

/** The same, but returns the moment until which a limit is used up; null if none is. */
export async function findLimitEnd(
  db: Database,
  merchant: Shop,
  limits: readonly Limit[],
  now: Date,
  jobId?: string,
): Promise<Date | null> {
  const jobMarker = [{ subject: `counted ${jobId}`, most: 1, windowMs: LONGER_THAN_JOBS_MS }]
  try {
    await db.transaction(async (tx) => {
      const isAlreadyCounted = jobId !== undefined && (await countRequest(tx, merchant, jobMarker, now)) !== null
      const until = isAlreadyCounted ? null : await countRequest(tx, merchant, limits, now)
      // Thrown to roll back the counts of the other limits.
      if (until !== null) throw new LimitReached(until)
    })
    return null
  } catch (error) {
    if (error instanceof LimitReached) return error.until
    throw error
  }
}

class LimitReached extends Error {
  override readonly name = 'LimitReached'
  readonly until: Date

  constructor(until: Date) {
    super('The limit has been reached.')
    this.until = until
  }
}
