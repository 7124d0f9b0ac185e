// SQL of the assets table; read-store.ts finds where an asset is used. Other resources show assets with `ASSET_JSON` and
// `VISIBLE_ASSET`, and attach them under `lockUsableAssets`. Sandbox and live mode share the assets of a shop.

import { columns } from '../../db/columns.ts'
import { addToCount, storedCountSql } from '../../db/counts.ts'
import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'
import { keyOf } from '../../db/records.ts'
import { groupByShop, type RowKey } from '../../jobs/due.ts'
import type { PageQuery } from '../../lib/page.ts'
import type { CatalogueTx } from '../catalogue/store.ts'
import type { Asset } from './schema.ts'

/** The fields from which an asset is shown. The same from its own row and as JSON inside another statement. */
export type AssetRow = {
  merchant_id: number
  id: string
  filename: string
  file_extension: string
  file_size: number
  is_image: boolean
  width: number | null
  height: number | null
  description: string | null
  meta: Asset['meta'] | null
  is_private: boolean
  is_pending: boolean
  /** The file could not be fetched yet, and a placeholder replaces it. Missing in orders from older releases. */
  is_unreachable?: boolean
  created: number
  updated: number
}

const SHOWN: Record<keyof Required<AssetRow>, string> = {
  merchant_id: 'a.merchant_id',
  id: 'a.id',
  filename: 'a.filename',
  file_extension: 'a.file_extension',
  file_size: 'a.file_size',
  is_image: 'a.is_image',
  width: 'coalesce(a.given_width, a.read_width)',
  height: 'coalesce(a.given_height, a.read_height)',
  description: 'a.description',
  meta: 'a.meta',
  is_private: 'a.is_private',
  is_pending: 'a.is_pending',
  is_unreachable: 'a.source_url is not null',
  created: 'unix_seconds(a.created_at)',
  updated: 'unix_seconds(a.updated_at)',
}

/** An `AssetRow` as JSON, of the table `assets` under the alias `a`. `viewAsset` shows it. */
export const ASSET_JSON = `json_build_object(${Object.entries(SHOWN)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})`

/**
 * Condition under which the asset with the alias `a` is listed inside another object. Pending assets are hidden; private ones are shown
 * only to a secret key. A public key is in every browser, and even the name of a private file may reveal too much.
 */
export const VISIBLE_ASSET = 'not a.is_pending and (not a.is_private or :is_secret)'

/** The columns of an `AssetRow`, of the table `assets` under the alias `a`. */
const ASSET_COLUMNS = Object.entries(SHOWN)
  .map(([name, sql]) => `${sql} as ${name}`)
  .join(', ')

/** An asset with the internal details of its file, which replies do not show. */
type AssetWithFile = AssetRow & Pick<FileColumns, 'file_key' | 'content_type' | 'source_url' | 'source_problem'>

const COLUMNS_WITH_FILE = `${ASSET_COLUMNS}, a.file_key, a.content_type, a.source_url, a.source_problem`

const find = statement<AssetWithFile>(
  'assets.find',
  `select ${COLUMNS_WITH_FILE} from assets a where a.merchant_id = :merchant_id and a.id = :id`,
)

export const findAsset = (db: Db, { merchant_id }: Shop, id: string) => db.maybe(find, { merchant_id, id })

const listSql = (order: 'a.id' | 'a.id desc') =>
  `select
     ${storedCountSql('assets')} as total,
     coalesce((
       select json_agg(page)
       from (
         select ${ASSET_COLUMNS} from assets a where a.merchant_id = :merchant_id order by ${order} limit :limit offset :offset
       ) page
     ), '[]') as rows`

type ListedAssets = { total: number; rows: AssetRow[] }

const LISTS = {
  asc: statement<ListedAssets>('assets.list', listSql('a.id')),
  desc: statement<ListedAssets>('assets.list_newest', listSql('a.id desc')),
}

/** One page and the total count, in one round trip. */
export const listAssets = (
  db: Db,
  { merchant_id }: Shop,
  { limit, offset }: PageQuery,
  direction: 'asc' | 'desc' = 'asc',
) => db.one(LISTS[direction], { merchant_id, limit, offset })

/** The columns about the file. Most are empty until its bytes have arrived. */
export type FileColumns = {
  /** Storage key of the bytes. Null until they are stored. */
  file_key: string | null
  file_extension: string
  content_type: string
  is_image: boolean
  file_size: number
  read_width: number | null
  read_height: number | null
  /** Address to fetch the file from, while the stored bytes are a placeholder. */
  source_url: string | null
  /** Reason why the fetch is no longer retried. */
  source_problem: string | null
}

export type StoredFile = FileColumns & { file_key: string }

const FILE = columns<keyof FileColumns>([
  'file_key',
  'file_extension',
  'content_type',
  'is_image',
  'file_size',
  'read_width',
  'read_height',
  'source_url',
  'source_problem',
])

export type NewAsset = Pick<AssetRow, 'filename' | 'description' | 'meta' | 'is_private'> & {
  /** Dimensions from the merchant, which override those read from the file. */
  given_width: number | null
  given_height: number | null
}

const NEW = columns<keyof NewAsset>(
  ['filename', 'description', 'meta', 'is_private', 'given_width', 'given_height'],
  ['meta'],
)

const insert = statement<AssetRow>(
  'assets.insert',
  `insert into assets as a (
     merchant_id, id, is_pending, created_at, updated_at, ${NEW.names}, ${FILE.names}
   )
   values (:merchant_id, :id, :is_pending, :now, :now, ${NEW.parameters}, ${FILE.parameters})
   returning ${ASSET_COLUMNS}`,
)

/** The asset is pending until its bytes are stored. */
export async function insertAsset(tx: Tx, shop: Shop, id: string, asset: NewAsset, file: FileColumns, now: Date) {
  const columns = { ...NEW.values(asset), ...FILE.values(file), is_pending: file.file_key === null }
  const row = await tx.one(insert, { ...columns, ...keyOf(shop, id), now })
  addToCount(tx, shop, 'assets', 1)
  return row
}

const lock = statement<AssetWithFile>(
  'assets.lock',
  `select ${COLUMNS_WITH_FILE} from assets a where a.merchant_id = :merchant_id and a.id = :id for update`,
)

export const lockAsset = (tx: Tx, { merchant_id }: Shop, id: string) => tx.maybe(lock, { merchant_id, id })

type Changeable = Pick<AssetRow, 'description' | 'meta' | 'is_pending'>

const CHANGEABLE = columns<keyof Changeable>(['description', 'meta', 'is_pending'], ['meta'])

const update = statement<AssetRow>(
  'assets.update',
  `update assets a
   set ${CHANGEABLE.assignments}, updated_at = :now
   where a.merchant_id = :merchant_id and a.id = :id
   returning ${ASSET_COLUMNS}`,
)

export const updateAssetRow = (tx: CatalogueTx, { merchant_id }: Shop, id: string, asset: Changeable, now: Date) =>
  tx.one(update, { ...CHANGEABLE.values(asset), merchant_id, id, now })

const attachFile = statement(
  'assets.attach_file',
  `update assets a
   set ${FILE.assignments}, updated_at = :now
   where a.merchant_id = :merchant_id and a.id = :id`,
)

/** Attaches bytes that have arrived by a presigned upload, or that replace a placeholder. */
export const attachStoredFile = (tx: CatalogueTx, { merchant_id }: Shop, id: string, file: StoredFile, now: Date) =>
  tx.run(attachFile, { ...FILE.values(file), merchant_id, id, now })

// Locks in the order of ids, so that two requests with the same assets cannot deadlock.
const lockUsable = statement<{ id: string }>(
  'assets.hold_usable',
  `select id from assets
   where merchant_id = :merchant_id and id = any(:ids) and not is_pending
   order by id
   for key share`,
)

/** The name of such an asset in refusals. `lockUsableAssets` skips pending assets and unknown ids alike. */
export const USABLE_ASSET = 'a finished asset'

/**
 * The ids that can be attached: the asset exists and its bytes have arrived. Locks them until the transaction ends, so that a concurrent
 * deletion is refused by our rules, not by a foreign key.
 */
export async function lockUsableAssets(
  tx: Tx,
  { merchant_id }: Shop,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  return new Set((await tx.many(lockUsable, { merchant_id, ids })).map(({ id }) => id))
}

const findPlaceholders = statement<{ id: string }>(
  'assets.find_placeholders',
  'select id from assets where merchant_id = :merchant_id and id = any(:ids) and source_url is not null',
)

/** The ids whose file is still a placeholder, which must not be sold. */
export async function listPlaceholders(
  tx: Tx,
  { merchant_id }: Shop,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  return new Set((await tx.many(findPlaceholders, { merchant_id, ids })).map(({ id }) => id))
}

const setProblem = statement(
  'assets.set_source_problem',
  `update assets set source_problem = :problem
   where merchant_id = :merchant_id and id = :id and source_url is not null`,
)

export const setSourceProblem = (tx: Tx, { merchant_id }: Shop, id: string, problem: string) =>
  tx.run(setProblem, { merchant_id, id, problem })

export type UnreachableRow = Pick<AssetWithFile, 'id' | 'filename' | 'source_url' | 'source_problem' | 'created'>

const listUnreachable = statement<UnreachableRow>(
  'assets.list_unreachable',
  `select a.id, a.filename, a.source_url, a.source_problem, unix_seconds(a.created_at) as created
   from assets a
   where a.merchant_id = :merchant_id and a.source_url is not null
   order by a.id
   limit :limit`,
)

export const unreachableAssetsOf = (db: Db, { merchant_id }: Shop, limit: number) =>
  db.many(listUnreachable, { merchant_id, limit })

const remove = statement<AssetWithFile>(
  'assets.delete',
  `delete from assets a where a.merchant_id = :merchant_id and a.id = :id returning ${COLUMNS_WITH_FILE}`,
)

export async function deleteAssetRow(tx: CatalogueTx, shop: Shop, id: string) {
  const row = await tx.maybe(remove, keyOf(shop, id))
  if (row !== null) addToCount(tx, shop, 'assets', -1)
  return row
}

// Sweeps over all merchants.

const findPending = statement<RowKey>(
  'sweep.find_pending_assets',
  'select merchant_id, id from assets where is_pending and created_at < :moment order by created_at limit :limit',
)

// Skips an upload that is being finished now. The next run checks it again.
const deletePending = statement<AssetWithFile>(
  'sweep.pending_assets',
  `with old as materialized (
     select held.id
     from unnest(:ids::text[]) as found (id) cross join lateral (
       select id from assets
       where merchant_id = :merchant_id and assets.id = found.id and (is_pending and created_at < :moment) is true
       offset 0 for update skip locked
     ) held
   )
   delete from assets a using old
   where a.merchant_id = :merchant_id and a.id = old.id
   returning ${COLUMNS_WITH_FILE}`,
)

/** Deletes at most `limit` assets whose upload was announced before `moment` and never finished. */
export async function deletePendingBefore(tx: Tx, moment: Date, limit: number) {
  const pending = groupByShop(await tx.many(findPending, { moment, limit }))
  const deletedAssets: AssetWithFile[] = []
  // Goes in the order of merchants, so that two sweeps cannot deadlock.
  for (const [merchant_id, assets] of [...pending].sort(([one], [other]) => one - other)) {
    const rows = await tx.many(deletePending, { merchant_id, moment, ids: assets.map(({ id }) => id) })
    addToCount(tx, { merchant_id }, 'assets', -rows.length)
    deletedAssets.push(...rows)
  }
  return deletedAssets
}

const usedKeys = statement<{ key: string }>(
  'sweep.used_file_keys',
  `select a.file_key as key
   from unnest(:merchant_ids::integer[], :asset_ids::text[]) as owner (merchant_id, asset_id)
   join assets a on a.merchant_id = owner.merchant_id and a.id = owner.asset_id
   where a.file_key is not null`,
)

type Owners = readonly { merchant_id: number; assetId: string }[]

/** The storage keys that the rows of these assets refer to. */
export const listUsedKeys = async (db: Db, owners: Owners): Promise<string[]> => {
  const [merchant_ids, asset_ids] = [owners.map(({ merchant_id }) => merchant_id), owners.map(({ assetId }) => assetId)]
  return (await db.many(usedKeys, { merchant_ids, asset_ids })).map(({ key }) => key)
}
