// What keeps whoever guesses passwords waiting, and nobody else (docs/decisions/0070). Wrong passwords count for an address together with the place that
// they came from, for the place alone, and for the address from everywhere; the last two have heights that nobody reaches by mistyping. A browser
// in which the account has logged in before counts by itself: whatever strangers do elsewhere, its owner gets in there.

import { hash } from 'node:crypto'
import type { Database } from '../db/db.ts'
import { perNetwork } from '../lib/addresses.ts'
import type { Clock } from '../lib/clock.ts'
import { ApiError } from '../lib/errors.ts'
import { lockWaits, updateWaits, type WaitRow } from './session-store.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Wrong ones before the first wait, which doubles with each further one. */
const FREE = 5
const FIRST_WAIT_MS = 30 * SECOND_MS
const LONGEST_WAIT_MS = 15 * MINUTE_MS
/** After so long without a wrong one all begins anew. */
const REMEMBERED_MS = 24 * HOUR_MS

/** Of all addresses, from one place. */
const FROM_PLACE = { most: 20, windowMs: 10 * MINUTE_MS }
/** Of one address, from all places together: what a thousand machines may guess. */
const OF_ADDRESS = { most: 100, windowMs: HOUR_MS }

/** `windowMs`: so many in a window of time. Without one, each further failure doubles the wait. */
type Counter = { readonly subject: string; readonly most: number; readonly windowMs: number | null }

export type Guesser = {
  /** In lower case, whether or not it is anybody's. */
  readonly email: string
  /** As `RoomRequest.clientNetworks`. */
  readonly networks: readonly string[]
  /** The browser, where the account is known in it. */
  readonly device: Buffer | null
}

/** Addresses are of any length, and stand in no table that nobody needs them in. */
const nameOf = (email: string): string => hash('sha256', email, 'base64url')

function countersOf({ email, networks, device }: Guesser): Counter[] {
  if (device !== null) return [{ subject: `device ${device.toString('base64url')}`, most: FREE, windowMs: null }]
  const name = nameOf(email)
  // The widest: who has a whole network asks from each part of it.
  return [
    { subject: `login ${name} ${networks.at(-1) ?? ''}`, most: FREE, windowMs: null },
    { subject: `login ${name}`, ...OF_ADDRESS, most: OF_ADDRESS.most },
    ...perNetwork(networks, FROM_PLACE.most).map(({ network, most }) => ({
      subject: `from ${network}`,
      most,
      windowMs: FROM_PLACE.windowMs,
    })),
  ]
}

/** A guess that has been counted as a failure, until it turns out to be none. */
export type Guess = {
  /** What the comparison says. One that could not be made, as too many were waiting for theirs, was no wrong password. */
  compare<Result>(comparison: () => Promise<Result>): Promise<Result>
  /** It was right: what was counted for the address from here is forgotten. */
  succeed(): Promise<void>
  /** It was neither: the password is right, and something else is asked for. */
  takeBack(): Promise<void>
}

/**
 * Counts first and takes back what was right: of a thousand that are sent at once, all would else pass before the first is found wrong. Throws a
 * 429 for right and wrong alike.
 */
export async function beginGuess(context: { db: Database; clock: Clock }, guesser: Guesser): Promise<Guess> {
  const counters = countersOf(guesser)
  await change(context, counters, (row, counter, now) => {
    if (row.until > now) throw mustWait(row.until, now)
    return counted(row, counter, now)
  })
  const takeBack = () => change(context, counters, (row, counter, now) => uncounted(row, counter, now, false))
  return {
    async compare(comparison) {
      try {
        return await comparison()
      } catch (error) {
        await takeBack()
        throw error
      }
    },
    succeed: () => change(context, counters, (row, counter, now) => uncounted(row, counter, now, true)),
    takeBack,
  }
}

/** What was counted for the address from everywhere: whoever has the machine lets its owner in. */
export const forgetGuesses = (context: { db: Database; clock: Clock }, email: string): Promise<void> =>
  change(context, [{ subject: `login ${nameOf(email)}`, ...OF_ADDRESS }], (row, _, now) => begunAnew(row, now))

const change = (
  { db, clock }: { db: Database; clock: Clock },
  counters: readonly Counter[],
  next: (row: WaitRow, counter: Counter, now: Date) => WaitRow,
): Promise<void> =>
  db.transaction(async (tx) => {
    const now = clock.now()
    const rows = await lockWaits(
      tx,
      counters.map(({ subject }) => subject),
      now,
    )
    const changed = rows.flatMap((row) => {
      const counter = counters.find(({ subject }) => subject === row.subject)
      return counter === undefined ? [] : next(row.ends_at > now ? row : begunAnew(row, now), counter, now)
    })
    await updateWaits(tx, changed)
  })

const begunAnew = ({ subject }: WaitRow, now: Date): WaitRow => ({ subject, failures: 0, until: now, ends_at: now })

const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

function counted(row: WaitRow, { most, windowMs }: Counter, now: Date): WaitRow {
  const failures = row.failures + 1
  const end = windowMs === null ? later(now, REMEMBERED_MS) : row.failures === 0 ? later(now, windowMs) : row.ends_at
  if (failures < most) return { ...row, failures, until: now, ends_at: end }
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - most, 10), LONGEST_WAIT_MS)
  return { ...row, failures, until: windowMs === null ? later(now, waitMs) : end, ends_at: end }
}

function uncounted(row: WaitRow, { windowMs }: Counter, now: Date, isRight: boolean): WaitRow {
  if (windowMs === null && isRight) return begunAnew(row, now)
  return { ...row, failures: Math.max(0, row.failures - 1), until: now }
}

function mustWait(until: Date, now: Date): ApiError {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / SECOND_MS))
  return new ApiError(429, 'too_many_requests', `Too many wrong passwords. Wait ${seconds} seconds, then try again.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
