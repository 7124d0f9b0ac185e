// Whether a line could be as it is asked for, among the others of its cart or checkout: what is chosen, and how many there may be. No I/O.

import type { Combination } from '../products/variants/schema.ts'
import {
  areOptionsKnown,
  basePrice,
  isOpen,
  LIMITS,
  type LineRow,
  openStockOf,
  ownPrice,
  selectedOptions,
  stockItem,
  variantOf,
} from './line.ts'

/** How many a line could hold, and by which limit. */
export type Limits = {
  /** Null when anything goes, as when the product costs nothing or its stock is not counted. */
  readonly most_by_total: number | null
  readonly most_by_stock: number | null
  /** What the stock item has in all; null when its stock is not counted. */
  readonly available: number | null
}

/** What is to be said of a line that is refused. */
export type LineCheck = Limits & {
  readonly is_for_sale: boolean
  readonly is_variant_known: boolean
  /** Whether the options that were named agree with the variant that was named. */
  readonly do_options_agree: boolean
  readonly are_options_known: boolean
  /** Whether the variant that was named has an option of every group. */
  readonly is_complete: boolean
  /** Whether the cart may have one line more. Where a line is added alone. */
  readonly has_room?: boolean
  /** Whether all lines together show no more than they may. The first line of a cart always is. */
  readonly is_showable?: boolean
}

/** The variant that was named by its id. `options`: its own; null when the product has none of this id. */
export type NamedVariant = { readonly options: Combination | null }

/**
 * `line` as it would be, and the other lines; of a checkout one of them may be the same. `asked`: the options that were named beside the
 * variant, null for none; the variant is null where none was named.
 */
export function checkChoice(
  line: LineRow,
  others: readonly LineRow[],
  { variant, asked }: { variant: NamedVariant | null; asked: Combination | null },
): LineCheck {
  return {
    is_for_sale: line.product?.is_active ?? false,
    is_variant_known: variant === null || variant.options !== null,
    do_options_agree: !variant?.options || asked === null || holds(variant.options, asked),
    are_options_known: areOptionsKnown(line),
    is_complete: variant === null || !isOpen(line),
    ...limitsOf(line, others),
  }
}

/** Whether nothing is wrong with it, nor with how many there are. */
export const isAccepted = (check: LineCheck, quantity: number): boolean =>
  check.is_for_sale &&
  check.is_variant_known &&
  check.do_options_agree &&
  check.are_options_known &&
  check.is_complete &&
  (check.has_room ?? true) &&
  (check.is_showable ?? true) &&
  quantity <= mostOf(check)

export const mostOf = ({ most_by_total: byTotal, most_by_stock: byStock }: Limits): number =>
  Math.min(LIMITS.quantity, byTotal ?? LIMITS.quantity, byStock ?? LIMITS.quantity)

/** Of the line as it would be. */
export function limitsOf(line: LineRow, others: readonly LineRow[]): Limits {
  const price = unitPrice(line)
  const most_by_total = price === 0 ? null : Math.floor(LIMITS.lineTotal / price)
  if (!line.product?.is_inventory_managed) return { most_by_total, most_by_stock: null, available: null }
  const variant = variantOf(line)
  const own = variant?.inventory ?? null
  if (variant !== null && own !== null)
    return { most_by_total, most_by_stock: own - unitsFrom(variant.id, others), available: own }
  // From the product's own stock, which the others may take from as well; or from a variant that it may still become.
  const { available: counted } = line.product
  const left = counted - unitsFrom(line.product_id, others)
  const open = openStockOf(line)
  return { most_by_total, most_by_stock: Math.max(left, open), available: Math.max(counted, open) }
}

/** With what the options add. */
const unitPrice = (line: LineRow): number =>
  ownPrice(line) ??
  Math.max(
    0,
    selectedOptions(line).reduce((sum, { price_delta: delta }) => sum + delta, basePrice(line)),
  )

const unitsFrom = (itemId: string, lines: readonly LineRow[]): number =>
  lines.reduce((sum, line) => (stockItem(line)?.id === itemId ? sum + line.quantity : sum), 0)

/** Whether `options` names all that `part` names. */
const holds = (options: Combination, part: Combination): boolean =>
  Object.entries(part).every(([group, option]) => options[group] === option)

export const isSameChoice = (one: Combination, other: Combination): boolean =>
  Object.keys(one).length === Object.keys(other).length && holds(one, other)

/** Those of the options of the line that still exist. */
export const keptOptions = (line: LineRow): Combination =>
  Object.fromEntries(selectedOptions(line).map(({ group_id, option_id }) => [group_id, option_id]))
