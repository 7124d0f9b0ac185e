// The team of a shop: listing members, inviting by a mailed link, changing a role, leaving. A shop always keeps an owner who can log in.

import { getMerchantProfile } from '../../api/merchants/read-store.ts'
import type { Db, Shop, Tx } from '../../db/db.ts'
import type { Role } from '../../http/endpoint/endpoint.ts'
import type { DashboardRequest } from '../../http/session/routes.ts'
import { enqueue } from '../../jobs/queue.ts'
import { conflict, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { emailRule, readEmail, toOneLine } from '../../lib/text.ts'
import { countAgainstLimits } from '../../limits/requests.ts'
import { mailOrigin } from '../../mail/trust.ts'
import { beginSession, type DashboardServices, type LoggedInMember } from '../session.ts'
import { deleteSessionsOf, forgetDevices } from '../session-store.ts'
import {
  type AccountRow,
  deleteAccount,
  deleteLinksOf,
  findAccount,
  findAccountsByEmail,
  insertInvitedAccount,
  lockAccount,
  lockAccountsByEmail,
  lockTeam,
  type MemberRow,
  membersOf,
  updateLastSeen,
  updateName,
  updatePassword,
  updateRole,
} from '../store.ts'
import type { InvitedMember, OpenInvitation, Team, TeamMember } from '../views.ts'
import { rememberBrowser } from './devices.ts'
import { invalidLinkError, makeLink, readLink, redeemLink } from './links.ts'
import { ACCOUNT_MAIL_JOB, type AccountMailJob } from './mail-job.ts'
import { guessPassword, hashPasswordInSlot, refuseWeakPassword } from './password.ts'
import { requireSecondFactorCode } from './second-factor.ts'

const shopOf = ({ row }: LoggedInMember): Shop => ({ merchant_id: row.merchant_id })

const viewMember = ({ is_active, ...member }: MemberRow): TeamMember => ({
  ...member,
  state: is_active ? 'active' : 'invited',
})

export async function listTeam({ db }: DashboardServices, member: LoggedInMember): Promise<Team> {
  return { data: (await membersOf(db, shopOf(member))).map(viewMember) }
}

async function showMember({ db }: DashboardServices, member: LoggedInMember, id: string) {
  const row = (await membersOf(db, shopOf(member))).find((each) => each.id === id)
  if (row === undefined) throw notFound('member')
  return viewMember(row)
}

const HOUR_MS = 3_600_000
const MAX_INVITATIONS = 30
const MAX_MEMBERS = 200

/** Reads a member's name. A blank name is refused: the team could not tell who it is. */
function readName(input: string): string {
  const name = toOneLine(input).trim()
  if (name === '') throw unprocessable({ name: ['name must not be blank.'] })
  return name
}

type Invitation = { email: string; name: string; role: Role }

/**
 * A pending invitation can be sent again with another link and role. The previous link then stops working. Without a mail server the
 * response contains the link, for the owner to hand over. The link grants nothing that the owner could not grant.
 */
export async function invite(
  services: DashboardServices,
  member: LoggedInMember,
  request: DashboardRequest<unknown, Invitation>,
): Promise<InvitedMember> {
  const { db, clock, mailer } = services
  const { role } = request.body
  const shop = shopOf(member)
  const email = readEmail(request.body.email)?.toLowerCase()
  if (email === undefined) throw unprocessable({ email: [emailRule('email')] })
  const name = readName(request.body.name)
  const origin = mailOrigin(services, request)
  if (origin === null)
    throw conflict(
      'Set PUBLIC_URL and restart. Without it the invitation link would lead to the unverified host that you used to open this page.',
    )
  const now = clock.now()
  const { id, url } = await db.transaction(async (tx) => {
    const limit = { subject: 'dashboard invitations', most: MAX_INVITATIONS, windowMs: HOUR_MS }
    await countAgainstLimits(tx, shop, [limit], now)
    const team = await lockTeam(tx, shop)
    const existingMember = team.find((each) => each.email === email)
    if (existingMember !== undefined && existingMember.password_hash !== null)
      throw notValid({ email: ['email belongs to somebody who is already in the team.'] })
    if (existingMember === undefined && team.length >= MAX_MEMBERS)
      throw notValid({
        email: [`email cannot be added: a team has at most ${MAX_MEMBERS} members.`],
      })
    const accountId = existingMember?.id ?? newId('account', now)
    if (existingMember === undefined) await insertInvitedAccount(tx, shop, { id: accountId, email, name, role }, now)
    else {
      await updateRole(tx, shop, accountId, role)
      await updateName(tx, shop, accountId, name)
      await deleteLinksOf(tx, shop, accountId)
    }
    if (!mailer.goesOut) {
      const link = await makeLink(tx, shop, { accountId, purpose: 'invitation', origin }, now)
      return { id: accountId, url: link.url }
    }
    const payload: AccountMailJob = {
      type: 'invitation',
      accountId,
      lastingOrigin: request.lastingOrigin,
      by: member.row.name === '' ? member.row.email : member.row.name,
    }
    await enqueue(tx, { merchant_id: shop.merchant_id, kind: ACCOUNT_MAIL_JOB, payload, runAt: now })
    return { id: accountId, url: null }
  })
  return { ...(await showMember(services, member, id)), invitation_url: url }
}

/** Throws if no owner who can log in would be left. */
async function refuseLastOwner(tx: Tx, shop: Shop, id: string, message: string): Promise<void> {
  const team = await lockTeam(tx, shop)
  const member = team.find((each) => each.id === id)
  if (member === undefined) throw notFound('member')
  const isOtherOwner = (each: (typeof team)[number]) =>
    each.id !== id && each.role === 'owner' && each.password_hash !== null
  if (member.role === 'owner' && !team.some(isOtherOwner)) throw notValid({ role: [message] })
}

/** Ends the member's sessions, so rights of the previous role end too. */
export async function changeRole(
  services: DashboardServices,
  member: LoggedInMember,
  { params, body }: DashboardRequest<{ id: string }, { role: Role }>,
): Promise<TeamMember> {
  const shop = shopOf(member)
  await services.db.transaction(async (tx) => {
    if (body.role !== 'owner')
      await refuseLastOwner(tx, shop, params.id, 'role must stay owner: a shop needs an owner who can log in.')
    const account = await lockAccount(tx, shop, params.id)
    if (account === null) throw notFound('member')
    if (account.role === body.role) return
    await updateRole(tx, shop, params.id, body.role)
    await deleteSessionsOf(tx, shop, params.id)
  })
  return showMember(services, member, params.id)
}

/** Removes the account with this id. `member` is the one who is logged in; members may also remove themselves. */
export async function removeMember(services: DashboardServices, member: LoggedInMember, id: string): Promise<void> {
  const shop = shopOf(member)
  await services.db.transaction(async (tx) => {
    await refuseLastOwner(tx, shop, id, 'The last owner cannot leave: make somebody else owner first.')
    await deleteSessionsOf(tx, shop, id)
    await forgetDevices(tx, shop, id)
    await deleteLinksOf(tx, shop, id)
    await deleteAccount(tx, shop, id)
  })
}

export async function showInvitation({ db, clock }: DashboardServices, token: string): Promise<OpenInvitation> {
  const { merchant_id, account } = await readInvitation({ db, clock }, token)
  const profile = await getMerchantProfile(db, { merchant_id, is_sandbox: false })
  const { email, name, role } = account
  return { email, name, role, has_account: (await activeOf(db, email)).length > 0, merchant: { name: profile.name } }
}

async function readInvitation({ db, clock }: Pick<DashboardServices, 'db' | 'clock'>, token: string) {
  const { merchant_id, accountId } = await readLink(db, token, 'invitation', clock.now())
  const account = await findAccount(db, { merchant_id }, accountId)
  if (account === null) throw invalidLinkError('invitation')
  return { merchant_id, account }
}

/** The accounts of an address that can log in, in every shop. */
const activeOf = async (db: Db, email: string) => (await findAccountsByEmail(db, email)).filter(isActive)

const isActive = ({ password_hash: password }: { password_hash: string | null }): boolean => password !== null

type Acceptance = { name: string; password: string; account_password?: string; code?: string }

/**
 * Returns the cookie of the new session. If the address already has an account in any shop, that account's password and second factor must
 * confirm. The link by itself proves too little: somebody else may have it, such as the inviter. The new account gets its own password, so
 * the creator of the other account cannot open it.
 */
export async function acceptInvitation(
  services: DashboardServices,
  request: DashboardRequest<{ token: string }, Acceptance>,
): Promise<string> {
  const { db, clock } = services
  const { token } = request.params
  const { password } = request.body
  const name = readName(request.body.name)
  const now = clock.now()
  // Check the link first: hashing is slow and must not run for invalid links.
  const { account: invited } = await readInvitation(services, token)
  refuseWeakPassword(password, invited.email)
  // Skip the invited account: it is active if the link was just used, and redeemLink then rejects the link.
  const others = (await activeOf(db, invited.email)).filter(
    ({ id, merchant_id }) => id !== invited.id || merchant_id !== invited.merchant_id,
  )
  if (others.length > 0) await confirmByAccount(services, request, invited.email, others)
  const passwordHash = await hashPasswordInSlot(password, others)
  return db.transaction(async (tx) => {
    const { merchant_id, accountId } = await redeemLink(tx, token, 'invitation', now)
    const shop = { merchant_id }
    const allAccounts = await lockAccountsByEmail(tx, invited.email)
    const account = allAccounts.find((each) => each.id === accountId && each.merchant_id === merchant_id)
    if (account === undefined || isActive(account)) throw invalidLinkError('invitation')
    if (others.length === 0 && allAccounts.some(isActive)) throw accountRequired()
    await updatePassword(tx, shop, accountId, passwordHash, now)
    await updateName(tx, shop, accountId, name)
    await updateLastSeen(tx, shop, accountId, now)
    await deleteLinksOf(tx, shop, accountId)
    await rememberBrowser(tx, { merchant_id, accountId }, request, null, now)
    return beginSession(tx, { merchant_id, accountId }, request, now)
  })
}

const accountRequired = () =>
  unprocessable({
    account_password: [
      'account_password is required: this e-mail address already has an account here. Enter its password.',
    ],
  })

/** Throws unless the request has the password, and the code, of an account of the address. */
async function confirmByAccount(
  services: DashboardServices,
  request: DashboardRequest<unknown, Acceptance>,
  email: string,
  accounts: readonly AccountRow[],
) {
  const { account_password: password, code } = request.body
  if (password === undefined) throw accountRequired()
  const matches = await guessPassword(services, request, { email, accounts }, password)
  // If the password opens several accounts, prefer one with a second factor and check its code.
  const match = matches.find(({ account }) => account.totp_secret !== null) ?? matches[0]
  if (match === undefined)
    throw notValid({
      account_password: ['account_password is not the password of an account with this e-mail address.'],
    })
  await requireSecondFactorCode(services, match, code)
}
