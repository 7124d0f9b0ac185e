// SQL of the counters in `attempts`: for requests (requests.ts) and guesses (guesses.ts). A row has the `count` of one `subject` since its
// window started. The window ends at `resets_at`; the next count then starts at 1.

import { type Shop, statement, type Tx } from '../db/db.ts'
import { sweepOf } from '../jobs/sweeps.ts'

export type Limit = {
  /** Name of the counter: the limited action with its actor or target, such as `login-mail sandbox hour a@example.com 203.0.113.7`. */
  readonly subject: string
  readonly most: number
  /** Length of the window, which starts with the first counted request. */
  readonly windowMs: number
}

// The first check (`blocked`) only reads, so a flood of requests writes nothing.
// Requests that pass it at the same time are decided by the counters (`counted`). They lock the counters in the same order, so that they wait
// for one another and never deadlock.
// `offset 0` looks up each counter by its key; a join might read all counters of the shop.
const countOrBlock = statement<{ blocked_until: Date | null }>(
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

/**
 * Counts a request against each limit. Returns the time until which a limit is used up; null if none is. If it returns a time, other limits
 * may have counted the request, which a rollback undoes.
 */
export const countRequest = async (
  tx: Tx,
  { merchant_id }: Shop,
  limits: readonly Limit[],
  now: Date,
): Promise<Date | null> =>
  (
    await tx.one(countOrBlock, {
      merchant_id,
      subjects: limits.map(({ subject }) => subject),
      subject_limits: limits.map(({ most }) => most),
      resets: limits.map(({ windowMs }) => new Date(now.getTime() + windowMs)),
      now,
    })
  ).blocked_until

/** Length of the window in which failures count. */
const WINDOW_SECONDS = 60

/** Result of a guarded lookup: the row, and the time until which guesses are refused. */
export type GuardedRow<Row> = { found: Row | null; blocked_until: Date | null }

/** SQL: number of allowed failures for the subject of an `attempts` row. */
const SUBJECT_LIMIT = '(:subject_limits::integer[])[array_position(:subjects::text[], attempts.subject)]'

/** Parts of a `with` that run the lookup and count a failure. */
const lookupAndCountSql = (lookup: string) => `
   blocked as (
     select max(resets_at) as until
     from attempts
     where merchant_id = :merchant_id and subject = any(:subjects::text[]) and resets_at > :now::timestamptz and count >= ${SUBJECT_LIMIT}
   ),
   found as (${lookup}),
   failed as (
     insert into attempts (merchant_id, subject, count, resets_at)
     select :merchant_id, subject, 1, :now::timestamptz + interval '${WINDOW_SECONDS} seconds'
     from unnest(:subjects::text[]) as guess (subject)
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
 * After too many failures, right guesses are refused too. Otherwise further guessing would still reveal the right code.
 * One statement does both. With two, a thousand concurrent lookups could all pass before the first failure is counted.
 * `lookup` may use `:merchant_id` and `:now`, and its own parameters.
 */
export const guardedLookupSql = (lookup: string) =>
  `with ${lookupAndCountSql(lookup)}
   select
     (select to_json(found) from found) as found,
     ${BLOCKED_UNTIL} as blocked_until`

/**
 * Like `guardedLookupSql`, for secrets that nobody can guess, such as a token of 238 random bits. A right secret is found even after too
 * many failures from the same address. Only wrong ones are refused.
 * `steps` are common table expressions for `lookup`, each followed by a comma.
 */
export const guardedSecretSql = (lookup: string, steps: string) =>
  `with ${steps}
   ${lookupAndCountSql(lookup)}
   select
     (select to_json(found) from found) as found,
     case when not exists (select 1 from found) then ${BLOCKED_UNTIL} end as blocked_until`

/** Deletes counters after the end of their window. The sweep runs often, because a stranger can create many counters. */
export const sweepEndedCounters = sweepOf('attempts', {
  name: 'ended-attempts',
  everySeconds: 300,
  column: 'resets_at',
  key: { subject: 'text' },
})
