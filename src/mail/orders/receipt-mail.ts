// The receipt of an order: line items, cost, payment, addresses and download links. It has no product images, because those of an old order
// may be gone.

import { SMALL_PRINT_COLOR, TEXT_COLOR } from '../../lib/html/colors.ts'
import { EMPTY_HTML, html } from '../../lib/html/html.ts'
import { toOneLine } from '../../lib/text.ts'
import { link, type MailShop, smallPrint, type WrittenMail } from '../layout.ts'
import {
  addressColumns,
  footnotes,
  labelledRows,
  lineItemTable,
  mailIntroduction,
  type Part,
  section,
  titledText,
  totalsTable,
  writeOrderMail,
} from './parts.ts'
import {
  addressesOf,
  dateOf,
  downloadsOf,
  extraFieldsOf,
  includedTaxOf,
  mailLineItems,
  noticesOf,
  paymentRows,
  type ReceiptOrder,
  subtotalRows,
  testSubjectPrefix,
  totalRow,
} from './receipt-order.ts'

/** Without links, the mail refers the reader to the order in the shop. */
type ReceiptOptions = { readonly hasLinks: boolean }

/** No customer name: somebody who orders with another person's address could put any text there. */
const THANKS = 'Thank you for your order'

const WITH_THE_ORDER = 'You find the download with your order in the shop.'

export function receiptMail(shop: MailShop, order: ReceiptOrder, { hasLinks }: ReceiptOptions): WrittenMail {
  const name = toOneLine(shop.name)
  const reference = toOneLine(order.customer_reference)
  const about = `Order ${reference}, ${dateOf(order)}`
  const total = totalRow(order)
  return writeOrderMail(shop, {
    subject: `${testSubjectPrefix(order)}Your order ${reference} from ${name}`,
    preheader: `${about}. ${total.label} ${total.value}.`,
    parts: [
      mailIntroduction(THANKS, [about], noticesOf(order)),
      downloads(shop, order, hasLinks),
      lineItemTable('What you ordered', mailLineItems(order)),
      totalsTable(subtotalRows(order), total),
      footnotes(includedTaxOf(order)),
      labelledRows('Payment', paymentRows(order)),
      addressColumns(addressesOf(order)),
      labelledRows('Further details', extraFieldsOf(order)),
    ],
    why: `You get this mail because you ordered from ${name}.`,
  })
}

function downloads(shop: MailShop, order: ReceiptOrder, hasLinks: boolean): Part {
  const files = downloadsOf(order)
  return {
    html: html`${section('Your downloads')}<ul style="margin:0;padding:0 0 0 20px;">${files.map(
      (file) =>
        html`<li class="ink" style="margin:0 0 6px;color:${TEXT_COLOR};">${hasLinks ? link(shop, file.link, file.name) : file.name} <span class="quiet" style="font-size:14px;color:${SMALL_PRINT_COLOR};">(${file.size}) ${file.rule}</span></li>`,
    )}</ul>${hasLinks ? EMPTY_HTML : smallPrint(WITH_THE_ORDER)}`,
    text: titledText(
      'Your downloads',
      files.flatMap(({ name, size, rule, link: url }) => [
        `${name} (${size}) ${rule}`,
        hasLinks ? url : WITH_THE_ORDER,
      ]),
    ),
  }
}
