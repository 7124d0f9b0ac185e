// Checks a new quantity or new options of a line, and saves them if they are available. The reply shows the token afterwards.
// `checkQuantity` and `checkVariant` keep the word of their URLs, although they write.

import type { Static } from 'typebox'
import { missingParameter, notFound } from '../../../lib/errors.ts'
import { priceOf } from '../../../lib/money.ts'
import { type ShopperRefusal, shopperSentence } from '../../../lib/words/refusals.ts'
import { selectedOptions, variantOf } from '../../lines/line.ts'
import { checkRefusal } from '../../lines/refusals.ts'
import { ALREADY_ORDERED_REFUSAL, type CheckoutContext, identifyToken, renderLiveTotals } from '../checkout.ts'
import { type PricedCheckout, priceCheckout } from '../price.ts'
import type { CheckoutRow } from '../read-store.ts'
import { changeCheckoutLine, type LineChange, type LineChangeResult } from './change.ts'
import type { QuantityCheck, QuantityQuery, VariantCheck, VariantQuery } from './schema.ts'
import type { RequestedChoice, RequestedOption } from './store.ts'

/** Token and line that a path names. */
type LinePath = { readonly id: string; readonly line_item_id: string }

export async function checkQuantity(
  context: CheckoutContext,
  path: LinePath,
  query: Static<typeof QuantityQuery>,
): Promise<Static<typeof QuantityCheck>> {
  const line = { quantity: query.amount ?? null, options: namedOptions(query), variantId: query.variant_id ?? null }
  const result = await applyChange(context, path, line)
  return { ...outcome(result, path, line), live: await renderLiveTotals(context, result.row) }
}

export async function checkVariant(
  context: CheckoutContext,
  path: LinePath,
  query: Static<typeof VariantQuery>,
): Promise<Static<typeof VariantCheck>> {
  const line = { quantity: null, ...choiceIn(query) }
  const result = await applyChange(context, path, line)
  const { row } = result
  const priced = priceCheckout(row)
  const selection = result.isAccepted ? chosenOf(row, priced, path.line_item_id, context.caller.currency) : null
  return {
    ...outcome(result, path, line),
    name: selection?.name ?? null,
    price: selection?.price ?? null,
    option_id: query.option_id ?? null,
    variant_id: query.variant_id ?? selection?.variantId ?? null,
    live: await renderLiveTotals(context, row, priced),
  }
}

/** Throws if the token or its line does not exist. */
async function applyChange(context: CheckoutContext, path: LinePath, line: LineChange): Promise<LineChangeResult> {
  const token = { ...identifyToken(context, path.id), isSecret: context.caller.isSecret }
  const result = await changeCheckoutLine(context.db, token, path.line_item_id, line)
  if (result === 'no token') throw notFound('checkout token')
  if (result === 'no line') throw notFound('line item')
  context.reportLinesRead(result.row.lines.length)
  return result
}

const outcome = (result: LineChangeResult, path: LinePath, { variantId }: LineChange) => ({
  available: result.isAccepted,
  line_item_id: path.line_item_id,
  requested_quantity: result.quantity,
  ...(result.isAccepted ? {} : { message: shopperSentence(refusalOf(result, variantId)) }),
})

const refusalOf = ({ check, hasOrder }: LineChangeResult, variantId: string | null): ShopperRefusal =>
  hasOrder ? ALREADY_ORDERED_REFUSAL : checkRefusal(check, variantId)

/** An `option_id` beside `variant_id` comes from older clients: they called a variant group a variant. */
function choiceIn(query: Static<typeof VariantQuery>): RequestedChoice {
  const { variant_id: variantId = null, group_id: groupId = null, option_id: optionId } = query
  if (optionId !== undefined && groupId === null)
    return { options: [{ group_id: variantId, option_id: optionId }], variantId: null }
  if (optionId !== undefined) return { options: [{ group_id: groupId, option_id: optionId }], variantId }
  if (groupId !== null) throw missingParameter('option_id')
  const options = namedOptions(query)
  if (options === null && variantId === null) throw missingParameter('variant_id')
  return { options, variantId }
}

/** Null if no option is named, also for an empty map. */
function namedOptions({ options, variants }: Pick<Static<typeof VariantQuery>, 'options' | 'variants'>) {
  const rawOptions = options ?? variants ?? []
  const optionList: RequestedOption[] = Array.isArray(rawOptions)
    ? rawOptions.map((optionId) => ({ group_id: null, option_id: optionId }))
    : Object.entries(rawOptions).map(([groupId, optionId]) => ({ group_id: groupId, option_id: optionId }))
  return optionList.length === 0 ? null : optionList
}

/** Current selection of a line. */
function chosenOf({ lines }: CheckoutRow, { totals }: PricedCheckout, lineId: string, currency: string) {
  const line = lines.find(({ id }) => id === lineId)
  const unitPrice = totals.lines.find(({ id }) => id === lineId)?.unitPrice
  if (line === undefined || unitPrice === undefined) return null
  return {
    name: selectedOptions(line)
      .map(({ option_name }) => option_name)
      .join(', '),
    price: priceOf(unitPrice, currency),
    variantId: variantOf(line)?.id ?? null,
  }
}
