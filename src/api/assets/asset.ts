// The rules of assets: what makes one, how an upload is finished, what may be changed, what deleting takes with it.

import type { Tx } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import type { Clock } from '../../lib/clock.ts'
import { conflict, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { removeFileLater } from './file.ts'
import type { CreateAsset, UpdateAsset } from './schema.ts'
import {
  type AssetRow,
  attachFileTo,
  deleteAssetRow,
  findGoodsUse,
  type GoodsUse,
  insertAsset,
  lockAsset,
  MOST_COUNTED,
  MOST_NAMED,
  type NewAsset,
  type StoredFile,
  updateAssetRow,
} from './store.ts'
import { unsigned, viewAsset } from './view.ts'

/** Whose asset, and how addresses in its event begin: with a lasting origin. */
export type Owner = { merchantId: number; origin: string }

/** Checks what the schema cannot say. Before any byte is fetched or stored. */
export function checkNewAsset(body: CreateAsset): void {
  if (/\p{Cc}/u.test(body.filename))
    throw unprocessable({ filename: ['filename must not contain line breaks or other control characters.'] })
  if (body.contents === undefined && body.url === undefined && body.pending !== true) {
    const sentence = 'is required: send contents or url, or pending: true to upload the file afterwards.'
    throw unprocessable({ contents: [`contents ${sentence}`], url: [`url ${sentence}`] })
  }
}

/** An asset whose bytes are stored. */
export async function createAsset(
  tx: Tx,
  clock: Clock,
  owner: Owner,
  id: string,
  body: CreateAsset,
  file: StoredFile,
): Promise<AssetRow> {
  const row = await insertAsset(tx, owner.merchantId, id, fieldsOf(body), file, clock.now())
  await announce(tx, clock, 'create', owner, row)
  return row
}

/** An asset that waits for its bytes. What it will be is a guess from its name until they come. */
export async function createPendingAsset(
  tx: Tx,
  clock: Clock,
  owner: Owner,
  id: string,
  body: CreateAsset,
  extension: string,
): Promise<AssetRow> {
  const nothing = {
    key: null,
    extension,
    contentType: 'application/octet-stream',
    isImage: false,
    size: 0,
    width: null,
    height: null,
  }
  const row = await insertAsset(tx, owner.merchantId, id, fieldsOf(body), nothing, clock.now())
  await announce(tx, clock, 'create', owner, row)
  return row
}

const fieldsOf = (body: CreateAsset): NewAsset => ({
  filename: body.filename,
  givenWidth: body.image_dimensions?.width ?? null,
  givenHeight: body.image_dimensions?.height ?? null,
  description: body.description ?? null,
  meta: body.meta ?? null,
  isPrivate: body.private ?? false,
})

/** The bytes of a presigned upload are stored. A second upload takes the place of the first while nobody has said "finished". */
export async function attachUpload(
  tx: Tx,
  clock: Clock,
  merchantId: number,
  id: string,
  file: StoredFile,
): Promise<void> {
  const current = await lockAsset(tx, merchantId, id)
  if (current === null) throw notFound('asset')
  if (!current.is_pending) throw uploadIsFinished()
  await attachFileTo(tx, merchantId, id, file, clock.now())
  await removeFileLater(tx, clock, merchantId, current.file_key)
}

export const uploadIsFinished = () =>
  conflict('The upload of this asset is finished; create another asset for another file.')

export async function updateAsset(
  tx: Tx,
  clock: Clock,
  owner: Owner,
  id: string,
  body: UpdateAsset,
): Promise<AssetRow> {
  if (body.pending === undefined && body.description === undefined && body.meta === undefined)
    throw unprocessable({ pending: ['pending is required, unless description or meta is sent.'] })
  // Locked, so that the upload and its end cannot pass one another.
  const current = await lockAsset(tx, owner.merchantId, id)
  if (current === null) throw notFound('asset')
  if (body.pending !== undefined && current.file_key === null)
    throw notValid({ pending: ['The file has not arrived yet: PUT its bytes to upload_url first.'] })
  const changed = {
    description: body.description === undefined ? current.description : body.description,
    meta: body.meta === undefined ? current.meta : body.meta,
    is_pending: body.pending === undefined ? current.is_pending : false,
  }
  const row = await updateAssetRow(tx, owner.merchantId, id, changed, clock.now())
  await announce(tx, clock, 'update', owner, row)
  return row
}

/** Pictures are detached from whatever shows them. Goods are not: without its file a product would be sold as nothing. */
export async function deleteAsset(tx: Tx, clock: Clock, owner: Owner, id: string): Promise<void> {
  if ((await lockAsset(tx, owner.merchantId, id)) === null) throw notFound('asset')
  refuseGoods(await findGoodsUse(tx, owner.merchantId, id, clock.now()))
  const deleted = await deleteAssetRow(tx, owner.merchantId, id)
  if (deleted === null) throw notFound('asset')
  await removeFileLater(tx, clock, owner.merchantId, deleted.file_key)
  await announce(tx, clock, 'delete', owner, deleted)
}

function refuseGoods({ products, downloads }: GoodsUse) {
  const reasons: string[] = []
  if (products.length > 0) {
    const named = products.slice(0, MOST_NAMED).join(', ')
    const list = products.length > MOST_NAMED ? `${named} and others` : named
    reasons.push(`asset_id is a file that is sold: take it out of delivery.digital.packages first, of ${list}.`)
  }
  if (downloads > 0) {
    const count = downloads > MOST_COUNTED ? `more than ${MOST_COUNTED}` : downloads
    reasons.push(
      `asset_id is a file that buyers may still download, in live orders: ${count}. Revoke these downloads first.`,
    )
  }
  if (reasons.length > 0) throw notValid({ asset_id: reasons })
}

export const announce = (tx: Tx, clock: Clock, verb: 'create' | 'update' | 'delete', owner: Owner, row: AssetRow) =>
  emit(tx, owner, `assets.${verb}`, viewAsset(row, unsigned(owner.origin)), clock.now())
