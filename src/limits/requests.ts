// Limits requests in a window of time, across all processes. Unlike guesses, every accepted request counts.
// Both modes share the counters. The subject of a limit names the mode where that matters.

import type { Database, Shop, Tx } from '../db/db.ts'
import { perNetwork } from '../lib/addresses.ts'
import { type Excess, tooManyRequests } from '../lib/errors.ts'
import { countRequest, type Limit } from './store.ts'

/** Limits for the networks of a client, one for each. A wider network may make more requests. */
export const networkLimits = (subject: string, networks: readonly string[], most: number, windowMs: number): Limit[] =>
  perNetwork(networks, most).map(({ network, most: mostOfNetwork }) => ({
    subject: `${subject} ${network}`,
    most: mostOfNetwork,
    windowMs,
  }))

/**
 * Counts the request against each limit. Throws `tooManyRequests` if a limit is used up; `excess` names the field.
 * It needs the transaction of the request. The error rolls the transaction back, so a refused request counts against no limit.
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

/** Window that is longer than the retries of any job. */
export const LONGER_THAN_JOBS_MS = 7 * 86_400_000

/**
 * Counts the work of a job against each limit, in a separate transaction. Returns false, and counts nothing, if a limit is used up.
 * With `jobId` it counts once for all runs of that job, so that a mail server that is down does not use up the limit. A marker, stored with
 * the counts, shows that the job was counted. The number of the run does not show it: an earlier run may have failed before it counted.
 */
export const countIfWithinLimits = async (...args: Parameters<typeof countOrFindLimitEnd>): Promise<boolean> =>
  (await countOrFindLimitEnd(...args)) === null

/** Like `countIfWithinLimits`, but returns the time until which a limit is used up. Returns null if the work was counted. */
export async function countOrFindLimitEnd(
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
      // The error rolls back the counts of the other limits.
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
