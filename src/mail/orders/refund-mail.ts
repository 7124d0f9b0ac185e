// Tells a customer about a refund: how much, to which payment method, and for which line items.

import { toOneLine } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../layout.ts'
import { footnotes, labelledRows, lineItemTable, mailIntroduction, writeOrderMail } from './parts.ts'
import {
  amountWithCurrency,
  dateOf,
  giftCardLabel,
  type LabelledValue,
  type MailAmount,
  mailLineItemOf,
  noticesOf,
  paymentMethodLabel,
  type ReceiptOrder,
  testSubjectPrefix,
} from './receipt-order.ts'

type Payment = ReceiptOrder['transactions'][number]

/** Where the refunded money went. `credit`: the part that a gift card got; null if none. */
export type RefundDestination = {
  readonly transactions: readonly Payment[]
  readonly credit: MailAmount | null
  /** The gift card of the payment is void. A new card has the credit. */
  readonly isNewCard: boolean
}

export type RefundSubject = RefundDestination & {
  readonly order: ReceiptOrder
  /** Amount of this refund. */
  readonly amount: MailAmount
  /** True if the refund is all that was paid for the order. */
  readonly isAll: boolean
  /** Refunded line items; empty if the refund is only an amount. */
  readonly items: readonly { readonly line_item_id: string; readonly quantity: number }[]
}

export function refundMail(shop: MailShop, subject: RefundSubject): WrittenMail {
  const { order, amount, isAll } = subject
  const name = toOneLine(shop.name)
  const reference = toOneLine(order.customer_reference)
  const title = isAll ? 'We have refunded your order' : 'We have refunded part of your order'
  const refundSentence = `We have given back ${amountWithCurrency(amount)}${isAll ? ', which is all that you paid' : ''}.`
  return writeOrderMail(shop, {
    subject: `${testSubjectPrefix(order)}Refund for your order ${reference} from ${name}`,
    preheader: refundSentence,
    parts: [
      mailIntroduction(title, [`Order ${reference} of ${dateOf(order)}`, refundSentence], noticesOf(order)),
      labelledRows('Where it goes', refundDestinationRows(order, subject)),
      footnotes(refundRemarks(subject)),
      lineItemTable('What it is for', isAll ? [] : refundedItems(subject)),
    ],
    why: `You get this mail because you ordered from ${name}.`,
  })
}

/** One row for each payment that got money back. */
export function refundDestinationRows(
  { order: { giftcard } }: ReceiptOrder,
  { transactions, credit, isNewCard }: RefundDestination,
): LabelledValue[] {
  const card = 'code' in giftcard && !isNewCard ? giftCardLabel(giftcard.code) : 'A new gift card'
  return [
    ...transactions.map((refund) => ({
      label: paymentMethodLabel(refund),
      value: refund.amount.formatted_with_symbol,
    })),
    ...(credit === null ? [] : [{ label: card, value: credit.formatted_with_symbol }]),
  ]
}

export const refundRemarks = ({ transactions, credit, isNewCard }: RefundDestination): string[] => [
  ...(transactions.length === 0 ? [] : ['It can take some days until you see it in your account.']),
  ...(credit === null || !isNewCard
    ? []
    : ['The gift card that you paid with is not valid any more. Ask us for the code of the new one.']),
]

const refundedItems = ({ order, items }: RefundSubject) =>
  order.order.line_items.flatMap((line) => {
    const quantity = items.reduce((sum, item) => sum + (item.line_item_id === line.id ? item.quantity : 0), 0)
    return quantity === 0 ? [] : [mailLineItemOf(line, quantity)]
  })
