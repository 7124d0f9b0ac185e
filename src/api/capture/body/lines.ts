// What a capture's body says of the lines, applied to those of the token: quantities, options, variants. And why a line cannot be
// bought as it then is.

import type { Problems } from '../../../lib/errors.ts'
import { given } from '../../../lib/json.ts'
import type { Totals } from '../../../pricing/price.ts'
import type { LineGroupRow, LineRow } from '../../carts/read-store.ts'
import { LIMITS } from '../../carts/schema.ts'
import { areOptionsKnown, stockItem } from '../../lines/line.ts'
import type { Combination } from '../../products/variants/schema.ts'
import type { StockDemand } from '../hold-store.ts'
import type { CapturedProductRow, CaptureFacts, WantedChoice } from '../read-store.ts'
import type { CaptureBody, SentLine } from './schema.ts'

type SentLines = CaptureBody['line_items']

const sentFor = (sent: SentLines, { id }: LineRow): SentLine => (sent && Object.hasOwn(sent, id) && sent[id]) || {}

/** Those of the lines that are to have other options than the token's. */
export function wantedChoices(lines: readonly LineRow[], sent: SentLines): WantedChoice[] {
  return lines.flatMap((line) => {
    const { variant_id: sentVariant, variants } = sentFor(sent, line)
    const variantId = given(sentVariant)
    const named = namedOptions(variants)
    const isSame =
      (variantId === null || variantId === line.variant?.id) &&
      Object.entries(named).every(([groupId, optionId]) => line.options[groupId] === optionId)
    if (isSame) return []
    const options = { ...keptOptions(line), ...named }
    return { line_id: line.id, product_id: line.product_id, options, variant_id: variantId }
  })
}

const namedOptions = (variants: SentLine['variants']): Combination =>
  Object.fromEntries(
    Object.entries(variants ?? {}).flatMap(([groupId, sent]) => {
      const optionId = given(sent)
      return optionId === null ? [] : [[groupId, optionId]]
    }),
  )

/** What was chosen before and still exists. */
const keptOptions = ({ groups }: LineRow): Combination =>
  Object.fromEntries(groups.flatMap(({ group_id, option_id }) => (option_id === null ? [] : [[group_id, option_id]])))

/** The lines as they are to be bought. Ids that are no lines of the token are refused: somebody believes to buy something else. */
export function appliedLines(
  lines: readonly LineRow[],
  sent: SentLines,
  choices: readonly WantedChoice[],
  facts: Pick<CaptureFacts, 'products' | 'variants'>,
  problems: Problems,
): LineRow[] {
  const known = new Set(lines.map(({ id }) => id))
  for (const id of Object.keys(sent ?? {}))
    if (!known.has(id)) problems.refused(`line_items.${id}`, 'must be named by the id of a line of this checkout')
  return lines.map((line) => {
    const { quantity } = sentFor(sent, line)
    const asked = typeof quantity === 'number' ? { ...line, quantity } : line
    const choice = choices.find(({ line_id }) => line_id === line.id)
    return choice === undefined ? asked : withChoice(asked, choice, sentFor(sent, line), facts, problems)
  })
}

function withChoice(
  line: LineRow,
  choice: WantedChoice,
  sent: SentLine,
  facts: Pick<CaptureFacts, 'products' | 'variants'>,
  problems: Problems,
): LineRow {
  const path = `line_items.${line.id}`
  const variant = facts.variants[line.id] ?? null
  if (choice.variant_id !== null && variant === null) {
    problems.refused(`${path}.variant_id`, 'must be the id of a variant of this product')
    return line
  }
  const options = choice.variant_id === null ? choice.options : (variant?.options ?? {})
  const groups = groupsWith(line, options, facts.products)
  for (const [groupId, optionId] of Object.entries(namedOptions(sent.variants)))
    if (options[groupId] !== optionId || !groups.some(({ group_id, option_id }) => group_id === groupId && option_id))
      problems.refused(
        `${path}.variants.${groupId}`,
        'must be an option of this variant group of the product, and agree with the variant where one is named',
      )
  return { ...line, options, groups, variant }
}

function groupsWith(line: LineRow, options: Combination, products: readonly CapturedProductRow[]): LineGroupRow[] {
  const product = products.find(({ id }) => id === line.product_id)
  return (product?.variant_groups ?? []).map(({ id, name, position, options: all }) => {
    const chosen = all.find((option) => option.id === options[id])
    const group = { group_id: id, group_name: name, position }
    return chosen === undefined
      ? { ...group, option_id: null, option_name: null, price_delta: null }
      : { ...group, option_id: chosen.id, option_name: chosen.name, price_delta: chosen.price_delta }
  })
}

/** What the lines take from each stock item together, and how much it has. Whether that is enough is decided when it is taken. */
export function stockOf(lines: readonly LineRow[]): (StockDemand & { readonly available: number })[] {
  const demands = new Map<string, { itemId: string; quantity: number; lineIds: string[]; available: number }>()
  for (const line of lines) {
    const item = stockItem(line)
    if (item === null) continue
    const demand = demands.get(item.id) ?? { itemId: item.id, quantity: 0, lineIds: [], available: item.available }
    demand.quantity += line.quantity
    demand.lineIds.push(line.id)
    demands.set(item.id, demand)
  }
  return [...demands.values()]
}

/**
 * That something is left to choose is not told here: it is missing, as any field may be. `products` were read after the lines: one that
 * was deleted in between would be sold without anything to send.
 */
export function refuseLines(
  lines: readonly LineRow[],
  products: readonly Pick<CapturedProductRow, 'id'>[],
  totals: Totals,
  problems: Problems,
) {
  const known = new Set(products.map(({ id }) => id))
  for (const line of lines) {
    const path = `line_items.${line.id}`
    if (!line.product?.is_active || !known.has(line.product_id))
      problems.refused(path, 'cannot be bought: the product is not for sale any more')
    else if (!areOptionsKnown(line) && !Object.keys(line.options).some((id) => problems.has(`${path}.variants.${id}`)))
      problems.refused(`${path}.variants`, 'must be chosen anew: an option that was chosen does not exist any more')
  }
  for (const { id, unitPrice, isTooLarge } of totals.lines)
    if (isTooLarge)
      problems.refused(
        `line_items.${id}.quantity`,
        `must be ${Math.floor(LIMITS.lineTotal / unitPrice)} or less at this price`,
      )
  for (const { quantity, available, lineIds } of stockOf(lines))
    if (quantity > available)
      for (const id of lineIds)
        problems.refused(
          `line_items.${id}.quantity`,
          `is more than there is: ${available} are available, for all lines of the checkout together`,
        )
}
