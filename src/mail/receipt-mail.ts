// The receipt of an order: what was bought, what it cost, how it was paid, where it goes, and links to what can be downloaded.
// No pictures of products: the ones of an order that is years old are gone.

import { INK, QUIET } from '../lib/html/colors.ts'
import { Html, html, NONE } from '../lib/html/html.ts'
import { oneLine } from '../lib/text.ts'
import {
  footerOf,
  heading,
  LAYOUT,
  LINE,
  link,
  type MailShop,
  paragraph,
  smallPrint,
  textFooterOf,
  type WrittenMail,
  writePage,
} from './layout.ts'
import {
  addressLines,
  dateOf,
  downloadsOf,
  extraFieldsOf,
  includedTaxOf,
  linesOf,
  noticesOf,
  paymentsOf,
  type ReceiptOrder,
  type Row,
  sumsOf,
  totalOf,
} from './receipt-order.ts'

/** Without links the reader is sent to where the order is shown. */
type ReceiptOptions = { readonly hasLinks: boolean }

type ReceiptText = ReceiptOptions & { readonly about: string; readonly why: string }

/** Without a name: whoever orders for somebody else's address would write it. */
const THANKS = 'Thank you for your order'

const WITH_THE_ORDER = 'You find the download with your order in the shop.'

export function receiptMail(shop: MailShop, order: ReceiptOrder, { hasLinks }: ReceiptOptions): WrittenMail {
  const name = oneLine(shop.name)
  const reference = oneLine(order.customer_reference)
  const subject = `${order.sandbox ? '[Test] ' : ''}Your order ${reference} from ${name}`
  const about = `Order ${reference}, ${dateOf(order)}`
  const why = `You get this mail because you ordered from ${name}.`
  const words: ReceiptText = { about, why, hasLinks }
  return {
    subject,
    text: writeText(shop, order, words),
    html: writePage(shop, {
      title: subject,
      preheader: `${about}. ${totalOf(order).label} ${totalOf(order).value}.`,
      content: contentOf(shop, order, words),
      footer: footerOf(shop, why),
    }),
  }
}

function contentOf(shop: MailShop, order: ReceiptOrder, { about, hasLinks }: ReceiptText): Html {
  const included = includedTaxOf(order)
  return html`${heading(THANKS)}
${paragraph(about)}
${noticesOf(order).map((notice) => paragraph(html`<strong>${notice}</strong>`))}
${downloads(shop, order, hasLinks)}
${section('What you ordered')}
${lines(order)}
${sums(order)}
${included === null ? NONE : smallPrint(included)}
${rows('Payment', paymentsOf(order))}
${addresses(order)}
${rows('Further details', extraFieldsOf(order))}`
}

const section = (title: string): Html =>
  html`<h2 class="ink" style="margin:24px 0 8px;font-size:17px;line-height:1.3;font-weight:700;color:${INK};">${title}</h2>`

const CELL = 'padding:10px 0;vertical-align:top;'
const EDGE = `border-bottom:1px solid ${LINE};`
const HEAD = `${CELL}${EDGE}font-size:13px;font-weight:600;color:${QUIET};`

const lines = (order: ReceiptOrder): Html =>
  html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;font-size:16px;">
<tr><th scope="col" class="line" align="left" style="${HEAD}text-align:left;">Item</th><th scope="col" class="line" align="center" style="${HEAD}text-align:center;padding-left:12px;padding-right:12px;">Quantity</th><th scope="col" class="line" align="right" style="${HEAD}text-align:right;">Amount</th></tr>
${linesOf(order).map(
  ({ name, options, quantity, total }) =>
    html`<tr><td class="line ink" style="${CELL}${EDGE}color:${INK};word-break:break-word;">${name}${
      options === '' ? NONE : html`<br><span class="quiet" style="font-size:14px;color:${QUIET};">${options}</span>`
    }</td><td class="line ink" align="center" style="${CELL}${EDGE}color:${INK};">${quantity}</td><td class="line ink" align="right" style="${CELL}${EDGE}color:${INK};white-space:nowrap;">${total}</td></tr>
`,
)}</table>`

const pair = ({ label, value }: Row, style: string): Html =>
  html`<tr><th scope="row" class="ink" align="left" style="padding:4px 16px 4px 0;text-align:left;font-weight:400;color:${INK};word-break:break-word;${style}">${label}</th><td class="ink" align="right" style="padding:4px 0;text-align:right;color:${INK};word-break:break-word;${style}">${value}</td></tr>
`

const table = (content: readonly Html[]): Html =>
  html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;margin:8px 0 0;">
${content}</table>`

const sums = (order: ReceiptOrder): Html =>
  table([
    ...sumsOf(order).map((row) => pair(row, '')),
    pair(totalOf(order), `padding-top:8px;font-size:18px;font-weight:700;white-space:nowrap;`),
  ])

const rows = (title: string, content: readonly Row[]): Html =>
  content.length === 0 ? NONE : html`${section(title)}${table(content.map((row) => pair(row, '')))}`

function addresses(order: ReceiptOrder): Html {
  const columns = addressesOf(order)
  if (columns.length === 0) return NONE
  return html`<table ${LAYOUT}><tr>${columns.map(
    ({ title, lines: written }) =>
      html`<td class="half" width="50%" style="vertical-align:top;padding:0 16px 0 0;">${section(title)}<p class="ink" style="margin:0;color:${INK};">${written.map((line, at) => html`${at === 0 ? NONE : new Html('<br>')}${line}`)}</p></td>`,
  )}</tr></table>`
}

const addressesOf = ({ shipping, billing }: ReceiptOrder) =>
  [
    { title: 'Shipping address', lines: addressLines(shipping) },
    { title: 'Billing address', lines: addressLines(billing) },
  ].filter(({ lines: written }) => written.length > 0)

function downloads(shop: MailShop, order: ReceiptOrder, hasLinks: boolean): Html {
  const files = downloadsOf(order)
  if (files.length === 0) return NONE
  return html`${section('Your downloads')}<ul style="margin:0;padding:0 0 0 20px;">${files.map(
    (file) =>
      html`<li class="ink" style="margin:0 0 6px;color:${INK};">${hasLinks ? link(shop, file.link, file.name) : file.name} <span class="quiet" style="font-size:14px;color:${QUIET};">(${file.size}) ${file.rule}</span></li>`,
  )}</ul>${hasLinks ? NONE : smallPrint(WITH_THE_ORDER)}`
}

function writeText(shop: MailShop, order: ReceiptOrder, { about, why, hasLinks }: ReceiptText): string {
  const included = includedTaxOf(order)
  const parts = [
    [THANKS, about, ...noticesOf(order)],
    titled(
      'Your downloads',
      downloadsOf(order).flatMap(({ name, size, rule, link: url }) => [
        `${name} (${size}) ${rule}`,
        hasLinks ? url : WITH_THE_ORDER,
      ]),
    ),
    titled(
      'What you ordered',
      linesOf(order).flatMap(({ name, options, quantity, total }) => [
        `${quantity} x ${name}: ${total}`,
        ...(options === '' ? [] : [`    ${options}`]),
      ]),
    ),
    [...[...sumsOf(order), totalOf(order)].map(inWords), ...(included === null ? [] : [included])],
    titled('Payment', paymentsOf(order).map(inWords)),
    ...addressesOf(order).map(({ title, lines: written }) => titled(title, written)),
    titled('Further details', extraFieldsOf(order).map(inWords)),
  ]
  const written = parts.filter((part) => part.length > 0).map((part) => part.join('\n'))
  return `${[...written, textFooterOf(shop, why)].join('\n\n')}\n`
}

const inWords = ({ label, value }: Row) => `${label}: ${value}`

const titled = (title: string, content: readonly string[]): string[] =>
  content.length === 0 ? [] : [title.toUpperCase(), ...content]
