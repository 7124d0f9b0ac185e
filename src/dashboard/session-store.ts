// SQL of dashboard sessions, known browsers, and waits after wrong guesses. These rows come and go with logins; store.ts has the accounts.

import { type Db, type Shop, statement, type Tx } from '../db/db.ts'
import type { Role } from '../http/endpoint/endpoint.ts'
import { sweepOf } from '../jobs/sweeps.ts'
import type { Quota } from '../lib/errors.ts'

/** Everything a request needs to know about its session, read in one statement. */
export type SessionRow = {
  merchant_id: number
  id: string
  account_id: string
  created_at: Date
  seen_at: Date
  expires_at: Date
  email: string
  name: string
  role: Role
  has_second_factor: boolean
  currency: string
  api_version: string
  is_disabled: boolean
  full_sandbox: readonly Quota[]
  sells_live: boolean
}

const byToken = statement<SessionRow>(
  'dashboard_sessions.find_by_token',
  `select s.merchant_id, s.id, s.account_id, s.created_at, s.seen_at, s.expires_at, a.email, a.name, a.role,
     a.totp_secret is not null as has_second_factor, m.currency, m.api_version, m.is_disabled, m.full_sandbox,
     m.sells_live
   from dashboard_sessions s
   join dashboard_accounts a on a.merchant_id = s.merchant_id and a.id = s.account_id
   join merchants m on m.merchant_id = s.merchant_id
   where s.merchant_id = :merchant_id and s.token_hash = :token_hash and s.expires_at > :now and s.seen_at > :idle_since`,
)

export const findSession = (db: Db, { merchant_id }: Shop, tokenHash: Buffer, now: Date, idleSince: Date) =>
  db.maybe(byToken, { merchant_id, token_hash: tokenHash, now, idle_since: idleSince })

export type NewSession = {
  id: string
  tokenHash: Buffer
  accountId: string
  expiresAt: Date
  agent: string
  address: string
}

const insert = statement(
  'dashboard_sessions.insert',
  `insert into dashboard_sessions (merchant_id, id, token_hash, account_id, created_at, seen_at, expires_at, agent, address)
   values (:merchant_id, :id, :token_hash, :account_id, :now, :now, :expires_at, :agent, :address)`,
)

export const insertSession = (tx: Tx, { merchant_id }: Shop, session: NewSession, now: Date) =>
  tx.run(insert, {
    merchant_id,
    id: session.id,
    token_hash: session.tokenHash,
    account_id: session.accountId,
    expires_at: session.expiresAt,
    agent: session.agent,
    address: session.address,
    now,
  })

const removeOldest = statement(
  'dashboard_sessions.delete_oldest',
  `delete from dashboard_sessions
   where merchant_id = :merchant_id and id in (
     select id from dashboard_sessions
     where merchant_id = :merchant_id and account_id = :account_id
     order by created_at desc, id desc
     offset :kept
   )`,
)

/** Deletes all but the newest sessions of an account. The account must be locked. */
export const deleteOldestSessions = (tx: Tx, { merchant_id }: Shop, accountId: string, keepCount: number) =>
  tx.run(removeOldest, { merchant_id, account_id: accountId, kept: keepCount })

const touch = statement(
  'dashboard_sessions.touch',
  `update dashboard_sessions set seen_at = :now
   where merchant_id = :merchant_id and id = :id and seen_at < :now`,
)

export const touchSession = (db: Db, { merchant_id }: Shop, id: string, now: Date) =>
  db.run(touch, { merchant_id, id, now })

const changeToken = statement(
  'dashboard_sessions.change_token',
  `update dashboard_sessions set token_hash = :token_hash, pending_totp = null
   where merchant_id = :merchant_id and id = :id`,
)

export const changeSessionToken = (tx: Tx, { merchant_id }: Shop, id: string, tokenHash: Buffer) =>
  tx.run(changeToken, { merchant_id, id, token_hash: tokenHash })

const setPending = statement(
  'dashboard_sessions.set_pending_totp',
  'update dashboard_sessions set pending_totp = :secret where merchant_id = :merchant_id and id = :id',
)

export const keepPendingTotp = (db: Db, { merchant_id }: Shop, id: string, secret: Buffer) =>
  db.run(setPending, { merchant_id, id, secret })

const findPending = statement<{ pending_totp: Buffer | null }>(
  'dashboard_sessions.lock_pending_totp',
  'select pending_totp from dashboard_sessions where merchant_id = :merchant_id and id = :id for update',
)

export const lockPendingTotp = async (tx: Tx, { merchant_id }: Shop, id: string): Promise<Buffer | null> =>
  (await tx.maybe(findPending, { merchant_id, id }))?.pending_totp ?? null

export type ListedSession = { id: string; created: number; seen: number; agent: string; address: string }

const list = statement<ListedSession>(
  'dashboard_sessions.list',
  `select id, unix_seconds(created_at) as created, unix_seconds(seen_at) as seen, agent, address
   from dashboard_sessions
   where merchant_id = :merchant_id and account_id = :account_id and expires_at > :now and seen_at > :idle_since
   order by seen_at desc, id desc
   limit 100`,
)

export const sessionsOf = (db: Db, { merchant_id }: Shop, accountId: string, now: Date, idleSince: Date) =>
  db.many(list, { merchant_id, account_id: accountId, now, idle_since: idleSince })

const remove = statement(
  'dashboard_sessions.delete',
  `delete from dashboard_sessions
   where merchant_id = :merchant_id and account_id = :account_id and id = :id`,
)

/** False if the account has no such session. */
export const deleteSession = async (db: Db, { merchant_id }: Shop, accountId: string, id: string): Promise<boolean> =>
  (await db.run(remove, { merchant_id, account_id: accountId, id })) > 0

const removeByToken = statement(
  'dashboard_sessions.delete_by_token',
  'delete from dashboard_sessions where merchant_id = :merchant_id and token_hash = :token_hash',
)

export const deleteSessionByToken = (db: Db, { merchant_id }: Shop, tokenHash: Buffer) =>
  db.run(removeByToken, { merchant_id, token_hash: tokenHash })

const removeOthers = statement(
  'dashboard_sessions.delete_others',
  `delete from dashboard_sessions
   where merchant_id = :merchant_id and account_id = :account_id and id <> :kept`,
)

/** `keptId`: session to keep; '' deletes all of them. */
export const deleteSessionsOf = (db: Db, { merchant_id }: Shop, accountId: string, keptId = '') =>
  db.run(removeOthers, { merchant_id, account_id: accountId, kept: keptId })

// A session that is idle for twelve hours is not found any more. Its row is deleted after its fourteen days.
export const sweepEndedSessions = sweepOf('dashboard_sessions', {
  name: 'ended-dashboard-sessions',
  everySeconds: 3_600,
  column: 'expires_at',
})

// Known browsers.

const findDevices = statement<{ device_hash: Buffer }>(
  'dashboard_devices.list_known',
  `select device_hash from dashboard_devices
   where merchant_id = :merchant_id and device_hash = any(:hashes::bytea[]) and account_id = :account_id`,
)

export const findKnownDevices = (db: Db, { merchant_id }: Shop, accountId: string, hashes: readonly Buffer[]) =>
  db.many(findDevices, { merchant_id, account_id: accountId, hashes })

const keepDeviceRow = statement(
  'dashboard_devices.keep',
  `insert into dashboard_devices (merchant_id, device_hash, account_id, seen_at)
   values (:merchant_id, :device_hash, :account_id, :now)
   on conflict (merchant_id, device_hash) do update set seen_at = excluded.seen_at
   where dashboard_devices.account_id = excluded.account_id`,
)

export const saveDevice = (tx: Tx, { merchant_id }: Shop, accountId: string, hash: Buffer, now: Date) =>
  tx.run(keepDeviceRow, { merchant_id, device_hash: hash, account_id: accountId, now })

const forgetDeviceRows = statement(
  'dashboard_devices.delete_of_account',
  'delete from dashboard_devices where merchant_id = :merchant_id and account_id = :account_id',
)

export const forgetDevices = (tx: Tx, { merchant_id }: Shop, accountId: string) =>
  tx.run(forgetDeviceRows, { merchant_id, account_id: accountId })

export const sweepOldDevices = sweepOf('dashboard_devices', {
  name: 'old-dashboard-devices',
  everySeconds: 86_400,
  column: 'seen_at',
  keptDays: 400,
  key: { device_hash: 'bytea' },
})

// Waits after wrong guesses. They belong to no shop: an address may have accounts in several shops, or in none.

const NO_SHOP = 0

export type WaitRow = { subject: string; failures: number; until: Date; ends_at: Date }

const makeWaits = statement(
  'dashboard_waits.make',
  `insert into dashboard_waits (merchant_id, subject, failures, until, ends_at)
   select :merchant_id::integer, subject, 0, :now::timestamptz, :now
   from unnest(:subjects::text[]) as one (subject)
   order by subject
   on conflict (merchant_id, subject) do nothing`,
)

const lockWaitRows = statement<WaitRow>(
  'dashboard_waits.lock',
  `select subject, failures, until, ends_at
   from dashboard_waits
   where merchant_id = :merchant_id and subject = any(:subjects::text[])
   order by subject
   for update`,
)

/** Locks a row for each subject, and inserts missing ones first. Simultaneous guesses at one subject thus run in sequence. */
export async function lockWaits(tx: Tx, subjects: readonly string[], now: Date): Promise<WaitRow[]> {
  await tx.run(makeWaits, { merchant_id: NO_SHOP, subjects, now })
  return tx.many(lockWaitRows, { merchant_id: NO_SHOP, subjects })
}

const setWaits = statement(
  'dashboard_waits.set',
  `update dashboard_waits set failures = changed.failures, until = changed.until, ends_at = changed.ends_at
   from unnest(:subjects::text[], :failures::integer[], :untils::timestamptz[], :ends::timestamptz[])
     as changed (subject, failures, until, ends_at)
   where dashboard_waits.merchant_id = :merchant_id and dashboard_waits.subject = changed.subject`,
)

export const updateWaits = (tx: Tx, rows: readonly WaitRow[]) =>
  tx.run(setWaits, {
    merchant_id: NO_SHOP,
    subjects: rows.map(({ subject }) => subject),
    failures: rows.map(({ failures }) => failures),
    untils: rows.map(({ until }) => until),
    ends: rows.map(({ ends_at: end }) => end),
  })

export const sweepEndedWaits = sweepOf('dashboard_waits', {
  name: 'ended-dashboard-waits',
  everySeconds: 3_600,
  column: 'ends_at',
  key: { subject: 'text' },
})
