// Products as replies show them: what was written of one before is sent again, where its stamp says that it still holds.

import type { Context } from '../../http/endpoint/endpoint.ts'
import { WrittenReply } from '../../http/endpoint/pieces.ts'
import { notFound } from '../../lib/errors.ts'
import { type Page, pageOf } from '../../lib/page.ts'
import { type Addresses, addressesFor } from '../assets/view.ts'
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
  const known = new Map<string, Buffer>()
  for (const entry of entries) {
    const bytes = pieces.find(entry)
    if (bytes !== null) known.set(entry.id, bytes)
  }
  const missing = entries.filter(({ id }) => !known.has(id)).map(({ id }) => id)
  if (missing.length > 0) {
    const addresses = await addressesFor(context)
    for (const row of await findProducts(db, caller, missing)) known.set(row.id, write(row, context, addresses).bytes)
  }
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
