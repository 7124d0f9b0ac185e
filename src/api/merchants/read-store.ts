// SQL of the merchant as it is shown and set up. Other resources take `FACE_JSON` to read the merchant in a statement of their own.

import { type Db, statement, type Tx } from '../../db/db.ts'
import { ASSET_JSON, type AssetRow } from '../assets/store.ts'
import type { StoredSettings } from './settings.ts'

/** What a merchant is shown from; the same as a row of its own and as JSON inside another statement. */
export type FaceRow = {
  merchant_id: number
  name: string
  description: string | null
  currency: string
  country: string | null
  support_email: string
  logo: AssetRow | null
  cover: AssetRow | null
  settings: StoredSettings
  api_version: string
  is_disabled: boolean
}

// No foreign key holds it: an asset that was deleted is simply not found any more, and ids never come again.
const image = (column: 'm.logo' | 'm.cover') =>
  `(select ${ASSET_JSON} from assets a where a.merchant_id = m.merchant_id and a.id = ${column} collate "C")`

const SHOWN: Record<keyof FaceRow, string> = {
  merchant_id: 'm.merchant_id',
  name: 'm.name',
  description: 'm.description',
  currency: 'm.currency',
  country: 'm.country',
  support_email: 'm.support_email',
  logo: image('m.logo'),
  cover: image('m.cover'),
  settings: 'm.settings',
  api_version: 'm.api_version',
  is_disabled: 'm.is_disabled',
}

/** A `FaceRow` as JSON, of the table `merchants` under the alias `m`. The views show it. */
export const FACE_JSON = `json_build_object(${Object.entries(SHOWN)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})`

const FACE_COLUMNS = Object.entries(SHOWN)
  .map(([name, sql]) => `${sql} as ${name}`)
  .join(', ')

const find = statement<FaceRow>(
  'merchants.find_face',
  `select ${FACE_COLUMNS} from merchants m where m.merchant_id = $1`,
)

export const findFace = (db: Db, merchantId: number) => db.maybe(find, [merchantId])

/** What can be changed; `logo` and `cover` by the ids of their assets. */
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

// Not `for update`: that would wait for, and hold up, every insert of a row that refers to the merchant.
const lock = statement<MerchantFields & { currency: string }>(
  'merchants.lock',
  `select name, description, country, support_email, logo, cover, settings, api_version, currency
   from merchants
   where merchant_id = $1
   for no key update`,
)

export const lockMerchant = (tx: Tx, merchantId: number) => tx.maybe(lock, [merchantId])

const update = statement<FaceRow>(
  'merchants.update',
  `update merchants m
   set name = $2, description = $3, country = $4, support_email = $5, logo = $6, cover = $7, settings = $8,
     api_version = $9, updated_at = $10
   where m.merchant_id = $1
   returning ${FACE_COLUMNS}`,
)

export const updateMerchantRow = (tx: Tx, merchantId: number, fields: MerchantFields, now: Date) =>
  tx.one(update, [
    merchantId,
    fields.name,
    fields.description,
    fields.country,
    fields.support_email,
    fields.logo,
    fields.cover,
    JSON.stringify(fields.settings),
    fields.api_version,
    now,
  ])
