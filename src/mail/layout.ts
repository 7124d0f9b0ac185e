// How every mail looks: the page with the shop's head, a sheet for the content and
// small print. Tables and inline styles, because mail programs drop the rest; 600 pixels at most; readable without pictures, in the dark,
// and by a screen reader.

import { INK, linkOn, QUIET, quietTextOn, standsOut, textOn } from '../lib/html/colors.ts'
import { Html, html, NONE } from '../lib/html/html.ts'
import { oneLine } from '../lib/text.ts'

/** One mail as it is written, before it has an address. */
export type WrittenMail = { readonly subject: string; readonly text: string; readonly html: string }

type Page = {
  readonly title: string
  /** What a list of mails shows beside the subject. */
  readonly preheader: string
  readonly content: Html
  /** Why the reader gets this. */
  readonly footer: Html
}

const SHEET = '#ffffff'
export const LINE = '#e4e4e7'
const DARK_PAGE = '#101012'
const DARK_SHEET = '#1c1c1f'
const DARK_INK = '#f4f4f5'
const FONT =
  "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;-webkit-text-size-adjust:100%;"

/** The attributes of a table that only lays out: a screen reader reads through it. */
export const LAYOUT = new Html('role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"')

// Written by the template only, so nothing in it is a shop's but colours that were checked.
function styles({ accent }: MailShop): Html {
  const darkAccent = standsOut(accent, DARK_SHEET) ? accent : DARK_INK
  const button = `.button{background:${darkAccent}!important;border-color:${darkAccent}!important}.button a{color:${textOn(darkAccent)}!important}`
  return new Html(
    `:root{color-scheme:light dark;supported-color-schemes:light dark}
a{text-decoration:underline}
@media (max-width:480px){.sheet{padding:24px 20px!important}.page{padding:16px 8px!important}.half{display:block!important;width:auto!important;padding:0 0 16px!important}}
@media (prefers-color-scheme:dark){body,.page{background:${DARK_PAGE}!important}.sheet{background:${DARK_SHEET}!important;border-color:#3f3f46!important;border-top-color:${darkAccent}!important}.ink,.sheet h1,.sheet h2,.sheet th,.sheet a,.shop{color:${DARK_INK}!important}.quiet,.foot,.foot a{color:#d4d4d8!important}.line{border-color:#3f3f46!important}.logo{background:#ffffff!important}${button}}`,
  )
}

export function writePage(shop: MailShop, { title, preheader, content, footer }: Page): string {
  const quiet = quietTextOn(shop.background)
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${title}</title>
<style>${styles(shop)}</style>
</head>
<body style="margin:0;padding:0;background:${shop.background};">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;">${preheader}</div>
<div role="article" aria-roledescription="email" aria-label="${title}" lang="en" dir="ltr">
<table ${LAYOUT}>
<tr><td class="page" align="center" style="background:${shop.background};padding:32px 16px;">
<table ${LAYOUT} style="max-width:600px;">
<tr><td align="center" style="padding:0 0 24px;">${headOf(shop)}</td></tr>
<tr><td class="sheet ink" style="background:${SHEET};border:1px solid ${LINE};border-top:4px solid ${shop.accent};border-radius:8px;padding:32px 36px;${new Html(FONT)}font-size:16px;line-height:1.5;color:${INK};">${content}</td></tr>
<tr><td class="foot" align="center" style="padding:20px 12px 0;${new Html(FONT)}font-size:13px;line-height:1.5;color:${quiet};">${footer}</td></tr>
</table>
</td></tr>
</table>
</div>
</body>
</html>
`.text
}

function headOf(shop: MailShop): Html {
  const name = oneLine(shop.name)
  const color = textOn(shop.background)
  if (shop.logoUrl === null)
    return html`<div class="shop" style="${new Html(FONT)}font-size:22px;font-weight:700;line-height:1.3;color:${color};">${name}</div>`
  const { size, shape } = logoSize(shop.logoShape)
  // With pictures off, the name stands in its place, as large as it would without a logo.
  return html`<img class="logo shop" src="${shop.logoUrl}" alt="${name}" ${size} style="display:inline-block;border:0;${shape}${new Html(FONT)}font-size:22px;font-weight:700;color:${color};">`
}

function logoSize(shape: MailShop['logoShape']): { size: Html; shape: string } {
  if (shape === 'square' || shape === 'circle')
    return {
      size: new Html('width="72" height="72"'),
      shape: `width:72px;height:72px;object-fit:cover;border-radius:${shape === 'circle' ? '50%' : '8px'};`,
    }
  return { size: new Html('height="56"'), shape: 'height:56px;width:auto;max-width:240px;object-fit:contain;' }
}

export const heading = (text: string): Html =>
  html`<h1 class="ink" style="margin:0 0 12px;font-size:24px;line-height:1.25;font-weight:700;color:${INK};">${text}</h1>`

export const paragraph = (content: Html | string): Html =>
  html`<p class="ink" style="margin:0 0 16px;color:${INK};">${content}</p>`

export const smallPrint = (content: Html | string): Html =>
  html`<p class="quiet" style="margin:0 0 12px;font-size:14px;color:${QUIET};">${content}</p>`

/** On the sheet. */
export const link = (shop: MailShop, url: string, text: string): Html =>
  html`<a href="${url}" style="color:${linkOn(SHEET, shop.accent)};text-decoration:underline;word-break:break-word;">${text}</a>`

/** Below the sheet. */
const footLink = (shop: MailShop, url: string, text: string): Html =>
  html`<a href="${url}" style="color:${quietTextOn(shop.background)};text-decoration:underline;">${text}</a>`

/** A table around the link: some programs give a link no padding of its own. */
export function button(shop: MailShop, url: string, text: string): Html {
  const color = textOn(shop.accent)
  // Where the accent is nearly white, the button would have no edge.
  const edge = standsOut(shop.accent, SHEET) ? shop.accent : color
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px;"><tr><td class="button" style="background:${shop.accent};border:1px solid ${edge};border-radius:6px;"><a href="${url}" style="display:inline-block;padding:13px 28px;font-size:16px;font-weight:600;line-height:1.25;color:${color};text-decoration:none;">${text}</a></td></tr></table>`
}

const ASK = 'Questions? Answer this mail or write to'

/** Who it is from, and where to ask. */
export const footerOf = (shop: MailShop, why: string): Html =>
  html`${why}${shop.supportEmail === '' ? NONE : html` ${ASK} ${footLink(shop, mailtoOf(shop.supportEmail), shop.supportEmail)}.`}`

export const textFooterOf = (shop: MailShop, why: string): string =>
  [
    '-- ',
    oneLine(shop.name),
    why,
    // Without an address, an answer would go to the operator, who cannot help.
    ...(shop.supportEmail === '' ? [] : [`${ASK} ${shop.supportEmail}.`]),
  ].join('\n')

/** Part by part: a ? in an address would begin the subject of the answer, and maybe further recipients of it. */
const mailtoOf = (address: string): string => `mailto:${address.split('@').map(encodeURIComponent).join('@')}`

/** The shop that a mail is from, as its reader is to see it. */
export type MailShop = {
  readonly name: string
  /** Where answers go, as `readEmail` accepts it; empty where the shop has no such address. */
  readonly supportEmail: string
  /** Absolute; null without a logo. */
  readonly logoUrl: string | null
  readonly logoShape: 'square' | 'circle' | 'rectangle' | null
  /** Of buttons and links: `#rrggbb`. */
  readonly accent: string
  /** What the mail lies on: `#rrggbb`. */
  readonly background: string
}
