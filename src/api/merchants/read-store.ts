// SQL of the merchant as it is shown, and of its settings as a mode sees them. Other resources embed these fragments in statements of their own.
// The sandbox may have values of its own (`sandbox_own`), which lie over the shop's: live shoppers never see them.

import { type Db, type Scope, statement } from '../../db/db.ts'
import { scopeValues } from '../../db/records.ts'
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

/** The columns of which the sandbox may have its own, beside `settings`. */
type OwnColumn = 'name' | 'description' | 'country' | 'support_email' | 'logo' | 'cover' | 'api_version'

/** The mode as the statement's own parameter. */
const MODE = ':is_sandbox::boolean'

/** One column of `merchants m` as a mode sees it. `isSandbox`: SQL. */
export const columnIn = (column: OwnColumn, isSandbox: string = MODE) =>
  `case when ${isSandbox} and m.sandbox_own ? '${column}' then m.sandbox_own ->> '${column}' else m.${column} end`

/** The settings of `merchants m` as a mode sees them. The sandbox has each of its own groups whole, so that one level is laid over. */
export const settingsIn = (isSandbox: string = MODE) =>
  `case when ${isSandbox} then m.settings || coalesce(m.sandbox_own -> 'settings', '{}') else m.settings end`

// No foreign key holds it: an asset that was deleted is simply not found any more, and ids never come again.
const image = (column: 'logo' | 'cover', isSandbox: string) =>
  `(select ${ASSET_JSON} from assets a where a.merchant_id = :merchant_id and a.id = (${columnIn(column, isSandbox)}) collate "C")`

const columnsIn = (isSandbox: string): Record<keyof FaceRow, string> => ({
  merchant_id: 'm.merchant_id',
  name: columnIn('name', isSandbox),
  description: columnIn('description', isSandbox),
  currency: 'm.currency',
  country: columnIn('country', isSandbox),
  support_email: columnIn('support_email', isSandbox),
  logo: image('logo', isSandbox),
  cover: image('cover', isSandbox),
  settings: settingsIn(isSandbox),
  api_version: columnIn('api_version', isSandbox),
  is_disabled: 'm.is_disabled',
})

/** A `FaceRow` as JSON, of the table `merchants` under the alias `m`, whose row is that of `:merchant_id`, in the mode of `:is_sandbox`. */
export const FACE_JSON = `json_build_object(${Object.entries(columnsIn(MODE))
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})`

/** The same as columns. `isSandbox`: SQL. */
export const faceColumns = (isSandbox: string = MODE) =>
  Object.entries(columnsIn(isSandbox))
    .map(([name, sql]) => `${sql} as ${name}`)
    .join(', ')

const find = statement<FaceRow>(
  'merchants.find_face',
  `select ${faceColumns()} from merchants m where m.merchant_id = :merchant_id`,
)

export const findFace = (db: Db, scope: Scope) => db.maybe(find, scopeValues(scope))
export const getFace = (db: Db, scope: Scope) => db.one(find, scopeValues(scope))
