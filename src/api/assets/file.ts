// The bytes of an asset: looked at on their way in, stored under a key of their own, taken back if the row fails, served, removed.
// Bytes come before their row, so that a row never promises a file that is not there; a file without a row is swept.

import { randomBytes } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import type { Files } from '../../files/files.ts'
import { imageSize } from '../../files/image-size.ts'
import { placeholderPicture } from '../../files/placeholder.ts'
import { discard, receive } from '../../files/receive.ts'
import type { ReceivedFile } from '../../files/store.ts'
import { acceptedTypes, detectType, type FileType, isNameAccepted } from '../../files/type.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { FindFile } from '../../http/files/files.ts'
import { enqueue } from '../../jobs/queue.ts'
import { allowedUntil } from '../../keys/signing.ts'
import { type Clock, unixSeconds } from '../../lib/clock.ts'
import { ApiError, fileTooLarge, notValid } from '../../lib/errors.ts'
import { isId, readMerchantNumber } from '../../lib/ids.ts'
import { safeFilename } from '../../lib/text.ts'
import { findAsset, type StoredFile } from './store.ts'
import { FILE_SECRET } from './view.ts'

export const CONTENTS_LIMIT = 2 * 1_048_576
export const FILE_LIMIT = 10 * 1_048_576

/** Whose file it is and what it is called. `field` is the one to complain about. */
type FileOwner = { merchantId: number; assetId: string; filename: string; field: string }

const SUFFIX_BYTES = 5

/** The asset's id, by which the sweep finds its row, and an ending that no other upload of the asset has. */
const newKey = (merchantId: number, assetId: string): string =>
  `${merchantId}/${assetId}${randomBytes(SUFFIX_BYTES).toString('hex')}`

/** Whose file it is, or null when the key is not one of ours. */
export function ownerOf(key: string): { merchantId: number; assetId: string } | null {
  const [merchant = '', rest = ''] = key.split('/')
  const assetId = rest.slice(0, -2 * SUFFIX_BYTES)
  const merchantId = readMerchantNumber(merchant)
  return merchantId !== null && isId('asset', assetId) ? { merchantId, assetId } : null
}

/** Looks at a file that has arrived, and stores it. The temporary file is gone afterwards, whatever happens. */
export async function storeFile(files: Files, owner: FileOwner, received: ReceivedFile): Promise<StoredFile> {
  try {
    const type = await detectType(received, owner.filename)
    if (type === null) throw notAccepted(owner.field)
    const size = type.isImage ? await sizeOfPicture(type, owner.field, received) : null
    const key = newKey(owner.merchantId, owner.assetId)
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

/** A picture of a few kilobytes may unfold into gigabytes in the program that shows it. */
const MOST_PIXELS = 100_000_000

/** Every honest file of these types says its size. Of the others some do not, and were always accepted. */
const ALWAYS_SIZED: ReadonlySet<string> = new Set(['webp', 'avif'])

async function sizeOfPicture({ extension }: FileType, field: string, { head, path }: ReceivedFile) {
  const size = await imageSize(head, path)
  if (size === 'hidden' || (size === null && ALWAYS_SIZED.has(extension)))
    throw notValid({ [field]: [`${field} must be a picture that says its size at its beginning.`] })
  if (size !== null && size.width * size.height > MOST_PIXELS)
    throw notValid({
      [field]: [`${field} must be a picture of at most 100 megapixels; it is ${size.width} × ${size.height}.`],
    })
  return size
}

/** Fetches a file and stores it. Throws as `Download` does, and where it is not accepted. */
export const fetchInto = async (
  files: Files,
  owner: Omit<FileOwner, 'field'>,
  url: string,
  signal?: AbortSignal,
): Promise<StoredFile> =>
  storeFile(
    files,
    { ...owner, field: 'url' },
    await cutAt(FILE_LIMIT, files.download(url, FILE_LIMIT, files.incoming, signal)),
  )

/**
 * A copy for each asset: it is served, replaced and removed like any other file. None is made in the place of a file that could never be
 * accepted under its name.
 */
export async function storePlaceholder(files: Files, owner: Omit<FileOwner, 'field'>): Promise<StoredFile> {
  if (!isNameAccepted(owner.filename)) throw notAccepted('url')
  return storeFile(
    files,
    { ...owner, filename: 'placeholder.png', field: 'url' },
    await receive(placeholderPicture(), FILE_LIMIT, files.incoming),
  )
}

const notAccepted = (field: string) =>
  notValid({
    [field]: [
      `${field} must be a file of an accepted type, as its bytes and its name both say: ${acceptedTypes.join(', ')}.`,
    ],
  })

/** Says of a file that is cut off at the limit what it is: the file, and not the request, is too large. */
export async function cutAt(limit: number, receiving: Promise<ReceivedFile>): Promise<ReceivedFile> {
  try {
    return await receiving
  } catch (error) {
    throw error instanceof ApiError && error.status === 413 ? fileTooLarge(limit) : error
  }
}

/** Runs the transaction that names a stored file, and takes the bytes back when it fails. */
export async function withFile<T>(files: Files, { file_key: key }: StoredFile, commit: () => Promise<T>): Promise<T> {
  try {
    return await commit()
  } catch (error) {
    // With the connection lost in the middle of the commit nobody knows whether there is a row: then the sweep looks, a day later.
    const isCertain = !(error instanceof ApiError && error.status === 503)
    if (isCertain) await files.store.remove(key).catch(() => undefined)
    throw error
  }
}

export const REMOVE_FILE = 'assets.remove_file'

/** By a job of the same transaction: bytes removed at once would be gone even if the deletion is rolled back, and a crash forgets them. */
export async function removeFileLater(tx: Tx, clock: Clock, { merchantId }: Shop, key: string | null): Promise<void> {
  if (key !== null) await enqueue(tx, { merchantId, kind: REMOVE_FILE, payload: { key }, runAt: clock.now() })
}

// The bytes of an asset never change once it is served, but for a placeholder's.
const FOR_GOOD = 'public, max-age=31536000, immutable'
const A_MINUTE = 60

/** The file that an address opens: any finished public asset, and a private one by a signed address that has not expired. */
export const fileFinder =
  ({ db, clock, files, signingSecret }: Services): FindFile =>
  async ({ merchantId, id, query }) => {
    if (!isId('asset', id)) return null
    const asset = await findAsset(db, { merchantId }, id)
    if (asset === null || asset.is_pending || asset.file_key === null) return null
    const key = asset.file_key
    let cacheControl = asset.source_url === null ? FOR_GOOD : `public, max-age=${A_MINUTE}`
    if (asset.is_private) {
      const now = clock.now()
      const secret = await signingSecret(FILE_SECRET)
      const until = allowedUntil(secret, { purpose: 'file', merchantId, id }, query, now)
      if (until === null) return null
      // A copy in the browser lives no longer than the address, and nobody in between keeps one.
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
