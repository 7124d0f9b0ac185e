// The rules of assets: creating one, finishing an upload, changing fields, and deleting an asset together with its file.

import type { Shop, Tx } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import { withJitter } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { conflict, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { changeCatalogue } from '../catalogue/change.ts'
import { removeFileLater } from './file.ts'
import { type DownloadUse, findDownloadUse, MAX_COUNTED_DOWNLOADS, MAX_NAMED_PRODUCTS } from './read-store.ts'
import type { CreateAsset, UpdateAsset } from './schema.ts'
import {
  type AssetRow,
  attachStoredFile,
  deleteAssetRow,
  type FileColumns,
  insertAsset,
  lockAsset,
  type NewAsset,
  type StoredFile,
  updateAssetRow,
} from './store.ts'
import { SOURCE_UNREACHABLE, unsignedFileUrls, viewAsset, type WriteContext } from './view.ts'

/** Checks what the schema cannot say. Before any byte is fetched or stored. */
export function checkNewAsset(body: CreateAsset): void {
  if (/\p{Cc}/u.test(body.filename))
    throw unprocessable({ filename: ['filename must not contain line breaks or other control characters.'] })
  if (body.contents === undefined && body.url === undefined && body.pending !== true) {
    const sentence = 'is required: send contents or url, or pending: true to upload the file afterwards.'
    throw unprocessable({ contents: [`contents ${sentence}`], url: [`url ${sentence}`] })
  }
}

/** `file` is stored already, or comes from `pendingFileColumns`. */
export const createAsset = (
  { db, clock, caller, lastingOrigin }: WriteContext,
  id: string,
  body: CreateAsset,
  file: FileColumns,
): Promise<AssetRow> =>
  db.transaction(async (tx) => {
    const now = clock.now()
    const row = await insertAsset(tx, caller, id, fieldsOf(body), file, now)
    await emitAssetEvent(tx, 'create', row, lastingOrigin, now)
    if (file.source_url !== null) await scheduleRefetch(tx, caller, { id, tries: 0, origin: lastingOrigin }, now)
    return row
  })

/** Columns of a file that has not arrived yet. Its extension is guessed from its name. */
export const pendingFileColumns = (filename: string): FileColumns => ({
  file_key: null,
  file_extension: /\.([a-z0-9]{1,12})$/i.exec(filename)?.[1]?.toLowerCase() ?? '',
  content_type: 'application/octet-stream',
  is_image: false,
  file_size: 0,
  read_width: null,
  read_height: null,
  source_url: null,
  source_problem: null,
})

const fieldsOf = (body: CreateAsset): NewAsset => ({
  filename: body.filename,
  given_width: body.image_dimensions?.width ?? null,
  given_height: body.image_dimensions?.height ?? null,
  description: body.description ?? null,
  meta: withoutMark(body.meta) ?? null,
  is_private: body.private ?? false,
})

/** Attaches the stored bytes of a presigned upload. A second upload replaces the first until the merchant finishes the upload. */
export const attachUpload = (
  { db, clock }: Pick<WriteContext, 'db' | 'clock'>,
  shop: Shop,
  id: string,
  file: StoredFile,
): Promise<void> =>
  changeCatalogue({ db, caller: shop }, async (tx) => {
    const current = await lockAsset(tx, shop, id)
    if (current === null) throw notFound('asset')
    if (!current.is_pending) throw uploadIsFinished()
    await attachStoredFile(tx, shop, id, file, clock.now())
    await removeFileLater(tx, clock, shop, current.file_key)
  })

export const uploadIsFinished = () =>
  conflict('The upload of this asset is finished; create another asset for another file.')

export async function updateAsset(
  { db, clock, caller, lastingOrigin, refuseIfChanged }: WriteContext,
  id: string,
  body: UpdateAsset,
): Promise<AssetRow> {
  if (body.pending === undefined && body.description === undefined && body.meta === undefined)
    throw unprocessable({ pending: ['pending is required, unless description or meta is sent.'] })
  return changeCatalogue({ db, caller }, async (tx) => {
    // The lock orders the upload and its end: neither can overtake the other.
    const current = await lockAsset(tx, caller, id)
    if (current === null) throw notFound('asset')
    await refuseIfChanged?.(tx)
    if (body.pending !== undefined && current.file_key === null)
      throw notValid({ pending: ['The file has not arrived yet: PUT its bytes to upload_url first.'] })
    const changes = {
      description: newOrCurrent(body.description, current.description),
      meta: newOrCurrent(withoutMark(body.meta), current.meta),
      is_pending: body.pending === undefined ? current.is_pending : false,
    }
    const now = clock.now()
    const row = await updateAssetRow(tx, caller, id, changes, now)
    await emitAssetEvent(tx, 'update', row, lastingOrigin, now)
    return row
  })
}

/**
 * Removes our mark from the meta that a client sends back after reading it. Stored as the merchant's own field, the mark would stay after
 * the file has arrived, or be copied to another asset.
 */
function withoutMark(meta: UpdateAsset['meta']): UpdateAsset['meta'] {
  if (meta === undefined || meta === null || Array.isArray(meta)) return meta
  const { [SOURCE_UNREACHABLE]: _mark, ...own } = meta
  return own
}

/** Detaches pictures from everything that shows them. Refuses a file that is sold: without it a product would deliver nothing. */
export const deleteAsset = ({ db, clock, caller, lastingOrigin }: WriteContext, id: string): Promise<void> =>
  changeCatalogue({ db, caller }, async (tx) => {
    if ((await lockAsset(tx, caller, id)) === null) throw notFound('asset')
    const now = clock.now()
    refuseFileInUse(await findDownloadUse(tx, caller, id, now))
    const deleted = await deleteAssetRow(tx, caller, id)
    if (deleted === null) throw notFound('asset')
    await removeFileLater(tx, clock, caller, deleted.file_key)
    await emitAssetEvent(tx, 'delete', deleted, lastingOrigin, now)
  })

function refuseFileInUse({ products, downloads }: DownloadUse) {
  const reasons: string[] = []
  if (products.length > 0) {
    const firstProducts = products.slice(0, MAX_NAMED_PRODUCTS).join(', ')
    const list = products.length > MAX_NAMED_PRODUCTS ? `${firstProducts} and others` : firstProducts
    reasons.push(
      `asset_id is a file that products deliver. Remove it from delivery.digital.packages of these products first: ${list}.`,
    )
  }
  if (downloads > 0) {
    const count = downloads > MAX_COUNTED_DOWNLOADS ? `more than ${MAX_COUNTED_DOWNLOADS}` : downloads
    reasons.push(
      `asset_id is a file that buyers may still download, in live orders: ${count}. Revoke these downloads first.`,
    )
  }
  if (reasons.length > 0) throw notValid({ asset_id: reasons })
}

/** A fetch to be retried. `origin` is a lasting one, for the event of the asset. */
export type RefetchPayload = { readonly id: string; readonly tries: number; readonly origin: string }

export const FETCH_AGAIN = 'assets.fetch_again'

const FIRST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 3_600_000

/** One retry waits per asset: after one minute, two, four … up to an hour. */
export const scheduleRefetch = (tx: Tx, { merchant_id }: Shop, refetch: RefetchPayload, now: Date): Promise<void> => {
  const wait = withJitter(Math.min(FIRST_WAIT_MS * 2 ** refetch.tries, LONGEST_WAIT_MS))
  const runAt = new Date(now.getTime() + wait)
  return enqueue(tx, { merchant_id, kind: FETCH_AGAIN, payload: refetch, runAt, key: refetch.id, replaces: true })
}

/** `origin` is a lasting one. */
export const emitAssetEvent = (
  tx: Tx,
  verb: 'create' | 'update' | 'delete',
  row: AssetRow,
  origin: string,
  now: Date,
) => emit(tx, { merchant_id: row.merchant_id }, `assets.${verb}`, viewAsset(row, unsignedFileUrls(origin)), now)
