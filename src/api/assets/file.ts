// The bytes of an asset: checking, storing, serving and removing them. Bytes are stored before their row, so that a row never promises a
// missing file. A sweep removes files without a row.

import { randomBytes } from 'node:crypto'
import type { Shop, Tx } from '../../db/db.ts'
import type { FileServices } from '../../files/files.ts'
import { readImageSize } from '../../files/image-size.ts'
import { placeholderPicture } from '../../files/placeholder.ts'
import { discard, receiveFile } from '../../files/receive.ts'
import type { ReceivedFile } from '../../files/store.ts'
import { acceptedTypes, detectType, type FileType, isNameAccepted } from '../../files/type.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { FindFile } from '../../http/files/files.ts'
import { enqueue } from '../../jobs/queue.ts'
import { findGrantExpiry } from '../../keys/signing.ts'
import { type Clock, unixSeconds } from '../../lib/clock.ts'
import { ApiError, fileTooLarge, notValid } from '../../lib/errors.ts'
import { isId, readMerchantNumber } from '../../lib/ids.ts'
import { safeFilename } from '../../lib/text.ts'
import { findAsset, type StoredFile } from './store.ts'
import { FILE_SECRET } from './view.ts'

export const CONTENTS_LIMIT = 2 * 1_048_576
export const FILE_LIMIT = 10 * 1_048_576

/** The asset that a file belongs to, and the file's name. `field` is the request field that an error names. */
type FileOwner = { merchant_id: number; assetId: string; filename: string; field: string }

const SUFFIX_BYTES = 5

/** The asset's id, by which the sweep finds its row, and a random ending that is unique per upload. */
const newKey = (merchant_id: number, assetId: string): string =>
  `${merchant_id}/${assetId}${randomBytes(SUFFIX_BYTES).toString('hex')}`

/** The merchant and asset of a storage key, or null if the key does not have our form. */
export function parseFileKey(key: string): { merchant_id: number; assetId: string } | null {
  const [merchant = '', rest = ''] = key.split('/')
  const assetId = rest.slice(0, -2 * SUFFIX_BYTES)
  const merchant_id = readMerchantNumber(merchant)
  return merchant_id !== null && isId('asset', assetId) ? { merchant_id, assetId } : null
}

/** Checks a received file and stores it. The temporary file is always deleted afterwards. */
export async function storeFile(files: FileServices, owner: FileOwner, received: ReceivedFile): Promise<StoredFile> {
  try {
    const type = await detectType(received, owner.filename)
    if (type === null) throw notAccepted(owner.field)
    const size = type.isImage ? await sizeOfPicture(type, owner.field, received) : null
    const key = newKey(owner.merchant_id, owner.assetId)
    await files.store.put(key, received)
    return {
      file_key: key,
      file_extension: type.extension,
      content_type: type.contentType,
      is_image: type.isImage,
      file_size: received.size,
      read_width: size?.width ?? null,
      read_height: size?.height ?? null,
      source_url: null,
      source_problem: null,
    }
  } finally {
    await discard(received)
  }
}

/** A picture of a few kilobytes may unpack to gigabytes in the program that displays it. */
const MAX_PIXELS = 100_000_000

/** Valid files of these types always declare their dimensions. Valid files of other types may not, so they are accepted without. */
const ALWAYS_SIZED: ReadonlySet<string> = new Set(['webp', 'avif'])

async function sizeOfPicture({ extension }: FileType, field: string, { head, path }: ReceivedFile) {
  const size = await readImageSize(head, path)
  if (size === 'hidden' || (size === null && ALWAYS_SIZED.has(extension)))
    throw notValid({ [field]: [`${field} must be a picture with its dimensions in its header.`] })
  if (size !== null && size.width * size.height > MAX_PIXELS)
    throw notValid({
      [field]: [`${field} must be a picture of at most 100 megapixels; it is ${size.width} × ${size.height}.`],
    })
  return size
}

/** Fetches a file and stores it. Throws the errors of the download, and refuses a file type that is not accepted. */
export const fetchInto = async (
  files: FileServices,
  owner: Omit<FileOwner, 'field'>,
  url: string,
  signal?: AbortSignal,
): Promise<StoredFile> =>
  storeFile(
    files,
    { ...owner, field: 'url' },
    await translateTooLarge(FILE_LIMIT, files.download(url, FILE_LIMIT, files.incoming, signal)),
  )

/**
 * Stores a copy of the placeholder for one asset, to be served, replaced and removed like any other file. Refuses a filename that could
 * never be accepted, because no real file could replace the placeholder.
 */
export async function storePlaceholder(files: FileServices, owner: Omit<FileOwner, 'field'>): Promise<StoredFile> {
  if (!isNameAccepted(owner.filename)) throw notAccepted('url')
  return storeFile(
    files,
    { ...owner, filename: 'placeholder.png', field: 'url' },
    await receiveFile(placeholderPicture(), FILE_LIMIT, files.incoming),
  )
}

const notAccepted = (field: string) =>
  notValid({
    [field]: [
      `${field} must be a file of an accepted type, with contents that match its name. Accepted types: ${acceptedTypes.join(', ')}.`,
    ],
  })

/** Turns a 413 into an error about the file: the file is too large, not the request. */
export async function translateTooLarge(limit: number, receiving: Promise<ReceivedFile>): Promise<ReceivedFile> {
  try {
    return await receiving
  } catch (error) {
    throw error instanceof ApiError && error.status === 413 ? fileTooLarge(limit) : error
  }
}

/** Runs the transaction that refers to a stored file. Removes the bytes if it fails. */
export async function withFile<T>(
  files: FileServices,
  { file_key: key }: StoredFile,
  commit: () => Promise<T>,
): Promise<T> {
  try {
    return await commit()
  } catch (error) {
    // If the connection breaks during the commit, the row may exist. The daily sweep removes the file if it does not.
    const isCertain = !(error instanceof ApiError && error.status === 503)
    if (isCertain) await files.store.remove(key).catch(() => undefined)
    throw error
  }
}

export const REMOVE_FILE = 'assets.remove_file'

/** Removes the file in a job of the same transaction. Removing it at once would lose it on a rollback, and a crash would forget it. */
export async function removeFileLater(tx: Tx, clock: Clock, { merchant_id }: Shop, key: string | null): Promise<void> {
  if (key !== null) await enqueue(tx, { merchant_id, kind: REMOVE_FILE, payload: { key }, runAt: clock.now() })
}

// The bytes of a served asset never change, except when a fetched file replaces a placeholder.
const FOR_GOOD = 'public, max-age=31536000, immutable'
const A_MINUTE = 60

/** Finds the file behind a URL. Serves finished public assets, and private ones through a signed URL that has not expired. */
export const fileFinder =
  ({ db, clock, files, signingSecret }: Services): FindFile =>
  async ({ merchant_id, id, query }) => {
    if (!isId('asset', id)) return null
    const asset = await findAsset(db, { merchant_id }, id)
    if (asset === null || asset.is_pending || asset.file_key === null) return null
    const key = asset.file_key
    let cacheControl = asset.source_url === null ? FOR_GOOD : `public, max-age=${A_MINUTE}`
    if (asset.is_private) {
      const now = clock.now()
      const secret = await signingSecret(FILE_SECRET)
      const until = findGrantExpiry(secret, { purpose: 'file', merchant_id, id }, query, now)
      if (until === null) return null
      // The browser may cache the file only until the URL expires, and shared caches may not store it.
      const seconds = until - unixSeconds(now)
      cacheControl = `private, max-age=${asset.source_url === null ? seconds : Math.min(seconds, A_MINUTE)}`
    }
    return {
      size: asset.file_size,
      contentType: asset.content_type,
      isInline: asset.is_image,
      filename: safeFilename(asset.filename, asset.file_extension),
      etag: `"${key.slice(key.indexOf('/') + 1)}"`,
      cacheControl,
      open: (range) => files.store.open(key, range),
    }
  }
