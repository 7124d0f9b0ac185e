// Changes that an integration can make to a checkout token. Each part is read and checked, then all are saved together.

import { conflict } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { metaErrors } from '../../lib/json.ts'
import { type AmountRules, type Minor, parseAmount, priceOf } from '../../lib/money.ts'
import { Problems } from '../../lib/problems.ts'
import { MAX_LINE_TAX } from '../../pricing/rounding.ts'
import { parseRate } from '../tax/rate.ts'
import {
  ALREADY_ORDERED,
  ALREADY_ORDERED_REFUSAL,
  type CheckoutContext,
  readCheckout,
  saveChoiceAndRead,
} from './checkout.ts'
import type { AdjustmentRow, CheckoutRow, ExternalMethodRow, ExternalTaxRow } from './read-store.ts'
import type { CheckoutChanges } from './schema.ts'
import { type IntegrationData, saveIntegrationData } from './store.ts'

/** Returns the checkout after the change. */
export async function updateCheckout(
  context: CheckoutContext,
  id: string,
  body: CheckoutChanges,
): Promise<CheckoutRow> {
  const current = await readCheckout(context, id)
  const externals = readExternals(body, current, { currency: context.caller.currency, now: context.clock.now() })
  // Throws if the token has expired since it was read.
  const { isSaved, row } = await saveChoiceAndRead(context, id, (db, token) =>
    saveIntegrationData(db, token, externals),
  )
  if (!isSaved) throw conflict(ALREADY_ORDERED, undefined, ALREADY_ORDERED_REFUSAL)
  return row
}

/** Inputs for reading the parts. */
type ReadContext = { readonly currency: string; readonly now: Date; readonly problems: Problems }

type BodyField<Field extends keyof CheckoutChanges> = NonNullable<CheckoutChanges[Field]>

/** Collects all problems before refusing. */
function readExternals(
  { shipping_methods: methods, tax, adjustments, meta }: CheckoutChanges,
  current: CheckoutRow,
  at: Pick<ReadContext, 'currency' | 'now'>,
): IntegrationData {
  const problems = new Problems()
  const context = { ...at, problems }
  const errors = metaErrors(meta)
  if (errors !== null) problems.malformedAs(errors)
  const externals: IntegrationData = {
    ...(methods === undefined ? {} : { methods: methods && readMethods(methods, context) }),
    ...(tax === undefined ? {} : { tax: tax && readTax(tax, current, context) }),
    ...(adjustments === undefined ? {} : { adjustments: adjustments && readAdjustments(adjustments, context) }),
    ...(meta === undefined ? {} : { meta }),
  }
  problems.throwIfMalformed()
  problems.throwIfAny()
  return externals
}

function readMethods(methods: BodyField<'shipping_methods'>, context: ReadContext): ExternalMethodRow[] {
  const ids = new Set<string>()
  return methods.map(({ id = newId('shippingMethod', context.now), description, price }, index) => {
    const path = `shipping_methods.${index}`
    if (ids.has(id)) context.problems.refused(`${path}.id`, 'must differ from the ids of the other methods')
    ids.add(id)
    return { id, description, price: amountAt(`${path}.price`, price, context) }
  })
}

function readTax(
  { provider, line_items: taxLines }: BodyField<'tax'>,
  { lines, external_tax: current }: CheckoutRow,
  context: ReadContext,
): ExternalTaxRow {
  if (taxLines === undefined && current?.line_items === undefined)
    context.problems.malformed('tax.line_items', 'is required: no tax has been set on this checkout yet')
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(taxLines === undefined ? {} : { line_items: readTaxLines(taxLines, lines, context) }),
  }
}

function readTaxLines(
  taxLines: NonNullable<BodyField<'tax'>['line_items']>,
  lines: CheckoutRow['lines'],
  context: ReadContext,
): NonNullable<ExternalTaxRow['line_items']> {
  const remainingIds = new Set(lines.map(({ id }) => id))
  return taxLines.map(({ id, breakdown }, index) => {
    const path = `tax.line_items.${index}`
    // Each line at most once: two entries for one line would be ambiguous.
    if (!remainingIds.delete(id))
      context.problems.refused(
        `${path}.id`,
        'must be the id of a line item of this checkout, and may be listed only once',
      )
    const parts = breakdown.map(({ amount, rate, type }, part) => {
      const at = `${path}.breakdown.${part}`
      return { type, rate: rateAt(`${at}.rate`, rate, context), amount: amountAt(`${at}.amount`, amount, context) }
    })
    if (parts.reduce((sum, { amount }) => sum + amount, 0) > MAX_LINE_TAX)
      context.problems.refused(
        `${path}.breakdown`,
        `must add up to ${priceOf(MAX_LINE_TAX, context.currency).formatted_with_code} or less`,
      )
    return { id, breakdown: parts }
  })
}

const readAdjustments = (adjustments: BodyField<'adjustments'>, context: ReadContext): AdjustmentRow[] =>
  adjustments.map(({ description = null, amount, taxable = false }, index) => ({
    description,
    amount: amountAt(`adjustments.${index}.amount`, amount, context, { allowNegative: true }),
    is_taxable: taxable,
  }))

function amountAt(path: string, value: unknown, { currency, problems }: ReadContext, rules: AmountRules = {}): Minor {
  const parsed = parseAmount(value, currency, { ...rules, field: path })
  if (parsed.ok) return parsed.minor
  problems.malformedAs({ [path]: [parsed.reason] })
  return 0
}

function rateAt(path: string, value: number | string, { problems }: ReadContext): number {
  const rate = parseRate(value)
  if (rate === null) problems.malformed(path, 'must be a fraction from 0 to 1 with at most 6 decimals; 0.06 is 6%')
  return rate ?? 0
}
