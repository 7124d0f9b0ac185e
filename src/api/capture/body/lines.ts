// Applies the body of a capture to the lines of its checkout token: quantities, options and variants. Then refuses lines that
// cannot be bought.

import { textOrNull } from '../../../lib/json.ts'
import type { Problems } from '../../../lib/problems.ts'
import { refusal, type ShopperRefusal } from '../../../lib/words/refusals.ts'
import type { PriceTotals } from '../../../pricing/price.ts'
import type { CheckoutRow } from '../../checkouts/read-store.ts'
import {
  findChoiceFlaw,
  findOversizedLines,
  findShortages,
  type LineFlaw,
  type LineGroupRow,
  type LineRow,
} from '../../lines/line.ts'
import { captureRefusal, flawRefusal, namesOfLines } from '../../lines/refusals.ts'
import type { Combination } from '../../products/variants/schema.ts'
import type { CapturedProductRow, CaptureFacts, LineChoice } from './read-store.ts'
import type { CaptureBody, SentLine } from './schema.ts'

type SentLines = CaptureBody['line_items']

/** The part of the body about this line. Empty if the body has none. */
const sentLineOf = (sent: SentLines, { id }: LineRow): SentLine => (sent && Object.hasOwn(sent, id) && sent[id]) || {}

/** The token and the body without the lines that the shopper removed, and those lines. */
type RemainingLines = {
  readonly token: CheckoutRow
  readonly sent: SentLines
  readonly removedLines: readonly LineRow[]
}

/**
 * Drops the lines that the shopper removed with a quantity of 0, before lines are checked, priced or held. So a shopper can
 * still buy the rest when one line is sold out. Only our hosted checkout may send a 0. From a storefront it is a mistake,
 * because a storefront can change its cart.
 */
export function dropRemovedLines(token: CheckoutRow, sent: SentLines): RemainingLines {
  const removedLines = token.lines.filter((line) => sentLineOf(sent, line).quantity === 0)
  if (removedLines.length === 0) return { token, sent, removedLines }
  const isRemoved = (id: string) => removedLines.some((line) => line.id === id)
  const lines = token.lines.filter(({ id }) => !isRemoved(id))
  const products = new Set(lines.map(({ product_id }) => product_id))
  const { external_tax: external } = token
  return {
    token: {
      ...token,
      lines,
      deliveries: Object.fromEntries(Object.entries(token.deliveries).filter(([id]) => products.has(id))),
      external_tax: external?.line_items
        ? { ...external, line_items: external.line_items.filter(({ id }) => !isRemoved(id)) }
        : external,
    },
    sent: Object.fromEntries(Object.entries(sent ?? {}).filter(([id]) => !isRemoved(id))),
    removedLines,
  }
}

/** Finds the lines for which the body chooses other options than the token has. */
export function findNewChoices(lines: readonly LineRow[], sent: SentLines): LineChoice[] {
  return lines.flatMap((line) => {
    const { variant_id: sentVariant, variants } = sentLineOf(sent, line)
    const variantId = textOrNull(sentVariant)
    const sentOptions = readOptions(variants)
    const isSame =
      (variantId === null || variantId === line.variant?.id) &&
      Object.entries(sentOptions).every(([groupId, optionId]) => line.options[groupId] === optionId)
    if (isSame) return []
    const options = { ...earlierOptions(line), ...sentOptions }
    return { line_id: line.id, product_id: line.product_id, options, variant_id: variantId }
  })
}

const readOptions = (variants: SentLine['variants']): Combination =>
  Object.fromEntries(
    Object.entries(variants ?? {}).flatMap(([groupId, sent]) => {
      const optionId = textOrNull(sent)
      return optionId === null ? [] : [[groupId, optionId]]
    }),
  )

/** The options chosen before that still exist. */
const earlierOptions = ({ groups }: LineRow): Combination =>
  Object.fromEntries(groups.flatMap(({ group_id, option_id }) => (option_id === null ? [] : [[group_id, option_id]])))

/**
 * Returns the lines with the quantities and choices of the body. Refuses unknown line ids: otherwise the order would lack a
 * change that the shopper expects.
 */
export function applyLines(
  lines: readonly LineRow[],
  sent: SentLines,
  choices: readonly LineChoice[],
  facts: Pick<CaptureFacts, 'products' | 'variants'>,
  problems: Problems,
): LineRow[] {
  const lineIds = new Set(lines.map(({ id }) => id))
  for (const id of Object.keys(sent ?? {}))
    if (!lineIds.has(id)) problems.refused(`line_items.${id}`, 'must be named by the id of a line of this checkout')
  const names = namesOfLines(lines)
  return lines.map((line) => {
    const { quantity } = sentLineOf(sent, line)
    const resized = typeof quantity === 'number' ? { ...line, quantity } : line
    const choice = choices.find(({ line_id }) => line_id === line.id)
    if (choice === undefined) return resized
    const product = names.get(line.id)
    const choiceRefusal = refusal('choice_not_available', product === undefined ? {} : { product })
    return withChoice(resized, choice, sentLineOf(sent, line), facts, { problems, choiceRefusal })
  })
}

function withChoice(
  line: LineRow,
  choice: LineChoice,
  sent: SentLine,
  facts: Pick<CaptureFacts, 'products' | 'variants'>,
  { problems, choiceRefusal }: { problems: Problems; choiceRefusal: ShopperRefusal },
): LineRow {
  const path = `line_items.${line.id}`
  const variant = facts.variants[line.id] ?? null
  if (choice.variant_id !== null && variant === null) {
    problems.refused(`${path}.variant_id`, 'must be the id of a variant of this product', choiceRefusal)
    return line
  }
  const options = choice.variant_id === null ? choice.options : (variant?.options ?? {})
  const groups = groupsWith(line, options, facts.products)
  for (const [groupId, optionId] of Object.entries(readOptions(sent.variants)))
    if (options[groupId] !== optionId || !groups.some(({ group_id, option_id }) => group_id === groupId && option_id))
      problems.refused(
        `${path}.variants.${groupId}`,
        'must be an option of this variant group of the product, and agree with the variant where one is named',
        choiceRefusal,
      )
  return { ...line, options, groups, variant }
}

function groupsWith(line: LineRow, options: Combination, products: readonly CapturedProductRow[]): LineGroupRow[] {
  const product = products.find(({ id }) => id === line.product_id)
  return (product?.variant_groups ?? []).map(({ id, name, position, options: all }) => {
    const option = all.find((each) => each.id === options[id])
    const group = { group_id: id, group_name: name, position }
    return option === undefined
      ? { ...group, option_id: null, option_name: null, price_delta: null }
      : { ...group, option_id: option.id, option_name: option.name, price_delta: option.price_delta }
  })
}

/**
 * Refuses lines that cannot be bought. `products` were read after the lines: a line without its product is refused, because
 * a deleted product has nothing to deliver. The check of the stock is preliminary; `reserve.ts` decides when it takes the
 * stock. An option that still has to be chosen is not refused here: `refuseMissing` reports it as a missing field.
 */
export function refuseLines(
  lines: readonly LineRow[],
  products: readonly Pick<CapturedProductRow, 'id'>[],
  totals: PriceTotals,
  problems: Problems,
) {
  if (lines.length === 0)
    problems.refused('line_items', 'must leave a line with a quantity of 1 or more', refusal('cart_empty'))
  const names = namesOfLines(lines)
  const refuse = (lineId: string, flaw: LineFlaw) => {
    const [pathSuffix, message] = captureRefusal(flaw)
    problems.refused(`line_items.${lineId}${pathSuffix}`, message, flawRefusal(flaw, names.get(lineId)))
  }
  const productIds = new Set(products.map(({ id }) => id))
  for (const line of lines) {
    const flaw: LineFlaw | null = productIds.has(line.product_id) ? findChoiceFlaw(line) : { kind: 'not_for_sale' }
    // `applyLines` has already refused an unknown option that the body named, under the field of its group.
    const isRefused = (groupId: string) => problems.has(`line_items.${line.id}.variants.${groupId}`)
    if (flaw === null || (flaw.kind === 'option_unknown' && Object.keys(line.options).some(isRefused))) continue
    refuse(line.id, flaw)
  }
  for (const [id, flaw] of findOversizedLines(totals.lines)) refuse(id, flaw)
  for (const { available, lineIds } of findShortages(lines))
    for (const id of lineIds) refuse(id, { kind: 'out_of_stock', most: available })
}
