// Building blocks of order mails. Each block has an HTML and a text form with the same content.

import { SMALL_PRINT_COLOR, TEXT_COLOR } from '../../lib/html/colors.ts'
import { EMPTY_HTML, Html, html } from '../../lib/html/html.ts'
import {
  button,
  DIVIDER_COLOR,
  heading,
  LAYOUT,
  type MailShop,
  mailFooter,
  mailTextFooter,
  paragraph,
  smallPrint,
  type WrittenMail,
  writePage,
} from '../layout.ts'
import type { LabelledValue, MailAddress, MailLineItem } from './receipt-order.ts'

/** A block of a mail. Blocks without text are left out. */
export type Part = { readonly html: Html; readonly text: readonly string[] }

type OrderMail = {
  readonly subject: string
  /** Preview text beside the subject in a list of mails. */
  readonly preheader: string
  readonly parts: readonly Part[]
  /** Reason why the reader gets the mail. */
  readonly why: string
}

export const writeOrderMail = (shop: MailShop, { subject, preheader, parts, why }: OrderMail): WrittenMail => {
  const shownParts = parts.filter(({ text }) => text.length > 0)
  return {
    subject,
    text: `${[...shownParts.map(({ text }) => text.join('\n')), mailTextFooter(shop, why)].join('\n\n')}\n`,
    html: writePage(shop, {
      title: subject,
      preheader,
      content: html`${shownParts.map((part) => html`${part.html}\n`)}`,
      footer: mailFooter(shop, why),
    }),
  }
}

/** Start of a mail. `notices`: sentences that are more important than the rest. */
export const mailIntroduction = (title: string, about: readonly string[], notices: readonly string[] = []): Part => ({
  html: html`${heading(title)}
${about.map((sentence) => paragraph(sentence))}
${notices.map((notice) => paragraph(html`<strong>${notice}</strong>`))}`,
  text: [title, ...about, ...notices],
})

export const sentences = (content: readonly string[]): Part => ({
  html: html`${content.map((sentence) => paragraph(sentence))}`,
  text: content,
})

/** Remarks below a table. */
export const footnotes = (content: readonly string[]): Part => ({
  html: html`<div style="padding-top:12px;">${content.map((sentence) => smallPrint(sentence))}</div>`,
  text: content,
})

export const section = (title: string): Html =>
  html`<h2 class="ink" style="margin:24px 0 8px;font-size:17px;line-height:1.3;font-weight:700;color:${TEXT_COLOR};">${title}</h2>`

export const titledText = (title: string, content: readonly string[]): string[] =>
  content.length === 0 ? [] : [title.toUpperCase(), ...content]

/** A button for the next step. The text form shows the address. */
export const actionButton = (shop: MailShop, url: string, text: string): Part => ({
  html: html`<div style="padding-top:16px;">${button(shop, url, text)}</div>`,
  text: [`${text}:`, url],
})

export const list = (title: string, content: readonly string[]): Part => ({
  html: html`${section(title)}<ul style="margin:0;padding:0 0 0 20px;">${content.map(
    (line) => html`<li class="ink" style="margin:0 0 6px;color:${TEXT_COLOR};">${line}</li>`,
  )}</ul>`,
  text: titledText(
    title,
    content.map((line) => `- ${line}`),
  ),
})

const CELL = 'padding:10px 0;vertical-align:top;'
const EDGE = `border-bottom:1px solid ${DIVIDER_COLOR};`
const HEAD = `${CELL}${EDGE}font-size:13px;font-weight:600;color:${SMALL_PRINT_COLOR};`

/** A table of line items; it has a column of amounts if any item has one. */
export const lineItemTable = (title: string, content: readonly MailLineItem[]): Part => ({
  html: html`${section(title)}
${linesTable(content)}`,
  text: titledText(
    title,
    content.flatMap(({ name, options, quantity, total }) => [
      `${quantity} x ${name}${total === null ? '' : `: ${total}`}`,
      ...(options === '' ? [] : [`    ${options}`]),
    ]),
  ),
})

function linesTable(content: readonly MailLineItem[]): Html {
  const hasTotals = content.some(({ total }) => total !== null)
  const side = hasTotals ? 'center' : 'right'
  const room = hasTotals ? 'padding-left:12px;padding-right:12px;' : 'padding-left:12px;'
  const amount = hasTotals
    ? html`<th scope="col" class="line" align="right" style="${HEAD}text-align:right;">Amount</th>`
    : EMPTY_HTML
  return html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;font-size:16px;">
<tr><th scope="col" class="line" align="left" style="${HEAD}text-align:left;">Item</th><th scope="col" class="line" align="${side}" style="${HEAD}text-align:${side};${room}">Quantity</th>${amount}</tr>
${content.map(
  ({ name, options, quantity, total }) =>
    html`<tr><td class="line ink" style="${CELL}${EDGE}color:${TEXT_COLOR};word-break:break-word;">${name}${
      options === ''
        ? EMPTY_HTML
        : html`<br><span class="quiet" style="font-size:14px;color:${SMALL_PRINT_COLOR};">${options}</span>`
    }</td><td class="line ink" align="${side}" style="${CELL}${EDGE}color:${TEXT_COLOR};">${quantity}</td>${
      hasTotals
        ? html`<td class="line ink" align="right" style="${CELL}${EDGE}color:${TEXT_COLOR};white-space:nowrap;">${total ?? ''}</td>`
        : EMPTY_HTML
    }</tr>
`,
)}</table>`
}

const pair = ({ label, value }: LabelledValue, style: string): Html =>
  html`<tr><th scope="row" class="ink" align="left" style="padding:4px 16px 4px 0;text-align:left;vertical-align:top;font-weight:400;color:${TEXT_COLOR};word-break:break-word;${style}">${label}</th><td class="ink" align="right" style="padding:4px 0;text-align:right;vertical-align:top;color:${TEXT_COLOR};word-break:break-word;${style}">${value}</td></tr>
`

const table = (content: readonly Html[]): Html =>
  html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;margin:8px 0 0;">
${content}</table>`

const inWords = ({ label, value }: LabelledValue) => `${label}: ${value}`

export const labelledRows = (title: string, content: readonly LabelledValue[]): Part => ({
  html: html`${section(title)}${table(content.map((row) => pair(row, '')))}`,
  text: titledText(title, content.map(inWords)),
})

/** Rows and their total. */
export const totalsTable = (content: readonly LabelledValue[], total: LabelledValue): Part => ({
  html: table([
    ...content.map((row) => pair(row, '')),
    pair(total, 'padding-top:8px;font-size:18px;font-weight:700;white-space:nowrap;'),
  ]),
  text: [...content, total].map(inWords),
})

/** Address columns, side by side if the screen is wide enough. */
export const addressColumns = (columns: readonly MailAddress[]): Part => ({
  html: html`<table ${LAYOUT}><tr>${columns.map(
    (column) =>
      html`<td class="half" width="50%" style="vertical-align:top;padding:0 16px 0 0;">${section(column.title)}<p class="ink" style="margin:0;color:${TEXT_COLOR};">${column.lines.map((line, at) => html`${at === 0 ? EMPTY_HTML : new Html('<br>')}${line}`)}</p></td>`,
  )}</tr></table>`,
  // One empty line between two addresses, as between all blocks.
  text:
    columns.length === 0
      ? []
      : [columns.map((column) => titledText(column.title, column.lines).join('\n')).join('\n\n')],
})
