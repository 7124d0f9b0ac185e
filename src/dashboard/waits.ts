// Waits after wrong passwords and codes (docs/decisions/0070, 0086). Passwords are counted for the typed address together with the client's network, for
// the network, and for the address from everywhere. Only time lowers these counters: somebody who has an account of the same address in another shop
// must not reset them by logging in there. A browser in which an account has logged in before is known for that account only, and has a counter of its
// own for it: whatever strangers do elsewhere, the owner gets in there. Codes have counters of their own for each account.

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
/** A code has six digits: fifteen minutes would allow ten thousand guesses in a few months. */
const LONGEST_CODE_WAIT_MS = 4 * HOUR_MS
/** Failures are forgotten so long after the first one. */
const REMEMBERED_MS = 24 * HOUR_MS

/** Of all addresses, from one place. */
const FROM_PLACE = { most: 20, windowMs: 10 * MINUTE_MS }
/** Of one address, from all places together: what a thousand machines may guess. */
const OF_ADDRESS = { most: 100, windowMs: HOUR_MS }

type Counter = {
  readonly subject: string
  readonly most: number
  /** So many in a window of time. Null: each further failure doubles the wait, up to `longestMs`. */
  readonly windowMs: number | null
  readonly longestMs?: number
  /** A right guess sets the counter to zero. The others only take back what the right guess itself had counted. */
  readonly isReset?: boolean
}

/** Addresses are of any length, and stand in no table that nobody needs them in. */
const nameOf = (email: string): string => hash('sha256', email, 'base64url')

const ofAddress = (email: string): Counter => ({ subject: `login ${nameOf(email)}`, ...OF_ADDRESS })

/** Counters that guard the same accounts: a guess is made if none of them waits, and counts in all of them. */
type Lane = { readonly device: Buffer | null; readonly counters: readonly Counter[] }

const knownLane = (device: Buffer): Lane => ({
  device,
  counters: [{ subject: `device ${device.toString('base64url')}`, most: FREE, windowMs: null, isReset: true }],
})

const strangeLane = (email: string, networks: readonly string[]): Lane => ({
  device: null,
  counters: [
    // The widest network: who has a whole network sends from each part of it.
    { subject: `login ${nameOf(email)} ${networks.at(-1) ?? ''}`, most: FREE, windowMs: null },
    ofAddress(email),
    ...perNetwork(networks, FROM_PLACE.most).map(({ network, most }) => ({
      subject: `from ${network}`,
      most,
      windowMs: FROM_PLACE.windowMs,
    })),
  ],
})

type AccountKey = { readonly merchant_id: number; readonly id: string }

/**
 * Known browsers of an account share one counter and all others share another. So nobody who has learned the password makes the owner wait in a known
 * browser, and a mailed new password, which makes a browser known, gives no further guesses.
 */
const ofCodes = ({ merchant_id: merchantId, id }: AccountKey, isKnown: boolean): Counter => ({
  subject: `code ${merchantId} ${id} ${isKnown ? 'known' : 'new'}`,
  most: FREE,
  windowMs: null,
  longestMs: LONGEST_CODE_WAIT_MS,
})

export type Guesser = {
  /** In lower case, whether or not it is anybody's. */
  readonly email: string
  /** The same as `RoomRequest.clientNetworks`. */
  readonly networks: readonly string[]
  /** For each account that the password may be of: this browser where the account is known in it, else null. */
  readonly devices: readonly (Buffer | null)[]
}

type Services = { readonly db: Database; readonly clock: Clock }

/** A guess that has been counted as a failure, until it turns out to be none. */
export type Guess = {
  /** True if accounts that are known in this browser, or for null in none, may be compared: others have to wait. */
  isOpen(device: Buffer | null): boolean
  /** Runs the comparison. If it throws, nothing was compared, and nothing stays counted. */
  compare<Result>(comparison: () => Promise<Result>): Promise<Result>
  /** Keeps the failure for every account but those that were right: for null, all that are not known here. */
  settle(isRight: (device: Buffer | null) => boolean): Promise<void>
  /** Throws a 429 if accounts had to be left out: the password may be theirs. */
  refuseWaiting(): void
}

/**
 * Counts first and takes back what was right: of a thousand that are sent at once, all would else pass before the first is found wrong. Throws a
 * 429 for right and wrong alike.
 */
export function beginGuess(services: Services, { email, networks, devices }: Guesser): Promise<Guess> {
  const lanes = devices.flatMap((device) => (device === null ? [] : knownLane(device)))
  const hasStrange = lanes.length === 0 || devices.includes(null)
  return begin(services, 'passwords', hasStrange ? [...lanes, strangeLane(email, networks)] : lanes)
}

/** True if `check` finds the code right. Counts as `beginGuess` does. */
export async function guessCode(
  services: Services,
  account: AccountKey,
  isKnown: boolean,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const guess = await begin(services, 'codes', [{ device: null, counters: [ofCodes(account, isKnown)] }])
  const isRight = await guess.compare(check)
  await guess.settle(() => isRight)
  return isRight
}

/** An operator with access to the machine lets the owner of the account in. */
export const forgetGuesses = (services: Services, { email, ...account }: AccountKey & { readonly email: string }) =>
  change(services, [ofAddress(email), ofCodes(account, true), ofCodes(account, false)], (rows, now) =>
    rows.map(({ row }) => begunAnew(row, now)),
  )

async function begin(services: Services, noun: 'passwords' | 'codes', lanes: readonly Lane[]): Promise<Guess> {
  let open: Lane[] = []
  let waitsUntil: Date | null = null
  const all = lanes.flatMap(({ counters }) => counters)
  await change(services, all, (rows, now) => {
    const waitOf = ({ counters }: Lane): Date =>
      rows.reduce((last, { row, counter }) => (counters.includes(counter) && row.until > last ? row.until : last), now)
    open = lanes.filter((lane) => waitOf(lane) <= now)
    const waits = lanes.filter((lane) => !open.includes(lane)).map(waitOf)
    waitsUntil = waits.reduce<Date | null>((first, wait) => (first === null || wait < first ? wait : first), null)
    if (open.length === 0 && waitsUntil !== null) throw mustWait(noun, waitsUntil, now)
    const counting = open.flatMap(({ counters }) => counters)
    return rows.flatMap(({ row, counter }) => (counting.includes(counter) ? counted(row, counter, now) : []))
  })
  const uncount = (right: readonly Lane[], isRight: boolean) =>
    right.length === 0
      ? Promise.resolve()
      : change(
          services,
          right.flatMap(({ counters }) => counters),
          (rows, now) => rows.map(({ row, counter }) => uncounted(row, counter, now, isRight)),
        )
  return {
    isOpen: (device) => open.some((lane) => isSame(lane.device, device)),
    async compare(comparison) {
      try {
        return await comparison()
      } catch (error) {
        await uncount(open, false)
        throw error
      }
    },
    settle: (isRight) =>
      uncount(
        open.filter(({ device }) => isRight(device)),
        true,
      ),
    refuseWaiting() {
      if (waitsUntil !== null) throw mustWait(noun, waitsUntil, services.clock.now())
    },
  }
}

const isSame = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other)

type Counted = { readonly row: WaitRow; readonly counter: Counter }

/** Locks the rows of the counters, and writes those that `next` gives back. */
const change = (
  { db, clock }: Services,
  counters: readonly Counter[],
  next: (rows: readonly Counted[], now: Date) => readonly WaitRow[],
): Promise<void> =>
  db.transaction(async (tx) => {
    const now = clock.now()
    const rows = await lockWaits(
      tx,
      counters.map(({ subject }) => subject),
      now,
    )
    const present = counters.flatMap((counter) => {
      const row = rows.find(({ subject }) => subject === counter.subject)
      return row === undefined ? [] : { counter, row: row.ends_at > now ? row : begunAnew(row, now) }
    })
    await updateWaits(tx, next(present, now))
  })

const begunAnew = ({ subject }: WaitRow, now: Date): WaitRow => ({ subject, failures: 0, until: now, ends_at: now })

const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

function counted(row: WaitRow, { most, windowMs, longestMs = LONGEST_WAIT_MS }: Counter, now: Date): WaitRow {
  const failures = row.failures + 1
  const end = row.failures === 0 ? later(now, windowMs ?? REMEMBERED_MS) : row.ends_at
  if (failures < most) return { ...row, failures, until: now, ends_at: end }
  if (windowMs !== null) return { ...row, failures, until: end, ends_at: end }
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - most, 20), longestMs)
  // A wait that is longer than what is left of the day is waited for all the same.
  const endMs = Math.max(end.getTime(), now.getTime() + waitMs)
  return { ...row, failures, until: later(now, waitMs), ends_at: new Date(endMs) }
}

function uncounted(row: WaitRow, { isReset = false }: Counter, now: Date, isRight: boolean): WaitRow {
  if (isReset && isRight) return begunAnew(row, now)
  return { ...row, failures: Math.max(0, row.failures - 1), until: now }
}

function mustWait(noun: 'passwords' | 'codes', until: Date, now: Date): ApiError {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / SECOND_MS))
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return new ApiError(429, 'too_many_requests', `Too many wrong ${noun}. Wait ${wait}, then try again.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
