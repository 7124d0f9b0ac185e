// Checks a requested line against its product and the other lines of its cart or checkout: the chosen options, and the possible quantity.
// No I/O.

import type { Combination } from '../products/variants/schema.ts'
import {
  areOptionsKnown,
  basePrice,
  hasOpenOptions,
  LINE_LIMITS,
  type LineRow,
  openStockOf,
  selectedOptions,
  stockItem,
  variantOf,
  variantPriceOf,
} from './line.ts'

/** Maximum quantities of a line, per limit. */
export type LineLimits = {
  /** Null if unlimited: the product is free, or its stock is not counted. */
  readonly most_by_total: number | null
  readonly most_by_stock: number | null
  /** Total stock of the stock item. Null if its stock is not counted. */
  readonly available: number | null
}

/** The results that decide whether a line is accepted, and why not. */
export type LineCheck = LineLimits & {
  readonly is_for_sale: boolean
  readonly is_variant_known: boolean
  /** True if the requested options agree with the requested variant. */
  readonly do_options_agree: boolean
  readonly are_options_known: boolean
  /** True if the requested variant has an option of every group. */
  readonly is_complete: boolean
  /** True if the cart may have another line. Given only where a line is added. */
  readonly has_room?: boolean
  /** True if all lines together stay within the size limit. Always true for the first line of a cart. */
  readonly is_showable?: boolean
}

/** The variant requested by id. `options` is null if the product has no such variant. */
export type RequestedVariant = { readonly options: Combination | null }

/**
 * Checks `line` in its requested state. `others` are the other lines; in a checkout, another line may be equal to it. `asked` are the
 * options requested with the variant, or null. `variant` is null if none was requested.
 */
export function checkChoice(
  line: LineRow,
  others: readonly LineRow[],
  { variant, asked }: { variant: RequestedVariant | null; asked: Combination | null },
): LineCheck {
  return {
    is_for_sale: line.product?.is_active ?? false,
    is_variant_known: variant === null || variant.options !== null,
    do_options_agree: !variant?.options || asked === null || holds(variant.options, asked),
    are_options_known: areOptionsKnown(line),
    is_complete: variant === null || !hasOpenOptions(line),
    ...limitsOf(line, others),
  }
}

/** True if neither the line nor its quantity has a flaw. */
export const isAccepted = (check: LineCheck, quantity: number): boolean =>
  check.is_for_sale &&
  check.is_variant_known &&
  check.do_options_agree &&
  check.are_options_known &&
  check.is_complete &&
  (check.has_room ?? true) &&
  (check.is_showable ?? true) &&
  quantity <= maxQuantityOf(check)

export const maxQuantityOf = ({ most_by_total: byTotal, most_by_stock: byStock }: LineLimits): number =>
  Math.min(LINE_LIMITS.quantity, byTotal ?? LINE_LIMITS.quantity, byStock ?? LINE_LIMITS.quantity)

/** The limits of a line in its requested state. */
export function limitsOf(line: LineRow, others: readonly LineRow[]): LineLimits {
  const price = unitPrice(line)
  const most_by_total = price === 0 ? null : Math.floor(LINE_LIMITS.lineTotal / price)
  if (!line.product?.is_inventory_managed) return { most_by_total, most_by_stock: null, available: null }
  const variant = variantOf(line)
  const ownStock = variant?.inventory ?? null
  if (variant !== null && ownStock !== null)
    return { most_by_total, most_by_stock: ownStock - unitsFrom(variant.id, others), available: ownStock }
  // Uses the product's own stock, which other lines may use, too, or the stock of a variant that the line can still become.
  const { available: productStock } = line.product
  const remaining = productStock - unitsFrom(line.product_id, others)
  const open = openStockOf(line)
  return { most_by_total, most_by_stock: Math.max(remaining, open), available: Math.max(productStock, open) }
}

/** Unit price including the options. */
const unitPrice = (line: LineRow): number =>
  variantPriceOf(line) ??
  Math.max(
    0,
    selectedOptions(line).reduce((sum, { price_delta: delta }) => sum + delta, basePrice(line)),
  )

const unitsFrom = (itemId: string, lines: readonly LineRow[]): number =>
  lines.reduce((sum, line) => (stockItem(line)?.id === itemId ? sum + line.quantity : sum), 0)

/** True if `options` contains all of `part`. */
const holds = (options: Combination, part: Combination): boolean =>
  Object.entries(part).every(([group, option]) => options[group] === option)

export const isSameChoice = (one: Combination, other: Combination): boolean =>
  Object.keys(one).length === Object.keys(other).length && holds(one, other)

/** The options of the line that still exist. */
export const existingOptionsOf = (line: LineRow): Combination =>
  Object.fromEntries(selectedOptions(line).map(({ group_id, option_id }) => [group_id, option_id]))
