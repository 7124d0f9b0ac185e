// The frame of every page that shoppers see: its head, the shop's name above, who can be asked and the other languages below. Nothing in a
// page is inline, neither script nor style: the policy of the pages forbids both.

import { Html, html, NONE } from '../lib/html/html.ts'
import { escapeHtml } from '../lib/text.ts'
import { assetPath } from './assets.ts'
import type { Messages } from './checkout/languages/index.ts'
import type { Language, PageFrame, PageShop } from './checkout/model.ts'

export type Document = {
  readonly words: Messages
  readonly title: string
  /** Something is wrong, which the title says first. */
  readonly hasProblems?: boolean
  /** What of the page is different from others: `pay`. */
  readonly kind: string
  readonly content: Html
  readonly hasScript?: boolean
  /** Loads this address after so many seconds, or the page itself. */
  readonly refresh?: { readonly seconds: number; readonly url: string | null } | null
}

/** `true`: an attribute without a value. What is null, undefined or false is left out. */
type AttributeValue = string | number | boolean | null | undefined

/** Attributes of an element, with a blank before each. */
export function attributes(values: Readonly<Record<string, AttributeValue>>): Html {
  let text = ''
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value === null || value === undefined || value === false) continue
    text += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  }
  return new Html(text)
}

/** An address that a link may have; null for every other, such as one that would run as a script. */
export const webAddress = (url: string | null): string | null =>
  url !== null && /^(?:https?:\/\/|\/(?!\/))/i.test(url) ? url : null

export function writeDocument(frame: PageFrame, page: Document): Html {
  const { shop, language } = frame
  const { words, hasProblems = false, refresh = null, hasScript = false } = page
  const title = hasProblems ? words.errorTitle({ title: page.title }) : page.title
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${webAddress(shop.logo?.url ?? null) ?? NO_ICON}">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
${refresh === null ? NONE : refreshTag(refresh)}
<title>${words.titleAt({ title, shop: shop.name })}</title>
${[assetPath('checkout.css'), shop.themePath].map(styleSheet)}${hasScript ? script(assetPath('enhance.js')) : NONE}</head>
<body${attributes({ class: page.kind, 'data-reload': reloadOf(refresh) })}>
<header>${shop.isSandbox ? html`<p class="sandbox"><span>${words.sandbox}</span></p>` : NONE}
<div class="top" data-shop="${shop.name}">${shopName(shop)}</div></header>
${page.content}
${footer(frame, words)}
</body>
</html>
`
}

/** Where there is none a browser would ask for one. */
const NO_ICON = 'data:,'

const styleSheet = (path: string | null): Html =>
  path === null ? NONE : html`<link rel="stylesheet" href="${path}">\n`

const script = (path: string | null): Html =>
  path === null ? NONE : html`<script type="module" src="${path}"></script>\n`

type Refresh = NonNullable<Document['refresh']>

/** At once, or where no script waits: one can be stopped by its reader, and a page that moves by itself cannot. */
function refreshTag({ seconds, url }: Refresh): Html {
  const address = webAddress(url)
  const tag = html`<meta http-equiv="refresh" content="${address === null ? seconds : `${seconds};url=${address}`}">`
  return seconds === 0 ? tag : html`<noscript>${tag}</noscript>`
}

/** What the script reads: after so many seconds it loads the page again. */
const reloadOf = (refresh: Document['refresh']) =>
  refresh && refresh.seconds > 0 && refresh.url === null ? refresh.seconds : null

/** A wide logo has the name in it; beside a small one it is written. */
function shopName({ name, logo }: PageShop): Html {
  const url = webAddress(logo?.url ?? null)
  if (logo === null || url === null) return html`<p class="shop">${name}</p>`
  const shape = logo.shape ?? 'rectangle'
  return shape === 'rectangle'
    ? html`<p class="shop"><img class="logo" src="${url}" alt="${name}"></p>`
    : html`<p class="shop"><img class="logo ${shape}" src="${url}" alt="" width="48" height="48">${name}</p>`
}

function footer(frame: PageFrame, words: Messages): Html {
  const { shop, language } = frame
  const { supportEmail, returnUrl } = shop
  const back = webAddress(returnUrl)
  const documents = documentLinks(shop, words)
  return html`<footer class="foot">
${supportEmail === '' ? NONE : html`<p>${words.support} <a href="mailto:${supportEmail}">${supportEmail}</a></p>`}
${back === null && documents.length === 0 ? NONE : html`<ul class="inline">${back === null ? NONE : html`<li><a href="${back}" rel="noreferrer">${words.backToShop({ shop: shop.name })}</a></li>`}${documents.map((link) => html`<li>${link}</li>`)}</ul>`}
${shop.languages.length < 2 ? NONE : languageLinks(shop.languages, language, frame, words)}
</footer>`
}

/** Terms and privacy, those that the shop has. In a tab of their own: what was typed stays where it is. */
export const documentLinks = ({ termsUrl, privacyUrl }: PageShop, words: Messages): Html[] =>
  [
    { url: webAddress(termsUrl), name: words.terms },
    { url: webAddress(privacyUrl), name: words.privacy },
  ].flatMap(({ url, name }) =>
    url === null
      ? []
      : [
          html`<a href="${url}" target="_blank" rel="noopener noreferrer">${name}<span class="unseen"> (${words.opensElsewhere})</span></a>`,
        ],
  )

const languageLinks = (languages: readonly Language[], current: Language, frame: PageFrame, words: Messages): Html =>
  html`<nav aria-label="${words.language}"><ul class="inline">${languages.map((each) =>
    each === current
      ? html`<li><span lang="${each}" aria-current="true">${nameOf(each)}</span></li>`
      : html`<li><a href="${pageAddress(frame, `lang=${each}`)}" lang="${each}" hreflang="${each}" rel="nofollow">${nameOf(each)}</a></li>`,
  )}</ul></nav>`

/** Of the page itself. */
export function pageAddress({ path, kept }: PageFrame, ...query: readonly string[]): string {
  const all = [...(kept === undefined ? [] : [kept]), ...query]
  return all.length === 0 ? path : `${path}?${all.join('&')}`
}

const languageNames = new Map<Language, string>()

/** Each in its own words. */
function nameOf(language: Language): string {
  const known = languageNames.get(language)
  if (known !== undefined) return known
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  const written = name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
  languageNames.set(language, written)
  return written
}
