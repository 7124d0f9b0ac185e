// What a capture's body says of the lines, applied to those of the token: quantities, options, variants. And why a line cannot be
// bought as it then is.

import { textOrNull } from '../../../lib/json.ts'
import type { Problems } from '../../../lib/problems.ts'
import { type Refusal, refusal } from '../../../lib/words/refusals.ts'
import type { Totals } from '../../../pricing/price.ts'
import type { CheckoutRow } from '../../checkouts/read-store.ts'
import { choiceFlaw, type LineFlaw, type LineGroupRow, type LineRow, oversizes, shortages } from '../../lines/line.ts'
import { captureRefusal, flawRefusal, namesOfLines } from '../../lines/refusals.ts'
import type { Combination } from '../../products/variants/schema.ts'
import type { CapturedProductRow, CaptureFacts, LineChoice } from '../read-store.ts'
import type { CaptureBody, SentLine } from './schema.ts'

type SentLines = CaptureBody['line_items']

const sentFor = (sent: SentLines, { id }: LineRow): SentLine => (sent && Object.hasOwn(sent, id) && sent[id]) || {}

/** The token without what the body does not want of it, and what the body says of the rest. */
type Wanted = { readonly token: CheckoutRow; readonly sent: SentLines; readonly leftOut: readonly LineRow[] }

/**
 * Lines of which none is wanted go before anything is looked at: nothing of them is asked, priced, sent or held. So who buys several things is
 * not stuck with the one that has sold out meanwhile. Our page alone says so: of a storefront a 0 is a mistake, and its cart can take a line out.
 */
export function withoutLeftOut(token: CheckoutRow, sent: SentLines): Wanted {
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

/** Those of the lines that are to have other options than the token's. */
export function wantedChoices(lines: readonly LineRow[], sent: SentLines): LineChoice[] {
  return lines.flatMap((line) => {
    const { variant_id: sentVariant, variants } = sentFor(sent, line)
    const variantId = textOrNull(sentVariant)
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
      const optionId = textOrNull(sent)
      return optionId === null ? [] : [[groupId, optionId]]
    }),
  )

/** What was chosen before and still exists. */
const keptOptions = ({ groups }: LineRow): Combination =>
  Object.fromEntries(groups.flatMap(({ group_id, option_id }) => (option_id === null ? [] : [[group_id, option_id]])))

/** The lines as they are to be bought. Ids that are no lines of the token are refused: the shopper believes to be buying something else. */
export function appliedLines(
  lines: readonly LineRow[],
  sent: SentLines,
  choices: readonly LineChoice[],
  facts: Pick<CaptureFacts, 'products' | 'variants'>,
  problems: Problems,
): LineRow[] {
  const known = new Set(lines.map(({ id }) => id))
  for (const id of Object.keys(sent ?? {}))
    if (!known.has(id)) problems.refused(`line_items.${id}`, 'must be named by the id of a line of this checkout')
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
  { problems, again }: { problems: Problems; again: Refusal },
): LineRow {
  const path = `line_items.${line.id}`
  const variant = facts.variants[line.id] ?? null
  if (choice.variant_id !== null && variant === null) {
    problems.refused(`${path}.variant_id`, 'must be the id of a variant of this product', again)
    return line
  }
  const options = choice.variant_id === null ? choice.options : (variant?.options ?? {})
  const groups = groupsWith(line, options, facts.products)
  for (const [groupId, optionId] of Object.entries(namedOptions(sent.variants)))
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
    const chosen = all.find((option) => option.id === options[id])
    const group = { group_id: id, group_name: name, position }
    return chosen === undefined
      ? { ...group, option_id: null, option_name: null, price_delta: null }
      : { ...group, option_id: chosen.id, option_name: chosen.name, price_delta: chosen.price_delta }
  })
}

/**
 * An option left to choose is not refused here: it is a missing field like any other. `products` were read after the lines: a product
 * deleted in between would be sold with nothing to send. Whether there is enough is decided when the stock is taken.
 */
export function refuseLines(
  lines: readonly LineRow[],
  products: readonly Pick<CapturedProductRow, 'id'>[],
  totals: Totals,
  problems: Problems,
) {
  if (lines.length === 0)
    problems.refused('line_items', 'must leave a line with a quantity of 1 or more', refusal('cart_empty'))
  const names = namesOfLines(lines)
  const refuse = (lineId: string, flaw: LineFlaw) => {
    const [part, rule] = captureRefusal(flaw)
    problems.refused(`line_items.${lineId}${part}`, rule, flawRefusal(flaw, names.get(lineId)))
  }
  const known = new Set(products.map(({ id }) => id))
  for (const line of lines) {
    const flaw: LineFlaw | null = known.has(line.product_id) ? choiceFlaw(line) : { kind: 'not_for_sale' }
    // An unknown option that the body named was refused already, under its own field.
    const isRefused = (groupId: string) => problems.has(`line_items.${line.id}.variants.${groupId}`)
    if (flaw === null || (flaw.kind === 'option_unknown' && Object.keys(line.options).some(isRefused))) continue
    refuse(line.id, flaw)
  }
  for (const [id, flaw] of oversizes(totals.lines)) refuse(id, flaw)
  for (const { available, lineIds } of shortages(lines))
    for (const id of lineIds) refuse(id, { kind: 'out_of_stock', most: available })
}
