// How often something may be asked for in a window of time, counted for all processes. Unlike guesses, what is counted here is every request
// that passes. Both modes share the counters; the subject of a limit names the mode where it matters.

import type { Database, Tx } from '../db/db.ts'
import type { Shop } from '../db/records.ts'
import { perNetwork } from '../lib/addresses.ts'
import { type Excess, tooManyRequests } from '../lib/errors.ts'
import { countRequest, type Limit } from './store.ts'

/** One for each network that a client counts under, with a greater height for the wider ones. */
export const networkLimits = (subject: string, networks: readonly string[], most: number, windowMs: number): Limit[] =>
  perNetwork(networks, most).map(({ network, most: height }) => ({
    subject: `${subject} ${network}`,
    most: height,
    windowMs,
  }))

/**
 * Counts one more for each, or throws `tooManyRequests` when one is used up; `excess` says of which field. Asks for the transaction of what
 * the request does: the throw rolls it back, so that a refused request counts for nothing, neither here nor against the limits that it has
 * kept.
 */
export async function takeFromLimits(
  tx: Tx,
  merchant: Shop,
  limits: readonly Limit[],
  now: Date,
  excess?: Excess,
): Promise<void> {
  const until = await countRequest(tx, merchant, limits, now)
  if (until !== null) throw tooManyRequests(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)), excess)
}

/** Longer than any job is tried. */
export const LONGER_THAN_JOBS_MS = 7 * 86_400_000

/**
 * For a job, which has nobody to refuse: whether none is used up, counted in a transaction of its own. A busy database is no limit.
 * With `jobId` it counts once for all runs of that job: a mail server that is down must not use up what an address may get. What was
 * counted is noted together with the counts. The number of the run would not tell: the one before may have failed before it could count.
 */
export const isWithinLimits = async (...counted: Parameters<typeof findLimitEnd>): Promise<boolean> =>
  (await findLimitEnd(...counted)) === null

/** The same: the moment until which one is used up; null where none is. */
export async function findLimitEnd(
  db: Database,
  merchant: Shop,
  limits: readonly Limit[],
  now: Date,
  jobId?: string,
): Promise<Date | null> {
  const counted = [{ subject: `counted ${jobId}`, most: 1, windowMs: LONGER_THAN_JOBS_MS }]
  try {
    await db.transaction(async (tx) => {
      const wasCounted = jobId !== undefined && (await countRequest(tx, merchant, counted, now)) !== null
      const until = wasCounted ? null : await countRequest(tx, merchant, limits, now)
      // Thrown, so that what was counted for the other limits is rolled back.
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
