// All SQL of assets, but for the sweeps' (sweep-store.ts). Other resources take `ASSET_JSON` and `visibleAsset` to show assets as
// this one does, and `holdUsableAssets` to attach them.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'
import type { Asset } from './schema.ts'

/** What an asset is shown from; the same as a row of its own and as JSON inside another statement. */
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
  created: number
  updated: number
}

const SHOWN: Record<keyof AssetRow, string> = {
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
  created: 'unix_seconds(a.created_at)',
  updated: 'unix_seconds(a.updated_at)',
}

/** An `AssetRow` as JSON, of the table `assets` under the alias `a`. `viewAsset` shows it. */
export const ASSET_JSON = `json_build_object(${Object.entries(SHOWN)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})`

/**
 * Whether the asset under the alias `a` is listed inside another object: one whose bytes never came is not, and a private one only
 * where the parameter `isSecret` is true. A public key is in every browser, and even the name of a private file may tell too much.
 */
export const visibleAsset = (isSecret: `$${number}`) => `not a.is_pending and (not a.is_private or ${isSecret})`

/** The columns of an `AssetRow`, of the table `assets` under the alias `a`. */
export const ASSET_COLUMNS = Object.entries(SHOWN)
  .map(([name, sql]) => `${sql} as ${name}`)
  .join(', ')

/** An asset with where its bytes lie, which is nobody's business outside. */
export type KeptAsset = AssetRow & { file_key: string | null; content_type: string }

export const KEPT_COLUMNS = `${ASSET_COLUMNS}, a.file_key, a.content_type`

const find = statement<KeptAsset>(
  'assets.find',
  `select ${KEPT_COLUMNS} from assets a where a.merchant_id = $1 and a.id = $2`,
)

export const findAsset = (db: Db, merchantId: number, id: string) => db.maybe(find, [merchantId, id])

const list = statement<{ total: number; rows: AssetRow[] }>(
  'assets.list',
  `select
     (select count(*) from assets where merchant_id = $1) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${ASSET_COLUMNS} from assets a where a.merchant_id = $1 order by a.id limit $2 offset $3
       ) page
     ), '[]') as rows`,
)

/** One page, oldest first, and the count of all, in one round trip. */
export const listAssets = (db: Db, merchantId: number, { limit, offset }: Page) =>
  db.one(list, [merchantId, limit, offset])

/** What is known of a file once its bytes are stored. */
export type StoredFile = {
  key: string
  extension: string
  contentType: string
  isImage: boolean
  size: number
  width: number | null
  height: number | null
}

export type NewAsset = {
  filename: string
  givenWidth: number | null
  givenHeight: number | null
  description: string | null
  meta: Asset['meta'] | null
  isPrivate: boolean
}

const insert = statement<AssetRow>(
  'assets.insert',
  `insert into assets as a (
     merchant_id, id, filename, given_width, given_height, description, meta, is_private, is_pending, created_at, updated_at,
     file_key, file_extension, content_type, is_image, file_size, read_width, read_height
   )
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14, $15, $16, $17)
   returning ${ASSET_COLUMNS}`,
)

export function insertAsset(
  tx: Tx,
  merchantId: number,
  id: string,
  asset: NewAsset,
  file: Omit<StoredFile, 'key'> & { key: string | null },
  now: Date,
) {
  const { filename, givenWidth, givenHeight, description, meta, isPrivate } = asset
  return tx.one(insert, [
    merchantId,
    id,
    filename,
    givenWidth,
    givenHeight,
    description,
    jsonText(meta),
    isPrivate,
    file.key === null,
    now,
    ...fileColumns(file),
  ])
}

const lock = statement<KeptAsset>(
  'assets.lock',
  `select ${KEPT_COLUMNS} from assets a where a.merchant_id = $1 and a.id = $2 for update`,
)

export const lockAsset = (tx: Tx, merchantId: number, id: string) => tx.maybe(lock, [merchantId, id])

const update = statement<AssetRow>(
  'assets.update',
  `update assets a
   set description = $3, meta = $4, is_pending = $5, updated_at = $6
   where a.merchant_id = $1 and a.id = $2
   returning ${ASSET_COLUMNS}`,
)

type Changeable = Pick<AssetRow, 'description' | 'meta' | 'is_pending'>

export const updateAssetRow = (tx: Tx, merchantId: number, id: string, asset: Changeable, now: Date) =>
  tx.one(update, [merchantId, id, asset.description, jsonText(asset.meta), asset.is_pending, now])

const attachFile = statement(
  'assets.attach_file',
  `update assets a
   set file_key = $4, file_extension = $5, content_type = $6, is_image = $7, file_size = $8, read_width = $9,
     read_height = $10, updated_at = $3
   where a.merchant_id = $1 and a.id = $2`,
)

/** The bytes of a presigned upload have arrived. */
export const attachFileTo = (tx: Tx, merchantId: number, id: string, file: StoredFile, now: Date) =>
  tx.run(attachFile, [merchantId, id, now, ...fileColumns(file)])

// In the order of ids, so that two requests that hold the same assets cannot wait for each other.
const hold = statement<{ id: string }>(
  'assets.hold_usable',
  `select id from assets
   where merchant_id = $1 and id = any($2) and not is_pending
   order by id
   for key share`,
)

/**
 * Those of the ids that can be attached to something: they exist, and their bytes have arrived. Held until the transaction ends, so
 * that one deleted meanwhile is refused by the rules and not by a foreign key.
 */
export async function holdUsableAssets(
  tx: Tx,
  merchantId: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  return new Set((await tx.many(hold, [merchantId, ids])).map(({ id }) => id))
}

const remove = statement<KeptAsset>(
  'assets.delete',
  `delete from assets a where a.merchant_id = $1 and a.id = $2 returning ${KEPT_COLUMNS}`,
)

export const deleteAssetRow = (tx: Tx, merchantId: number, id: string) => tx.maybe(remove, [merchantId, id])

/** As text: left to itself the client would send a list as a PostgreSQL array. */
const jsonText = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

const fileColumns = (file: Omit<StoredFile, 'key'> & { key: string | null }) => [
  file.key,
  file.extension,
  file.contentType,
  file.isImage,
  file.size,
  file.width,
  file.height,
]

// The SQL of the sweeps of assets, which go through all merchants.

// An upload that is being finished in this moment is passed over; it is then finished, or found by the next run.
const deletePending = statement<KeptAsset>(
  'sweep.pending_assets',
  `delete from assets a
   where (a.merchant_id, a.id) in (
     select merchant_id, id from assets where is_pending and created_at < $1 order by created_at limit $2
     for update skip locked
   )
   returning ${KEPT_COLUMNS}`,
)

/** Deletes at most `limit` assets whose upload was announced before `moment` and never finished. */
export const deletePendingBefore = (tx: Tx, moment: Date, limit: number) => tx.many(deletePending, [moment, limit])

const usedKeys = statement<{ key: string }>(
  'sweep.used_file_keys',
  `select a.file_key as key
   from unnest($1::integer[], $2::text[]) as owner (merchant_id, asset_id)
   join assets a on a.merchant_id = owner.merchant_id and a.id = owner.asset_id
   where a.file_key is not null`,
)

/** The keys that the rows of these assets name. */
export const listUsedKeys = async (
  db: Db,
  owners: readonly { merchantId: number; assetId: string }[],
): Promise<string[]> => {
  const merchantIds = owners.map(({ merchantId }) => merchantId)
  const assetIds = owners.map(({ assetId }) => assetId)
  return (await db.many(usedKeys, [merchantIds, assetIds])).map(({ key }) => key)
}

// The SQL that says for what a file is needed as goods: products that deliver it, and buyers who may still fetch it.

/** So many are named, or counted, at most. */
export const MOST_NAMED = 5
export const MOST_COUNTED = 1_000

/** `products`: one more than are named, where there are more. `downloads`: one more than are counted, likewise. */
export type GoodsUse = { products: string[]; downloads: number }

// Live orders alone: the sandbox delivers placeholders. An order that is not paid yet has bought it all the same.
const findGoods = statement<GoodsUse>(
  'assets.find_goods_use',
  `select
     array(
       select package.product_id
       from product_packages package
       where package.merchant_id = $1 and package.asset_id = $2
       order by package.product_id
       limit ${MOST_NAMED + 1}
     ) as products,
     (
       select count(*)
       from (
         select
         from downloads d
         join orders o on o.merchant_id = d.merchant_id and o.id = d.order_id
         where d.merchant_id = $1 and d.asset_id = $2 and not d.is_revoked and (d.remaining is null or d.remaining > 0)
           and (d.expires_at is null or d.expires_at > $3)
           and not o.is_sandbox and o.cancelled_at is null and o.status_payment <> 'refunded'
         limit ${MOST_COUNTED + 1}
       ) sold
     ) as downloads`,
)

/** Whoever calls has locked the asset by an earlier statement, so that no product takes it up meanwhile. */
export const findGoodsUse = (tx: Tx, merchantId: number, id: string, now: Date) =>
  tx.one(findGoods, [merchantId, id, now])
