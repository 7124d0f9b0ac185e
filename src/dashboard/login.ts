// Logging in: address and password, the shop where an address has several, the second factor where the account has one.

import { groundOf } from '../api/merchants/merchant.ts'
import type { RoomRequest } from '../http/session/routes.ts'
import { enqueue } from '../jobs/queue.ts'
import { unauthorized } from '../lib/errors.ts'
import { keepBrowser } from './account/devices.ts'
import { ACCOUNT_MAIL_JOB, type AccountMailJob } from './account/mail-job.ts'
import { guessPassword, hashInTurn, likeOf } from './account/password.ts'
import { refuseWrongCode } from './account/second-factor.ts'
import { beginSession, getVisitor, type Room, viewSession } from './session.ts'
import { type AccountRow, accountsOf, lockAccount, updatePassword, updateSeen } from './store.ts'

export type LoginBody = { email: string; password: string; merchant_id?: number; code?: string }

type Choice = { choose: { merchant_id: number; name: string }[] }
type SessionView = Awaited<ReturnType<typeof viewSession>>

/** The same for an address that nobody has, a wrong password, and somebody who was invited and has not come yet. */
const wrong = () => unauthorized('There is no account with this e-mail address and password.')

export async function logIn(room: Room, request: RoomRequest<unknown, LoginBody>): Promise<SessionView | Choice> {
  const { email: typed, password, merchant_id: merchantId, code } = request.body
  const email = typed.trim().toLowerCase()
  const all = await accountsOf(room.db, email)
  const accounts = all.filter((account) => merchantId === undefined || account.merchant_id === merchantId)
  const fitting = await guessPassword(room, request, { email, accounts }, password)
  const [guessed] = fitting
  if (guessed === undefined) throw wrong()
  if (fitting.length > 1)
    return { choose: fitting.map(({ account: { merchant_id, shop: name } }) => ({ merchant_id, name })) }
  await refuseWrongCode(room, guessed, code)
  const { account, browser } = guessed
  return openSession(room, request, account, { browser, anew: await rehashed(all, account, password) })
}

/** The same password under the salt of the address, where it has another: from before those of an address shared one. */
async function rehashed(all: readonly AccountRow[], { password_hash }: AccountRow, password: string) {
  const like = likeOf(all)
  const isAlike = like === null || password_hash === null || groundOf(like) === groundOf(password_hash)
  return isAlike ? null : hashInTurn(password, all)
}

async function openSession(
  room: Room,
  request: RoomRequest,
  { merchant_id: merchantId, id: accountId, password_hash: compared }: AccountRow,
  { browser, anew }: { readonly browser: Buffer | null; readonly anew: string | null },
): Promise<SessionView> {
  const now = room.clock.now()
  const token = await room.db.transaction(async (tx) => {
    const account = await lockAccount(tx, { merchantId }, accountId)
    // Changed while it was compared: that has ended all sessions, and this one would outlive it.
    if (account === null || account.password_hash !== compared) throw wrong()
    if (anew !== null) await updatePassword(tx, { merchantId }, accountId, anew, now)
    await updateSeen(tx, { merchantId }, accountId, now)
    await keepBrowser(tx, { merchantId, accountId }, request, browser, now)
    if (browser === null) {
      const payload: AccountMailJob = {
        type: 'new_device',
        accountId,
        lastingOrigin: request.lastingOrigin,
        agent: request.agent.slice(0, 300),
        address: request.clientAddress,
        at: now.toISOString(),
      }
      await enqueue(tx, { merchantId, kind: ACCOUNT_MAIL_JOB, payload, runAt: now })
    }
    return beginSession(tx, { merchantId, accountId }, request, now)
  })
  request.setCookie('session', token)
  return viewSession(room, await getVisitor(room, token), request.isSandbox)
}
