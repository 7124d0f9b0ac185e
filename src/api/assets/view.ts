// Turns a row into the asset of the newest API version, and builds the URLs of its file.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { signedQuery } from '../../keys/signing.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { safeFilename } from '../../lib/text.ts'
import type { RuleContext } from '../context.ts'
import type { AssetUseRows } from './read-store.ts'
import type { Asset, AssetUses } from './schema.ts'
import type { AssetRow } from './store.ts'

/** The secret that signs URLs of files and uploads. */
export const FILE_SECRET = 'files'

const READ_SECONDS = 3_600

export type FileUrls = {
  /** Scheme and host of the URLs. */
  readonly origin: string
  /** Returns the query that opens a private file. Null if the caller gets none. */
  readonly sign: ((merchant_id: number, id: string) => string) | null
}

/** URLs for replies. A public key is in every browser, so its replies contain no signatures. Call this once for many assets. */
export async function fileUrlsFor({
  signingSecret,
  clock,
  caller,
  origin,
}: Pick<Context, 'signingSecret' | 'clock' | 'caller' | 'origin'>): Promise<FileUrls> {
  if (!caller.isSecret) return { origin, sign: null }
  const secret = await signingSecret(FILE_SECRET)
  const expires = unixSeconds(clock.now()) + READ_SECONDS
  return { origin, sign: (merchant_id, id) => signedQuery(secret, { purpose: 'file', merchant_id, id, expires }) }
}

/**
 * URLs for events, with a lasting origin. Events are stored for weeks: a signature would be an exposed credential that has expired by
 * the time it is read.
 */
export const unsignedFileUrls = (origin: string): FileUrls => ({ origin, sign: null })

/** Context of rules that change something which shows assets. The event needs URLs with the lasting origin. */
export type WriteContext = RuleContext & Pick<Context, 'lastingOrigin'>

/** The field of `meta` that marks an asset whose file could not be fetched yet. */
export const SOURCE_UNREACHABLE = 'source_unreachable'

export const viewAsset = (row: AssetRow, fileUrls: FileUrls): Asset => ({
  id: row.id,
  url: urlOf(row, fileUrls),
  description: row.description,
  is_image: row.is_image,
  filename: row.filename,
  file_extension: row.file_extension,
  file_size: row.file_size,
  image_dimensions:
    row.is_image && row.width !== null && row.height !== null ? { width: row.width, height: row.height } : [],
  // A list becomes an object with its positions as keys, so that the mark fits.
  meta: row.is_unreachable ? { ...row.meta, [SOURCE_UNREACHABLE]: true } : (row.meta ?? []),
  private: row.is_private,
  pending: row.is_pending,
  created_at: row.created,
  updated_at: row.updated,
})

/** The columns that a URL needs. */
type LinkedAsset = Pick<AssetRow, 'merchant_id' | 'id' | 'filename' | 'file_extension' | 'is_private'>

/** The file name at the end is for people; the id finds the file. */
export function urlOf(row: LinkedAsset, { origin, sign }: FileUrls): string {
  const name = encodeURIComponent(safeFilename(row.filename, row.file_extension))
  const url = `${origin}/files/${row.merchant_id}/${row.id}/${name}`
  return row.is_private && sign ? `${url}?${sign(row.merchant_id, row.id)}` : url
}

export const viewUses = ({
  merchant,
  categories,
  category_count,
  products,
  product_count,
}: AssetUseRows): AssetUses => ({
  data: [
    ...(merchant === null ? [] : [{ type: 'merchant' as const, ...merchant }]),
    ...categories.map((category) => ({ type: 'category' as const, ...category })),
    ...products.map((product) => ({ type: 'product' as const, ...product })),
  ],
  total: (merchant === null ? 0 : 1) + category_count + product_count,
})
