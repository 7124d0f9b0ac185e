// Products as replies show them: what was written of one before is sent again, where its stamp says that it still holds.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { WrittenReply } from '../../http/endpoint/pieces.ts'
import { notFound } from '../../lib/errors.ts'
import { mostBytes, type Page, pageOf, readWithin } from '../../lib/page.ts'
import { type Addresses, addressesFor } from '../assets/view.ts'
import { DEFAULT_LIMIT } from './body-schema.ts'
import { listProducts, type ProductFilter } from './list/store.ts'
import { type ProductRow, stampOf } from './read-store.ts'
import type { Product } from './schema.ts'
import { findProduct, findProducts, findStamp } from './store.ts'
import { viewProduct } from './view.ts'

/** A product as it was written. `isLasting`: false where its text holds for a while only. */
type Shown = { readonly bytes: Buffer; readonly isLasting: boolean }

/** One product, or nothing but its name where the client has it. */
export async function showProduct(
  context: Context,
  named: string,
  by: 'id' | 'sku' | 'permalink',
): Promise<WrittenReply> {
  const { db, caller, pieces } = context
  let id = named
  if (by !== 'id' || pieces.isWorthAsking(named)) {
    const found = await findStamp(db, caller, named, by)
    if (found === null) throw notFound('product')
    const bytes = pieces.find(found)
    if (bytes !== null) return pieces.reply(bytes)
    id = found.id
  }
  const row = await findProduct(db, caller, id)
  if (row === null) throw notFound('product')
  const { bytes, isLasting } = write(row, context, await addressesFor(context))
  return pieces.reply(bytes, isLasting)
}

/** The product as a public key is shown it, for the pages that we write ourselves. Null when there is none. */
export async function findShownProduct(
  context: Pick<Context, 'db' | 'clock' | 'caller' | 'origin' | 'signingSecret'>,
  permalink: string,
): Promise<Product | null> {
  const { db, caller } = context
  const found = await findStamp(db, caller, permalink, 'permalink')
  const row = found && (await findProduct(db, caller, found.id))
  return row && viewProduct(row, caller, await addressesFor(context))
}

/** One page of products. One that is deleted or hidden while it is put together is left out. */
export async function showProducts(context: Context, filter: ProductFilter, page: Page): Promise<WrittenReply> {
  const { db, caller, pieces, url } = context
  const { total, entries } = await listProducts(db, caller, filter, page)
  context.weigh(lookedAt(filter, total, page) / SKIPPED_PER_LINE)
  const known = new Map<string, Buffer>()
  for (const entry of entries) {
    const bytes = pieces.find(entry)
    if (bytes !== null) known.set(entry.id, bytes)
  }
  const missing = entries.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  const within = { most: mostBytes(caller, page), first: FIRST_READ, known: sizeOf(known) }
  const addresses = missing.length > 0 ? await addressesFor(context) : null
  const written = await readWithin(
    missing,
    within,
    async (ids) =>
      (await findProducts(db, caller, ids)).map((row) => ({
        id: row.id,
        bytes: write(row, context, addresses as Addresses).bytes,
      })),
    ({ bytes }) => bytes.length,
  )
  for (const { id, bytes } of written) known.set(id, bytes)
  return new WrittenReply(
    pageBytes(
      entries.flatMap(({ id }) => known.get(id) ?? []),
      total,
      page,
      url,
    ),
    null,
  )
}

/** The usual size of a page: ordinary pages are read at once. */
const FIRST_READ = DEFAULT_LIMIT

const sizeOf = (known: ReadonlyMap<string, Buffer>) => ({
  entries: known.size,
  bytes: [...known.values()].reduce((sum, { length }) => sum + length, 0),
})

/** A page of an index is skipped, or a match counted, a hundred times as fast as an entry is read. */
const SKIPPED_PER_LINE = 100

/** The cost of the list beside its entries: those before the page, and where it is filtered all that match. */
const lookedAt = (
  { sortBy: _, sortDirection: __, active: ___, ...filters }: ProductFilter,
  total: number,
  page: Page,
) => (Object.values(filters).some((value) => value !== undefined) ? total : Math.min(total, page.offset))

/** Writes it, and keeps what was written. */
function write(row: ProductRow, { caller, pieces }: Context, addresses: Addresses): Shown {
  const stamped = { id: row.id, stamp: stampOf(row) }
  const bytes = pieces.write(viewProduct(row, caller, addresses))
  // The address of a private file is signed for an hour.
  const isLasting = addresses.sign === null || !row.assets.some((asset) => asset.is_private)
  if (isLasting) pieces.keep(stamped, bytes)
  return { bytes, isLasting }
}

const OPENING = Buffer.from('{"data":[')
const COMMA = Buffer.from(',')

/** The envelope of a list around what is written already. */
function pageBytes(entries: readonly Buffer[], total: number, page: Page, url: string): Buffer {
  const { meta } = pageOf([...entries], total, page, url)
  const parts: Buffer[] = [OPENING]
  for (const [index, entry] of entries.entries()) {
    if (index > 0) parts.push(COMMA)
    parts.push(entry)
  }
  parts.push(Buffer.from(`],"meta":${JSON.stringify(meta)}}`))
  return Buffer.concat(parts)
}
