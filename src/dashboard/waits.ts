// Waits after wrong passwords and codes (docs/decisions/0070, 0086). A wrong password counts for the address in the client's network, for
// the network, and for the address from everywhere. Only time lowers these counters. Otherwise a login to an account of the same address in
// another shop would reset them. A browser in which an account has logged in before has its own counter for that account. So the owner gets
// in there, whatever strangers do elsewhere. Codes have counters of their own for each account.

import { hash } from 'node:crypto'
import type { Database } from '../db/db.ts'
import { perNetwork } from '../lib/addresses.ts'
import type { Clock } from '../lib/clock.ts'
import { ApiError } from '../lib/errors.ts'
import { lockWaits, updateWaits, type WaitRow } from './session-store.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Failures before the first wait. Each further failure doubles the wait. */
const FREE = 5
const FIRST_WAIT_MS = 30 * SECOND_MS
const LONGEST_WAIT_MS = 15 * MINUTE_MS
/** A code has six digits. Waits of fifteen minutes would allow ten thousand guesses in a few months. */
const LONGEST_CODE_WAIT_MS = 4 * HOUR_MS
/** Failures are forgotten this long after the first one. */
const REMEMBERED_MS = 24 * HOUR_MS

/** Limit for all addresses together, from one network. */
const PER_NETWORK = { most: 20, windowMs: 10 * MINUTE_MS }
/** Limit for one address from all networks together, for guesses by a thousand machines. */
const PER_ADDRESS = { most: 100, windowMs: HOUR_MS }

type Counter = {
  readonly subject: string
  readonly most: number
  /** Window in which `most` failures are allowed. Null: each further failure doubles the wait, up to `longestMs`. */
  readonly windowMs: number | null
  readonly longestMs?: number
  /** A right guess sets this counter to zero. From other counters it only takes back what it had counted itself. */
  readonly isReset?: boolean
}

/** Hashed, because addresses have any length and should not be stored without need. */
const hashEmail = (email: string): string => hash('sha256', email, 'base64url')

const addressCounter = (email: string): Counter => ({ subject: `login ${hashEmail(email)}`, ...PER_ADDRESS })

/** Counters that guard the same accounts: a guess is made if none of them waits, and counts in all of them. */
type Lane = { readonly device: Buffer | null; readonly counters: readonly Counter[] }

const knownLane = (device: Buffer): Lane => ({
  device,
  counters: [{ subject: `device ${device.toString('base64url')}`, most: FREE, windowMs: null, isReset: true }],
})

const strangeLane = (email: string, networks: readonly string[]): Lane => ({
  device: null,
  counters: [
    // The widest network: an attacker with a whole network can send from each part of it.
    { subject: `login ${hashEmail(email)} ${networks.at(-1) ?? ''}`, most: FREE, windowMs: null },
    addressCounter(email),
    ...perNetwork(networks, PER_NETWORK.most).map(({ network, most }) => ({
      subject: `from ${network}`,
      most,
      windowMs: PER_NETWORK.windowMs,
    })),
  ],
})

type AccountKey = { readonly merchant_id: number; readonly id: string }

/**
 * Known browsers of an account share one counter, and all others share another. A stranger who knows the password cannot make the owner
 * wait in a known browser. A mailed new password makes a browser known, but gives no further guesses.
 */
const codeCounter = ({ merchant_id, id }: AccountKey, isKnown: boolean): Counter => ({
  subject: `code ${merchant_id} ${id} ${isKnown ? 'known' : 'new'}`,
  most: FREE,
  windowMs: null,
  longestMs: LONGEST_CODE_WAIT_MS,
})

export type GuessOrigin = {
  /** Lower-case address, whether or not it has an account. */
  readonly email: string
  /** The same as `DashboardRequest.clientNetworks`. */
  readonly networks: readonly string[]
  /** One per possible account: hash of this browser if the account is known in it, else null. */
  readonly devices: readonly (Buffer | null)[]
}

type Services = { readonly db: Database; readonly clock: Clock }

/** A guess that counts as a failure until it turns out to be right. */
export type CountedGuess = {
  /** True if accounts known in this browser may be compared, or for null those known in none. The others have to wait. */
  isOpen(device: Buffer | null): boolean
  /** Runs the comparison. If it throws, nothing was compared, and nothing stays counted. */
  compare<Result>(comparison: () => Promise<Result>): Promise<Result>
  /** Takes the failure back for accounts with a right guess. Null means the accounts that are not known here. */
  takeBackRight(isRight: (device: Buffer | null) => boolean): Promise<void>
  /** Throws a 429 if accounts were skipped: the password may be theirs. */
  refuseWaiting(): void
}

/**
 * Counts each guess first and takes right ones back. Otherwise a thousand simultaneous guesses would all pass before the first is found
 * wrong. Throws the same 429 for right and wrong guesses.
 */
export function beginGuess(services: Services, { email, networks, devices }: GuessOrigin): Promise<CountedGuess> {
  const lanes = devices.flatMap((device) => (device === null ? [] : knownLane(device)))
  const hasStrange = lanes.length === 0 || devices.includes(null)
  return begin(services, 'passwords', hasStrange ? [...lanes, strangeLane(email, networks)] : lanes)
}

/** True if `check` finds the code right. Guesses count like those of `beginGuess`. */
export async function checkGuessedCode(
  services: Services,
  account: AccountKey,
  isKnown: boolean,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const guess = await begin(services, 'codes', [{ device: null, counters: [codeCounter(account, isKnown)] }])
  const isRight = await guess.compare(check)
  await guess.takeBackRight(() => isRight)
  return isRight
}

/** Clears the counters of an account, for an operator with access to the machine. */
export const resetGuessCounters = (
  services: Services,
  { email, ...account }: AccountKey & { readonly email: string },
) =>
  updateRows(services, [addressCounter(email), codeCounter(account, true), codeCounter(account, false)], (rows, now) =>
    rows.map(({ row }) => resetRow(row, now)),
  )

async function begin(services: Services, noun: 'passwords' | 'codes', lanes: readonly Lane[]): Promise<CountedGuess> {
  let open: Lane[] = []
  let waitsUntil: Date | null = null
  const all = lanes.flatMap(({ counters }) => counters)
  await updateRows(services, all, (rows, now) => {
    const waitOf = ({ counters }: Lane): Date =>
      rows.reduce((last, { row, counter }) => (counters.includes(counter) && row.until > last ? row.until : last), now)
    open = lanes.filter((lane) => waitOf(lane) <= now)
    const waits = lanes.filter((lane) => !open.includes(lane)).map(waitOf)
    waitsUntil = waits.reduce<Date | null>((first, wait) => (first === null || wait < first ? wait : first), null)
    if (open.length === 0 && waitsUntil !== null) throw waitError(noun, waitsUntil, now)
    const openCounters = open.flatMap(({ counters }) => counters)
    return rows.flatMap(({ row, counter }) => (openCounters.includes(counter) ? countFailure(row, counter, now) : []))
  })
  const uncount = (right: readonly Lane[], isRight: boolean) =>
    right.length === 0
      ? Promise.resolve()
      : updateRows(
          services,
          right.flatMap(({ counters }) => counters),
          (rows, now) => rows.map(({ row, counter }) => takeBackFailure(row, counter, now, isRight)),
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
    takeBackRight: (isRight) =>
      uncount(
        open.filter(({ device }) => isRight(device)),
        true,
      ),
    refuseWaiting() {
      if (waitsUntil !== null) throw waitError(noun, waitsUntil, services.clock.now())
    },
  }
}

const isSame = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other)

type CounterRow = { readonly row: WaitRow; readonly counter: Counter }

/** Locks the rows of the counters and writes the rows that `next` returns. */
const updateRows = (
  { db, clock }: Services,
  counters: readonly Counter[],
  next: (rows: readonly CounterRow[], now: Date) => readonly WaitRow[],
): Promise<void> =>
  db.transaction(async (tx) => {
    const now = clock.now()
    const rows = await lockWaits(
      tx,
      counters.map(({ subject }) => subject),
      now,
    )
    const current = counters.flatMap((counter) => {
      const row = rows.find(({ subject }) => subject === counter.subject)
      return row === undefined ? [] : { counter, row: row.ends_at > now ? row : resetRow(row, now) }
    })
    await updateWaits(tx, next(current, now))
  })

const resetRow = ({ subject }: WaitRow, now: Date): WaitRow => ({ subject, failures: 0, until: now, ends_at: now })

const addMs = (now: Date, ms: number): Date => new Date(now.getTime() + ms)

function countFailure(row: WaitRow, { most, windowMs, longestMs = LONGEST_WAIT_MS }: Counter, now: Date): WaitRow {
  const failures = row.failures + 1
  const end = row.failures === 0 ? addMs(now, windowMs ?? REMEMBERED_MS) : row.ends_at
  if (failures < most) return { ...row, failures, until: now, ends_at: end }
  if (windowMs !== null) return { ...row, failures, until: end, ends_at: end }
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - most, 20), longestMs)
  // A wait may exceed the rest of the window, and is kept in full.
  const endMs = Math.max(end.getTime(), now.getTime() + waitMs)
  return { ...row, failures, until: addMs(now, waitMs), ends_at: new Date(endMs) }
}

function takeBackFailure(row: WaitRow, { isReset = false }: Counter, now: Date, isRight: boolean): WaitRow {
  if (isReset && isRight) return resetRow(row, now)
  return { ...row, failures: Math.max(0, row.failures - 1), until: now }
}

function waitError(noun: 'passwords' | 'codes', until: Date, now: Date): ApiError {
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / SECOND_MS))
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return new ApiError(429, 'too_many_requests', `Too many wrong ${noun}. Wait ${wait}, then try again.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
