// The frame of every shopper page: head, shop name, support address and links to other languages. Nothing in a page is inline, neither
// scripts nor styles, because the policy of the pages forbids both.

import { EMPTY_HTML, Html, html } from '../lib/html/html.ts'
import { escapeHtml } from '../lib/text.ts'
import { assetPath } from './assets.ts'
import type { Messages } from './checkout/languages/index.ts'
import type { Language, PageFrame, PageShop } from './checkout/model.ts'

export type PageDocument = {
  readonly words: Messages
  readonly title: string
  /** True if something is wrong; the title says so first. */
  readonly hasProblems?: boolean
  /** Class of the body, for example `pay`. */
  readonly kind: string
  readonly content: Html
  readonly hasScript?: boolean
  /** Loads this URL, or the same page, after some seconds. */
  readonly refresh?: { readonly seconds: number; readonly url: string | null } | null
}

/** `true` writes an attribute without a value. Null, undefined and false are left out. */
type AttributeValue = string | number | boolean | null | undefined

/** Attributes of an element, each with a leading space. */
export function htmlAttributes(values: Readonly<Record<string, AttributeValue>>): Html {
  let text = ''
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value === null || value === undefined || value === false) continue
    text += value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`
  }
  return new Html(text)
}

/** Returns the URL if a link may have it. Others, for example one that would run as a script, give null. */
export const webAddress = (url: string | null): string | null =>
  url !== null && /^(?:https?:\/\/|\/(?!\/))/i.test(url) ? url : null

export function writeDocument(frame: PageFrame, page: PageDocument): Html {
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
${refresh === null ? EMPTY_HTML : refreshTag(refresh)}
<title>${words.titleAt({ title, shop: shop.name })}</title>
${[assetPath('checkout.css'), shop.themePath].map(styleSheet)}${hasScript ? script(assetPath('enhance.js')) : EMPTY_HTML}</head>
<body${htmlAttributes({ class: page.kind, 'data-reload': reloadSeconds(refresh) })}>
<header>${shop.is_sandbox ? html`<p class="sandbox"><span>${words.sandbox}</span></p>` : EMPTY_HTML}
<div class="top" data-shop="${shop.name}">${shopName(shop)}</div></header>
${page.content}
${footer(frame, words)}
</body>
</html>
`
}

/** Without an icon a browser would request one. */
const NO_ICON = 'data:,'

const styleSheet = (path: string | null): Html =>
  path === null ? EMPTY_HTML : html`<link rel="stylesheet" href="${path}">\n`

const script = (path: string | null): Html =>
  path === null ? EMPTY_HTML : html`<script type="module" src="${path}"></script>\n`

type Refresh = NonNullable<PageDocument['refresh']>

/** A delayed refresh is only for browsers without scripts, because readers cannot stop it. With scripts, the script reloads the page. */
function refreshTag({ seconds, url }: Refresh): Html {
  const address = webAddress(url)
  const tag = html`<meta http-equiv="refresh" content="${address === null ? seconds : `${seconds};url=${address}`}">`
  return seconds === 0 ? tag : html`<noscript>${tag}</noscript>`
}

/** Seconds until the script reloads the page. */
const reloadSeconds = (refresh: PageDocument['refresh']) =>
  refresh && refresh.seconds > 0 && refresh.url === null ? refresh.seconds : null

/** A wide logo contains the name. Beside a small one the name is written. */
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
${supportEmail === '' ? EMPTY_HTML : html`<p>${words.support} <a href="mailto:${supportEmail}">${supportEmail}</a></p>`}
${back === null && documents.length === 0 ? EMPTY_HTML : html`<ul class="inline">${back === null ? EMPTY_HTML : html`<li><a href="${back}" rel="noreferrer">${words.backToShop({ shop: shop.name })}</a></li>`}${documents.map((link) => html`<li>${link}</li>`)}</ul>`}
${shop.languages.length < 2 ? EMPTY_HTML : languageLinks(shop.languages, language, frame, words)}
</footer>`
}

/** Links to terms and privacy, if the shop has them. They open in a new tab, so that typed input stays. */
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
      ? html`<li><span lang="${each}" aria-current="true">${languageName(each)}</span></li>`
      : html`<li><a href="${pageAddress(frame, `lang=${each}`)}" lang="${each}" hreflang="${each}" rel="nofollow">${languageName(each)}</a></li>`,
  )}</ul></nav>`

/** Address of this page with more query parameters. */
export function pageAddress({ path, keptQuery }: PageFrame, ...query: readonly string[]): string {
  const all = [...(keptQuery === undefined ? [] : [keptQuery]), ...query]
  return all.length === 0 ? path : `${path}?${all.join('&')}`
}

const languageNames = new Map<Language, string>()

/** The name of a language in that language. */
function languageName(language: Language): string {
  const cachedName = languageNames.get(language)
  if (cachedName !== undefined) return cachedName
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  const displayName = name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
  languageNames.set(language, displayName)
  return displayName
}
