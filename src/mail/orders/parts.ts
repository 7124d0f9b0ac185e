// Building blocks of order mails. Each block has an HTML and a text form with the same content.

import { INK, QUIET } from '../../lib/html/colors.ts'
import { Html, html, NONE } from '../../lib/html/html.ts'
import {
  button,
  footerOf,
  heading,
  LAYOUT,
  LINE,
  type MailShop,
  paragraph,
  smallPrint,
  textFooterOf,
  type WrittenMail,
  writePage,
} from '../layout.ts'
import type { AddressPart, Row, ShownLine } from './receipt-order.ts'

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
    text: `${[...shownParts.map(({ text }) => text.join('\n')), textFooterOf(shop, why)].join('\n\n')}\n`,
    html: writePage(shop, {
      title: subject,
      preheader,
      content: html`${shownParts.map((part) => html`${part.html}\n`)}`,
      footer: footerOf(shop, why),
    }),
  }
}

/** Start of a mail. `notices`: sentences that are more important than the rest. */
export const opening = (title: string, about: readonly string[], notices: readonly string[] = []): Part => ({
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
export const below = (content: readonly string[]): Part => ({
  html: html`<div style="padding-top:12px;">${content.map((sentence) => smallPrint(sentence))}</div>`,
  text: content,
})

export const section = (title: string): Html =>
  html`<h2 class="ink" style="margin:24px 0 8px;font-size:17px;line-height:1.3;font-weight:700;color:${INK};">${title}</h2>`

export const titled = (title: string, content: readonly string[]): string[] =>
  content.length === 0 ? [] : [title.toUpperCase(), ...content]

/** A button for the next step. The text form shows the address. */
export const call = (shop: MailShop, url: string, text: string): Part => ({
  html: html`<div style="padding-top:16px;">${button(shop, url, text)}</div>`,
  text: [`${text}:`, url],
})

export const list = (title: string, content: readonly string[]): Part => ({
  html: html`${section(title)}<ul style="margin:0;padding:0 0 0 20px;">${content.map(
    (line) => html`<li class="ink" style="margin:0 0 6px;color:${INK};">${line}</li>`,
  )}</ul>`,
  text: titled(
    title,
    content.map((line) => `- ${line}`),
  ),
})

const CELL = 'padding:10px 0;vertical-align:top;'
const EDGE = `border-bottom:1px solid ${LINE};`
const HEAD = `${CELL}${EDGE}font-size:13px;font-weight:600;color:${QUIET};`

/** A table of line items; it has a column of amounts if any item has one. */
export const lines = (title: string, content: readonly ShownLine[]): Part => ({
  html: html`${section(title)}
${linesTable(content)}`,
  text: titled(
    title,
    content.flatMap(({ name, options, quantity, total }) => [
      `${quantity} x ${name}${total === null ? '' : `: ${total}`}`,
      ...(options === '' ? [] : [`    ${options}`]),
    ]),
  ),
})

function linesTable(content: readonly ShownLine[]): Html {
  const hasTotals = content.some(({ total }) => total !== null)
  const side = hasTotals ? 'center' : 'right'
  const room = hasTotals ? 'padding-left:12px;padding-right:12px;' : 'padding-left:12px;'
  const amount = hasTotals
    ? html`<th scope="col" class="line" align="right" style="${HEAD}text-align:right;">Amount</th>`
    : NONE
  return html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;font-size:16px;">
<tr><th scope="col" class="line" align="left" style="${HEAD}text-align:left;">Item</th><th scope="col" class="line" align="${side}" style="${HEAD}text-align:${side};${room}">Quantity</th>${amount}</tr>
${content.map(
  ({ name, options, quantity, total }) =>
    html`<tr><td class="line ink" style="${CELL}${EDGE}color:${INK};word-break:break-word;">${name}${
      options === '' ? NONE : html`<br><span class="quiet" style="font-size:14px;color:${QUIET};">${options}</span>`
    }</td><td class="line ink" align="${side}" style="${CELL}${EDGE}color:${INK};">${quantity}</td>${
      hasTotals
        ? html`<td class="line ink" align="right" style="${CELL}${EDGE}color:${INK};white-space:nowrap;">${total ?? ''}</td>`
        : NONE
    }</tr>
`,
)}</table>`
}

const pair = ({ label, value }: Row, style: string): Html =>
  html`<tr><th scope="row" class="ink" align="left" style="padding:4px 16px 4px 0;text-align:left;vertical-align:top;font-weight:400;color:${INK};word-break:break-word;${style}">${label}</th><td class="ink" align="right" style="padding:4px 0;text-align:right;vertical-align:top;color:${INK};word-break:break-word;${style}">${value}</td></tr>
`

const table = (content: readonly Html[]): Html =>
  html`<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;margin:8px 0 0;">
${content}</table>`

const inWords = ({ label, value }: Row) => `${label}: ${value}`

export const rows = (title: string, content: readonly Row[]): Part => ({
  html: html`${section(title)}${table(content.map((row) => pair(row, '')))}`,
  text: titled(title, content.map(inWords)),
})

/** Rows and their total. */
export const sums = (content: readonly Row[], total: Row): Part => ({
  html: table([
    ...content.map((row) => pair(row, '')),
    pair(total, 'padding-top:8px;font-size:18px;font-weight:700;white-space:nowrap;'),
  ]),
  text: [...content, total].map(inWords),
})

/** Address columns, side by side if the screen is wide enough. */
export const addresses = (columns: readonly AddressPart[]): Part => ({
  html: html`<table ${LAYOUT}><tr>${columns.map(
    (column) =>
      html`<td class="half" width="50%" style="vertical-align:top;padding:0 16px 0 0;">${section(column.title)}<p class="ink" style="margin:0;color:${INK};">${column.lines.map((line, at) => html`${at === 0 ? NONE : new Html('<br>')}${line}`)}</p></td>`,
  )}</tr></table>`,
  // One empty line between two addresses, as between all blocks.
  text:
    columns.length === 0 ? [] : [columns.map((column) => titled(column.title, column.lines).join('\n')).join('\n\n')],
})
