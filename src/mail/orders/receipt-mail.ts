// The receipt of an order: line items, cost, payment, addresses and download links. It has no product images, because those of an old order
// may be gone.

import { INK, QUIET } from '../../lib/html/colors.ts'
import { html, NONE } from '../../lib/html/html.ts'
import { oneLine } from '../../lib/text.ts'
import { link, type MailShop, smallPrint, type WrittenMail } from '../layout.ts'
import { addresses, below, lines, opening, type Part, rows, section, sums, titled, writeOrderMail } from './parts.ts'
import {
  addressesOf,
  dateOf,
  downloadsOf,
  extraFieldsOf,
  includedTaxOf,
  linesOf,
  noticesOf,
  paymentsOf,
  type ReceiptOrder,
  sumsOf,
  testMark,
  totalOf,
} from './receipt-order.ts'

/** Without links, the mail refers the reader to the order in the shop. */
type ReceiptOptions = { readonly hasLinks: boolean }

/** No customer name: somebody who orders with another person's address could put any text there. */
const THANKS = 'Thank you for your order'

const WITH_THE_ORDER = 'You find the download with your order in the shop.'

export function receiptMail(shop: MailShop, order: ReceiptOrder, { hasLinks }: ReceiptOptions): WrittenMail {
  const name = oneLine(shop.name)
  const reference = oneLine(order.customer_reference)
  const about = `Order ${reference}, ${dateOf(order)}`
  const total = totalOf(order)
  return writeOrderMail(shop, {
    subject: `${testMark(order)}Your order ${reference} from ${name}`,
    preheader: `${about}. ${total.label} ${total.value}.`,
    parts: [
      opening(THANKS, [about], noticesOf(order)),
      downloads(shop, order, hasLinks),
      lines('What you ordered', linesOf(order)),
      sums(sumsOf(order), total),
      below(includedTaxOf(order)),
      rows('Payment', paymentsOf(order)),
      addresses(addressesOf(order)),
      rows('Further details', extraFieldsOf(order)),
    ],
    why: `You get this mail because you ordered from ${name}.`,
  })
}

function downloads(shop: MailShop, order: ReceiptOrder, hasLinks: boolean): Part {
  const files = downloadsOf(order)
  return {
    html: html`${section('Your downloads')}<ul style="margin:0;padding:0 0 0 20px;">${files.map(
      (file) =>
        html`<li class="ink" style="margin:0 0 6px;color:${INK};">${hasLinks ? link(shop, file.link, file.name) : file.name} <span class="quiet" style="font-size:14px;color:${QUIET};">(${file.size}) ${file.rule}</span></li>`,
    )}</ul>${hasLinks ? NONE : smallPrint(WITH_THE_ORDER)}`,
    text: titled(
      'Your downloads',
      files.flatMap(({ name, size, rule, link: url }) => [
        `${name} (${size}) ${rule}`,
        hasLinks ? url : WITH_THE_ORDER,
      ]),
    ),
  }
}
