// Tells a customer that an order was cancelled, and what happens to the money.

import { oneLine } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../layout.ts'
import { below, lines, opening, rows, sums, writeOrderMail } from './parts.ts'
import { dateOf, linesOf, type ReceiptOrder, testMark, testNotices, totalOf } from './receipt-order.ts'
import { type GivenBack, howLong, whereItGoes } from './refund-mail.ts'

export type CancellationSubject = GivenBack & {
  readonly order: ReceiptOrder
  /** A gateway held money for the order and releases it. */
  readonly isReleased: boolean
  /** The order was cancelled automatically, because it was not paid in time. */
  readonly isExpired: boolean
}

export function cancellationMail(shop: MailShop, subject: CancellationSubject): WrittenMail {
  const { order, isExpired } = subject
  const name = oneLine(shop.name)
  const reference = oneLine(order.customer_reference)
  const refundRows = whereItGoes(order, subject)
  const reasons = isExpired ? ['It was not paid in time.'] : []
  const outcome = refundRows.length > 0 ? ['What you paid has been given back.'] : moneyOutcome(subject)
  return writeOrderMail(shop, {
    subject: `${testMark(order)}Your order ${reference} from ${name} has been cancelled`,
    preheader: [...reasons, ...outcome].join(' '),
    parts: [
      opening(
        'Your order has been cancelled',
        [`Order ${reference} of ${dateOf(order)}`, [...reasons, ...outcome].join(' ')].filter((text) => text !== ''),
        testNotices(order),
      ),
      rows('Where your money goes', refundRows),
      below(howLong(subject)),
      lines('What you ordered', linesOf(order)),
      sums([], totalOf(order)),
    ],
    why: `You get this mail because you ordered from ${name}.`,
  })
}

/** The sentence about money for an order without a refund. */
function moneyOutcome({ order, isReleased }: CancellationSubject): string[] {
  if (isReleased) return ['You pay nothing: the money that was held for it is released, which can take some days.']
  return order.order.total_with_tax.raw === 0 ? [] : ['You do not have to pay for it any more.']
}
