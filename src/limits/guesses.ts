// Limits wrong guesses per minute, across all processes: codes of discounts and gift cards, and login links.
// One statement does the lookup, checks the counters and counts a failure (`guardedLookupSql` in store.ts).

import type { Database, Statement, Values } from '../db/db.ts'
import { type Excess, tooManyRequests } from '../lib/errors.ts'
import type { GuardedRow } from './store.ts'

/** Failures allowed per minute for one cart, token or client (`WINDOW_SECONDS` in store.ts). */
export const MAX_FAILURES = 10

/**
 * Kind of guess and who guesses, such as `code sandbox in cart_…` or `code sandbox from 203.0.113.7`. `most` is the allowed number of
 * failures per minute.
 */
export type GuessSubject = { readonly subject: string; readonly most: number }

export type GuessCheck = {
  readonly merchant_id: number
  /** Each failure counts against all of these subjects. */
  readonly subjects: readonly GuessSubject[]
  readonly now: Date
  /** Field and code of the refusal after too many failures. */
  readonly excess: Excess
}

/**
 * Runs the lookup and returns its result. Null counts as a failure. Throws `tooManyRequests` if a subject has failed too often.
 * It takes the database instead of a transaction: a rollback would forget the failure.
 */
export async function checkGuess<Row>(
  db: Database,
  lookup: Statement<GuardedRow<Row>>,
  { merchant_id, subjects, now, excess }: GuessCheck,
  values: Values,
): Promise<Row | null> {
  // One statement cannot change the counter of a subject twice, so each subject appears once.
  const limits = new Map(subjects.map(({ subject, most }) => [subject, most]))
  const { found, blocked_until: until } = await db.one(lookup, {
    ...values,
    merchant_id,
    subjects: [...limits.keys()],
    subject_limits: [...limits.values()],
    now,
  })
  if (until !== null) throw tooManyRequests(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)), excess)
  return found
}
