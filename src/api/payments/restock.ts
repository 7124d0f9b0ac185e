// What comes of an order goes back into stock: by a refund that says which items are on the shelf again, and by a cancel all the rest that
// was never in a shipment. Of no line more than was bought.

import type { Tx } from '../../db/db.ts'
import type { OrderOwner } from '../orders/links.ts'
import { quantityRestocked } from '../orders/money/sums.ts'
import type { OrderRow, RefundRow, RestockedLine } from '../orders/read-store.ts'
import { restockItems } from '../products/stock-store.ts'

/** How many, by the id of the line. */
type Quantities = ReadonlyMap<string, number>

/** All that a cancel returns. A parcel that was lost, and whose items the merchant has set back to be sent again, is not on the shelf. */
export function unshippedOf(row: OrderRow): Quantities {
  const shipped = shippedOf(row)
  return new Map(
    row.content.lines.map(({ id, quantity }) => [id, quantity - (shipped.get(id) ?? 0) - quantityRestocked(row, id)]),
  )
}

/** What these refunds return. Less than they name, where a refund that has failed since had returned some of it before. */
export function returnedBy(row: OrderRow, refunds: readonly RefundRow[]): Quantities {
  const quantities = new Map<string, number>()
  for (const { line_item_id, quantity } of refunds.flatMap(({ items }) => items))
    quantities.set(line_item_id, (quantities.get(line_item_id) ?? 0) + quantity)
  return new Map(
    row.content.lines.map(({ id, quantity }) => [
      id,
      Math.min(quantities.get(id) ?? 0, quantity - quantityRestocked(row, id)),
    ]),
  )
}

/**
 * Under the order's lock, which comes before those of stock. Gives all that is then back of the order, which is to be written with it: what
 * was not counted, or is deleted, takes nothing back.
 */
export async function restock(
  tx: Tx,
  owner: OrderOwner,
  { content, restocked }: OrderRow,
  quantities: Quantities,
): Promise<RestockedLine[] | null> {
  const drawn = content.lines.flatMap(({ id, product_id: productId, stock_item_id: stockItemId }) => {
    const quantity = quantities.get(id) ?? 0
    return stockItemId && quantity > 0 ? [{ id, productId, stockItemId, quantity }] : []
  })
  const sums = new Map<string, number>()
  for (const { stockItemId, quantity } of drawn) sums.set(stockItemId, (sums.get(stockItemId) ?? 0) + quantity)
  const places = await restockItems(tx, owner, sums)
  const back = drawn.flatMap(({ id, productId, stockItemId, quantity }) => {
    const place = places.get(stockItemId)
    if (place === undefined) return []
    return [{ line_item_id: id, product_id: productId, variant_id: place === productId ? null : place, quantity }]
  })
  const all = back.reduce<RestockedLine[]>(withLine, restocked ?? [])
  return all.length === 0 ? null : all
}

/** The list with what is back of one more line: in the entry of that line and place, where there is one. */
function withLine(list: readonly RestockedLine[], line: RestockedLine): RestockedLine[] {
  const isSame = (other: RestockedLine) =>
    other.line_item_id === line.line_item_id && other.variant_id === line.variant_id
  if (!list.some(isSame)) return [...list, line]
  return list.map((each) => (isSame(each) ? { ...each, quantity: each.quantity + line.quantity } : each))
}

/** How much of each line has been in shipments, by its id; what was sent twice counts twice. */
function shippedOf({ items, shipments }: OrderRow): Quantities {
  const lines = new Map(items.map(({ id, line_item_id }) => [id, line_item_id]))
  const shipped = new Map<string, number>()
  for (const { item_id, quantity } of shipments.flatMap((shipment) => shipment.items)) {
    const line = lines.get(item_id)
    if (line !== undefined) shipped.set(line, (shipped.get(line) ?? 0) + quantity)
  }
  return shipped
}
