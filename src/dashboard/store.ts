// SQL of dashboard accounts, and of the links that are mailed to them. session-store.ts has their sessions.

import { type Db, type Shop, statement, type Tx } from '../db/db.ts'
import { findRecord, lockRecord } from '../db/record-store.ts'
import type { Role } from '../http/endpoint/endpoint.ts'
import { sweepOf } from '../jobs/sweeps.ts'

export type AccountRow = {
  merchant_id: number
  id: string
  email: string
  name: string
  role: Role
  /** Null until an invited person has set a password. */
  password_hash: string | null
  totp_secret: Buffer | null
  totp_step: number
  spare_codes: Buffer[]
}

const COLUMNS = 'merchant_id, id, email, name, role, password_hash, totp_secret, totp_step, spare_codes'

/**
 * Accounts read per address, so that no login takes long. Invitations come last: shops that invite an address must not push out the
 * accounts that can log in.
 */
const MAX_SHOPS = 10

const byEmail = statement<AccountRow & { shop: string }>(
  'dashboard_accounts.list_by_email',
  `select ${COLUMNS.replaceAll(/\w+/g, 'a.$&')}, m.name as shop
   from dashboard_accounts a
   join merchants m on m.merchant_id = a.merchant_id
   where a.email = :email
   order by a.password_hash is null, a.merchant_id
   limit ${MAX_SHOPS}`,
)

/** Reads accounts of every shop, because a login names no shop. */
export const findAccountsByEmail = (db: Db, email: string) => db.many(byEmail, { email })

export const findAccount = findRecord<AccountRow>('dashboard_accounts.find', 'dashboard_accounts', COLUMNS)

export const lockAccount = lockRecord<AccountRow>('dashboard_accounts.lock', 'dashboard_accounts', COLUMNS)

const lockByEmail = statement<AccountRow>(
  'dashboard_accounts.lock_by_email',
  `select ${COLUMNS} from dashboard_accounts where email = :email order by merchant_id for update`,
)

/** Locks the accounts of every shop, invitations included. If two invitations are accepted at once, the second sees the first. */
export const lockAccountsByEmail = (tx: Tx, email: string) => tx.many(lockByEmail, { email })

const lockTeamRows = statement<Pick<AccountRow, 'id' | 'role' | 'email' | 'password_hash'>>(
  'dashboard_accounts.lock_team',
  `select id, role, email, password_hash
   from dashboard_accounts
   where merchant_id = :merchant_id
   order by id
   for update`,
)

/** Locks the whole team, so that changes which might remove the last owner run in sequence. */
export const lockTeam = (tx: Tx, { merchant_id }: Shop) => tx.many(lockTeamRows, { merchant_id })

export type MemberRow = {
  id: string
  email: string
  name: string
  role: Role
  is_active: boolean
  has_second_factor: boolean
  seen: number | null
}

const MEMBER = `id, email, name, role, password_hash is not null as is_active, totp_secret is not null as has_second_factor,
   unix_seconds(greatest(
     seen_at,
     (
       select max(s.seen_at)
       from dashboard_sessions s
       where s.merchant_id = :merchant_id and s.account_id = dashboard_accounts.id
     )
   )) as seen`

const members = statement<MemberRow>(
  'dashboard_accounts.list_members',
  `select ${MEMBER} from dashboard_accounts where merchant_id = :merchant_id order by role = 'owner' desc, created_at, id`,
)

export const membersOf = (db: Db, { merchant_id }: Shop) => db.many(members, { merchant_id })

const withRoles = statement<{ name: string; email: string; role: Role }>(
  'dashboard_accounts.list_with_roles',
  `select name, email, role
   from dashboard_accounts
   where merchant_id = :merchant_id and role = any(:roles::text[]) and password_hash is not null
   order by role = 'owner' desc, created_at, id
   limit 5`,
)

/** People that a member without the permission can ask. */
export const findPeopleWithRoles = (db: Db, { merchant_id }: Shop, roles: readonly Role[]) =>
  db.many(withRoles, { merchant_id, roles })

export type NewAccount = { id: string; email: string; name: string; role: Role }

const insertInvited = statement(
  'dashboard_accounts.insert_invited',
  `insert into dashboard_accounts (merchant_id, id, email, name, role, created_at)
   values (:merchant_id, :id, :email, :name, :role, :now)`,
)

export const insertInvitedAccount = (tx: Tx, { merchant_id }: Shop, account: NewAccount, now: Date) =>
  tx.run(insertInvited, { ...account, merchant_id, now })

const setRole = statement(
  'dashboard_accounts.set_role',
  'update dashboard_accounts set role = :role where merchant_id = :merchant_id and id = :id',
)

export const updateRole = (tx: Tx, { merchant_id }: Shop, id: string, role: Role) =>
  tx.run(setRole, { merchant_id, id, role })

const remove = statement(
  'dashboard_accounts.delete',
  'delete from dashboard_accounts where merchant_id = :merchant_id and id = :id',
)

export const deleteAccount = (tx: Tx, { merchant_id }: Shop, id: string) => tx.run(remove, { merchant_id, id })

const setPassword = statement(
  'dashboard_accounts.set_password',
  `update dashboard_accounts set password_hash = :password_hash, password_changed_at = :now
   where merchant_id = :merchant_id and id = :id`,
)

export const updatePassword = (tx: Tx, { merchant_id }: Shop, id: string, passwordHash: string, now: Date) =>
  tx.run(setPassword, { merchant_id, id, password_hash: passwordHash, now })

const setName = statement(
  'dashboard_accounts.set_name',
  'update dashboard_accounts set name = :name where merchant_id = :merchant_id and id = :id',
)

export const updateName = (tx: Tx, { merchant_id }: Shop, id: string, name: string) =>
  tx.run(setName, { merchant_id, id, name })

const setSeen = statement(
  'dashboard_accounts.set_seen',
  'update dashboard_accounts set seen_at = :now where merchant_id = :merchant_id and id = :id',
)

export const updateLastSeen = (tx: Tx, { merchant_id }: Shop, id: string, now: Date) =>
  tx.run(setSeen, { merchant_id, id, now })

const setSecondFactor = statement(
  'dashboard_accounts.set_second_factor',
  `update dashboard_accounts set totp_secret = :secret, totp_step = :step, spare_codes = :spare_codes
   where merchant_id = :merchant_id and id = :id`,
)

type SecondFactor = { secret: Buffer | null; step: number; recoveryHashes: readonly Buffer[] }

export const updateSecondFactor = (tx: Tx, { merchant_id }: Shop, id: string, factor: SecondFactor) =>
  tx.run(setSecondFactor, {
    merchant_id,
    id,
    secret: factor.secret,
    step: factor.step,
    spare_codes: factor.recoveryHashes,
  })

// If one code is sent twice at the same moment, the second request finds it used.
const useStep = statement(
  'dashboard_accounts.use_step',
  `update dashboard_accounts set totp_step = :step
   where merchant_id = :merchant_id and id = :id and totp_step < :step`,
)

export const consumeTotpStep = async (db: Db, { merchant_id }: Shop, id: string, step: number): Promise<boolean> =>
  (await db.run(useStep, { merchant_id, id, step })) > 0

const useSpare = statement(
  'dashboard_accounts.use_spare_code',
  `update dashboard_accounts set spare_codes = array_remove(spare_codes, :hash::bytea)
   where merchant_id = :merchant_id and id = :id and :hash = any(spare_codes)`,
)

export const consumeRecoveryCode = async (db: Db, { merchant_id }: Shop, id: string, hash: Buffer): Promise<boolean> =>
  (await db.run(useSpare, { merchant_id, id, hash })) > 0

// Mailed links.

type LinkPurpose = 'reset' | 'invitation'

const insertLinkRow = statement(
  'dashboard_links.insert',
  `insert into dashboard_links (merchant_id, token_hash, account_id, purpose, expires_at)
   values (:merchant_id, :token_hash, :account_id, :purpose, :expires_at)`,
)

type NewLink = { hash: Buffer; accountId: string; purpose: LinkPurpose; expiresAt: Date }

export const insertLink = (db: Db, { merchant_id }: Shop, link: NewLink) =>
  db.run(insertLinkRow, {
    merchant_id,
    token_hash: link.hash,
    account_id: link.accountId,
    purpose: link.purpose,
    expires_at: link.expiresAt,
  })

export type LinkRow = { account_id: string }

const OPEN_LINK = `merchant_id = :merchant_id and token_hash = :token_hash and purpose = :purpose and expires_at > :now`

const findLinkRow = statement<LinkRow>(
  'dashboard_links.find',
  `select account_id from dashboard_links where ${OPEN_LINK}`,
)

const takeLinkRow = statement<LinkRow>(
  'dashboard_links.take',
  `delete from dashboard_links where ${OPEN_LINK} returning account_id`,
)

type LinkKey = { hash: Buffer; purpose: LinkPurpose }

const linkValues = ({ merchant_id }: Shop, { hash, purpose }: LinkKey, now: Date) => ({
  merchant_id,
  token_hash: hash,
  purpose,
  now,
})

export const findLink = (db: Db, shop: Shop, key: LinkKey, now: Date) =>
  db.maybe(findLinkRow, linkValues(shop, key, now))

/** If one link is used several times at once, only one request gets it. */
export const deleteOpenLink = (tx: Tx, shop: Shop, key: LinkKey, now: Date) =>
  tx.maybe(takeLinkRow, linkValues(shop, key, now))

const deleteLinkRow = statement(
  'dashboard_links.delete',
  'delete from dashboard_links where merchant_id = :merchant_id and token_hash = :token_hash',
)

export const deleteLink = (db: Db, { merchant_id }: Shop, hash: Buffer) =>
  db.run(deleteLinkRow, { merchant_id, token_hash: hash })

const deleteLinks = statement(
  'dashboard_links.delete_of_account',
  'delete from dashboard_links where merchant_id = :merchant_id and account_id = :account_id',
)

export const deleteLinksOf = (tx: Tx, { merchant_id }: Shop, accountId: string) =>
  tx.run(deleteLinks, { merchant_id, account_id: accountId })

export const sweepEndedLinks = sweepOf('dashboard_links', {
  name: 'ended-dashboard-links',
  everySeconds: 3_600,
  column: 'expires_at',
  key: { token_hash: 'bytea' },
})
