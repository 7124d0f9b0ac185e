// What is answered about a line in another quantity, or with other options: whether it can be had, and the token as it is then.

import type { Static } from 'typebox'
import { missingParameter, notFound } from '../../../lib/errors.ts'
import { priceOf } from '../../../lib/money.ts'
import { type Refusal, sentenceOf } from '../../../lib/words/refusals.ts'
import { selectedOptions, variantOf } from '../../lines/line.ts'
import { checkRefusal } from '../../lines/refusals.ts'
import { type CheckoutContext, ORDER_PLACED, showLive, tokenAt } from '../checkout.ts'
import { type PricedCheckout, priceCheckout } from '../price.ts'
import type { CheckoutRow } from '../read-store.ts'
import { type ChangedLine, changeLine, type LineChange } from './change.ts'
import type { QuantityCheck, QuantityQuery, VariantCheck, VariantQuery } from './schema.ts'
import type { Choice, NamedOption } from './store.ts'

/** The token and the line that a path names. */
type LinePath = { readonly id: string; readonly line_item_id: string }

export async function checkQuantity(
  context: CheckoutContext,
  path: LinePath,
  query: Static<typeof QuantityQuery>,
): Promise<Static<typeof QuantityCheck>> {
  const line = { quantity: query.amount ?? null, options: namedOptions(query), variantId: query.variant_id ?? null }
  const changed = await change(context, path, line)
  return { ...outcome(changed, path, line), live: await showLive(context, changed.row) }
}

export async function checkVariant(
  context: CheckoutContext,
  path: LinePath,
  query: Static<typeof VariantQuery>,
): Promise<Static<typeof VariantCheck>> {
  const line = { quantity: null, ...choiceIn(query) }
  const changed = await change(context, path, line)
  const { row } = changed
  const priced = priceCheckout(row)
  const chosen = changed.isAccepted ? chosenOf(row, priced, path.line_item_id, context.caller.currency) : null
  return {
    ...outcome(changed, path, line),
    name: chosen?.name ?? null,
    price: chosen?.price ?? null,
    option_id: query.option_id ?? null,
    variant_id: query.variant_id ?? chosen?.variantId ?? null,
    live: await showLive(context, row, priced),
  }
}

/** Throws when there is no such token, or no such line of it. */
async function change(context: CheckoutContext, path: LinePath, line: LineChange): Promise<ChangedLine> {
  const token = { ...tokenAt(context, path.id), isSecret: context.caller.isSecret }
  const changed = await changeLine(context.db, token, path.line_item_id, line)
  if (changed === 'no token') throw notFound('checkout token')
  if (changed === 'no line') throw notFound('line item')
  context.weigh(changed.row.lines.length)
  return changed
}

const outcome = (changed: ChangedLine, path: LinePath, { variantId }: LineChange) => ({
  available: changed.isAccepted,
  line_item_id: path.line_item_id,
  requested_quantity: changed.quantity,
  ...(changed.isAccepted ? {} : { message: sentenceOf(refusalOf(changed, variantId)) }),
})

const refusalOf = ({ check, hasOrder }: ChangedLine, variantId: string | null): Refusal =>
  hasOrder ? ORDER_PLACED : checkRefusal(check, variantId)

/** An `option_id` beside `variant_id` is how older clients name an option: the group was called a variant then. */
function choiceIn(query: Static<typeof VariantQuery>): Choice {
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
