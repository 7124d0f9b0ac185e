// Passwords of accounts. Checks them with limits on guessing, changes them with the current password, and resets them
// by a mailed link. Each change ends the account's other sessions.

import { hashParametersOf, hashPassword, matchingPasswords, newPassword } from '../../api/merchants/merchant.ts'
import type { Db, Shop, Tx } from '../../db/db.ts'
import type { DashboardRequest } from '../../http/session/routes.ts'
import { enqueue } from '../../jobs/queue.ts'
import { notValid, overloaded, unprocessable } from '../../lib/errors.ts'
import { readEmail } from '../../lib/text.ts'
import { countAgainstLimits, networkLimits } from '../../limits/requests.ts'
import { type DashboardServices, type LoggedInMember, renewSession } from '../session.ts'
import { deleteSessionsOf, forgetDevices } from '../session-store.ts'
import {
  type AccountRow,
  deleteLinksOf,
  findAccount,
  findAccountsByEmail,
  lockAccount,
  updatePassword,
  updateSecondFactor,
} from '../store.ts'
import { beginGuess, resetGuessCounters } from '../waits.ts'
import { findKnownBrowser, rememberBrowser } from './devices.ts'
import { invalidLinkError, type OpenLink, readLink, redeemLink } from './links.ts'
import { RESET_JOB, type ResetJob } from './mail-job.ts'

// Hashing takes a tenth of a second and 32 MB, by design. Slots limit it, so that a flood of logins does not slow down
// shoppers.

const MAX_RUNNING = 2
const MAX_WAITING = 40

let running = 0
const waiting: (() => void)[] = []

async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_RUNNING) {
    if (waiting.length >= MAX_WAITING) throw overloaded('Too many people log in at the moment. Try again in a second.')
    await new Promise<void>((resolve) => void waiting.push(resolve))
  } else running += 1
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    // Pass the slot on to the next in the queue.
    else next()
  }
}

/** Compared if there is no account to check, so that the response takes as long as with one. */
let dummyHash: Promise<string> | undefined

function getDummyHash(): Promise<string> {
  dummyHash ??= withHashSlot(() => hashPassword('')).catch((error) => {
    // The queue was full: the next call tries again.
    dummyHash = undefined
    throw error
  })
  return dummyHash
}

/**
 * Returns the stored hashes that the password matches. Accounts of one address share a salt, so the password is hashed
 * only once. The response time therefore does not show how many accounts the address has, if any.
 * Older hashes do not share a salt. Each is compared on its own until its owner logs in.
 */
async function findMatchingHashes(password: string, stored: readonly string[]): Promise<string[]> {
  if (stored.length === 0) {
    const dummy = await getDummyHash()
    await withHashSlot(() => matchingPasswords(password, [dummy]))
    return []
  }
  const matches: string[] = []
  for (const ground of new Set(stored.map(hashParametersOf))) {
    const sameSalt = stored.filter((each) => hashParametersOf(each) === ground)
    matches.push(...(await withHashSlot(() => matchingPasswords(password, sameSalt))))
  }
  return matches
}

type WithPasswordHash = Pick<AccountRow, 'password_hash'>

/** Hashes a password with the salt of the address's other accounts. */
export const hashPasswordInSlot = (password: string, accounts: readonly WithPasswordHash[] = []): Promise<string> =>
  withHashSlot(() => hashPassword(password, findSharedSaltHash(accounts)))

/** The hash whose salt the other accounts share: that of the oldest shop. */
export const findSharedSaltHash = (accounts: readonly WithPasswordHash[]): string | null =>
  accounts.find(({ password_hash }) => password_hash !== null)?.password_hash ?? null

const SHORTEST = 10
export const LONGEST_PASSWORD = 1_000

/** Checks only the length, and that the password does not contain the address. */
export function refuseWeakPassword(password: string, email: string) {
  const rule =
    [...password].length < SHORTEST
      ? `must have at least ${SHORTEST} characters`
      : password.toLowerCase().includes(email.toLowerCase())
        ? 'must not contain the e-mail address'
        : null
  if (rule !== null) throw unprocessable({ password: [`password ${rule}.`] })
}

/** Ends sessions, mailed links and known browsers of the account, too. `kept`: id of the session to keep. */
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

/**
 * An account that may match a password. `browser`: hash of the browser's id, or null if the account has never logged in
 * there.
 */
export type PasswordMatch<Account> = { readonly account: Account; readonly browser: Buffer | null }

/**
 * Returns the accounts that the password matches. For all others it counts as a wrong guess. Otherwise the password of
 * one shop would be a free guess at the accounts in other shops. Throws a 429 if the guess has to wait.
 */
export async function guessPassword<Account extends AccountRow>(
  services: DashboardServices,
  request: DashboardRequest,
  { email, accounts }: { readonly email: string; readonly accounts: readonly Account[] },
  password: string,
): Promise<PasswordMatch<Account>[]> {
  const candidates: PasswordMatch<Account>[] = []
  // Invited accounts have no password to guess. An address with only invitations is treated like an unknown address.
  for (const account of accounts.filter(({ password_hash }) => password_hash !== null))
    candidates.push({
      account,
      browser: await findKnownBrowser(services.db, { merchant_id: account.merchant_id }, account.id, request),
    })
  const guess = await beginGuess(services, {
    email,
    networks: request.clientNetworks,
    devices: candidates.map(({ browser }) => browser),
  })
  const eligible = candidates.filter(({ browser }) => guess.isOpen(browser))
  const matches = await guess.compare(() => keepMatching(eligible, password))
  await guess.takeBackRight((device) => {
    const sameBrowser = eligible.filter(({ browser }) => (device === null ? browser === null : browser?.equals(device)))
    return sameBrowser.length > 0 && sameBrowser.every((each) => matches.includes(each))
  })
  if (matches.length === 0) guess.refuseWaiting()
  return matches
}

/** Takes equally long for right and wrong passwords. */
async function keepMatching<Account extends AccountRow>(accounts: readonly PasswordMatch<Account>[], password: string) {
  const stored = accounts.flatMap(({ account }) => account.password_hash ?? [])
  const matching = await findMatchingHashes(password, stored)
  return accounts.filter(({ account: { password_hash: hash } }) => hash !== null && matching.includes(hash))
}

/** Counts guesses like those of a login, because a stranger may use a browser that is still logged in. */
export async function refuseWrongPassword(
  services: DashboardServices,
  { row }: LoggedInMember,
  request: DashboardRequest,
  field: string,
  password: string,
) {
  const account = await findAccount(services.db, { merchant_id: row.merchant_id }, row.account_id)
  const accounts = account === null ? [] : [account]
  const matches = await guessPassword(services, request, { email: row.email, accounts }, password)
  if (matches.length === 0) throw notValid({ [field]: [`${field} is not your password.`] })
}

export async function changePassword(
  services: DashboardServices,
  member: LoggedInMember,
  request: DashboardRequest<unknown, { current: string; password: string }>,
): Promise<string> {
  const { current, password } = request.body
  const { row } = member
  const shop = { merchant_id: row.merchant_id }
  refuseWeakPassword(password, row.email)
  await refuseWrongPassword(services, member, request, 'current', current)
  const passwordHash = await hashPasswordInSlot(password, await findAccountsByEmail(services.db, row.email))
  const now = services.clock.now()
  const browser = await findKnownBrowser(services.db, shop, row.account_id, request)
  return services.db.transaction(async (tx) => {
    await setPassword(tx, shop, { id: row.account_id }, { passwordHash, kept: row.id }, now)
    await rememberBrowser(tx, { ...shop, accountId: row.account_id }, request, browser, now)
    return renewSession(tx, member)
  })
}

const HOUR_MS = 3_600_000

/** A job looks up the accounts of the address. So neither the response nor its timing shows if there are any. */
export async function requestPasswordReset(
  services: DashboardServices,
  request: DashboardRequest<unknown, { email: string }>,
): Promise<void> {
  const { db, clock } = services
  const email = readEmail(request.body.email)?.toLowerCase()
  if (email === undefined) throw unprocessable({ email: ['email must be an e-mail address such as name@example.com.'] })
  const { clientNetworks: networks, lastingOrigin } = request
  const now = clock.now()
  const widestNetwork = networks.at(-1) ?? ''
  await db.transaction(async (tx) => {
    await countAgainstLimits(
      tx,
      NO_SHOP,
      [
        { subject: `dashboard reset ${email} ${widestNetwork}`, most: 5, windowMs: HOUR_MS },
        ...networkLimits('dashboard reset from', networks, 30, HOUR_MS),
      ],
      now,
    )
    const payload: ResetJob = { email, lastingOrigin }
    await enqueue(tx, { merchant_id: null, kind: RESET_JOB, payload, runAt: now })
  })
}

const NO_SHOP: Shop = { merchant_id: 0 }

/** All accounts with the same address as the account of a link. */
export async function findAccountsOfLink(db: Db, { merchant_id, accountId }: OpenLink): Promise<AccountRow[]> {
  const account = await findAccount(db, { merchant_id }, accountId)
  return account === null ? [] : findAccountsByEmail(db, account.email)
}

/** Only the owner can read the mail, so the browser becomes a known one. The second factor stays on. */
export async function resetPassword(
  { db, clock }: DashboardServices,
  request: DashboardRequest<{ token: string }, { password: string }>,
): Promise<void> {
  const { token } = request.params
  const { password } = request.body
  const now = clock.now()
  // Check the link first: hashing is slow and must not run for invalid links.
  const passwordHash = await hashPasswordInSlot(
    password,
    await findAccountsOfLink(db, await readLink(db, token, 'reset', now)),
  )
  await db.transaction(async (tx) => {
    const { merchant_id, accountId } = await redeemLink(tx, token, 'reset', now)
    const account = await lockAccount(tx, { merchant_id }, accountId)
    if (account === null) throw invalidLinkError('reset')
    refuseWeakPassword(password, account.email)
    await setPassword(tx, { merchant_id }, account, { passwordHash }, now)
    await rememberBrowser(tx, { merchant_id, accountId }, request, null, now)
  })
  request.setCookie('session', null)
}

/** For operators with access to the machine. Returns the new password; sessions, links and known browsers end. */
export async function resetByOperator(
  { db, clock }: Pick<DashboardServices, 'db' | 'clock'>,
  account: AccountRow,
  dropsSecondFactor: boolean,
): Promise<string> {
  const password = newPassword()
  const passwordHash = await hashPasswordInSlot(password, await findAccountsByEmail(db, account.email))
  const shop = { merchant_id: account.merchant_id }
  const now = clock.now()
  await db.transaction(async (tx) => {
    await setPassword(tx, shop, account, { passwordHash }, now)
    if (dropsSecondFactor) await updateSecondFactor(tx, shop, account.id, { secret: null, step: 0, recoveryHashes: [] })
  })
  // No browser is known any more, and strangers may have used up the guesses for unknown browsers.
  await resetGuessCounters({ db, clock }, account)
  return password
}
