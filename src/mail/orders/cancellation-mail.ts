// Tells a customer that an order was cancelled, and what happens to the money.

import { toOneLine } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../layout.ts'
import { footnotes, labelledRows, lineItemTable, mailIntroduction, totalsTable, writeOrderMail } from './parts.ts'
import { dateOf, mailLineItems, type ReceiptOrder, testNotices, testSubjectPrefix, totalRow } from './receipt-order.ts'
import { type RefundDestination, refundDestinationRows, refundRemarks } from './refund-mail.ts'

export type CancellationSubject = RefundDestination & {
  readonly order: ReceiptOrder
  /** A gateway held money for the order and releases it. */
  readonly isReleased: boolean
  /** The order was cancelled automatically, because it was not paid in time. */
  readonly isExpired: boolean
}

export function cancellationMail(shop: MailShop, subject: CancellationSubject): WrittenMail {
  const { order, isExpired } = subject
  const name = toOneLine(shop.name)
  const reference = toOneLine(order.customer_reference)
  const refundRows = refundDestinationRows(order, subject)
  const reasons = isExpired ? ['It was not paid in time.'] : []
  const outcome = refundRows.length > 0 ? ['What you paid has been given back.'] : moneyOutcome(subject)
  return writeOrderMail(shop, {
    subject: `${testSubjectPrefix(order)}Your order ${reference} from ${name} has been cancelled`,
    preheader: [...reasons, ...outcome].join(' '),
    parts: [
      mailIntroduction(
        'Your order has been cancelled',
        [`Order ${reference} of ${dateOf(order)}`, [...reasons, ...outcome].join(' ')].filter((text) => text !== ''),
        testNotices(order),
      ),
      labelledRows('Where your money goes', refundRows),
      footnotes(refundRemarks(subject)),
      lineItemTable('What you ordered', mailLineItems(order)),
      totalsTable([], totalRow(order)),
    ],
    why: `You get this mail because you ordered from ${name}.`,
  })
}

/** The sentence about money for an order without a refund. */
function moneyOutcome({ order, isReleased }: CancellationSubject): string[] {
  if (isReleased) return ['You pay nothing: the money that was held for it is released, which can take some days.']
  return order.order.total_with_tax.raw === 0 ? [] : ['You do not have to pay for it any more.']
}
