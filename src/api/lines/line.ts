// A line of a cart or a checkout: its schema, row, stock, price, flaws and view. No I/O. choice.ts checks whether a requested line is
// possible.

import { type Static, Type } from 'typebox'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import { kind, Meta, nested, nestedOrNull, nullable, Price, sharedPart } from '../../http/endpoint/schema.ts'
import { memoize } from '../../lib/memory.ts'
import { type Minor, priceOf } from '../../lib/money.ts'
import type { LineInput, PricedLine } from '../../pricing/price.ts'
import { MAX_CART_LINES, MAX_LINE_TOTAL, MAX_SHOWN_BYTES } from '../../pricing/rounding.ts'
import { Asset } from '../assets/schema.ts'
import type { AssetRow } from '../assets/store.ts'
import { type FileUrls, viewAsset } from '../assets/view.ts'
import { type Combination, Variant } from '../products/variants/schema.ts'
import type { VariantRow } from '../products/variants/store.ts'
import { viewVariant } from '../products/variants/view.ts'
import type { GoodsRow } from './read-store.ts'

/** Limits of one line (`quantity`, `lineTotal`), and of all lines of a cart together (`lines`, `shownBytes`). */
export const LINE_LIMITS = {
  quantity: 1_000_000,
  lines: MAX_CART_LINES,
  lineTotal: MAX_LINE_TOTAL,
  shownBytes: MAX_SHOWN_BYTES,
} as const

/** Size of an option in a token in addition to its name: ids, a price in four forms, field names. */
export const OPTION_BYTES = 200

const SelectedOption = Type.Object({
  group_id: Type.String(),
  group_name: Type.String(),
  option_id: Type.String(),
  option_name: Type.String(),
  price: nested(Price),
})

export const LineItem = kind('line_item', {
  id: Type.String(),
  product_id: Type.String(),
  name: Type.String({
    description: "Today's name of the product; of a deleted product, the one it had when the line was last added to.",
  }),
  product_name: Type.String({ description: 'The same as name.' }),
  sku: nullable(Type.String(), { description: "The variant's own, else the product's." }),
  permalink: nullable(Type.String()),
  quantity: Type.Integer(),
  price: Type.Unsafe<Static<typeof Price>>({
    ...nested(Price),
    description: "The base price of one: the variant's own, else the product's.",
  }),
  line_total: Type.Unsafe<Static<typeof Price>>({
    ...nested(Price),
    description:
      'The price with what the options add, for all of the quantity. A variant with its own price adds none.',
  }),
  is_valid: Type.Boolean({
    description:
      'Whether the line could be bought: the product is active, what was chosen still exists, and there is enough of it.',
  }),
  product_meta: sharedPart(Meta),
  selected_options: Type.Array(SelectedOption),
  variant: Type.Unsafe<Static<typeof Variant> | null>({
    ...nestedOrNull(Variant),
    description: 'The variant of exactly these options; null where there is none, or a group came after it.',
  }),
  image: sharedPart(nestedOrNull(Asset)),
})

export type LineItem = Static<typeof LineItem>

/** The part of a product that a line shows. `available` is the stock in the requested mode. */
type LineProductRow = GoodsRow & { available: number }

/** A group of the product with its chosen option. Nulls if none is chosen or the option was deleted. */
export type LineGroupRow = { group_id: string; group_name: string; position: number } & (
  | { option_id: string; option_name: string; price_delta: number }
  | { option_id: null; option_name: null; price_delta: null }
)

export type ChosenGroupRow = Extract<LineGroupRow, { option_id: string }>

export type LineRow = {
  id: string
  product_id: string
  /** Name of the product when the line was last added to. Shown after the product is deleted. */
  name: string
  quantity: number
  options: Combination
  /** Null if the product was deleted. */
  product: LineProductRow | null
  /** All groups of the product, unordered. */
  groups: LineGroupRow[]
  /** Its validity follows from the groups, because it has the line's options. */
  variant: Omit<VariantRow, 'invalid_reason_code'> | null
  /** While an option is left to choose: the highest own stock of a variant the line can become. Null if no such variant has own stock. */
  open_stock: number | null
  image: AssetRow | null
}

/** A flaw of an existing or requested line. `most` is the quantity still possible. See refusals.ts for the sentences. */
export type LineFlaw =
  | {
      readonly kind:
        | 'not_for_sale'
        | 'variant_unknown'
        /** The requested variant lacks an option of a group that was added later. */
        | 'variant_incomplete'
        /** The requested variant has an option that was deleted. */
        | 'variant_outdated'
        /** The options differ from those of the requested variant. */
        | 'options_disagree'
        | 'option_unknown'
        | 'too_many_lines'
        | 'too_much_shown'
        | 'too_many'
    }
  | { readonly kind: 'out_of_stock' | 'too_large'; readonly most: number }

/** The chosen options that still exist, in the order of their groups. */
export const selectedOptions = ({ groups }: LineRow): ChosenGroupRow[] =>
  groups.filter((group): group is ChosenGroupRow => group.option_id !== null).sort(byPosition)

const byPosition = (one: LineGroupRow, other: LineGroupRow): number =>
  one.position - other.position || (one.group_id < other.group_id ? -1 : 1)

/** True if every chosen option still exists. */
export const areOptionsKnown = ({ options, groups }: LineRow): boolean =>
  Object.keys(options).length === groups.filter(({ option_id }) => option_id !== null).length

/** True if an option is left to choose. */
export const hasOpenOptions = ({ groups }: LineRow): boolean => groups.some(({ option_id }) => option_id === null)

/**
 * The variant of the line, as products show it. It has the line's options, so it is valid if they all exist. A variant without an option of
 * a later group counts as none, because an option is left to choose.
 */
export function variantOf(line: LineRow): VariantRow | null {
  const { variant, options, groups } = line
  if (variant === null || Object.keys(options).length < groups.length) return null
  return { ...variant, invalid_reason_code: areOptionsKnown(line) ? null : 'option_deleted' }
}

/**
 * The stock that the line sells from: its variant's own stock in this mode, or else its product's. Null if the stock is not counted, or if
 * an option is left to choose and a possible variant has enough.
 */
export function stockItem(line: LineRow): { id: string; available: number } | null {
  const { product_id, product, quantity } = line
  if (product === null || !product.is_inventory_managed) return null
  const variant = variantOf(line)
  if (variant !== null && variant.inventory !== null) return { id: variant.id, available: variant.inventory }
  if (openStockOf(line) >= quantity) return null
  return { id: product_id, available: product.available }
}

export const openStockOf = (line: LineRow): number => (hasOpenOptions(line) ? (line.open_stock ?? 0) : 0)

/** The quantity that several lines take from one stock item, and its available stock. */
export type ItemDemand = {
  /** Id of the product, or of the variant with own stock. */
  readonly itemId: string
  readonly available: number
  readonly quantity: number
  /** Ids of the lines, for a refusal. */
  readonly lineIds: readonly string[]
}

/** The demands per stock item, in the order of the lines. */
export function stockDemands(lines: readonly LineRow[]): ItemDemand[] {
  const demands = new Map<string, ItemDemand & { quantity: number; lineIds: string[] }>()
  for (const line of lines) {
    const item = stockItem(line)
    if (item === null) continue
    const demand = demands.get(item.id) ?? { itemId: item.id, available: item.available, quantity: 0, lineIds: [] }
    demand.quantity += line.quantity
    demand.lineIds.push(line.id)
    demands.set(item.id, demand)
  }
  return [...demands.values()]
}

/** The demands that exceed the available stock. */
export const findShortages = (lines: readonly LineRow[]) =>
  stockDemands(lines).filter(({ quantity, available }) => quantity > available)

/** The input of price(). A deleted product costs nothing. */
export const toLineInput = (line: LineRow): LineInput => ({
  id: line.id,
  productId: line.product_id,
  quantity: line.quantity,
  unitPrice: basePrice(line),
  optionDeltas: variantPriceOf(line) === null ? selectedOptions(line).map(({ price_delta }) => price_delta) : [],
  isPayWhatYouWant: line.product?.is_pay_what_you_want ?? false,
  isTaxExempt: line.product?.is_tax_exempt ?? false,
  // A cart shows no tax, so its tax rate does not matter.
  isDigital: false,
})

/** Unit price, before the options are added. */
export const basePrice = (line: LineRow): Minor => variantPriceOf(line) ?? line.product?.price ?? 0

export const variantPriceOf = (line: LineRow): Minor | null => variantOf(line)?.price ?? null

/** The flaw of a line, regardless of its quantity. An option left to choose is no flaw yet. */
export function findChoiceFlaw(line: LineRow): LineFlaw | null {
  if (!line.product?.is_active) return { kind: 'not_for_sale' }
  return areOptionsKnown(line) ? null : { kind: 'option_unknown' }
}

/** The lines that exceed the maximum line total, by id. */
export const findOversizedLines = (priced: readonly PricedLine[]): ReadonlyMap<string, LineFlaw> =>
  new Map(
    priced
      .filter(({ isTooLarge }) => isTooLarge)
      .map(({ id, unitPrice }) => [id, { kind: 'too_large', most: Math.floor(LINE_LIMITS.lineTotal / unitPrice) }]),
  )

/** The lines that cannot be bought now, by id, each with its first flaw. */
export function findLineFlaws(lines: readonly LineRow[], priced: readonly PricedLine[]): ReadonlyMap<string, LineFlaw> {
  const tooLarge = findOversizedLines(priced)
  const available = new Map(findShortages(lines).flatMap((item) => item.lineIds.map((id) => [id, item.available])))
  const flaws = new Map<string, LineFlaw>()
  for (const line of lines) {
    const flaw = findChoiceFlaw(line) ?? tooLarge.get(line.id) ?? shortageFlaw(line, available.get(line.id))
    if (flaw !== null) flaws.set(line.id, flaw)
  }
  return flaws
}

const shortageFlaw = (line: LineRow, available: number | undefined): LineFlaw | null =>
  available === undefined ? null : { kind: 'out_of_stock', most: Math.max(available, openStockOf(line)) }

/** The total quantity, and the number of lines. */
export const sizeOf = (lines: readonly { readonly quantity: number }[]) => ({
  total_items: lines.reduce((sum, { quantity }) => sum + quantity, 0),
  total_unique_items: lines.length,
})

/** The caller for whom lines are shown, and the URLs of pictures. */
export type ViewContext = {
  readonly caller: Pick<Caller, 'merchant_id' | 'currency'>
  readonly fileUrls: FileUrls
}

/** Turns rows into lines of the newest API version. */
export function viewLines(rows: readonly LineRow[], priced: readonly PricedLine[], context: ViewContext): LineItem[] {
  const totals = new Map(priced.map((line) => [line.id, line]))
  const flaws = findLineFlaws(rows, priced)
  // Lines of one product share its picture.
  const imageOf = memoize((image: AssetRow) => viewAsset(image, context.fileUrls))
  return rows.map((row) => {
    const image = row.image && imageOf(row.image)
    const lineTotal = totals.get(row.id)?.lineTotal ?? 0
    return viewLine(row, { image, lineTotal, isValid: !flaws.has(row.id) }, context)
  })
}

function viewLine(
  row: LineRow,
  { image, lineTotal, isValid }: Pick<LineItem, 'image'> & { lineTotal: Minor; isValid: boolean },
  { caller, fileUrls }: ViewContext,
): LineItem {
  const { product } = row
  const variant = variantOf(row)
  const name = product?.name ?? row.name
  return {
    id: row.id,
    product_id: row.product_id,
    name,
    product_name: name,
    sku: variant?.sku ?? product?.sku ?? null,
    permalink: product?.permalink ?? null,
    quantity: row.quantity,
    price: priceOf(basePrice(row), caller.currency),
    line_total: priceOf(lineTotal, caller.currency),
    is_valid: isValid,
    product_meta: product?.meta ?? null,
    selected_options: selectedOptions(row).map((selected) => ({
      group_id: selected.group_id,
      group_name: selected.group_name,
      option_id: selected.option_id,
      option_name: selected.option_name,
      price: priceOf(selected.price_delta, caller.currency),
    })),
    variant: variant && viewVariant(variant, caller.currency, fileUrls),
    image,
  }
}
