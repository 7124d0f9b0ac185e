// The SQL of the counters of what is limited (`attempts`): requests (requests.ts) and guesses (guesses.ts).

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
// the same moment; they wait for one another there, always in the same order. (`offset 0`: each counter is looked up by its key; a join
// might read all of the shop.)
const take = statement<{ blocked_until: Date | null }>(
  'request_limits.take',
  `with
   limits as (
     select subject, most, resets_at
     from unnest(:subjects::text[], :heights::integer[], :resets::timestamptz[]) as one (subject, most, resets_at)
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

/** How long failures count. */
const WINDOW_SECONDS = 60

/** What a guarded statement answers. */
export type GuessAnswer<Row> = { found: Row | null; blocked_until: Date | null }

/** How many failures the subject of a row in the table `attempts` may have. */
const HEIGHT = '(:heights::integer[])[array_position(:subjects::text[], attempts.subject)]'

const countedFailures = (lookup: string) => `
   blocked as (
     select max(resets_at) as until
     from attempts
     where merchant_id = :merchant_id and subject = any(:subjects::text[]) and resets_at > :now::timestamptz and count >= ${HEIGHT}
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
         where attempts.count > ${HEIGHT}
       )
     )`

/**
 * The text of a statement that runs `lookup`, a select of at most one row, and counts a failure when it finds none. Once a subject has
 * failed too often, right and wrong guesses are refused alike: else whoever goes on guessing would still be told.
 * In one statement, because the look-ups of a thousand requests sent at once would otherwise all pass before the first failure
 * is counted. `lookup` may use `:merchant_id` and `:now`, and has parameters of its own beside them.
 */
export const guarded = (lookup: string) =>
  `with ${countedFailures(lookup)}
   select
     (select to_json(found) from found) as found,
     ${BLOCKED_UNTIL} as blocked_until`

/**
 * The same for what nobody can guess, such as a token of 238 random bits: what is right is found, whatever others at the same address
 * have tried before, and only what is wrong is refused. `steps` are common table expressions that `lookup` reads, each with a comma
 * behind it.
 */
export const guardedSecret = (lookup: string, steps: string) =>
  `with ${steps}
   ${countedFailures(lookup)}
   select
     (select to_json(found) from found) as found,
     case when not exists (select 1 from found) then ${BLOCKED_UNTIL} end as blocked_until`

/** Counters mean nothing once their window has ended. Often, as a stranger can make many of them. */
export const sweepEndedCounters = sweepOf('attempts', {
  name: 'ended-attempts',
  everySeconds: 300,
  column: 'resets_at',
  key: { subject: 'text' },
})
