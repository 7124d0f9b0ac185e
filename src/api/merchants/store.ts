// SQL of merchants, API keys and dashboard accounts. read-store.ts reads a merchant as it is shown.

import { columns } from '../../db/columns.ts'
import { type Db, lookup, type Scope, type Shop, statement, type Tx } from '../../db/db.ts'
import type { Quota } from '../../lib/errors.ts'
import {
  getMerchantProfile,
  type MerchantProfileRow,
  merchantColumnSql,
  merchantProfileColumns,
  merchantSettingsSql,
} from './read-store.ts'
import type { StoredSettings } from './settings.ts'

/** Kinds of rows of which the sandbox of a shop has reached the quota. */
export type ReachedQuotas = readonly Quota[]

export type MerchantRow = {
  merchant_id: number
  name: string
  currency: string
  api_version: string
  is_disabled: boolean
}

export type CallerRow = {
  merchant_id: number
  key_id: string
  is_secret: boolean
  is_sandbox: boolean
  currency: string
  api_version: string
  is_disabled: boolean
  full_sandbox: ReachedQuotas
  sells_live: boolean
}

export type KeyRow = {
  id: string
  is_secret: boolean
  is_sandbox: boolean
  public_key: string | null
  last_four: string
  created_at: Date
  revoked_at: Date | null
}

const callerByKeyHash = statement<CallerRow>(
  'merchants.find_caller_by_key_hash',
  `select k.merchant_id, k.id as key_id, k.is_secret, k.is_sandbox, m.currency,
     ${merchantColumnSql('api_version', 'k.is_sandbox')} as api_version, m.is_disabled, m.full_sandbox, m.sells_live
   from api_keys k
   join merchants m on m.merchant_id = k.merchant_id
   where k.key_hash = :key_hash and k.revoked_at is null`,
)

export const findCallerByKeyHash = (db: Db, hash: Buffer) => db.maybe(callerByKeyHash, { key_hash: hash })

const MERCHANT = 'merchant_id, name, currency, api_version, is_disabled'

/** For requests of a customer, which belong to one mode. */
const inMode = statement<MerchantRow>(
  'merchants.find_in_mode',
  `select m.merchant_id, ${merchantColumnSql('name')} as name, m.currency, ${merchantColumnSql('api_version')} as api_version, m.is_disabled
   from merchants m
   where m.merchant_id = :merchant_id`,
)

export const findMerchantInMode = (db: Db, scope: Scope) => db.maybe(inMode, scope)

const all = statement<MerchantRow>('merchants.list_all', `select ${MERCHANT} from merchants order by merchant_id`)

/** Every merchant of this installation. For the operator's commands only, never for a request. */
export const listAllMerchants = (db: Db) => db.many(all, {})

const byId = statement<MerchantRow>(
  'merchants.find',
  `select ${MERCHANT} from merchants where merchant_id = :merchant_id`,
)

export const findMerchant = (db: Db, { merchant_id }: Shop) => db.maybe(byId, { merchant_id })

/** `logo` and `cover` are the ids of assets. */
export type MerchantFields = {
  name: string
  description: string | null
  country: string | null
  support_email: string
  logo: string | null
  cover: string | null
  settings: StoredSettings
  api_version: string
}

const fields = columns(
  ['name', 'description', 'country', 'support_email', 'logo', 'cover', 'settings', 'api_version'],
  ['settings'],
)

const insert = statement<{ merchant_id: number }>(
  'merchants.insert',
  `insert into merchants (${fields.names}, currency, created_at, updated_at)
   values (${fields.parameters}, :currency, :now, :now)
   returning merchant_id`,
)

type NewMerchant = Omit<MerchantFields, 'logo' | 'cover'> & { currency: string; now: Date }

export const insertMerchant = async (tx: Tx, merchant: NewMerchant): Promise<number> => {
  const { currency, now } = merchant
  const values = fields.values({ logo: null, cover: null, ...merchant })
  return (await tx.one(insert, { ...values, currency, now })).merchant_id
}

// The lock below is `no key update`. A `for update` would wait for every insert of a row that refers to the merchant, and block it.
/** Values that the sandbox overrides; of `settings`, the groups that it overrides. */
export type SandboxOverrides = Partial<MerchantFields>

const lock = statement<MerchantFields & { currency: string; sandbox_own: SandboxOverrides }>(
  'merchants.lock',
  `select ${fields.names}, currency, sandbox_own from merchants where merchant_id = :merchant_id for no key update`,
)

export const lockMerchant = (tx: Tx, { merchant_id }: Shop) => tx.maybe(lock, { merchant_id })

const update = statement(
  'merchants.update',
  `update merchants set ${fields.assignments}, sandbox_own = :sandbox_own, updated_at = :now
   where merchant_id = :merchant_id`,
)

/**
 * Updates the row, and reads it as this mode now sees it. On shards this takes two statements: one cannot write this table, which is on
 * every node, and read pictures of one shard.
 */
export async function updateMerchantRow(
  tx: Tx,
  scope: Scope,
  { shop, sandboxOwn }: { readonly shop: MerchantFields; readonly sandboxOwn: SandboxOverrides },
  now: Date,
) {
  await tx.run(update, {
    ...fields.values(shop),
    merchant_id: scope.merchant_id,
    sandbox_own: JSON.stringify(sandboxOwn),
    now,
  })
  return getMerchantProfile(tx, scope)
}

const findStored = statement<{ settings: StoredSettings }>(
  'merchants.find_settings',
  `select ${merchantSettingsSql()} as settings from merchants m where m.merchant_id = :merchant_id`,
)

/** The settings in this mode. */
export const findSettings = (db: Db, scope: Scope) => db.maybe(findStored, scope)

const setDisabled = statement(
  'merchants.set_disabled',
  'update merchants set is_disabled = :is_disabled, updated_at = :now where merchant_id = :merchant_id',
)

/** Returns the number of changed rows: 0 if there is no such merchant. */
export const updateDisabled = (tx: Tx, { merchant_id }: Shop, isDisabled: boolean, now: Date): Promise<number> =>
  tx.run(setDisabled, { merchant_id, is_disabled: isDisabled, now })

const setVersion = statement(
  'merchants.set_version',
  `update merchants set api_version = :api_version, sandbox_own = sandbox_own - 'api_version', updated_at = :now
   where merchant_id = :merchant_id`,
)

/** Sets it for both modes. */
export const updateVersion = (tx: Tx, { merchant_id }: Shop, version: string, now: Date) =>
  tx.run(setVersion, { merchant_id, api_version: version, now })

export type KeyKind = { readonly isSecret: boolean; readonly is_sandbox: boolean }

export type NewKey = KeyKind & { readonly text: string; readonly hash: Buffer; readonly lastFour: string }

const insertKeyRow = statement(
  'merchants.insert_key',
  `insert into api_keys (merchant_id, id, is_secret, is_sandbox, key_hash, public_key, last_four, created_at)
   values (:merchant_id, :id, :is_secret, :is_sandbox, :key_hash, :public_key, :last_four, :now)
   on conflict (key_hash) where revoked_at is null do nothing`,
)

/** False if any merchant uses the key already. Of two concurrent inserts, the second waits for the first. */
export const insertKey = async (
  tx: Tx,
  { merchant_id }: Shop,
  id: string,
  key: NewKey,
  now: Date,
): Promise<boolean> => {
  const rows = await tx.run(insertKeyRow, {
    merchant_id,
    id,
    is_secret: key.isSecret,
    is_sandbox: key.is_sandbox,
    key_hash: key.hash,
    public_key: key.isSecret ? null : key.text,
    last_four: key.lastFour,
    now,
  })
  return rows > 0
}

const KEY = 'id, is_secret, is_sandbox, public_key, last_four, created_at, revoked_at'

const keys = statement<KeyRow>(
  'merchants.list_keys',
  `select ${KEY} from api_keys where merchant_id = :merchant_id order by revoked_at is not null, is_sandbox desc, is_secret, id`,
)

/** Every key of a merchant, the revoked ones last. */
export const listMerchantKeys = (db: Db, { merchant_id }: Shop) => db.many(keys, { merchant_id })

export type ActiveKeyRow = Omit<KeyRow, 'created_at' | 'revoked_at'> & { created: number; last_used: number | null }

const KEY_IN_USE = `id, is_secret, is_sandbox, public_key, last_four, unix_seconds(created_at) as created,
     unix_seconds(last_used_at) as last_used`

const keysInUse = statement<ActiveKeyRow>(
  'merchants.list_keys_in_use',
  `select ${KEY_IN_USE} from api_keys
   where merchant_id = :merchant_id and revoked_at is null
   order by is_sandbox, is_secret, id`,
)

/** Keys that are not revoked, live ones first. */
export const listActiveKeys = (db: Db, { merchant_id }: Shop) => db.many(keysInUse, { merchant_id })

const findKey = statement<ActiveKeyRow>(
  'merchants.find_key_in_use',
  `select ${KEY_IN_USE} from api_keys where merchant_id = :merchant_id and id = :id and revoked_at is null`,
)

export const findActiveKey = (db: Db, { merchant_id }: Shop, id: string) => db.maybe(findKey, { merchant_id, id })

// Two processes may write the same keys in different orders. The one that a deadlock stops writes again a minute later.
const noteUses = statement(
  'merchants.note_key_uses',
  `update api_keys k
   set last_used_at = used.used_at
   from unnest(:merchant_ids::integer[], :ids::text[], :times::timestamptz[]) as used (merchant_id, id, used_at)
   where k.merchant_id = used.merchant_id and k.id = used.id and (k.last_used_at is null or k.last_used_at < used.used_at)`,
)

export type KeyUse = { readonly merchant_id: number; readonly keyId: string; readonly usedAt: Date }

/** Writes uses of all merchants at once. A time that is older than the stored one is ignored. */
export const updateKeyUses = (db: Db, uses: readonly KeyUse[]): Promise<number> =>
  db.run(noteUses, {
    merchant_ids: uses.map(({ merchant_id }) => merchant_id),
    ids: uses.map(({ keyId }) => keyId),
    times: uses.map(({ usedAt }) => usedAt),
  })

const revoke = statement(
  'merchants.revoke_key',
  'update api_keys set revoked_at = :now where merchant_id = :merchant_id and id = :id and revoked_at is null',
)

/** False if the merchant has no such key in use. */
export const revokeKeyRow = async (tx: Tx, { merchant_id }: Shop, keyId: string, now: Date) =>
  (await tx.run(revoke, { merchant_id, id: keyId, now })) > 0

// The address may have accounts in other shops: the passwords of one address share their salt (dashboard/login.ts).
const findHash = statement<{ password_hash: string }>(
  'merchants.find_password_hash',
  `select password_hash from dashboard_accounts
   where email = :email and password_hash is not null
   order by merchant_id limit 1`,
)

export const findPasswordHash = async (tx: Tx, email: string): Promise<string | null> =>
  (await tx.maybe(findHash, { email: email.toLowerCase() }))?.password_hash ?? null

const insertAccount = statement(
  'merchants.insert_dashboard_account',
  `insert into dashboard_accounts (merchant_id, email, password_hash, created_at)
   values (:merchant_id, :email, :password_hash, :now)`,
)

export const insertDashboardAccount = (tx: Tx, { merchant_id }: Shop, email: string, passwordHash: string, now: Date) =>
  tx.run(insertAccount, { merchant_id, email: email.toLowerCase(), password_hash: passwordHash, now })

const setFull = statement(
  'quotas.set_full_sandbox',
  'update merchants set full_sandbox = :full where merchant_id = :merchant_id and full_sandbox <> :full',
)

/** False if it was stored before. */
export const updateFullSandbox = async (tx: Tx, { merchant_id }: Shop, full: ReachedQuotas): Promise<boolean> =>
  (await tx.run(setFull, { merchant_id, full })) > 0

const setSelling = statement(
  'merchants.mark_live_seller',
  'update merchants set sells_live = true, updated_at = :now where merchant_id = :merchant_id and not sells_live',
)

/** False if the shop sold live before. */
export const markLiveSeller = async (tx: Tx, { merchant_id }: Shop, now: Date): Promise<boolean> =>
  (await tx.run(setSelling, { merchant_id, now })) > 0

const announce = statement(
  'merchants.announce_change',
  `update revisions set value = value + 1 where name = 'merchants'`,
)

/**
 * Tells every process to clear its cache of merchants and keys. Call it in the transaction of the change, so that neither is visible
 * without the other.
 */
export const announceChange = (tx: Tx) => tx.run(announce, {})

const lockAll = statement('merchants.lock_opening', 'select pg_advisory_xact_lock(4201946113)')

/**
 * Opens shops in sequence. Two processes that start on an empty database would otherwise both make the demo merchant. The second waits here
 * and then sees it.
 */
export const lockMerchantCreation = (tx: Tx) => tx.run(lockAll, {})

const numberFrom = statement(
  'merchants.number_from',
  `select setval(pg_get_serial_sequence('merchants', 'merchant_id')::regclass, :number, false)`,
)

/**
 * Sets the number of the next merchant. Call it under `lockMerchantCreation`, with a number above all existing ones. A rollback does not undo it.
 */
export const setNextMerchantNumber = (tx: Tx, number: number) => tx.run(numberFrom, { number })

/** The shop of a cart or product link that is opened without a key, with the quotas that its sandbox has reached. */
export type LinkShopRow = MerchantProfileRow & { full_sandbox: ReachedQuotas }

const findForLinks = lookup<LinkShopRow>(
  'merchants.find_for_links',
  `select ${merchantProfileColumns()}, m.full_sandbox from merchants m where m.merchant_id = :merchant_id`,
)

/** Null if there is no such merchant. */
export const findLinkShop = (db: Db, scope: Scope) => db.maybe(findForLinks, scope)
