// The SQL of the counters of what is limited (`attempts`): requests are counted here, guesses by the statements that look them up
// (guesses.ts).

import { statement, type Tx } from '../db/db.ts'
import type { Shop } from '../db/records.ts'
import { sweepOf } from '../jobs/sweeps.ts'

export type Limit = {
  /** What is asked for and by or for whom, such as `login-mail sandbox hour a@example.com 203.0.113.7`. */
  readonly subject: string
  readonly most: number
  /** From the first that is counted. */
  readonly windowMs: number
}

// Who is over a limit is found so before anything is written: a flood only reads. The counts decide between those who passed that at
// the same moment; they wait for one another there, always in the same order.
const take = statement<{ blocked_until: Date | null }>(
  'request_limits.take',
  `with
   limits as (
     select subject, most, resets_at
     from unnest(:subjects::text[], :heights::integer[], :resets::timestamptz[]) as one (subject, most, resets_at)
   ),
   blocked as (
     select max(attempts.resets_at) as until
     from attempts
     join limits on limits.subject = attempts.subject
     where attempts.merchant_id = :merchant_id and attempts.resets_at > :now::timestamptz and attempts.count >= limits.most
   ),
   counted as (
     insert into attempts (merchant_id, subject, count, resets_at)
     select :merchant_id, subject, 1, resets_at
     from limits
     where (select until from blocked) is null
     order by subject
     on conflict (merchant_id, subject) do update
     set count = case when attempts.resets_at > :now then attempts.count + 1 else 1 end,
       resets_at = case when attempts.resets_at > :now then attempts.resets_at else excluded.resets_at end
     returning subject, count, resets_at
   )
   select greatest(
     (select until from blocked),
     (select max(counted.resets_at) from counted join limits on limits.subject = counted.subject where counted.count > limits.most)
   ) as blocked_until`,
)

/** Counts one more for each. The moment until which one is used up; null where none is. */
export const countRequest = async (
  tx: Tx,
  { merchantId }: Shop,
  limits: readonly Limit[],
  now: Date,
): Promise<Date | null> =>
  (
    await tx.one(take, {
      merchant_id: merchantId,
      subjects: limits.map(({ subject }) => subject),
      heights: limits.map(({ most }) => most),
      resets: limits.map(({ windowMs }) => new Date(now.getTime() + windowMs)),
      now,
    })
  ).blocked_until

/** Counters mean nothing once their window has ended. Often, as a stranger can make many of them. */
export const sweepEndedCounters = sweepOf('attempts', {
  name: 'ended-attempts',
  everySeconds: 300,
  column: 'resets_at',
  key: ['merchant_id', 'subject'],
})
