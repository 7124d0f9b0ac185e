// How often something may be asked for in a window of time, counted for all processes, in the table of attempts.ts (whose sweep takes
// these counters, too). Unlike guesses, what is counted here is every request that passes.

import { type Database, statement, type Tx } from '../db/db.ts'
import { perNetwork } from '../lib/addresses.ts'
import { ApiError, type Excess, tooManyRequests } from '../lib/errors.ts'

export type Limit = {
  /** What is asked for and by or for whom, such as `login-mail sandbox hour a@example.com 203.0.113.7`. */
  readonly subject: string
  readonly most: number
  /** From the first that is counted. */
  readonly windowMs: number
}

/** One for each network that a client counts under, with a greater height for the wider ones. */
export const networkLimits = (subject: string, networks: readonly string[], most: number, windowMs: number): Limit[] =>
  perNetwork(networks, most).map(({ network, most: height }) => ({
    subject: `${subject} ${network}`,
    most: height,
    windowMs,
  }))

// Who is over a limit is found so before anything is written: a flood only reads. The counts decide between those who passed that at
// the same moment; they wait for one another there, always in the same order.
const take = statement<{ blocked_until: Date | null }>(
  'request_limits.take',
  `with
   asked as (
     select subject, most, resets_at
     from unnest($2::text[], $3::integer[], $4::timestamptz[]) as asked (subject, most, resets_at)
   ),
   blocked as (
     select max(attempts.resets_at) as until
     from attempts
     join asked on asked.subject = attempts.subject
     where attempts.merchant_id = $1 and attempts.resets_at > $5::timestamptz and attempts.count >= asked.most
   ),
   counted as (
     insert into attempts (merchant_id, subject, count, resets_at)
     select $1, subject, 1, resets_at
     from asked
     where (select until from blocked) is null
     order by subject
     on conflict (merchant_id, subject) do update
     set count = case when attempts.resets_at > $5 then attempts.count + 1 else 1 end,
       resets_at = case when attempts.resets_at > $5 then attempts.resets_at else excluded.resets_at end
     returning subject, count, resets_at
   )
   select greatest(
     (select until from blocked),
     (select max(counted.resets_at) from counted join asked on asked.subject = counted.subject where counted.count > asked.most)
   ) as blocked_until`,
)

/**
 * Counts one more for each, or throws `tooManyRequests` when one is used up; `excess` says of which field. Asks for the transaction of what
 * the request does: the throw rolls it back, so that a refused request counts for nothing, neither here nor against the limits that it has
 * kept.
 */
export async function takeFromLimits(
  tx: Tx,
  merchantId: number,
  limits: readonly Limit[],
  now: Date,
  excess?: Excess,
): Promise<void> {
  const until = await usedUpUntil(tx, merchantId, limits, now)
  if (until !== null) throw tooManyRequests(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)), excess)
}

const usedUpUntil = async (tx: Tx, merchantId: number, limits: readonly Limit[], now: Date): Promise<Date | null> =>
  (
    await tx.one(take, [
      merchantId,
      limits.map(({ subject }) => subject),
      limits.map(({ most }) => most),
      limits.map(({ windowMs }) => new Date(now.getTime() + windowMs)),
      now,
    ])
  ).blocked_until

/** Longer than any job is tried. */
export const LONGER_THAN_JOBS_MS = 7 * 86_400_000

/**
 * For a job, which has nobody to refuse: whether none is used up, counted in a transaction of its own. A busy database is no limit.
 * With `jobId` it counts once for all runs of that job: a mail server that is down must not use up what an address may get. What was
 * counted is noted together with the counts. The number of the run would not tell: the one before may have failed before it could count.
 */
export async function isWithinLimits(
  db: Database,
  merchantId: number,
  limits: readonly Limit[],
  now: Date,
  jobId?: string,
): Promise<boolean> {
  const counted = [{ subject: `counted ${jobId}`, most: 1, windowMs: LONGER_THAN_JOBS_MS }]
  try {
    await db.transaction(async (tx) => {
      const wasCounted = jobId !== undefined && (await usedUpUntil(tx, merchantId, counted, now)) !== null
      if (!wasCounted) await takeFromLimits(tx, merchantId, limits, now)
    })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 429) return false
    throw error
  }
}
