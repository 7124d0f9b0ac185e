// Tells a customer that an order has been cancelled, and what becomes of the money, in one mail.

import { oneLine } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../layout.ts'
import { below, lines, opening, rows, sums, writeOrderMail } from './parts.ts'
import { dateOf, linesOf, type ReceiptOrder, testMark, testNotices, totalOf } from './receipt-order.ts'
import { type GivenBack, howLong, whereItGoes } from './refund-mail.ts'

export type CancellationSubject = GivenBack & {
  readonly order: ReceiptOrder
  /** A gateway held money for it, and lets go of it. */
  readonly isReleased: boolean
  /** Nobody has cancelled it: it was not paid within the time that the shop gives. */
  readonly isExpired: boolean
}

export function cancellationMail(shop: MailShop, subject: CancellationSubject): WrittenMail {
  const { order, isExpired } = subject
  const name = oneLine(shop.name)
  const reference = oneLine(order.customer_reference)
  const back = whereItGoes(order, subject)
  const why = isExpired ? ['It was not paid in time.'] : []
  const money = back.length > 0 ? ['What you paid has been given back.'] : moneyOf(subject)
  return writeOrderMail(shop, {
    subject: `${testMark(order)}Your order ${reference} from ${name} has been cancelled`,
    preheader: [...why, ...money].join(' '),
    parts: [
      opening(
        'Your order has been cancelled',
        [`Order ${reference} of ${dateOf(order)}`, [...why, ...money].join(' ')].filter((text) => text !== ''),
        testNotices(order),
      ),
      rows('Where your money goes', back),
      below(howLong(subject)),
      lines('What you ordered', linesOf(order)),
      sums([], totalOf(order)),
    ],
    why: `You get this mail because you ordered from ${name}.`,
  })
}

/** Where nothing was paid that could have been given back. */
function moneyOf({ order, isReleased }: CancellationSubject): string[] {
  if (isReleased) return ['You pay nothing: the money that was held for it is released, which can take some days.']
  return order.order.total_with_tax.raw === 0 ? [] : ['You do not have to pay for it any more.']
}
