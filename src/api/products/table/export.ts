// Exports products as a table that can be imported again. Reads all ids at once and the products in parts during the response, so that no
// transaction stays open for a slow reader. Omits products that are deleted meanwhile.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { StreamedReply } from '../../../http/endpoint/pieces.ts'
import { BYTE_ORDER_MARK, csvLine } from '../../../http/files/csv.ts'
import type { ProductFilter } from '../list/store.ts'
import type { ProductRow } from '../read-store.ts'
import { findProducts } from '../store.ts'
import { COLUMN_NAMES, cellsOf } from './columns.ts'
import { listProductIds } from './store.ts'

/** Products per part. */
const AT_ONCE = 200

/** Reads the first part before the response starts, so that errors up to then get an error status. */
export async function exportProducts(
  context: Pick<Context, 'db' | 'caller' | 'signal'>,
  filter: ProductFilter,
): Promise<StreamedReply> {
  const ids = await listProductIds(context.db, context.caller, filter)
  const first = await readPart(context, ids.slice(0, AT_ONCE))
  return new StreamedReply(linesFrom(context, ids, first), 'text/csv', 'products.csv')
}

async function readPart({ db, caller }: Pick<Context, 'db' | 'caller'>, ids: readonly string[]): Promise<ProductRow[]> {
  if (ids.length === 0) return []
  const byId = new Map((await findProducts(db, caller, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

async function* linesFrom(
  context: Pick<Context, 'db' | 'caller' | 'signal'>,
  ids: readonly string[],
  first: readonly ProductRow[],
): AsyncGenerator<string> {
  const { currency } = context.caller
  yield BYTE_ORDER_MARK + csvLine(COLUMN_NAMES)
  let rows = first
  for (let at = AT_ONCE; ; at += AT_ONCE) {
    if (rows.length > 0) yield rows.map((row) => csvLine(cellsOf(row, currency))).join('')
    if (at >= ids.length) return
    context.signal.throwIfAborted()
    rows = await readPart(context, ids.slice(at, at + AT_ONCE))
  }
}
