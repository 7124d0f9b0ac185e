// Passwords of accounts: guessed, compared two at a time, changed by who knows the one before, and set anew by a mailed link. Each change ends the account's
// other sessions.

import { groundOf, hashPassword, matchingPasswords, newPassword } from '../../api/merchants/merchant.ts'
import type { Db, Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import type { RoomRequest } from '../../http/session/routes.ts'
import { enqueue } from '../../jobs/queue.ts'
import { notValid, overloaded, unprocessable } from '../../lib/errors.ts'
import { readEmail } from '../../lib/text.ts'
import { networkLimits, takeFromLimits } from '../../limits/requests.ts'
import { type Room, renewSession, type Visitor } from '../session.ts'
import { deleteSessionsOf, forgetDevices } from '../session-store.ts'
import {
  type AccountRow,
  accountsOf,
  deleteLinksOf,
  findAccount,
  lockAccount,
  updatePassword,
  updateSecondFactor,
} from '../store.ts'
import { beginGuess, forgetGuesses } from '../waits.ts'
import { keepBrowser, knownBrowser } from './devices.ts'
import { linkOver, type OpenLink, readLink, useLink } from './links.ts'
import { RESET_JOB, type ResetJob } from './mail-job.ts'

// Comparing takes a tenth of a second and 32 MB, by design: a flood of logins must not take the machine from shoppers.

const AT_ONCE = 2
const MOST_WAITING = 40

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING) throw overloaded('Too many log in at this moment. Try again in a second.')
    await new Promise<void>((resolve) => void waiting.push(resolve))
  } else running += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    // The place goes on to the next one.
    else next()
  }
}

/** The hash of a password that nobody has: it takes as long to be refused as any other. */
let nobodys: Promise<string> | undefined

function nobodysHash(): Promise<string> {
  nobodys ??= inTurn(() => hashPassword('')).catch((error) => {
    // Too many at this moment: the next one tries again.
    nobodys = undefined
    throw error
  })
  return nobodys
}

/**
 * Those of an address that the password opens, by one hash: they share their salt, so that the time tells neither whether the address is
 * anybody's nor in how many shops. Those from before they did are hashed one by one, until their owner has logged in.
 */
async function rightPasswords(password: string, stored: readonly string[]): Promise<string[]> {
  if (stored.length === 0) {
    const nobody = await nobodysHash()
    await inTurn(() => matchingPasswords(password, [nobody]))
    return []
  }
  const right: string[] = []
  for (const ground of new Set(stored.map(groundOf))) {
    const alike = stored.filter((each) => groundOf(each) === ground)
    right.push(...(await inTurn(() => matchingPasswords(password, alike))))
  }
  return right
}

type Passworded = Pick<AccountRow, 'password_hash'>

/** Under the salt that passwords of the address have. */
export const hashInTurn = (password: string, accounts: readonly Passworded[] = []): Promise<string> =>
  inTurn(() => hashPassword(password, likeOf(accounts)))

/** The one whose salt is that of the address: of the oldest shop. */
export const likeOf = (accounts: readonly Passworded[]): string | null =>
  accounts.find(({ password_hash }) => password_hash !== null)?.password_hash ?? null

const SHORTEST = 10
export const LONGEST_PASSWORD = 1_000

/** Length is what counts; whatever is in it. */
export function refuseWeak(password: string, email: string) {
  const rule =
    [...password].length < SHORTEST
      ? `must have at least ${SHORTEST} characters`
      : password.toLowerCase().includes(email.toLowerCase())
        ? 'must not contain the e-mail address'
        : null
  if (rule !== null) throw unprocessable({ password: [`password ${rule}.`] })
}

/** All that was begun under the password before is over; `kept`: the session that goes on. */
async function setPassword(
  tx: Tx,
  shop: Shop,
  account: { id: string },
  { passwordHash, kept = '' }: { passwordHash: string; kept?: string },
  now: Date,
) {
  await updatePassword(tx, shop, account.id, passwordHash, now)
  await deleteSessionsOf(tx, shop, account.id, kept)
  await deleteLinksOf(tx, shop, account.id)
  await forgetDevices(tx, shop, account.id)
}

/** An account that a password opens. `browser` is null where the account has not logged in there before. */
export type Guessed<Account> = { readonly account: Account; readonly browser: Buffer | null }

/**
 * The accounts among those of an address that the password opens. For every other one it was a wrong guess, which stays counted: a password that opens
 * an account in one shop must not be a free guess at those in other shops. Throws a 429 if the guess has to wait.
 */
export async function guessPassword<Account extends AccountRow>(
  room: Room,
  request: RoomRequest,
  { email, accounts }: { readonly email: string; readonly accounts: readonly Account[] },
  password: string,
): Promise<Guessed<Account>[]> {
  const all: Guessed<Account>[] = []
  // An invitation that nobody has accepted has no password to guess: an address with nothing else is treated as one that nobody has.
  for (const account of accounts.filter(({ password_hash }) => password_hash !== null))
    all.push({
      account,
      browser: await knownBrowser(room.db, { merchantId: account.merchant_id }, account.id, request),
    })
  const guess = await beginGuess(room, {
    email,
    networks: request.clientNetworks,
    devices: all.map(({ browser }) => browser),
  })
  const compared = all.filter(({ browser }) => guess.isOpen(browser))
  const fitting = await guess.compare(() => fittingOf(compared, password))
  await guess.settle((device) => {
    const guarded = compared.filter(({ browser }) => (device === null ? browser === null : browser?.equals(device)))
    return guarded.length > 0 && guarded.every((each) => fitting.includes(each))
  })
  if (fitting.length === 0) guess.refuseWaiting()
  return fitting
}

/** It takes as long where the password opens none. */
async function fittingOf<Account extends AccountRow>(accounts: readonly Guessed<Account>[], password: string) {
  const stored = accounts.flatMap(({ account }) => account.password_hash ?? [])
  const right = await rightPasswords(password, stored)
  return accounts.filter(({ account: { password_hash: own } }) => own !== null && right.includes(own))
}

/** Guesses of the present password count as those of a login do: the session may be that of a browser that was left open. */
export async function refuseWrongPassword(
  room: Room,
  { row }: Visitor,
  request: RoomRequest,
  field: string,
  password: string,
) {
  const account = await findAccount(room.db, { merchantId: row.merchant_id }, row.account_id)
  const accounts = account === null ? [] : [account]
  const fitting = await guessPassword(room, request, { email: row.email, accounts }, password)
  if (fitting.length === 0) throw notValid({ [field]: [`${field} is not your password.`] })
}

export async function changePassword(
  room: Room,
  visitor: Visitor,
  request: RoomRequest<unknown, { current: string; password: string }>,
): Promise<string> {
  const { current, password } = request.body
  const { row } = visitor
  const shop = { merchantId: row.merchant_id }
  refuseWeak(password, row.email)
  await refuseWrongPassword(room, visitor, request, 'current', current)
  const passwordHash = await hashInTurn(password, await accountsOf(room.db, row.email))
  const now = room.clock.now()
  const browser = await knownBrowser(room.db, shop, row.account_id, request)
  return room.db.transaction(async (tx) => {
    await setPassword(tx, shop, { id: row.account_id }, { passwordHash, kept: row.id }, now)
    await keepBrowser(tx, { ...shop, accountId: row.account_id }, request, browser, now)
    return renewSession(tx, visitor)
  })
}

const HOUR_MS = 3_600_000

/** Whether the address is anybody's is for the job to find out: it shows neither in the answer nor in the time it takes. */
export async function askForReset(room: Room, request: RoomRequest<unknown, { email: string }>): Promise<void> {
  const { db, clock } = room
  const email = readEmail(request.body.email)?.toLowerCase()
  if (email === undefined) throw unprocessable({ email: ['email must be an e-mail address such as name@example.com.'] })
  const { clientNetworks: networks, lastingOrigin } = request
  const now = clock.now()
  const place = networks.at(-1) ?? ''
  await db.transaction(async (tx) => {
    await takeFromLimits(
      tx,
      NO_SHOP,
      [
        { subject: `dashboard reset ${email} ${place}`, most: 5, windowMs: HOUR_MS },
        ...networkLimits('dashboard reset from', networks, 30, HOUR_MS),
      ],
      now,
    )
    const payload: ResetJob = { email, lastingOrigin }
    await enqueue(tx, { merchantId: null, kind: RESET_JOB, payload, runAt: now })
  })
}

const NO_SHOP: Shop = { merchantId: 0 }

/** All that have the address of the account that a link is of. */
export async function accountsBehind(db: Db, { merchantId, accountId }: OpenLink): Promise<AccountRow[]> {
  const account = await findAccount(db, { merchantId }, accountId)
  return account === null ? [] : accountsOf(db, account.email)
}

/** Whoever reads the mail is the account's owner; the browser is known from now on. The second factor stays. */
export async function resetPassword(
  { db, clock }: Room,
  request: RoomRequest<{ token: string }, { password: string }>,
): Promise<void> {
  const { token } = request.params
  const { password } = request.body
  const now = clock.now()
  // First of all: hashing takes long, and whoever has no link must not have it done.
  const passwordHash = await hashInTurn(password, await accountsBehind(db, await readLink(db, token, 'reset', now)))
  await db.transaction(async (tx) => {
    const { merchantId, accountId } = await useLink(tx, token, 'reset', now)
    const account = await lockAccount(tx, { merchantId }, accountId)
    if (account === null) throw linkOver('reset')
    refuseWeak(password, account.email)
    await setPassword(tx, { merchantId }, account, { passwordHash }, now)
    await keepBrowser(tx, { merchantId, accountId }, request, null, now)
  })
  request.setCookie('session', null)
}

/** For whoever has the machine. The new password; with it everything ends that was begun under the one before. */
export async function resetByOperator(
  { db, clock }: Pick<Room, 'db' | 'clock'>,
  account: AccountRow,
  dropsSecondFactor: boolean,
): Promise<string> {
  const password = newPassword()
  const passwordHash = await hashInTurn(password, await accountsOf(db, account.email))
  const shop = { merchantId: account.merchant_id }
  const now = clock.now()
  await db.transaction(async (tx) => {
    await setPassword(tx, shop, account, { passwordHash }, now)
    if (dropsSecondFactor) await updateSecondFactor(tx, shop, account.id, { secret: null, step: 0, spareCodes: [] })
  })
  // No browser is known any more, and strangers may have used up what unknown ones may try.
  await forgetGuesses({ db, clock }, account)
  return password
}
