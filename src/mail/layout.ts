// Layout of every mail: a head with the shop, a sheet for the content, and small print.
// Mail programs drop most styles, so the layout uses tables and inline styles. It is at most 600 pixels wide.
// Every mail is readable without images, in dark mode and by a screen reader.

import {
  hasShapeContrast,
  linkColorOn,
  SMALL_PRINT_COLOR,
  smallPrintColorOn,
  TEXT_COLOR,
  textColorOn,
} from '../lib/html/colors.ts'
import { EMPTY_HTML, Html, html } from '../lib/html/html.ts'
import { toOneLine } from '../lib/text.ts'

/** Subject and both bodies of a mail. The sender adds the recipient. */
export type WrittenMail = { readonly subject: string; readonly text: string; readonly html: string }

type Page = {
  readonly title: string
  /** Preview text beside the subject in a list of mails. */
  readonly preheader: string
  readonly content: Html
  /** Reason why the reader gets the mail. */
  readonly footer: Html
}

const SHEET = '#ffffff'
export const DIVIDER_COLOR = '#e4e4e7'
const DARK_PAGE = '#101012'
const DARK_SHEET = '#1c1c1f'
const DARK_INK = '#f4f4f5'
const FONT =
  "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;-webkit-text-size-adjust:100%;"

/** Attributes of a table that is only for layout. The role makes screen readers ignore its structure. */
export const LAYOUT = new Html('role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"')

// No escaping is needed: the shop's colours are validated, and all other text is ours.
function styles({ accent }: MailShop): Html {
  const darkAccent = hasShapeContrast(accent, DARK_SHEET) ? accent : DARK_INK
  const button = `.button{background:${darkAccent}!important;border-color:${darkAccent}!important}.button a{color:${textColorOn(darkAccent)}!important}`
  return new Html(
    `:root{color-scheme:light dark;supported-color-schemes:light dark}
a{text-decoration:underline}
@media (max-width:480px){.sheet{padding:24px 20px!important}.page{padding:16px 8px!important}.half{display:block!important;width:auto!important;padding:0 0 16px!important}}
@media (prefers-color-scheme:dark){body,.page{background:${DARK_PAGE}!important}.sheet{background:${DARK_SHEET}!important;border-color:#3f3f46!important;border-top-color:${darkAccent}!important}.ink,.sheet h1,.sheet h2,.sheet th,.sheet a,.shop{color:${DARK_INK}!important}.quiet,.foot,.foot a{color:#d4d4d8!important}.line{border-color:#3f3f46!important}.logo{background:#ffffff!important}${button}}`,
  )
}

export function writePage(shop: MailShop, { title, preheader, content, footer }: Page): string {
  const quiet = smallPrintColorOn(shop.background)
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
<tr><td class="sheet ink" style="background:${SHEET};border:1px solid ${DIVIDER_COLOR};border-top:4px solid ${shop.accent};border-radius:8px;padding:32px 36px;${new Html(FONT)}font-size:16px;line-height:1.5;color:${TEXT_COLOR};">${content}</td></tr>
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
  const name = toOneLine(shop.name)
  const color = textColorOn(shop.background)
  if (shop.logoUrl === null)
    return html`<div class="shop" style="${new Html(FONT)}font-size:22px;font-weight:700;line-height:1.3;color:${color};">${name}</div>`
  const { size, shape } = logoSize(shop.logoShape)
  // Mail programs that block images show the name instead, as large as for a shop without a logo.
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
  html`<h1 class="ink" style="margin:0 0 12px;font-size:24px;line-height:1.25;font-weight:700;color:${TEXT_COLOR};">${text}</h1>`

export const paragraph = (content: Html | string): Html =>
  html`<p class="ink" style="margin:0 0 16px;color:${TEXT_COLOR};">${content}</p>`

export const smallPrint = (content: Html | string): Html =>
  html`<p class="quiet" style="margin:0 0 12px;font-size:14px;color:${SMALL_PRINT_COLOR};">${content}</p>`

/** Link on the sheet. */
export const link = (shop: MailShop, url: string, text: string): Html =>
  html`<a href="${url}" style="color:${linkColorOn(SHEET, shop.accent)};text-decoration:underline;word-break:break-word;">${text}</a>`

/** Link below the sheet. */
const footLink = (shop: MailShop, url: string, text: string): Html =>
  html`<a href="${url}" style="color:${smallPrintColorOn(shop.background)};text-decoration:underline;">${text}</a>`

/** Puts the link in a table, because some mail programs ignore the padding of a link. */
export function button(shop: MailShop, url: string, text: string): Html {
  const color = textColorOn(shop.accent)
  // A nearly white accent would leave the button without a visible edge.
  const edge = hasShapeContrast(shop.accent, SHEET) ? shop.accent : color
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px;"><tr><td class="button" style="background:${shop.accent};border:1px solid ${edge};border-radius:6px;"><a href="${url}" style="display:inline-block;padding:13px 28px;font-size:16px;font-weight:600;line-height:1.25;color:${color};text-decoration:none;">${text}</a></td></tr></table>`
}

const ASK = 'Questions? Answer this mail or write to'

/** Reason for the mail, and the address for questions. */
export const mailFooter = (shop: MailShop, why: string): Html =>
  html`${why}${shop.supportEmail === '' ? EMPTY_HTML : html` ${ASK} ${footLink(shop, mailtoOf(shop.supportEmail), shop.supportEmail)}.`}`

export const mailTextFooter = (shop: MailShop, why: string): string =>
  [
    '-- ',
    toOneLine(shop.name),
    why,
    // If the shop has no address, a reply would go to the operator, who cannot help.
    ...(shop.supportEmail === '' ? [] : [`${ASK} ${shop.supportEmail}.`]),
  ].join('\n')

/** Encodes each part of the address. A `?` in it could otherwise set the subject of the reply and add recipients. */
const mailtoOf = (address: string): string => `mailto:${address.split('@').map(encodeURIComponent).join('@')}`

/** The sender's shop as the reader sees it. */
export type MailShop = {
  readonly name: string
  /** Reply address, as `readEmail` accepts it; empty if the shop has none. */
  readonly supportEmail: string
  /** Absolute URL; null without a logo. */
  readonly logoUrl: string | null
  readonly logoShape: 'square' | 'circle' | 'rectangle' | null
  /** Colour of buttons and links, `#rrggbb`. */
  readonly accent: string
  /** Colour of the page behind the sheet, `#rrggbb`. */
  readonly background: string
}
