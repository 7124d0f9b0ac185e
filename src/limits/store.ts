// SQL of the counters in `attempts`: for requests (requests.ts) and guesses (guesses.ts).

import { type Shop, statement, type Tx } from '../db/db.ts'
import { sweepOf } from '../jobs/sweeps.ts'

export type Limit = {
  /** Limited action with its actor or target, such as `login-mail sandbox hour a@example.com 203.0.113.7`. */
  readonly subject: string
  readonly most: number
  /** Length of the window, which starts with the first counted request. */
  readonly windowMs: number
}

// The first check only reads, so a flood writes nothing.
// The counters then decide between requests that passed the check at the same moment. These wait for one another, always in the same order.
// `offset 0` looks up each counter by its key; a join might read the whole shop.
const take = statement<{ blocked_until: Date | null }>(
  'request_limits.take',
  `with
   limits as (
     select subject, most, resets_at
     from unnest(:subjects::text[], :subject_limits::integer[], :resets::timestamptz[]) as one (subject, most, resets_at)
   ),
   blocked as (
     select max(counter.resets_at) as until
     from limits
     cross join lateral (
       select attempts.resets_at
       from attempts
       where attempts.merchant_id = :merchant_id and attempts.subject = limits.subject
         and attempts.resets_at > :now::timestamptz and attempts.count >= limits.most
       offset 0
     ) counter
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

/** Counts a request against each limit. Returns the moment until which a limit is used up; null if none is. */
export const countRequest = async (
  tx: Tx,
  { merchant_id }: Shop,
  limits: readonly Limit[],
  now: Date,
): Promise<Date | null> =>
  (
    await tx.one(take, {
      merchant_id,
      subjects: limits.map(({ subject }) => subject),
      subject_limits: limits.map(({ most }) => most),
      resets: limits.map(({ windowMs }) => new Date(now.getTime() + windowMs)),
      now,
    })
  ).blocked_until

/** Window in which failures count. */
const WINDOW_SECONDS = 60

/** Row of a guarded statement. */
export type GuardedRow<Row> = { found: Row | null; blocked_until: Date | null }

/** Allowed failures for the subject of an `attempts` row. */
const SUBJECT_LIMIT = '(:subject_limits::integer[])[array_position(:subjects::text[], attempts.subject)]'

const countedFailures = (lookup: string) => `
   blocked as (
     select max(resets_at) as until
     from attempts
     where merchant_id = :merchant_id and subject = any(:subjects::text[]) and resets_at > :now::timestamptz and count >= ${SUBJECT_LIMIT}
   ),
   found as (${lookup}),
   failed as (
     insert into attempts (merchant_id, subject, count, resets_at)
     select :merchant_id, subject, 1, :now::timestamptz + interval '${WINDOW_SECONDS} seconds'
     from unnest(:subjects::text[]) as guessed (subject)
     where not exists (select 1 from found) and (select until from blocked) is null
     order by subject
     on conflict (merchant_id, subject) do update
     set count = case when attempts.resets_at > :now then attempts.count + 1 else 1 end,
       resets_at = case when attempts.resets_at > :now then attempts.resets_at else excluded.resets_at end
     returning subject, count, resets_at
   )`

const BLOCKED_UNTIL = `greatest(
       (select until from blocked),
       (
         select max(attempts.resets_at)
         from failed as attempts
         where attempts.count > ${SUBJECT_LIMIT}
       )
     )`

/**
 * SQL that runs `lookup`, a select of at most one row, and counts a failure if it finds none.
 * After too many failures it refuses right guesses too. Otherwise further guessing would still reveal the right one.
 * It is one statement. Otherwise a thousand concurrent lookups could all pass before the first failure is counted.
 * `lookup` may use `:merchant_id` and `:now`, and its own parameters.
 */
export const guardedLookupSql = (lookup: string) =>
  `with ${countedFailures(lookup)}
   select
     (select to_json(found) from found) as found,
     ${BLOCKED_UNTIL} as blocked_until`

/**
 * The same for secrets that nobody can guess, such as a token of 238 random bits. A right one is found even after failures from the same
 * address. Only wrong ones are refused.
 * `steps` are common table expressions for `lookup`, each followed by a comma.
 */
export const guardedSecretSql = (lookup: string, steps: string) =>
  `with ${steps}
   ${countedFailures(lookup)}
   select
     (select to_json(found) from found) as found,
     case when not exists (select 1 from found) then ${BLOCKED_UNTIL} end as blocked_until`

/** Ended counters have no meaning. It runs often, because a stranger can create many counters. */
export const sweepEndedCounters = sweepOf('attempts', {
  name: 'ended-attempts',
  everySeconds: 300,
  column: 'resets_at',
  key: { subject: 'text' },
})
