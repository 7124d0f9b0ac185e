// Tells a customer about a refund: how much, to which payment method, and for which line items.

import { oneLine } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../layout.ts'
import { below, lines, opening, rows, writeOrderMail } from './parts.ts'
import {
  type Amount,
  dateOf,
  giftCardLabel,
  inFull,
  methodOf,
  noticesOf,
  pieces,
  type ReceiptOrder,
  type Row,
  testMark,
} from './receipt-order.ts'

type Payment = ReceiptOrder['transactions'][number]

/** Where the refunded money went. `credit`: the part that a gift card got; null if none. */
export type GivenBack = {
  readonly transactions: readonly Payment[]
  readonly credit: Amount | null
  /** The gift card of the payment is void. A new card has the credit. */
  readonly isNewCard: boolean
}

export type RefundSubject = GivenBack & {
  readonly order: ReceiptOrder
  /** Amount of this refund. */
  readonly amount: Amount
  /** True if the refund is all that was paid for the order. */
  readonly isAll: boolean
  /** Refunded line items; empty if the refund is only an amount. */
  readonly items: readonly { readonly line_item_id: string; readonly quantity: number }[]
}

export function refundMail(shop: MailShop, subject: RefundSubject): WrittenMail {
  const { order, amount, isAll } = subject
  const name = oneLine(shop.name)
  const reference = oneLine(order.customer_reference)
  const title = isAll ? 'We have refunded your order' : 'We have refunded part of your order'
  const refundSentence = `We have given back ${inFull(amount)}${isAll ? ', which is all that you paid' : ''}.`
  return writeOrderMail(shop, {
    subject: `${testMark(order)}Refund for your order ${reference} from ${name}`,
    preheader: refundSentence,
    parts: [
      opening(title, [`Order ${reference} of ${dateOf(order)}`, refundSentence], noticesOf(order)),
      rows('Where it goes', whereItGoes(order, subject)),
      below(howLong(subject)),
      lines('What it is for', isAll ? [] : refundedItems(subject)),
    ],
    why: `You get this mail because you ordered from ${name}.`,
  })
}

/** One row for each payment that got money back. */
export function whereItGoes(
  { order: { giftcard } }: ReceiptOrder,
  { transactions, credit, isNewCard }: GivenBack,
): Row[] {
  const card = 'code' in giftcard && !isNewCard ? giftCardLabel(giftcard.code) : 'A new gift card'
  return [
    ...transactions.map((refund) => ({ label: methodOf(refund), value: refund.amount.formatted_with_symbol })),
    ...(credit === null ? [] : [{ label: card, value: credit.formatted_with_symbol }]),
  ]
}

export const howLong = ({ transactions, credit, isNewCard }: GivenBack): string[] => [
  ...(transactions.length === 0 ? [] : ['It can take some days until you see it in your account.']),
  ...(credit === null || !isNewCard
    ? []
    : ['The gift card that you paid with is not valid any more. Ask us for the code of the new one.']),
]

const refundedItems = ({ order, items }: RefundSubject) =>
  order.order.line_items.flatMap((line) => {
    const quantity = items.reduce((sum, item) => sum + (item.line_item_id === line.id ? item.quantity : 0), 0)
    return quantity === 0 ? [] : [pieces(line, quantity)]
  })
