// Replies with products. A serialized product is cached and sent again while its stamp is unchanged.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { WrittenReply } from '../../http/endpoint/pieces.ts'
import { notFound } from '../../lib/errors.ts'
import { maxPageBytes, type PageQuery, paginate, readEntriesWithin } from '../../lib/page.ts'
import { type FileUrls, fileUrlsFor } from '../assets/view.ts'
import { DEFAULT_PRODUCT_LIMIT } from './body-schema.ts'
import { listProducts, type ProductFilter } from './list/store.ts'
import { type ProductRow, stampOf } from './read-store.ts'
import type { Product } from './schema.ts'
import { findProduct, findProducts, findStamp } from './store.ts'
import { viewProduct } from './view.ts'

/** A serialized product. `isLasting` is false if the text is valid only for a while. */
type SerializedProduct = { readonly bytes: Buffer; readonly isLasting: boolean }

/** Replies with one product, from the cache if its stamp is unchanged. The body is omitted if the client has it already. */
export async function sendProduct(
  context: Context,
  value: string,
  by: 'id' | 'sku' | 'permalink',
): Promise<WrittenReply> {
  const { db, caller, pieces } = context
  let id = value
  if (by !== 'id' || pieces.isWorthAsking(value)) {
    const stamped = await findStamp(db, caller, value, by)
    if (stamped === null) throw notFound('product')
    const bytes = pieces.find(stamped)
    if (bytes !== null) return pieces.reply(bytes)
    id = stamped.id
  }
  const row = await findProduct(db, caller, id)
  if (row === null) throw notFound('product')
  const { bytes, isLasting } = serializeProduct(row, context, await fileUrlsFor(context))
  return pieces.reply(bytes, isLasting)
}

/** A product for the pages that we render, as a public key sees it. Null if it does not exist. */
export async function findVisibleProduct(
  context: Pick<Context, 'db' | 'clock' | 'caller' | 'origin' | 'signingSecret'>,
  permalink: string,
): Promise<Product | null> {
  const { db, caller } = context
  const stamped = await findStamp(db, caller, permalink, 'permalink')
  const row = stamped && (await findProduct(db, caller, stamped.id))
  return row && viewProduct(row, caller, await fileUrlsFor(context))
}

/** One page of products. Omits products that were deleted or hidden since the list was read. */
export async function sendProductPage(context: Context, filter: ProductFilter, page: PageQuery): Promise<WrittenReply> {
  const { db, caller, pieces, url } = context
  const { total, entries } = await listProducts(db, caller, filter, page)
  context.reportLinesRead(rowsRead(filter, total, page) / SKIPPED_PER_LINE)
  const bytesById = new Map<string, Buffer>()
  for (const entry of entries) {
    const bytes = pieces.find(entry)
    if (bytes !== null) bytesById.set(entry.id, bytes)
  }
  const missing = entries.filter(({ id }) => !bytesById.has(id)).map(({ id }) => id)
  const limits = { most: maxPageBytes(caller, page), first: FIRST_READ, known: sizeOf(bytesById) }
  const fileUrls = missing.length > 0 ? await fileUrlsFor(context) : null
  const newEntries = await readEntriesWithin(
    missing,
    limits,
    async (ids) =>
      (await findProducts(db, caller, ids)).map((row) => ({
        id: row.id,
        bytes: serializeProduct(row, context, fileUrls as FileUrls).bytes,
      })),
    ({ bytes }) => bytes.length,
  )
  for (const { id, bytes } of newEntries) bytesById.set(id, bytes)
  return new WrittenReply(
    pageBytes(
      entries.flatMap(({ id }) => bytesById.get(id) ?? []),
      total,
      page,
      url,
    ),
    null,
  )
}

/** The usual page size, so that ordinary pages are read at once. */
const FIRST_READ = DEFAULT_PRODUCT_LIMIT

const sizeOf = (bytesById: ReadonlyMap<string, Buffer>) => ({
  entries: bytesById.size,
  bytes: [...bytesById.values()].reduce((sum, { length }) => sum + length, 0),
})

/** Relative cost: skipping a row of an index, or counting a match, is a hundred times as fast as reading an entry. */
const SKIPPED_PER_LINE = 100

/** Number of rows read in addition to the entries: those before the page, or all matches of a filter. */
const rowsRead = (
  { sortBy: _, sortDirection: __, active: ___, ...filters }: ProductFilter,
  total: number,
  page: PageQuery,
) => (Object.values(filters).some((value) => value !== undefined) ? total : Math.min(total, page.offset))

/** Serializes a product and caches the text. */
function serializeProduct(row: ProductRow, { caller, pieces }: Context, fileUrls: FileUrls): SerializedProduct {
  const stamped = { id: row.id, stamp: stampOf(row) }
  const bytes = pieces.write(viewProduct(row, caller, fileUrls))
  // The URL of a private file expires after an hour.
  const isLasting = fileUrls.sign === null || !row.assets.some((asset) => asset.is_private)
  if (isLasting) pieces.keep(stamped, bytes)
  return { bytes, isLasting }
}

const OPENING = Buffer.from('{"data":[')
const COMMA = Buffer.from(',')

/** Builds the reply of a list around serialized entries. */
function pageBytes(entries: readonly Buffer[], total: number, page: PageQuery, url: string): Buffer {
  const { meta } = paginate([...entries], total, page, url)
  const parts: Buffer[] = [OPENING]
  for (const [index, entry] of entries.entries()) {
    if (index > 0) parts.push(COMMA)
    parts.push(entry)
  }
  parts.push(Buffer.from(`],"meta":${JSON.stringify(meta)}}`))
  return Buffer.concat(parts)
}
