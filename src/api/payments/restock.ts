// What of an order goes back to where it was taken from, beside money: pieces into stock, by a refund that says which items are on the shelf
// again, and by a cancel all the rest that was never in a shipment, of no line more than was bought; and credit to the gift card that paid.

import type { Db, Tx } from '../../db/db.ts'
import { returnCredit } from '../gift-cards/gift-card.ts'
import type { OrderOwner } from '../orders/links.ts'
import { creditReturnedOf, quantityRestocked } from '../orders/money/sums.ts'
import type { OrderRow, RefundRow, RestockedLine } from '../orders/read-store.ts'
import { findRestockPlaces, restockItems } from '../products/stock-store.ts'

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
  row: OrderRow,
  quantities: Quantities,
): Promise<RestockedLine[] | null> {
  const { drawn, sums } = drawnFrom(row, quantities)
  const back = linesBack(drawn, await restockItems(tx, owner, sums))
  const all = back.reduce<RestockedLine[]>(withLine, row.restocked ?? [])
  return all.length === 0 ? null : all
}

/** What that would put back, and where: the same lines, and nothing is written. */
export async function previewRestock(
  db: Db,
  owner: OrderOwner,
  row: OrderRow,
  quantities: Quantities,
): Promise<RestockedLine[]> {
  const { drawn, sums } = drawnFrom(row, quantities)
  return linesBack(drawn, await findRestockPlaces(db, owner, sums))
}

type DrawnLine = {
  readonly id: string
  readonly productId: string
  readonly stockItemId: string
  readonly quantity: number
}

/** Those of these lines that were taken from stock, and how many of each item of it. */
function drawnFrom({ content }: OrderRow, quantities: Quantities): { drawn: DrawnLine[]; sums: Map<string, number> } {
  const drawn = content.lines.flatMap(({ id, product_id: productId, stock_item_id: stockItemId }) => {
    const quantity = quantities.get(id) ?? 0
    return stockItemId && quantity > 0 ? [{ id, productId, stockItemId, quantity }] : []
  })
  const sums = new Map<string, number>()
  for (const { stockItemId, quantity } of drawn) sums.set(stockItemId, (sums.get(stockItemId) ?? 0) + quantity)
  return { drawn, sums }
}

const linesBack = (drawn: readonly DrawnLine[], places: ReadonlyMap<string, string>): RestockedLine[] =>
  drawn.flatMap(({ id, productId, stockItemId, quantity }) => {
    const place = places.get(stockItemId)
    if (place === undefined) return []
    return [{ line_item_id: id, product_id: productId, variant_id: place === productId ? null : place, quantity }]
  })

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

type CreditFields = Pick<OrderRow, 'is_credit_returned' | 'credit_returned' | 'returned_credit'>

/** What these requests give to the gift card that paid; to the one that has got an earlier part in its place, where there is one. */
export async function returnGiftCardCredit(
  tx: Tx,
  { merchantId, isSandbox }: OrderOwner,
  row: OrderRow,
  requests: readonly RefundRow[],
  now: Date,
): Promise<Partial<CreditFields>> {
  const { gift_card: giftCard } = row.content
  const amount = requests.reduce((sum, { credit }) => sum + credit, 0)
  if (giftCard === null || amount === 0) return {}
  const { returned_credit: before, currency, id: orderId } = row
  const giftCardId = before?.gift_card_id ?? giftCard.id
  const returned = await returnCredit(tx, { merchantId, isSandbox, currency }, { giftCardId, amount, orderId }, now)
  const credit_returned = creditReturnedOf(row) + amount
  return {
    is_credit_returned: credit_returned === giftCard.credit,
    credit_returned,
    returned_credit: { ...returned, amount: credit_returned, replaced: returned.replaced ?? before?.replaced ?? null },
  }
}
