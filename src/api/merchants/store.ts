// All SQL of merchants, API keys and dashboard accounts.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { NewKey } from './merchant.ts'

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
  full_sandbox: string[]
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
  `select k.merchant_id, k.id as key_id, k.is_secret, k.is_sandbox, m.currency, m.api_version, m.is_disabled,
     m.full_sandbox
   from api_keys k
   join merchants m on m.merchant_id = k.merchant_id
   where k.key_hash = $1 and k.revoked_at is null`,
)

export const findCallerByKeyHash = (db: Db, hash: Buffer) => db.maybe(callerByKeyHash, [hash])

const MERCHANT = 'merchant_id, name, currency, api_version, is_disabled'

const all = statement<MerchantRow>('merchants.list_all', `select ${MERCHANT} from merchants order by merchant_id`)

/** Every merchant of this installation; for the operator's commands, never for a request. */
export const allMerchants = (db: Db) => db.many(all, [])

const byId = statement<MerchantRow>('merchants.find', `select ${MERCHANT} from merchants where merchant_id = $1`)

export const findMerchant = (db: Db, merchantId: number) => db.maybe(byId, [merchantId])

const insert = statement<{ merchant_id: number }>(
  'merchants.insert',
  `insert into merchants (name, description, currency, country, support_email, settings, api_version, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
   returning merchant_id`,
)

export type NewMerchant = {
  name: string
  description: string | null
  currency: string
  country: string | null
  supportEmail: string
  settings: Record<string, unknown>
  apiVersion: string
  now: Date
}

export const insertMerchant = async (tx: Tx, merchant: NewMerchant): Promise<number> => {
  const { name, description, currency, country, supportEmail, settings, apiVersion, now } = merchant
  const row = await tx.one(insert, [name, description, currency, country, supportEmail, settings, apiVersion, now])
  return row.merchant_id
}

const setDisabled = statement(
  'merchants.set_disabled',
  'update merchants set is_disabled = $2, updated_at = $3 where merchant_id = $1',
)

export const updateDisabled = async (tx: Tx, merchantId: number, isDisabled: boolean, now: Date) =>
  (await tx.run(setDisabled, [merchantId, isDisabled, now])) > 0

const setVersion = statement(
  'merchants.set_version',
  'update merchants set api_version = $2, updated_at = $3 where merchant_id = $1',
)

export const updateVersion = (tx: Tx, merchantId: number, version: string, now: Date) =>
  tx.run(setVersion, [merchantId, version, now])

const insertKeyRow = statement(
  'merchants.insert_key',
  `insert into api_keys (merchant_id, id, is_secret, is_sandbox, key_hash, public_key, last_four, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

export const insertKey = (tx: Tx, merchantId: number, id: string, key: NewKey, now: Date) =>
  tx.run(insertKeyRow, [
    merchantId,
    id,
    key.isSecret,
    key.isSandbox,
    key.hash,
    key.isSecret ? null : key.text,
    key.lastFour,
    now,
  ])

const KEY = 'id, is_secret, is_sandbox, public_key, last_four, created_at, revoked_at'

const keys = statement<KeyRow>(
  'merchants.list_keys',
  `select ${KEY} from api_keys where merchant_id = $1 order by revoked_at is not null, is_sandbox desc, is_secret, id`,
)

/** Every key of a merchant, the revoked ones last. */
export const keysOf = (db: Db, merchantId: number) => db.many(keys, [merchantId])

const revoke = statement(
  'merchants.revoke_key',
  'update api_keys set revoked_at = $3 where merchant_id = $1 and id = $2 and revoked_at is null',
)

/** False where the merchant has no such key in use. */
export const revokeKeyRow = async (tx: Tx, merchantId: number, keyId: string, now: Date) =>
  (await tx.run(revoke, [merchantId, keyId, now])) > 0

const insertAccount = statement(
  'merchants.insert_dashboard_account',
  'insert into dashboard_accounts (merchant_id, email, password_hash, created_at) values ($1, $2, $3, $4)',
)

export const insertDashboardAccount = (tx: Tx, merchantId: number, email: string, passwordHash: string, now: Date) =>
  tx.run(insertAccount, [merchantId, email.toLowerCase(), passwordHash, now])

const announce = statement(
  'merchants.announce_change',
  `update revisions set value = value + 1 where name = 'merchants'`,
)

/** Tells every process to forget what it cached of merchants and keys. In the transaction of the change, so neither is seen alone. */
export const announceChange = (tx: Tx) => tx.run(announce, [])

const lock = statement('merchants.lock_seeding', 'select pg_advisory_xact_lock(4201946113)')

/** Two processes starting on an empty database would both make the demo merchant; the second waits here and then sees it. */
export const lockSeeding = (tx: Tx) => tx.run(lock, [])
