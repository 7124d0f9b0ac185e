// Whether a line can be had in another quantity, or with other options: if so it is changed. One statement judges and saves,
// another reads what is then shown.

import type { Static } from 'typebox'
import { missingParameter, notFound } from '../../../lib/errors.ts'
import { priceOf } from '../../../lib/money.ts'
import { type Refusal, sentenceOf } from '../../../lib/words/refusals.ts'
import { selectedOptions, variantOf } from '../../lines/line.ts'
import { checkRefusal } from '../../lines/refusals.ts'
import { type CheckoutContext, ORDER_PLACED, readCheckout, showLive, tokenAt } from '../checkout.ts'
import { type PricedCheckout, priceCheckout } from '../price.ts'
import type { CheckoutRow } from '../read-store.ts'
import type { QuantityCheck, QuantityQuery, VariantCheck, VariantQuery } from './schema.ts'
import { checkAndChangeLine, type LineChange, type NamedOption, type TokenLineCheck } from './store.ts'

/** The token and the line that a path names. */
type LinePath = { readonly id: string; readonly line_item_id: string }

export async function checkQuantity(
  context: CheckoutContext,
  path: LinePath,
  query: Static<typeof QuantityQuery>,
): Promise<Static<typeof QuantityCheck>> {
  const line = { quantity: query.amount ?? null, options: namedOptions(query), variantId: query.variant_id ?? null }
  const check = await changeLine(context, path, line)
  const row = await readCheckout(context, path.id)
  return { ...outcome(check, path, line), live: await showLive(context, row) }
}

export async function checkVariant(
  context: CheckoutContext,
  path: LinePath,
  query: Static<typeof VariantQuery>,
): Promise<Static<typeof VariantCheck>> {
  const line = { quantity: null, ...choiceIn(query) }
  const check = await changeLine(context, path, line)
  const row = await readCheckout(context, path.id)
  const priced = priceCheckout(row)
  const chosen = check.is_accepted ? chosenOf(row, priced, path.line_item_id, context.caller.currency) : null
  return {
    ...outcome(check, path, line),
    name: chosen?.name ?? null,
    price: chosen?.price ?? null,
    option_id: query.option_id ?? null,
    variant_id: query.variant_id ?? chosen?.variantId ?? null,
    live: await showLive(context, row, priced),
  }
}

/** Throws when there is no such token, or no such line of it. */
async function changeLine(context: CheckoutContext, path: LinePath, change: LineChange): Promise<TokenLineCheck> {
  const check = await checkAndChangeLine(context.db, tokenAt(context, path.id), path.line_item_id, change)
  if (check === null) throw notFound('checkout token')
  if (!check.has_line) throw notFound('line item')
  return check
}

const outcome = (check: TokenLineCheck, path: LinePath, { variantId }: LineChange) => ({
  available: check.is_accepted,
  line_item_id: path.line_item_id,
  requested_quantity: check.quantity,
  ...(check.is_accepted ? {} : { message: sentenceOf(refusalOf(check, variantId)) }),
})

const refusalOf = (check: TokenLineCheck, variantId: string | null): Refusal =>
  check.has_order ? ORDER_PLACED : checkRefusal(check, variantId)

/** An `option_id` beside `variant_id` is how older clients name an option: the group was called a variant then. */
function choiceIn(query: Static<typeof VariantQuery>): Pick<LineChange, 'options' | 'variantId'> {
  const { variant_id: variantId = null, group_id: groupId = null, option_id: optionId } = query
  if (optionId !== undefined && groupId === null)
    return { options: [{ group_id: variantId, option_id: optionId }], variantId: null }
  if (optionId !== undefined) return { options: [{ group_id: groupId, option_id: optionId }], variantId }
  if (groupId !== null) throw missingParameter('option_id')
  const options = namedOptions(query)
  if (options === null && variantId === null) throw missingParameter('variant_id')
  return { options, variantId }
}

/** Null when none is named, as an empty map names none. */
function namedOptions({ options, variants }: Pick<Static<typeof VariantQuery>, 'options' | 'variants'>) {
  const sent = options ?? variants ?? []
  const named: NamedOption[] = Array.isArray(sent)
    ? sent.map((optionId) => ({ group_id: null, option_id: optionId }))
    : Object.entries(sent).map(([groupId, optionId]) => ({ group_id: groupId, option_id: optionId }))
  return named.length === 0 ? null : named
}

/** What is chosen of a line now. */
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
