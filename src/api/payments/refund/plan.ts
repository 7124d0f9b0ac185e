// Plans a refund of an order under its lock: the amount of each charge, the amount for the gift card, and the items. Pure.
// Money that came through gateways is refunded before gift card credit, charge by charge in their order.

import { notAsExpected, notValid } from '../../../lib/errors.ts'
import { MAX_TOTAL, type Minor, parseAmount, priceOf } from '../../../lib/money.ts'
import { Problems } from '../../../lib/problems.ts'
import { UNSPECIFIC_REFUSAL } from '../../../lib/words/refusals.ts'
import { paidPerLine, refundForQuantity } from '../../../pricing/give-back.ts'
import type { RefundBody } from '../../orders/body-schema.ts'
import type { OrderOwner } from '../../orders/links.ts'
import {
  creditLeftOf,
  type OpenCharge,
  openChargesOf,
  quantityRefunded,
  refundableOf,
} from '../../orders/money/sums.ts'
import type { OrderRow, RefundRow, TransactionRow } from '../../orders/read-store.ts'
import { viewOrder } from '../../orders/view.ts'

export type RefundPart = { readonly charge: TransactionRow; readonly amount: Minor }

export type RefundPlan = {
  /** At most one part for each charge, and none of amount 0. */
  readonly parts: readonly RefundPart[]
  /** Amount for the gift card. */
  readonly credit: Minor
  readonly items: RefundRow['items']
  readonly isRestocking: boolean
}

/** Throws if the body requests something that cannot be refunded. */
export function planRefund(row: OrderRow, body: RefundBody): RefundPlan {
  const problems = new Problems()
  const amount = body.amount === undefined ? undefined : readAmount(row, body.amount, 'amount', problems)
  if (amount === 0 && !problems.has('amount')) problems.malformed('amount', 'must be above 0')
  const isAll = amount === undefined && body.items === undefined && body.transaction_id === undefined
  if (body.items !== undefined) refuseItems(row, body.items, problems)
  else if (body.restock && !isAll)
    problems.refused(
      'items',
      'is required with restock, unless the whole order is refunded: it names the items to restock',
    )
  problems.throwIfAny()
  const { charges, credit } = findRefundable(row, body)
  const refundable = charges.reduce((sum, charge) => sum + charge.left, credit)
  const total = amount ?? (body.items === undefined ? refundable : worthOfItems(row, body.items))
  refuseSum(row, total, refundable, amount === undefined)
  const parts = spreadOverCharges(total, charges)
  return {
    parts,
    credit: parts.reduce((rest, part) => rest - part.amount, total),
    items: body.items ?? (isAll ? itemsLeftOf(row) : []),
    isRestocking: body.restock ?? false,
  }
}

/** Reads an amount of the body. Returns 0 and records a problem if it is malformed. */
export function readAmount({ currency }: OrderRow, value: unknown, field: string, problems: Problems): Minor {
  const amount = parseAmount(value, currency, { field, max: MAX_TOTAL })
  if (amount.ok) return amount.minor
  problems.malformedAs({ [field]: [amount.reason] })
  return 0
}

type Items = NonNullable<RefundBody['items']>

function refuseItems(row: OrderRow, items: Items, problems: Problems) {
  const seenIds = new Set<string>()
  for (const [index, { line_item_id: id, quantity }] of items.entries()) {
    const path = `items.${index}`
    const line = row.content.lines.find((candidate) => candidate.id === id)
    const rest = line === undefined ? 0 : line.quantity - quantityRefunded(row, id)
    if (line === undefined) problems.refused(`${path}.line_item_id`, 'is not the id of a line item of this order')
    else if (seenIds.has(id)) problems.refused(`${path}.line_item_id`, 'is listed twice')
    else if (quantity > rest)
      problems.refused(
        `${path}.quantity`,
        `must be at most ${rest}, the quantity of this line item that can still be refunded`,
      )
    seenIds.add(id)
  }
}

/** Charges and credit that the body may refund. Throws if there is nothing. */
function findRefundable(
  row: OrderRow,
  { transaction_id: transactionId }: RefundBody,
): { charges: OpenCharge[]; credit: Minor } {
  const open = openChargesOf(row.transactions).filter(({ left }) => left > 0)
  if (transactionId === undefined) {
    const credit = creditLeftOf(row)
    if (open.length > 0 || credit > 0) return { charges: open, credit }
    throw notValid({
      status_payment: [
        row.status_payment === 'refunded'
          ? 'The order has been refunded already.'
          : 'The order has no payment that can be refunded.',
      ],
    })
  }
  const charges = open.filter(({ charge }) => charge.id === transactionId)
  if (charges.length > 0) return { charges, credit: 0 }
  throw notValid({
    transaction_id: ['transaction_id must be a completed charge of this order that has not been fully refunded.'],
  })
}

/** Amount paid for these items, considering what was refunded of their lines before: docs/pricing.md. */
function worthOfItems(row: OrderRow, items: Items): Minor {
  const { lines, adjustments, tax } = row.content
  const paidByLine = paidPerLine({
    lines: lines.map((line) => ({
      id: line.id,
      lineTotal: line.line_total,
      discountShare: line.discount_share,
      taxAmount: line.tax.amount,
    })),
    taxableAdjustment: adjustments.taxable,
    isTaxIncluded: tax.is_included,
  })
  const quantities = new Map(lines.map(({ id, quantity }) => [id, quantity]))
  return items.reduce(
    (sum, { line_item_id: id, quantity }) =>
      sum + refundForQuantity(paidByLine.get(id) ?? 0, quantities.get(id) ?? 1, quantityRefunded(row, id), quantity),
    0,
  )
}

function refuseSum({ currency }: OrderRow, total: Minor, left: Minor, isOfItems: boolean) {
  const [sum, most] = [total, left].map((minor) => priceOf(minor, currency).formatted_with_code)
  if (total === 0) throw notValid({ items: ['Nothing was paid for these items. Send the amount to refund in amount.'] })
  if (total <= left) return
  throw notValid(
    isOfItems
      ? {
          items: [
            `These items cost ${sum}, but only ${most} can still be refunded. Send the amount to refund in amount.`,
          ],
        }
      : { amount: [`amount must be at most ${most}, the sum that can still be refunded.`] },
  )
}

function spreadOverCharges(total: Minor, charges: readonly OpenCharge[]): RefundPart[] {
  let rest = total
  return charges.flatMap(({ charge, left }) => {
    const amount = Math.min(rest, left)
    rest -= amount
    return amount === 0 ? [] : [{ charge, amount }]
  })
}

const itemsLeftOf = (row: OrderRow): RefundRow['items'] =>
  row.content.lines
    .map(({ id, quantity }) => ({ line_item_id: id, quantity: quantity - quantityRefunded(row, id) }))
    .filter(({ quantity }) => quantity > 0)

/** The 409 contains the order, so that the client can see what has changed meanwhile. */
export function refuseUnexpectedRefundable(
  row: OrderRow,
  { expected_left: expected }: RefundBody,
  { addresses }: OrderOwner,
  now: Date,
) {
  if (expected === undefined) return
  const problems = new Problems()
  const amount = readAmount(row, expected, 'expected_left', problems)
  problems.throwIfAny()
  const rest = refundableOf(row)
  if (amount === rest) return
  throw notAsExpected(
    'expected_left',
    `expected_left is not what is left to give back: ${priceOf(rest, row.currency).formatted_with_code}.`,
    UNSPECIFIC_REFUSAL,
    { order: viewOrder(row, addresses, now) },
  )
}
