// A row → the asset in its newest form, field by field, and the addresses it is reached by.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { signedQuery } from '../../keys/signing.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { safeFilename } from '../../lib/text.ts'
import type { RuleContext } from '../context.ts'
import type { AssetUses as UseRows } from './read-store.ts'
import type { Asset, AssetUses } from './schema.ts'
import type { AssetRow } from './store.ts'

/** The secret that signs addresses of files and uploads. */
export const FILE_SECRET = 'files'

const READ_SECONDS = 3_600

export type Addresses = {
  /** Scheme and host that addresses begin with. */
  readonly origin: string
  /** The query that opens a private file; null where none is to be given. */
  readonly sign: ((merchantId: number, id: string) => string) | null
}

/**
 * For replies. A public key is in every browser: it is shown no private file, and never a signature.
 * Whoever shows many assets asks once.
 */
export async function addressesFor({
  signingSecret,
  clock,
  caller,
  origin,
}: Pick<Context, 'signingSecret' | 'clock' | 'caller' | 'origin'>): Promise<Addresses> {
  if (!caller.isSecret) return { origin, sign: null }
  const secret = await signingSecret(FILE_SECRET)
  const expires = unixSeconds(clock.now()) + READ_SECONDS
  return { origin, sign: (merchantId, id) => signedQuery(secret, { purpose: 'file', merchantId, id, expires }) }
}

/**
 * For events, by a lasting origin: they are kept for weeks, and a signature in one would be a key lying about that opens nothing by the time
 * it is read.
 */
export const unsigned = (origin: string): Addresses => ({ origin, sign: null })

/** What rules need that change something which shows assets: they write its event with addresses by the lasting origin. */
export type WriteContext = RuleContext & Pick<Context, 'lastingOrigin'>

/** The field of `meta` that marks an asset whose file could not be fetched yet. */
export const SOURCE_UNREACHABLE = 'source_unreachable'

export const viewAsset = (row: AssetRow, addresses: Addresses): Asset => ({
  id: row.id,
  url: urlOf(row, addresses),
  description: row.description,
  is_image: row.is_image,
  filename: row.filename,
  file_extension: row.file_extension,
  file_size: row.file_size,
  image_dimensions:
    row.is_image && row.width !== null && row.height !== null ? { width: row.width, height: row.height } : [],
  // Beside what the merchant has sent; a list keeps its entries under their positions.
  meta: row.is_unreachable ? { ...row.meta, [SOURCE_UNREACHABLE]: true } : (row.meta ?? []),
  private: row.is_private,
  pending: row.is_pending,
  created_at: row.created,
  updated_at: row.updated,
})

/** What an address names of an asset. */
type AddressedAsset = Pick<AssetRow, 'merchant_id' | 'id' | 'filename' | 'file_extension' | 'is_private'>

/** The name at the end is for people; the file is found without it. */
export function urlOf(row: AddressedAsset, { origin, sign }: Addresses): string {
  const name = encodeURIComponent(safeFilename(row.filename, row.file_extension))
  const url = `${origin}/files/${row.merchant_id}/${row.id}/${name}`
  return row.is_private && sign ? `${url}?${sign(row.merchant_id, row.id)}` : url
}

export const viewUses = ({ merchant, categories, category_count, products, product_count }: UseRows): AssetUses => ({
  data: [
    ...(merchant === null ? [] : [{ type: 'merchant' as const, ...merchant }]),
    ...categories.map((category) => ({ type: 'category' as const, ...category })),
    ...products.map((product) => ({ type: 'product' as const, ...product })),
  ],
  total: (merchant === null ? 0 : 1) + category_count + product_count,
})
