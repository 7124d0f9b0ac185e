// The guess limiter: codes that can be guessed (discounts, gift cards) and links that may be wrong (login) have so many failures a minute,
// counted here for all processes. Looking up, asking the counters and counting a failure are one statement, and so one round trip.

import type { Database, Statement, Values } from '../db/db.ts'
import { tooManyRequests } from '../lib/errors.ts'

/** Failures that one cart, token or client has in a window. */
export const MAX_FAILURES = 10
const WINDOW_SECONDS = 60

/** What is guessed and by whom, such as `code sandbox in cart_…` or `code sandbox from 203.0.113.7`, and how often it may fail in a minute. */
export type Subject = { readonly subject: string; readonly most: number }

export type Guess = {
  readonly merchantId: number
  /** A failure counts against each. */
  readonly subjects: readonly Subject[]
  readonly now: Date
}

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
     where not exists (select from found) and (select until from blocked) is null
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
     case when not exists (select from found) then ${BLOCKED_UNTIL} end as blocked_until`

/**
 * What the guess found, or null: then the failure is counted. Throws `tooManyRequests` when a subject has failed too often. Asks for the
 * database and not a transaction: one that is rolled back would forget the failure.
 */
export async function guess<Row>(
  db: Database,
  lookup: Statement<GuessAnswer<Row>>,
  { merchantId, subjects, now }: Guess,
  values: Values,
): Promise<Row | null> {
  // One statement cannot count a subject twice, so each stands once.
  const heights = new Map(subjects.map(({ subject, most }) => [subject, most]))
  const { found, blocked_until: until } = await db.one(lookup, {
    ...values,
    merchant_id: merchantId,
    subjects: [...heights.keys()],
    heights: [...heights.values()],
    now,
  })
  if (until !== null) throw tooManyRequests(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)))
  return found
}
