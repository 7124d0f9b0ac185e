// Applies a capture's body to the lines of its token: quantities, options and variants. Then refuses the lines that cannot be bought.

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

const sentFor = (sent: SentLines, { id }: LineRow): SentLine => (sent && Object.hasOwn(sent, id) && sent[id]) || {}

/** The token and the body without the lines that the shopper leaves out. */
type RemainingLines = { readonly token: CheckoutRow; readonly sent: SentLines; readonly leftOut: readonly LineRow[] }

/**
 * Lines with a quantity of 0 are dropped before they are checked, priced or held. So a shopper can still buy the rest when one line has
 * sold out. Only our own page may send a 0. From a storefront it is a mistake, because a storefront can change its cart.
 */
export function dropLeftOutLines(token: CheckoutRow, sent: SentLines): RemainingLines {
  const leftOut = token.lines.filter((line) => sentFor(sent, line).quantity === 0)
  if (leftOut.length === 0) return { token, sent, leftOut }
  const isLeftOut = (id: string) => leftOut.some((line) => line.id === id)
  const lines = token.lines.filter(({ id }) => !isLeftOut(id))
  const products = new Set(lines.map(({ product_id }) => product_id))
  const { external_tax: external } = token
  return {
    token: {
      ...token,
      lines,
      deliveries: Object.fromEntries(Object.entries(token.deliveries).filter(([id]) => products.has(id))),
      external_tax: external?.line_items
        ? { ...external, line_items: external.line_items.filter(({ id }) => !isLeftOut(id)) }
        : external,
    },
    sent: Object.fromEntries(Object.entries(sent ?? {}).filter(([id]) => !isLeftOut(id))),
    leftOut,
  }
}

/** Finds the lines for which the body chooses other options than the token has. */
export function findNewChoices(lines: readonly LineRow[], sent: SentLines): LineChoice[] {
  return lines.flatMap((line) => {
    const { variant_id: sentVariant, variants } = sentFor(sent, line)
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

/** Gives the lines as they will be bought. Unknown line ids are refused, because the shopper expects to buy something else. */
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
    const { quantity } = sentFor(sent, line)
    const resized = typeof quantity === 'number' ? { ...line, quantity } : line
    const choice = choices.find(({ line_id }) => line_id === line.id)
    if (choice === undefined) return resized
    const product = names.get(line.id)
    const again = refusal('choice_not_available', product === undefined ? {} : { product })
    return withChoice(resized, choice, sentFor(sent, line), facts, { problems, again })
  })
}

function withChoice(
  line: LineRow,
  choice: LineChoice,
  sent: SentLine,
  facts: Pick<CaptureFacts, 'products' | 'variants'>,
  { problems, again }: { problems: Problems; again: ShopperRefusal },
): LineRow {
  const path = `line_items.${line.id}`
  const variant = facts.variants[line.id] ?? null
  if (choice.variant_id !== null && variant === null) {
    problems.refused(`${path}.variant_id`, 'must be the id of a variant of this product', again)
    return line
  }
  const options = choice.variant_id === null ? choice.options : (variant?.options ?? {})
  const groups = groupsWith(line, options, facts.products)
  for (const [groupId, optionId] of Object.entries(readOptions(sent.variants)))
    if (options[groupId] !== optionId || !groups.some(({ group_id, option_id }) => group_id === groupId && option_id))
      problems.refused(
        `${path}.variants.${groupId}`,
        'must be an option of this variant group of the product, and agree with the variant where one is named',
        again,
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
 * An option that is still to be chosen is not refused here: `refuseMissing` treats it as a missing field. `products` were read after the
 * lines. A product deleted in between would be sold with nothing to deliver. Taking the stock decides whether there is enough of it.
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
    const [part, rule] = captureRefusal(flaw)
    problems.refused(`line_items.${lineId}${part}`, rule, flawRefusal(flaw, names.get(lineId)))
  }
  const productIds = new Set(products.map(({ id }) => id))
  for (const line of lines) {
    const flaw: LineFlaw | null = productIds.has(line.product_id) ? findChoiceFlaw(line) : { kind: 'not_for_sale' }
    // An unknown option that the body named was refused already, under its own field.
    const isRefused = (groupId: string) => problems.has(`line_items.${line.id}.variants.${groupId}`)
    if (flaw === null || (flaw.kind === 'option_unknown' && Object.keys(line.options).some(isRefused))) continue
    refuse(line.id, flaw)
  }
  for (const [id, flaw] of findOversizedLines(totals.lines)) refuse(id, flaw)
  for (const { available, lineIds } of findShortages(lines))
    for (const id of lineIds) refuse(id, { kind: 'out_of_stock', most: available })
}
