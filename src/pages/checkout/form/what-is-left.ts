// What of a checkout can still be had: how many of the lines that have run short, what the form leaves out, and whether there is anything left to
// buy at all. The shopper takes fewer, or none, on the page itself.

import type { Quote } from '../../../api/capture/body/quote.ts'
import { choiceFlaw, type LineRow, oversizes, shortages, stockItem } from '../../../api/lines/line.ts'
import type { LeftOutLine } from '../model.ts'

type Lines = Pick<Quote, 'row' | 'leftOut' | 'priced'>

/** Lines that sell from the same stock share what there is of it, the first of them first. */
export function mostOfLines({ row: { lines }, priced: { totals } }: Omit<Lines, 'leftOut'>): Map<string, number> {
  const most = new Map<string, number>()
  for (const line of lines) if (choiceFlaw(line)?.kind === 'not_for_sale') most.set(line.id, 0)
  for (const [id, flaw] of oversizes(totals.lines)) if ('most' in flaw && !most.has(id)) most.set(id, flaw.most)
  for (const { available, lineIds } of shortages(lines)) {
    let rest = Math.max(0, available)
    for (const { id, quantity } of lines.filter((line) => lineIds.includes(line.id))) {
      const taken = Math.min(rest, quantity)
      if (taken < quantity) most.set(id, Math.min(taken, most.get(id) ?? taken))
      rest -= taken
    }
  }
  return most
}

export const leftOutLines = ({ leftOut }: Pick<Lines, 'leftOut'>): LeftOutLine[] =>
  leftOut.map((line) => ({
    id: line.id,
    name: line.product?.name ?? line.name,
    quantity: line.quantity,
    isThere: isThere(line),
  }))

const isThere = (line: LineRow): boolean =>
  choiceFlaw(line)?.kind !== 'not_for_sale' && (stockItem(line)?.available ?? 1) > 0

/** Whether nothing is left that a shopper could buy, whatever they type. */
export const isAllGone = (quote: Lines): boolean => {
  const most = mostOfLines(quote)
  return quote.row.lines.every(({ id }) => most.get(id) === 0) && !quote.leftOut.some(isThere)
}
