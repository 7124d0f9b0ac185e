// Computes what is still available of a checkout: the maximum quantity of scarce line items, and whether anything is left to
// buy. Also lists the line items that the shopper has removed. The shopper reduces or removes line items on the page itself.

import type { Quote } from '../../../api/capture/body/quote.ts'
import { findChoiceFlaw, findOversizedLines, findShortages, type LineRow, stockItem } from '../../../api/lines/line.ts'
import type { RemovedLine } from '../model.ts'

type Lines = Pick<Quote, 'row' | 'removedLines' | 'priced'>

/** Line items with the same stock share it, in their order. */
export function maximumQuantities({
  row: { lines },
  priced: { totals },
}: Omit<Lines, 'removedLines'>): Map<string, number> {
  const maximums = new Map<string, number>()
  for (const line of lines) if (findChoiceFlaw(line)?.kind === 'not_for_sale') maximums.set(line.id, 0)
  for (const [id, flaw] of findOversizedLines(totals.lines))
    if ('most' in flaw && !maximums.has(id)) maximums.set(id, flaw.most)
  for (const { available, lineIds } of findShortages(lines)) {
    let rest = Math.max(0, available)
    for (const { id, quantity } of lines.filter((line) => lineIds.includes(line.id))) {
      const share = Math.min(rest, quantity)
      if (share < quantity) maximums.set(id, Math.min(share, maximums.get(id) ?? share))
      rest -= share
    }
  }
  return maximums
}

export const viewRemovedLines = ({ removedLines }: Pick<Lines, 'removedLines'>): RemovedLine[] =>
  removedLines.map((line) => ({
    id: line.id,
    name: line.product?.name ?? line.name,
    quantity: line.quantity,
    isThere: isThere(line),
  }))

const isThere = (line: LineRow): boolean =>
  findChoiceFlaw(line)?.kind !== 'not_for_sale' && (stockItem(line)?.available ?? 1) > 0

/** True if nothing is left that a shopper could buy. */
export const isNothingAvailable = (quote: Lines): boolean => {
  const maximums = maximumQuantities(quote)
  return quote.row.lines.every(({ id }) => maximums.get(id) === 0) && !quote.removedLines.some(isThere)
}
