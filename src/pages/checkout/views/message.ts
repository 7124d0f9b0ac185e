// A page that says one thing and what can be done about it: waiting for the bank, on to the provider, a checkout that has ended.

import { type Html, html, NONE } from '../../../lib/html/html.ts'
import { webAddress, writeDocument } from '../../frame.ts'
import { type Messages, messagesIn, say } from '../languages/index.ts'
import type { MessageModel } from '../model.ts'

type Kind = MessageModel['kind']

/** How it stands, by a colour and a sign beside the words. */
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
  const { kind, said, refreshSeconds, next } = model
  const words = messagesIn(model.language)
  const { title, text } = words.pages[kind]
  const isBusy = refreshSeconds !== null
  // By which the shop finds what has failed.
  const requestId = said?.params.request_id
  return writeDocument(model, {
    words,
    title,
    kind: 'single',
    hasScript: isBusy,
    // Who is sent elsewhere is sent at once: a page that moves by itself after a while is one that nobody can finish reading.
    refresh: refreshSeconds === null ? null : { seconds: kind === 'to_provider' ? 0 : refreshSeconds, url: next },
    content: html`<main><section class="sheet say ${TONES[kind]}">
${isBusy ? html`<span class="busy" aria-hidden="true"></span>` : html`<span class="sign" aria-hidden="true"></span>`}
<h1>${title}</h1>
<p>${said === null ? text : say(words, said)}${kind === 'not_paid' && said?.code === 'payment_declined' ? html` ${text}` : NONE}</p>
${typeof requestId === 'string' ? html`<p class="quiet"><code>${requestId}</code></p>` : NONE}
${button(model, words)}</section></main>`,
  })
}

/** Where it goes on: what the rule says, else the page again or the shop. */
function button({ kind, next, path, shop }: MessageModel, words: Messages): Html {
  const link = (url: string, name: string) => html`<p><a class="primary" href="${url}" rel="noreferrer">${name}</a></p>`
  const address = next === shop.returnUrl ? null : webAddress(next)
  const name = nextName(kind, words)
  if (address !== null) return link(address, name)
  if (AGAIN.has(kind)) return link(path, name)
  const back = webAddress(shop.returnUrl)
  return back === null ? NONE : link(back, words.backToShop({ shop: shop.name }))
}

/** What may have ended well when the page is loaded once more. */
const AGAIN: ReadonlySet<Kind> = new Set(['waiting', 'still_waiting', 'too_many', 'failed'])

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
