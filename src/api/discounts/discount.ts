// The rules of discounts: valid values, codes and products, and how a discount is created, changed and deleted.

import type { Static } from 'typebox'
import type { Tx } from '../../db/db.ts'
import { translateUniqueViolation } from '../../db/records.ts'
import { emit } from '../../events/emit.ts'
import { notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { type Minor, parseAmount, priceOf, readDecimal } from '../../lib/money.ts'
import { Problems, refuseEntries } from '../../lib/problems.ts'
import { type RuleContext, withRecord } from '../context.ts'
import { lockExisting } from '../products/store.ts'
import { CODE_RULE, isCode, newCode } from './code.ts'
import type { AppliedDiscount, CreateDiscount, Discount, DiscountChanges } from './schema.ts'
import {
  type AppliedDiscountRow,
  type DiscountColumns,
  type DiscountRow,
  deleteDiscountRow,
  insertDiscount,
  lockDiscount,
  updateDiscountRow,
} from './store.ts'

export async function createDiscount(
  { db, clock, caller }: RuleContext,
  body: Static<typeof CreateDiscount>,
): Promise<Discount> {
  const now = clock.now()
  const blank: DiscountColumns = {
    code: newCode(),
    type: body.type,
    value: 0,
    product_ids: [],
    usage_limit: null,
    expires: null,
    description: null,
    meta: null,
  }
  const columns = mergeChanges(blank, body, caller.currency)
  return db.transaction(async (tx) => {
    const problems = await refuseProducts(tx, caller, body)
    if (columns.expires !== null && columns.expires * 1_000 <= now.getTime())
      problems.refused('expires', 'must be a Unix timestamp in the future, in seconds')
    problems.throwIfAny()
    const row = await translateUniqueViolation(
      insertDiscount(tx, caller, newId('discount', now), columns, now),
      CODE_INDEX,
      codeTakenError,
    )
    return emitDiscount(tx, caller, 'discounts.create', row, now)
  })
}

export const updateDiscount = (context: RuleContext, id: string, body: DiscountChanges): Promise<Discount> =>
  withRecord(context, 'discount', lockDiscount, id, async (tx, current, now) => {
    const { caller } = context
    // `expires` may be in the past, to end a code at once.
    const columns = mergeChanges(current, body, caller.currency)
    const problems = await refuseProducts(tx, caller, body)
    problems.throwIfAny()
    const row = await translateUniqueViolation(
      updateDiscountRow(tx, caller, current, columns, now),
      CODE_INDEX,
      codeTakenError,
    )
    return emitDiscount(tx, caller, 'discounts.update', row, now)
  })

export const deleteDiscount = (context: RuleContext, id: string): Promise<void> =>
  withRecord(context, 'discount', lockDiscount, id, async (tx, row, now) => {
    await deleteDiscountRow(tx, context.caller, id)
    await emitDiscount(tx, context.caller, 'discounts.delete', row, now)
  })

type EventName = 'discounts.create' | 'discounts.update' | 'discounts.delete'

/** Events show the uses in the mode of the change. */
async function emitDiscount(
  tx: Tx,
  caller: RuleContext['caller'],
  name: EventName,
  row: DiscountRow,
  now: Date,
): Promise<Discount> {
  const discount = viewDiscount(row, caller.currency)
  await emit(tx, caller, name, discount, now)
  return discount
}

/** Merges the sent fields into the current ones. Throws if one is malformed. */
function mergeChanges(current: DiscountColumns, body: DiscountChanges, currency: string): DiscountColumns {
  const problems = new Problems()
  if (body.code !== undefined && !isCode(body.code)) problems.malformed('code', CODE_RULE)
  const type = body.type ?? current.type
  // A new type without a value applies to the shown number, which must be checked again: an amount of 150 is no percentage.
  const newValue = body.value ?? (type === current.type ? undefined : shownValue(current, currency))
  const columns: DiscountColumns = {
    code: body.code ?? current.code,
    type,
    value: newValue === undefined ? current.value : parseValue(type, newValue, currency, problems),
    product_ids: body.product_ids ?? current.product_ids,
    usage_limit: newOrCurrent(body.limit, current.usage_limit),
    expires: newOrCurrent(body.expires, current.expires),
    description: newOrCurrent(body.description, current.description),
    meta: newOrCurrent(body.meta, current.meta),
  }
  problems.throwIfAny()
  return columns
}

const PERCENT_DECIMALS = 4
const HUNDRED_PERCENT = 100n * 10n ** BigInt(PERCENT_DECIMALS)

/**
 * Converts to the stored form: minor units, or ten-thousandths of a percent. Avoids floating point, which would distort values such as
 * 0.07.
 */
function parseValue(
  type: DiscountColumns['type'],
  value: number | string,
  currency: string,
  problems: Problems,
): number {
  if (type === 'fixed') {
    const amount = parseAmount(value, currency, { field: 'value' })
    if (amount.ok && amount.minor > 0) return amount.minor
    problems.malformedAs({ value: [amount.ok ? 'value must be more than 0.' : amount.reason] })
    return 0
  }
  const decimal = readDecimal(value)
  const isShort = decimal !== null && decimal.scale <= PERCENT_DECIMALS
  const parts = isShort ? decimal.units * 10n ** BigInt(PERCENT_DECIMALS - decimal.scale) : 0n
  if (parts > 0n && parts <= HUNDRED_PERCENT) return Number(parts)
  problems.malformed(
    'value',
    `must be a percentage above 0 and at most 100, with up to ${PERCENT_DECIMALS} decimals: a number or a decimal string such as 12.5`,
  )
  return 0
}

async function refuseProducts(tx: Tx, caller: RuleContext['caller'], body: DiscountChanges): Promise<Problems> {
  const ids = body.product_ids ?? []
  const problems = new Problems()
  refuseEntries(ids, await lockExisting(tx, caller, 'products', ids), 'product_ids', 'a product', problems)
  return problems
}

const CODE_INDEX = 'discounts_code_unique'

const codeTakenError = () =>
  notValid({ code: ['code is taken by another discount; it must be unique, regardless of case.'] })

export const viewDiscount = (row: DiscountRow, currency: string): Discount => ({
  id: row.id,
  code: row.code,
  type: row.type,
  value: shownValue(row, currency),
  product_ids: [...row.product_ids],
  limit: row.usage_limit,
  used: row.used,
  expires: row.expires,
  description: row.description,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
})

export const viewAppliedDiscount = (
  row: AppliedDiscountRow,
  amountSaved: Minor,
  currency: string,
): AppliedDiscount => ({
  type: row.type,
  code: row.code,
  value: shownValue(row, currency),
  amount_saved: priceOf(amountSaved, currency),
  product_ids: [...row.product_ids],
})

/** Percent or a decimal amount. One division of integers with at most 15 digits prints the decimal that was sent. */
const shownValue = ({ type, value }: Pick<AppliedDiscountRow, 'type' | 'value'>, currency: string): number =>
  type === 'percentage' ? value / 10_000 : priceOf(value, currency).raw
