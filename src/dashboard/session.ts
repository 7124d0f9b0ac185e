// Sessions of the dashboard: how one begins, is proven by its cookie and its token, shows itself, and ends. The cookie names the shop and holds 256
// random bits, of which the table has the hash. Nothing is kept in memory: each request asks by one statement, so a session that was ended is
// over everywhere at once.

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { addressesFor, urlOf } from '../api/assets/view.ts'
import { type FaceRow, getFace } from '../api/merchants/read-store.ts'
import type { Db, Tx } from '../db/db.ts'
import type { Caller, Services } from '../http/endpoint/endpoint.ts'
import type { RoomRequest, Sessions } from '../http/session/routes.ts'
import { type Clock, unixSeconds } from '../lib/clock.ts'
import { forbidden, notFound, unauthorized } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { cutText, oneLine } from '../lib/text.ts'
import { mayDo, operationsOf, refuseRole } from './roles.ts'
import {
  changeSessionToken,
  deleteOldestSessions,
  deleteSession,
  deleteSessionByToken,
  deleteSessionsOf,
  findSession,
  insertSession,
  type SessionRow,
  sessionsOf,
  touchSession,
} from './session-store.ts'

/** What the rules of the dashboard are handed. */
export type Room = Pick<Services, 'db' | 'clock' | 'mailer' | 'publicUrl' | 'signingSecret'>

/** Somebody who is logged in. */
export type Visitor = { readonly row: SessionRow; readonly token: string }

const HOUR_MS = 3_600_000
const IDLE_MS = 12 * HOUR_MS
const LONGEST_MS = 14 * 24 * HOUR_MS
/** That a session is used is noted to the minute: a page asks several times a second. */
const NOTED_MS = 60_000

const BYTES = 32
const FORM = /^([1-9]\d{0,8})\.([\w-]{43})$/

const newToken = (merchantId: number): string => `${merchantId}.${randomBytes(BYTES).toString('base64url')}`

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Whose shop it says it is of; null where it is none of ours. */
function readToken(text: string | null): { merchantId: number; tokenHash: Buffer } | null {
  const [, merchant] = text === null ? [] : (FORM.exec(text) ?? [])
  return text === null || merchant === undefined ? null : { merchantId: Number(merchant), tokenHash: hashOf(text) }
}

/** What pages of ours send with every write. Of the cookie, which no page can read: it needs no secret of ours, and tells nothing of the cookie. */
export const csrfTokenOf = (token: string): string =>
  createHmac('sha256', token).update('cartwright csrf').digest('base64url')

const isSameText = (one: string, other: string): boolean => timingSafeEqual(hashOf(one), hashOf(other))

const idleSince = (now: Date) => new Date(now.getTime() - IDLE_MS)

export const loggedOut = () => unauthorized('You are not logged in, or your session is over. Log in to go on.')

/** Throws `unauthorized`, in the same words whatever is wrong with the cookie; `forbidden` where a write lacks the session's token. */
export async function findVisitor({ db, clock }: Room, request: RoomRequest): Promise<Visitor> {
  const token = request.cookie('session')
  const read = readToken(token)
  if (token === null || read === null) throw loggedOut()
  const now = clock.now()
  const row = await findSession(db, read, read.tokenHash, now, idleSince(now))
  if (row === null) throw loggedOut()
  if (request.isWrite && !isSameText(request.csrfToken ?? '', csrfTokenOf(token)))
    throw forbidden('The header X-CSRF-Token is missing, or is that of another session. Load the page again.')
  if (now.getTime() - row.seen_at.getTime() >= NOTED_MS) await touchSession(db, read, row.id, now)
  return { row, token }
}

/** For the endpoints of /v1. */
export const sessionsWith = (room: Room): Sessions => ({
  authenticate: async (request, operation) =>
    callerOf((await findVisitor(room, request)).row, request.isSandbox, operation),
  refuseRole: (operation, caller) => refuseRole(room.db, operation, caller),
})

export const callerOf = (row: SessionRow, isSandbox: boolean, operation: string): Caller => ({
  merchantId: row.merchant_id,
  keyId: null,
  session: null,
  account: {
    id: row.account_id,
    email: row.email,
    name: row.name,
    role: row.role,
    canWriteLive: mayDo(row.role, operation, false),
    canIssueTokens: mayDo(row.role, 'customers.issue_token', isSandbox),
  },
  isSecret: true,
  isSandbox,
  currency: row.currency,
  apiVersion: row.api_version,
  isDisabled: row.is_disabled,
  fullSandbox: row.full_sandbox,
  sellsLive: row.sells_live,
})

type Owner = { readonly merchantId: number; readonly accountId: string }

const LONGEST_AGENT = 300
/** Of an account; with one more the oldest ends. A program that logs in for each of its calls fills no table, and lists stay readable. */
export const MOST_SESSIONS = 20

/** Of an account that is locked. A new id, whatever cookie the browser has sent: that of a session before is ended, and none is ever adopted. The cookie's text. */
export async function beginSession(
  tx: Tx,
  { merchantId, accountId }: Owner,
  request: RoomRequest,
  now: Date,
): Promise<string> {
  await endSentSession(tx, request)
  // Before this one, which must not be among them whatever the clock says.
  await deleteOldestSessions(tx, { merchantId }, accountId, MOST_SESSIONS - 1)
  const token = newToken(merchantId)
  await insertSession(
    tx,
    { merchantId },
    {
      id: newId('dashboardSession', now),
      tokenHash: hashOf(token),
      accountId,
      expiresAt: new Date(now.getTime() + LONGEST_MS),
      agent: oneLine(cutText(request.agent, LONGEST_AGENT), LONGEST_AGENT),
      address: request.clientAddress,
    },
    now,
  )
  return token
}

/** The same session under another id: what somebody may have learned of the one before is worth nothing any more. */
export async function renewSession(tx: Tx, { row }: Visitor): Promise<string> {
  const token = newToken(row.merchant_id)
  await changeSessionToken(tx, { merchantId: row.merchant_id }, row.id, hashOf(token))
  return token
}

/** That of the browser's cookie, be it whoever's. */
async function endSentSession(db: Db, request: RoomRequest) {
  const sent = readToken(request.cookie('session'))
  if (sent !== null) await deleteSessionByToken(db, sent, sent.tokenHash)
}

/** Without a session there is nothing to end; the browser is told to forget all the same. */
export async function logOut({ db }: Room, request: RoomRequest): Promise<void> {
  await endSentSession(db, request)
  request.setCookie('session', null)
  // Not `cookies`: that would also take those of other services of the same domain.
  request.setHeader('clear-site-data', '"cache", "storage"')
}

export async function listSessions({ db, clock }: Room, { row }: Visitor) {
  const now = clock.now()
  const sessions = await sessionsOf(db, { merchantId: row.merchant_id }, row.account_id, now, idleSince(now))
  return { data: sessions.map((session) => ({ ...session, is_this: session.id === row.id })) }
}

export async function endSession({ db }: Room, { row }: Visitor, id: string): Promise<void> {
  if (!(await deleteSession(db, { merchantId: row.merchant_id }, row.account_id, id))) throw notFound('session')
}

export async function endOtherSessions({ db }: Room, { row }: Visitor): Promise<void> {
  await deleteSessionsOf(db, { merchantId: row.merchant_id }, row.account_id, row.id)
}

/** What a page needs to know of whoever is logged in. */
export async function viewSession(room: Room, { row, token }: Visitor, isSandbox: boolean) {
  const { db, clock, signingSecret } = room
  const face = await getFace(db, { merchantId: row.merchant_id, isSandbox })
  const caller = callerOf(row, isSandbox, 'merchants.get')
  const addresses = await addressesFor({ signingSecret, clock, caller, origin: '' })
  const { account_id: id, email, name, role, has_second_factor } = row
  const end = Math.min(row.expires_at.getTime(), clock.now().getTime() + IDLE_MS)
  const sandbox = operationsOf(role, true)
  const live = operationsOf(role, false)
  return {
    account: { id, email, name, role, has_second_factor },
    merchant: {
      id: row.merchant_id,
      name: face.name,
      time_zone: timeZoneOf(face),
      currency: row.currency,
      logo_url: face.logo === null ? null : urlOf(face.logo, addresses),
    },
    csrf_token: csrfTokenOf(token),
    modes: ['sandbox', 'live'],
    may: isSandbox ? sandbox : live,
    may_in: { sandbox, live },
    expires: unixSeconds(new Date(end)),
  }
}

/** As the shop has set it. */
const timeZoneOf = ({ settings }: FaceRow): string => (settings as { time_zone?: string }).time_zone ?? 'UTC'

/** The session that was just begun, for its first answer. */
export async function getVisitor({ db, clock }: { db: Db; clock: Clock }, token: string): Promise<Visitor> {
  const read = readToken(token)
  const now = clock.now()
  const row = read && (await findSession(db, read, read.tokenHash, now, idleSince(now)))
  // Ended in the same moment, from elsewhere.
  if (row === null) throw loggedOut()
  return { row, token }
}
