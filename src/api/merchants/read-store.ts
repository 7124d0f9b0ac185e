// SQL of the merchant as it is shown. Other resources take `FACE_JSON` to read the merchant in a statement of their own.

import { type Db, statement } from '../../db/db.ts'
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
  `(select ${ASSET_JSON} from assets a where a.merchant_id = :merchant_id and a.id = ${column} collate "C")`

const COLUMNS: Record<keyof FaceRow, string> = {
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

/** A `FaceRow` as JSON, of the table `merchants` under the alias `m`, whose row is that of `:merchant_id`. The views show it. */
export const FACE_JSON = `json_build_object(${Object.entries(COLUMNS)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})`

/** The same as columns. */
export const FACE_COLUMNS = Object.entries(COLUMNS)
  .map(([name, sql]) => `${sql} as ${name}`)
  .join(', ')

const find = statement<FaceRow>(
  'merchants.find_face',
  `select ${FACE_COLUMNS} from merchants m where m.merchant_id = :merchant_id`,
)

export const findFace = (db: Db, merchantId: number) => db.maybe(find, { merchant_id: merchantId })
export const getFace = (db: Db, merchantId: number) => db.one(find, { merchant_id: merchantId })
