// Login: address and password, the shop if the address has several, the second factor if the account has one.

import { hashParametersOf } from '../api/merchants/merchant.ts'
import type { DashboardRequest } from '../http/session/routes.ts'
import { enqueue } from '../jobs/queue.ts'
import { unauthorized } from '../lib/errors.ts'
import { rememberBrowser } from './account/devices.ts'
import { ACCOUNT_MAIL_JOB, type AccountMailJob } from './account/mail-job.ts'
import { findSharedSaltHash, guessPassword, hashPasswordInSlot } from './account/password.ts'
import { requireSecondFactorCode } from './account/second-factor.ts'
import { beginSession, type DashboardServices, readNewSession, viewSession } from './session.ts'
import { type AccountRow, findAccountsByEmail, lockAccount, updateLastSeen, updatePassword } from './store.ts'
import type { SessionView, ShopChoice } from './views.ts'

export type LoginBody = { email: string; password: string; merchant_id?: number; code?: string }

/** The same for an unknown address, a wrong password and a pending invitation. */
const wrongLoginError = () => unauthorized('There is no account with this e-mail address and password.')

export async function logIn(
  services: DashboardServices,
  request: DashboardRequest<unknown, LoginBody>,
): Promise<SessionView | ShopChoice> {
  const { email: typed, password, merchant_id, code } = request.body
  const email = typed.trim().toLowerCase()
  const allAccounts = await findAccountsByEmail(services.db, email)
  const accounts = allAccounts.filter((account) => merchant_id === undefined || account.merchant_id === merchant_id)
  const matches = await guessPassword(services, request, { email, accounts }, password)
  const [match] = matches
  if (match === undefined) throw wrongLoginError()
  if (matches.length > 1)
    return { choose: matches.map(({ account: { merchant_id, shop: name } }) => ({ merchant_id, name })) }
  await requireSecondFactorCode(services, match, code)
  const { account, browser } = match
  return openSession(services, request, account, {
    browser,
    anew: await rehashIfNeeded(allAccounts, account, password),
  })
}

/** Hashes the password again with the address's shared salt if the account has another. Older accounts have salts of their own. */
async function rehashIfNeeded(all: readonly AccountRow[], { password_hash }: AccountRow, password: string) {
  const saltHash = findSharedSaltHash(all)
  const isAlike =
    saltHash === null || password_hash === null || hashParametersOf(saltHash) === hashParametersOf(password_hash)
  return isAlike ? null : hashPasswordInSlot(password, all)
}

async function openSession(
  services: DashboardServices,
  request: DashboardRequest,
  { merchant_id, id: accountId, password_hash: comparedHash }: AccountRow,
  { browser, anew }: { readonly browser: Buffer | null; readonly anew: string | null },
): Promise<SessionView> {
  const now = services.clock.now()
  const token = await services.db.transaction(async (tx) => {
    const account = await lockAccount(tx, { merchant_id }, accountId)
    // The password changed during the comparison. That change ended all sessions, and this one would outlive it.
    if (account === null || account.password_hash !== comparedHash) throw wrongLoginError()
    if (anew !== null) await updatePassword(tx, { merchant_id }, accountId, anew, now)
    await updateLastSeen(tx, { merchant_id }, accountId, now)
    await rememberBrowser(tx, { merchant_id, accountId }, request, browser, now)
    if (browser === null) {
      const payload: AccountMailJob = {
        type: 'new_device',
        accountId,
        lastingOrigin: request.lastingOrigin,
        agent: request.agent.slice(0, 300),
        address: request.clientAddress,
        at: now.toISOString(),
      }
      await enqueue(tx, { merchant_id, kind: ACCOUNT_MAIL_JOB, payload, runAt: now })
    }
    return beginSession(tx, { merchant_id, accountId }, request, now)
  })
  request.setCookie('session', token)
  return viewSession(services, await readNewSession(services, token), request.is_sandbox)
}
