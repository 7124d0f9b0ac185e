// The guess limiter: codes that can be guessed (discounts, gift cards) and links that may be wrong (login) have so many failures a minute,
// counted for all processes. Looking up, asking the counters and counting a failure are one statement (`guarded` of store.ts).

import type { Database, Statement, Values } from '../db/db.ts'
import { type Excess, tooManyRequests } from '../lib/errors.ts'
import type { GuessAnswer } from './store.ts'

/** Failures that one cart, token or client has in a minute (`WINDOW_SECONDS` of store.ts). */
export const MAX_FAILURES = 10

/** What is guessed and by whom, such as `code sandbox in cart_…` or `code sandbox from 203.0.113.7`, and how often it may fail in a minute. */
export type Subject = { readonly subject: string; readonly most: number }

export type Guess = {
  readonly merchantId: number
  /** A failure counts against each. */
  readonly subjects: readonly Subject[]
  readonly now: Date
  /** What a refusal after too many says. */
  readonly excess: Excess
}

/**
 * What the guess found, or null: then the failure is counted. Throws `tooManyRequests` when a subject has failed too often. Asks for the
 * database and not a transaction: one that is rolled back would forget the failure.
 */
export async function guess<Row>(
  db: Database,
  lookup: Statement<GuessAnswer<Row>>,
  { merchantId, subjects, now, excess }: Guess,
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
  if (until !== null) throw tooManyRequests(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)), excess)
  return found
}
