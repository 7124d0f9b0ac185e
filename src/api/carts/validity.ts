// Which lines of a cart could be bought today, as the catalogue and the stock are now, and why the others cannot. No I/O.

import { areOptionsKnown, isOpen, variantOf } from './choice.ts'
import type { LineRow } from './read-store.ts'

/**
 * What the line sells from: its variant where that has stock of its own in this mode, else its product. Null: it is not counted, or not
 * yet, as there is enough of a variant that the line may still become.
 */
export function stockItem(line: LineRow): { id: string; available: number } | null {
  const { product_id, product, quantity } = line
  if (product === null || !product.is_inventory_managed) return null
  const variant = variantOf(line)
  if (variant !== null && variant.inventory !== null) return { id: variant.id, available: variant.inventory }
  if (isOpen(line) && (line.open_stock ?? 0) >= quantity) return null
  return { id: product_id, available: product.available }
}

/** The ids of stock items of which the lines together want more than there is. */
function exhaustedItems(lines: readonly LineRow[]): ReadonlySet<string> {
  const wanted = new Map<string, number>()
  const exhausted = new Set<string>()
  for (const line of lines) {
    const item = stockItem(line)
    if (item === null) continue
    const sum = (wanted.get(item.id) ?? 0) + line.quantity
    wanted.set(item.id, sum)
    if (sum > item.available) exhausted.add(item.id)
  }
  return exhausted
}

export type LineProblem =
  | { readonly kind: 'not_for_sale' | 'option_deleted' | 'too_large' }
  /** How many there are, for all lines together. */
  | { readonly kind: 'out_of_stock'; readonly available: number }

/**
 * The lines that could not be bought, by their ids. `tooLarge` are those whose worth price() refuses to count. That something is left to
 * choose does no harm yet.
 */
export function lineProblems(
  lines: readonly LineRow[],
  tooLarge: ReadonlySet<string>,
): ReadonlyMap<string, LineProblem> {
  const exhausted = exhaustedItems(lines)
  const problems = new Map<string, LineProblem>()
  for (const line of lines) {
    const problem = problemOf(line, tooLarge, exhausted)
    if (problem !== null) problems.set(line.id, problem)
  }
  return problems
}

function problemOf(line: LineRow, tooLarge: ReadonlySet<string>, exhausted: ReadonlySet<string>): LineProblem | null {
  if (!line.product?.is_active) return { kind: 'not_for_sale' }
  if (!areOptionsKnown(line)) return { kind: 'option_deleted' }
  if (tooLarge.has(line.id)) return { kind: 'too_large' }
  const item = stockItem(line)
  if (item === null || !exhausted.has(item.id)) return null
  const inVariant = isOpen(line) ? (line.open_stock ?? 0) : 0
  return { kind: 'out_of_stock', available: Math.max(item.available, inVariant) }
}
