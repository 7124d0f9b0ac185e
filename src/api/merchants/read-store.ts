// SQL of a merchant as it is shown, and of its settings as a mode sees them. Other resources embed these fragments in their own statements.
// The sandbox may have its own values (`sandbox_own`), which override the shop's. Live shoppers never see them.

import { type Db, type Scope, statement } from '../../db/db.ts'
import { ASSET_JSON, type AssetRow } from '../assets/store.ts'
import type { StoredSettings } from './settings.ts'

/** Columns that a merchant is shown from, as a row or as JSON inside another statement. */
export type MerchantProfileRow = {
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

/** Columns that the sandbox may override, besides `settings`. */
type OwnColumn = 'name' | 'description' | 'country' | 'support_email' | 'logo' | 'cover' | 'api_version'

/** SQL: the mode, as a parameter of the statement. */
const MODE = ':is_sandbox::boolean'

/** SQL: one column of `merchants m` as a mode sees it. `is_sandbox` is SQL. */
export const merchantColumnSql = (column: OwnColumn, is_sandbox: string = MODE) =>
  `case when ${is_sandbox} and m.sandbox_own ? '${column}' then m.sandbox_own ->> '${column}' else m.${column} end`

/** SQL: the settings of `merchants m` as a mode sees them. The sandbox overrides whole groups, so one level is merged. */
export const merchantSettingsSql = (is_sandbox: string = MODE) =>
  `case when ${is_sandbox} then m.settings || coalesce(m.sandbox_own -> 'settings', '{}') else m.settings end`

// No foreign key protects it: a deleted asset is not found any more, and ids are never used again.
const image = (column: 'logo' | 'cover', is_sandbox: string) =>
  `(select ${ASSET_JSON} from assets a where a.merchant_id = :merchant_id and a.id = (${merchantColumnSql(column, is_sandbox)}) collate "C")`

const columnsIn = (is_sandbox: string): Record<keyof MerchantProfileRow, string> => ({
  merchant_id: 'm.merchant_id',
  name: merchantColumnSql('name', is_sandbox),
  description: merchantColumnSql('description', is_sandbox),
  currency: 'm.currency',
  country: merchantColumnSql('country', is_sandbox),
  support_email: merchantColumnSql('support_email', is_sandbox),
  logo: image('logo', is_sandbox),
  cover: image('cover', is_sandbox),
  settings: merchantSettingsSql(is_sandbox),
  api_version: merchantColumnSql('api_version', is_sandbox),
  is_disabled: 'm.is_disabled',
})

/** SQL: a `MerchantProfileRow` as JSON, from the table `merchants` aliased `m`. Its row must be that of `:merchant_id`; the mode is `:is_sandbox`. */
export const MERCHANT_PROFILE_JSON = `json_build_object(${Object.entries(columnsIn(MODE))
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})`

/** SQL: a `MerchantProfileRow` as columns. `is_sandbox` is SQL. */
export const merchantProfileColumns = (is_sandbox: string = MODE) =>
  Object.entries(columnsIn(is_sandbox))
    .map(([name, sql]) => `${sql} as ${name}`)
    .join(', ')

const find = statement<MerchantProfileRow>(
  'merchants.find_face',
  `select ${merchantProfileColumns()} from merchants m where m.merchant_id = :merchant_id`,
)

export const findMerchantProfile = (db: Db, scope: Scope) => db.maybe(find, scope)
export const getMerchantProfile = (db: Db, scope: Scope) => db.one(find, scope)
