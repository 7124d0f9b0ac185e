// Which lines of a cart could be bought today, as the catalogue and the stock are now, and why the others cannot. No I/O.

import type { Minor } from '../../lib/money.ts'
import type { LineInput } from '../../pricing/price.ts'
import type { LineGroupRow, LineRow } from '../carts/read-store.ts'
import type { VariantRow } from '../products/variants/store.ts'

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

// What was chosen of a line's product, as the catalogue is now: the options, the variant of them, and whether it is valid. No I/O.

export type SelectedOption = Extract<LineGroupRow, { option_id: string }>

/** Those of the options that still exist, in the order of their groups. */
export const selectedOptions = ({ groups }: LineRow): SelectedOption[] =>
  groups.filter((group): group is SelectedOption => group.option_id !== null).sort(byPosition)

const byPosition = (one: LineGroupRow, other: LineGroupRow): number =>
  one.position - other.position || (one.group_id < other.group_id ? -1 : 1)

/** Whether every option that was chosen still exists. */
export const areOptionsKnown = ({ options, groups }: LineRow): boolean =>
  Object.keys(options).length === groups.filter(({ option_id }) => option_id !== null).length

/** Whether an option is left to choose. */
export const isOpen = ({ groups }: Pick<LineRow, 'groups'>): boolean =>
  groups.some(({ option_id }) => option_id === null)

/**
 * The variant that the line is of, as products show it. It has the line's options, so that it is valid when they all exist: the same rule
 * by which products tell, read off what the line shows anyway. One that has fewer options than its product has groups, as a group
 * came after it, counts as none: the line is one of which something is left to choose. The statements that write lines say the same.
 */
export function variantOf(line: LineRow): VariantRow | null {
  const { variant, options, groups } = line
  if (variant === null || Object.keys(options).length < groups.length) return null
  return { ...variant, invalid_reason_code: areOptionsKnown(line) ? null : 'option_deleted' }
}

// What one unit of a line costs by the catalogue: the variant's own price, else the product's and what the options add. No I/O.

/** What price() takes. A product that was deleted costs nothing. */
export const lineInput = (line: LineRow): LineInput => ({
  id: line.id,
  productId: line.product_id,
  quantity: line.quantity,
  unitPrice: basePrice(line),
  optionDeltas: ownPrice(line) === null ? selectedOptions(line).map(({ price_delta }) => price_delta) : [],
  isPayWhatYouWant: line.product?.is_pay_what_you_want ?? false,
  isTaxExempt: line.product?.is_tax_exempt ?? false,
  // A cart shows no tax, so that nothing asks which rate a line is taxed by.
  isDigital: false,
})

/** Of one, before what the options add. */
export const basePrice = (line: LineRow): Minor => ownPrice(line) ?? line.product?.price ?? 0

const ownPrice = (line: LineRow): Minor | null => variantOf(line)?.price ?? null
