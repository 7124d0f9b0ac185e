// Returns stock and gift card credit of an order.
// A refund restocks the items that it names. A cancellation restocks the rest that was never in a shipment. No line gets back more than was
// bought.
// Credit goes to the gift card that paid.

import type { Db, Tx } from '../../db/db.ts'
import { returnCredit } from '../gift-cards/gift-card.ts'
import type { OrderOwner } from '../orders/links.ts'
import { creditReturnedOf, quantityRestocked } from '../orders/money/sums.ts'
import type { OrderRow, RefundRow, RestockedLine } from '../orders/read-store.ts'
import { findRestockPlaces, restockItems } from '../products/stock-store.ts'

/** Quantities by line id. */
type Quantities = ReadonlyMap<string, number>

/** All that a cancellation restocks. A lost parcel is not on the shelf, even if the merchant has reset its items to be shipped again. */
export function unshippedQuantities(row: OrderRow): Quantities {
  const shipped = shippedOf(row)
  return new Map(
    row.content.lines.map(({ id, quantity }) => [id, quantity - (shipped.get(id) ?? 0) - quantityRestocked(row, id)]),
  )
}

/** Quantities that these refunds restock. It is less than they name if a refund that failed later has restocked some of it before. */
export function refundedQuantities(row: OrderRow, refunds: readonly RefundRow[]): Quantities {
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
 * Call it under the order's lock, which comes before the locks of stock. Returns all that is then restocked of the order, to be written
 * with the order.
 * Stock that was not counted or is deleted takes nothing back.
 */
export async function restock(
  tx: Tx,
  owner: OrderOwner,
  row: OrderRow,
  quantities: Quantities,
): Promise<RestockedLine[] | null> {
  const { drawn, sums } = drawnFrom(row, quantities)
  const newLines = restockedLinesOf(drawn, await restockItems(tx, owner, sums))
  const all = newLines.reduce<RestockedLine[]>(withLine, row.restocked ?? [])
  return all.length === 0 ? null : all
}

/** The lines that `restock` would put back, and where. Nothing is written. */
export async function previewRestock(
  db: Db,
  owner: OrderOwner,
  row: OrderRow,
  quantities: Quantities,
): Promise<RestockedLine[]> {
  const { drawn, sums } = drawnFrom(row, quantities)
  return restockedLinesOf(drawn, await findRestockPlaces(db, owner, sums))
}

type DrawnLine = {
  readonly id: string
  readonly productId: string
  readonly stockItemId: string
  readonly quantity: number
}

/** The lines that were taken from stock, and the sum for each stock item. */
function drawnFrom({ content }: OrderRow, quantities: Quantities): { drawn: DrawnLine[]; sums: Map<string, number> } {
  const drawn = content.lines.flatMap(({ id, product_id: productId, stock_item_id: stockItemId }) => {
    const quantity = quantities.get(id) ?? 0
    return stockItemId && quantity > 0 ? [{ id, productId, stockItemId, quantity }] : []
  })
  const sums = new Map<string, number>()
  for (const { stockItemId, quantity } of drawn) sums.set(stockItemId, (sums.get(stockItemId) ?? 0) + quantity)
  return { drawn, sums }
}

const restockedLinesOf = (drawn: readonly DrawnLine[], places: ReadonlyMap<string, string>): RestockedLine[] =>
  drawn.flatMap(({ id, productId, stockItemId, quantity }) => {
    const place = places.get(stockItemId)
    if (place === undefined) return []
    return [{ line_item_id: id, product_id: productId, variant_id: place === productId ? null : place, quantity }]
  })

/** The list with one more restocked line, added to the entry of the same line and place if there is one. */
function withLine(list: readonly RestockedLine[], line: RestockedLine): RestockedLine[] {
  const isSame = (other: RestockedLine) =>
    other.line_item_id === line.line_item_id && other.variant_id === line.variant_id
  if (!list.some(isSame)) return [...list, line]
  return list.map((each) => (isSame(each) ? { ...each, quantity: each.quantity + line.quantity } : each))
}

/** Quantity of each line in shipments, by line id. Items that were shipped twice count twice. */
function shippedOf({ items, shipments }: OrderRow): Quantities {
  const lines = new Map(items.map(({ id, line_item_id }) => [id, line_item_id]))
  const shipped = new Map<string, number>()
  for (const { item_id, quantity } of shipments.flatMap((shipment) => shipment.items)) {
    const line = lines.get(item_id)
    if (line !== undefined) shipped.set(line, (shipped.get(line) ?? 0) + quantity)
  }
  return shipped
}

type CreditFields = Pick<OrderRow, 'is_credit_returned' | 'credit_returned' | 'returned_credit'>

/** Returns the credit of these requests to the gift card that paid, or to the replacement card that got an earlier part. */
export async function returnGiftCardCredit(
  tx: Tx,
  { merchant_id, is_sandbox }: OrderOwner,
  row: OrderRow,
  requests: readonly RefundRow[],
  now: Date,
): Promise<Partial<CreditFields>> {
  const { gift_card: giftCard } = row.content
  const amount = requests.reduce((sum, { credit }) => sum + credit, 0)
  if (giftCard === null || amount === 0) return {}
  const { returned_credit: before, currency, id: orderId } = row
  const giftCardId = before?.gift_card_id ?? giftCard.id
  const result = await returnCredit(tx, { merchant_id, is_sandbox, currency }, { giftCardId, amount, orderId }, now)
  const credit_returned = creditReturnedOf(row) + amount
  return {
    is_credit_returned: credit_returned === giftCard.credit,
    credit_returned,
    returned_credit: { ...result, amount: credit_returned, replaced: result.replaced ?? before?.replaced ?? null },
  }
}
