// Sessions of the dashboard: how they begin, are checked by cookie and token, are viewed, and end. The cookie contains the shop's id and
// 256 random bits; the table stores its hash. Nothing is kept in memory: each request reads its session by one statement. A session that
// was ended is therefore over everywhere at once.

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { fileUrlsFor, urlOf } from '../api/assets/view.ts'
import { getMerchantProfile, type MerchantProfileRow } from '../api/merchants/read-store.ts'
import type { Db, Tx } from '../db/db.ts'
import type { Caller, Services } from '../http/endpoint/endpoint.ts'
import type { DashboardRequest, Sessions } from '../http/session/routes.ts'
import { type Clock, unixSeconds } from '../lib/clock.ts'
import { forbidden, notFound, unauthorized } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { cutText, toOneLine } from '../lib/text.ts'
import { canRunOperation, operationsOf, refuseRole } from './roles.ts'
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
import type { LoginSessionList, SessionView } from './views.ts'

/** Services that the dashboard's code needs. */
export type DashboardServices = Pick<Services, 'db' | 'clock' | 'mailer' | 'publicUrl' | 'signingSecret'>

/** The member of the team who is logged in and sends the request. */
export type LoggedInMember = { readonly row: SessionRow; readonly token: string }

const HOUR_MS = 3_600_000
const IDLE_MS = 12 * HOUR_MS
const LONGEST_MS = 14 * 24 * HOUR_MS
/** The last use is stored to the minute, because a page sends several requests a second. */
const SEEN_PRECISION_MS = 60_000

const BYTES = 32
const FORM = /^([1-9]\d{0,8})\.([\w-]{43})$/

const newToken = (merchant_id: number): string => `${merchant_id}.${randomBytes(BYTES).toString('base64url')}`

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Parses the cookie and hashes it. Null if it is none of ours. */
function readToken(text: string | null): { merchant_id: number; tokenHash: Buffer } | null {
  const [, merchant] = text === null ? [] : (FORM.exec(text) ?? [])
  return text === null || merchant === undefined ? null : { merchant_id: Number(merchant), tokenHash: hashOf(text) }
}

/**
 * Token that our pages send with every write. It is derived from the cookie, which no page can read, so it needs no other secret. It does
 * not reveal the cookie.
 */
export const csrfTokenOf = (token: string): string =>
  createHmac('sha256', token).update('cartwright csrf').digest('base64url')

const isSameText = (one: string, other: string): boolean => timingSafeEqual(hashOf(one), hashOf(other))

const idleSince = (now: Date) => new Date(now.getTime() - IDLE_MS)

export const loggedOutError = () =>
  unauthorized('You are not logged in, or your session has expired. Log in to continue.')

/** Throws `unauthorized` with the same message for every invalid cookie, and `forbidden` if a write lacks the session's token. */
export async function authenticateSession(
  { db, clock }: DashboardServices,
  request: DashboardRequest,
): Promise<LoggedInMember> {
  const token = request.cookie('session')
  const cookie = readToken(token)
  if (token === null || cookie === null) throw loggedOutError()
  const now = clock.now()
  const row = await findSession(db, cookie, cookie.tokenHash, now, idleSince(now))
  if (row === null) throw loggedOutError()
  if (request.isWrite && !isSameText(request.csrfToken ?? '', csrfTokenOf(token)))
    throw forbidden('The header X-CSRF-Token is missing or belongs to another session. Reload the page.')
  if (now.getTime() - row.seen_at.getTime() >= SEEN_PRECISION_MS) await touchSession(db, cookie, row.id, now)
  return { row, token }
}

/** Authentication for the endpoints of /v1. */
export const createSessionAuth = (services: DashboardServices): Sessions => ({
  authenticate: async (request, operation) =>
    sessionCaller((await authenticateSession(services, request)).row, request.is_sandbox, operation),
  refuseRole: (operation, caller) => refuseRole(services.db, operation, caller),
})

export const sessionCaller = (row: SessionRow, is_sandbox: boolean, operation: string): Caller => ({
  merchant_id: row.merchant_id,
  keyId: null,
  session: null,
  account: {
    id: row.account_id,
    email: row.email,
    name: row.name,
    role: row.role,
    canWriteLive: canRunOperation(row.role, operation, false),
    canIssueTokens: canRunOperation(row.role, 'customers.issue_token', is_sandbox),
  },
  isSecret: true,
  is_sandbox,
  currency: row.currency,
  apiVersion: row.api_version,
  isDisabled: row.is_disabled,
  fullSandbox: row.full_sandbox,
  sellsLive: row.sells_live,
})

type Owner = { readonly merchant_id: number; readonly accountId: string }

const LONGEST_AGENT = 300
/**
 * Limit for one account: one more login ends the oldest session. A program that logs in for each call cannot fill the table, and lists stay
 * readable.
 */
export const MAX_SESSIONS = 20

/**
 * Begins a session of a locked account and returns the text of its cookie. The id is always new. A session of a cookie that the browser
 * sent is ended, never adopted.
 */
export async function beginSession(
  tx: Tx,
  { merchant_id, accountId }: Owner,
  request: DashboardRequest,
  now: Date,
): Promise<string> {
  await endSentSession(tx, request)
  // Delete before the insert, so that the new session is kept whatever the clock says.
  await deleteOldestSessions(tx, { merchant_id }, accountId, MAX_SESSIONS - 1)
  const token = newToken(merchant_id)
  await insertSession(
    tx,
    { merchant_id },
    {
      id: newId('dashboardSession', now),
      tokenHash: hashOf(token),
      accountId,
      expiresAt: new Date(now.getTime() + LONGEST_MS),
      agent: toOneLine(cutText(request.agent, LONGEST_AGENT), LONGEST_AGENT),
      address: request.clientAddress,
    },
    now,
  )
  return token
}

/** Gives the session a new id. If the previous id has leaked, it is worthless now. */
export async function renewSession(tx: Tx, { row }: LoggedInMember): Promise<string> {
  const token = newToken(row.merchant_id)
  await changeSessionToken(tx, { merchant_id: row.merchant_id }, row.id, hashOf(token))
  return token
}

/** Ends the session of the browser's cookie, also if it belongs to another account. */
async function endSentSession(db: Db, request: DashboardRequest) {
  const oldCookie = readToken(request.cookie('session'))
  if (oldCookie !== null) await deleteSessionByToken(db, oldCookie, oldCookie.tokenHash)
}

/** Needs no session: the browser has to forget its data in any case. */
export async function logOutSession({ db }: DashboardServices, request: DashboardRequest): Promise<void> {
  await endSentSession(db, request)
  request.setCookie('session', null)
  // Not `cookies`: that would also delete cookies of other services on the same domain.
  request.setHeader('clear-site-data', '"cache", "storage"')
}

export async function listSessions(
  { db, clock }: DashboardServices,
  { row }: LoggedInMember,
): Promise<LoginSessionList> {
  const now = clock.now()
  const sessions = await sessionsOf(db, { merchant_id: row.merchant_id }, row.account_id, now, idleSince(now))
  return { data: sessions.map((session) => ({ ...session, is_this: session.id === row.id })) }
}

export async function endSession({ db }: DashboardServices, { row }: LoggedInMember, id: string): Promise<void> {
  if (!(await deleteSession(db, { merchant_id: row.merchant_id }, row.account_id, id))) throw notFound('session')
}

export async function endOtherSessions({ db }: DashboardServices, { row }: LoggedInMember): Promise<void> {
  await deleteSessionsOf(db, { merchant_id: row.merchant_id }, row.account_id, row.id)
}

/** Data of the session for the dashboard's pages. */
export async function viewSession(
  services: DashboardServices,
  { row, token }: LoggedInMember,
  is_sandbox: boolean,
): Promise<SessionView> {
  const { db, clock, signingSecret } = services
  const profile = await getMerchantProfile(db, { merchant_id: row.merchant_id, is_sandbox })
  const caller = sessionCaller(row, is_sandbox, 'merchants.get')
  const fileUrls = await fileUrlsFor({ signingSecret, clock, caller, origin: '' })
  const { account_id: id, email, name, role, has_second_factor } = row
  const end = Math.min(row.expires_at.getTime(), clock.now().getTime() + IDLE_MS)
  const sandbox = operationsOf(role, true)
  const live = operationsOf(role, false)
  return {
    account: { id, email, name, role, has_second_factor },
    merchant: {
      id: row.merchant_id,
      name: profile.name,
      time_zone: timeZoneOf(profile),
      currency: row.currency,
      logo_url: profile.logo === null ? null : urlOf(profile.logo, fileUrls),
    },
    csrf_token: csrfTokenOf(token),
    modes: ['sandbox', 'live'],
    may: is_sandbox ? sandbox : live,
    may_in: { sandbox, live },
    expires: unixSeconds(new Date(end)),
  }
}

/** Time zone that the shop has set, else UTC. */
const timeZoneOf = ({ settings }: MerchantProfileRow): string => (settings as { time_zone?: string }).time_zone ?? 'UTC'

/** The session that has just started, for its first response. */
export async function readNewSession({ db, clock }: { db: Db; clock: Clock }, token: string): Promise<LoggedInMember> {
  const cookie = readToken(token)
  const now = clock.now()
  const row = cookie && (await findSession(db, cookie, cookie.tokenHash, now, idleSince(now)))
  // It was ended elsewhere at the same moment.
  if (row === null) throw loggedOutError()
  return { row, token }
}
