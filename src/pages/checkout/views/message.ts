// A page with one message and a next step: waiting for the bank, redirect to the provider, an ended checkout.

import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import { webAddress, writeDocument } from '../../frame.ts'
import { checkoutRefusalText, type Messages, messagesIn } from '../languages/index.ts'
import type { MessageModel } from '../model.ts'

type Kind = MessageModel['kind']

/** Tone of each kind; it selects a colour and a sign. */
const TONES: Readonly<Record<Kind, 'open' | 'bad' | 'calm'>> = {
  waiting: 'open',
  still_waiting: 'open',
  to_provider: 'open',
  not_paid: 'bad',
  too_late: 'bad',
  cart_empty: 'calm',
  all_gone: 'calm',
  gone: 'calm',
  closed: 'calm',
  not_secure: 'bad',
  too_many: 'calm',
  failed: 'bad',
}

export function messagePage(model: MessageModel): Html {
  const { kind, shopperMessage, refreshSeconds, next } = model
  const words = messagesIn(model.language)
  const { title, text } = words.pages[kind]
  const isBusy = refreshSeconds !== null
  // The shop finds the cause by this id.
  const requestId = shopperMessage?.params.request_id
  return writeDocument(model, {
    words,
    title,
    kind: 'single',
    hasScript: isBusy,
    // Redirect to the provider at once: nobody could finish reading a page that moves on by itself.
    refresh: refreshSeconds === null ? null : { seconds: kind === 'to_provider' ? 0 : refreshSeconds, url: next },
    content: html`<main><section class="sheet say ${TONES[kind]}">
${isBusy ? html`<span class="busy" aria-hidden="true"></span>` : html`<span class="sign" aria-hidden="true"></span>`}
<h1>${title}</h1>
<p>${shopperMessage === null ? text : checkoutRefusalText(words, shopperMessage)}${kind === 'not_paid' && shopperMessage?.code === 'payment_declined' ? html` ${text}` : EMPTY_HTML}</p>
${typeof requestId === 'string' ? html`<p class="quiet"><code>${requestId}</code></p>` : EMPTY_HTML}
${button(model, words)}</section></main>`,
  })
}

/** The button for the next step: the given URL, a retry, or the shop. */
function button({ kind, next, path, shop }: MessageModel, words: Messages): Html {
  const link = (url: string, name: string) => html`<p><a class="primary" href="${url}" rel="noreferrer">${name}</a></p>`
  const address = next === shop.returnUrl ? null : webAddress(next)
  const name = nextName(kind, words)
  if (address !== null) return link(address, name)
  if (RETRY_KINDS.has(kind)) return link(path, name)
  const back = webAddress(shop.returnUrl)
  return back === null ? EMPTY_HTML : link(back, words.backToShop({ shop: shop.name }))
}

/** Kinds of messages that may resolve when the page is loaded again. */
const RETRY_KINDS: ReadonlySet<Kind> = new Set(['waiting', 'still_waiting', 'too_many', 'failed'])

function nextName(kind: Kind, words: Messages): string {
  switch (kind) {
    case 'to_provider':
      return words.goToPayment
    case 'waiting':
    case 'still_waiting':
      return words.lookAgain
    case 'not_paid':
    case 'too_late':
      return words.backToCheckout
    case 'too_many':
    case 'failed':
      return words.tryAgain
    default:
      return words.goOn
  }
}
