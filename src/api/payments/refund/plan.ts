// What a refund gives back, decided over the order under its lock: how much of which charge, how much to the gift card, and for which items.
// Pure. Money that came through gateways goes back before the credit of a gift card, charge by charge in their order.

import { notValid } from '../../../lib/errors.ts'
import { MAX_TOTAL, type Minor, parseAmount, priceOf } from '../../../lib/money.ts'
import { Problems } from '../../../lib/problems.ts'
import { paidForLines, pieceOf } from '../../../pricing/give-back.ts'
import type { RefundBody } from '../../orders/body-schema.ts'
import { creditLeftOf, type OpenCharge, openChargesOf, quantityRefunded } from '../../orders/money/sums.ts'
import type { OrderRow, RefundRow, TransactionRow } from '../../orders/read-store.ts'

export type RefundPart = { readonly charge: TransactionRow; readonly amount: Minor }

export type RefundPlan = {
  /** At most one for each charge, none of nothing. */
  readonly parts: readonly RefundPart[]
  /** What goes back to the gift card. */
  readonly credit: Minor
  readonly items: RefundRow['items']
  readonly isRestocking: boolean
}

/** Throws where the body asks for something that cannot be given back. */
export function planRefund(row: OrderRow, body: RefundBody): RefundPlan {
  const problems = new Problems()
  const amount = body.amount === undefined ? undefined : readAmount(row, body.amount, 'amount', problems)
  if (amount === 0 && !problems.has('amount')) problems.malformed('amount', 'must be above 0')
  const isAll = amount === undefined && body.items === undefined && body.transaction_id === undefined
  if (body.items !== undefined) refuseItems(row, body.items, problems)
  else if (body.restock && !isAll)
    problems.refused('items', 'is required with restock, unless everything is given back: it says what goes into stock')
  problems.throwIfAny()
  const { charges, credit } = refundable(row, body)
  const left = charges.reduce((sum, charge) => sum + charge.left, credit)
  const asked = amount ?? (body.items === undefined ? left : worthOfItems(row, body.items))
  refuseSum(row, asked, left, amount === undefined)
  const parts = spread(asked, charges)
  return {
    parts,
    credit: parts.reduce((rest, part) => rest - part.amount, asked),
    items: body.items ?? (isAll ? itemsLeftOf(row) : []),
    isRestocking: body.restock ?? false,
  }
}

/** An amount as it was sent; 0, and a problem, where it is badly formed. */
export function readAmount({ currency }: OrderRow, sent: unknown, field: string, problems: Problems): Minor {
  const amount = parseAmount(sent, currency, { field, max: MAX_TOTAL })
  if (amount.ok) return amount.minor
  problems.malformedAs({ [field]: [amount.reason] })
  return 0
}

type Items = NonNullable<RefundBody['items']>

function refuseItems(row: OrderRow, items: Items, problems: Problems) {
  const seen = new Set<string>()
  for (const [index, { line_item_id: id, quantity }] of items.entries()) {
    const path = `items.${index}`
    const line = row.content.lines.find((candidate) => candidate.id === id)
    const left = line === undefined ? 0 : line.quantity - quantityRefunded(row, id)
    if (line === undefined) problems.refused(`${path}.line_item_id`, 'is not the id of a line of this order')
    else if (seen.has(id)) problems.refused(`${path}.line_item_id`, 'stands in the list twice')
    else if (quantity > left)
      problems.refused(`${path}.quantity`, `must be at most ${left}, which is what is left to refund of this line`)
    seen.add(id)
  }
}

/** What the body may take from. Throws where that is nothing. */
function refundable(
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
          : 'Nothing has been paid for the order that could be given back.',
      ],
    })
  }
  const charges = open.filter(({ charge }) => charge.id === transactionId)
  if (charges.length > 0) return { charges, credit: 0 }
  throw notValid({
    transaction_id: ['transaction_id must be a completed charge of this order that has not been given back.'],
  })
}

/** What was paid for them, with what of their lines has gone back before: docs/pricing.md. */
function worthOfItems(row: OrderRow, items: Items): Minor {
  const { lines, adjustments, tax } = row.content
  const paid = paidForLines({
    lines: lines.map((line) => ({
      id: line.id,
      lineTotal: line.line_total,
      discountShare: line.discount_share,
      taxAmount: line.tax.amount,
    })),
    taxableAdjustment: adjustments.taxable,
    isTaxIncluded: tax.is_included,
  })
  const bought = new Map(lines.map(({ id, quantity }) => [id, quantity]))
  return items.reduce(
    (sum, { line_item_id: id, quantity }) =>
      sum + pieceOf(paid.get(id) ?? 0, bought.get(id) ?? 1, quantityRefunded(row, id), quantity),
    0,
  )
}

function refuseSum({ currency }: OrderRow, asked: Minor, left: Minor, isOfItems: boolean) {
  const [sum, most] = [asked, left].map((minor) => priceOf(minor, currency).formatted_with_code)
  if (asked === 0) throw notValid({ items: ['Nothing was paid for these items. Say in amount what is given back.'] })
  if (asked <= left) return
  throw notValid(
    isOfItems
      ? { items: [`These items cost ${sum}, and ${most} are left to give back. Say in amount how much of it.`] }
      : { amount: [`amount must be at most ${most}, which is what is left to give back.`] },
  )
}

function spread(asked: Minor, charges: readonly OpenCharge[]): RefundPart[] {
  let rest = asked
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
