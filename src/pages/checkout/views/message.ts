// A page that says one thing and what can be done about it: waiting for the bank, on to the provider, a checkout that has ended.

import { type Html, html, NONE } from '../../../lib/html/html.ts'
import { webAddress, writeDocument } from '../../frame.ts'
import { type Messages, messagesIn, say } from '../messages/index.ts'
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
  return writeDocument(model, {
    words,
    title,
    kind: 'single',
    refresh: refreshSeconds === null ? null : { seconds: refreshSeconds, url: next },
    content: html`<main><section class="sheet say ${TONES[kind]}">
${isBusy ? html`<span class="busy" aria-hidden="true"></span>` : html`<span class="sign" aria-hidden="true"></span>`}
<h1>${title}</h1>
${said === null ? NONE : html`<p>${say(words, said)}</p>`}
<p>${text}</p>
${button(model, words)}</section></main>`,
  })
}

/** Where it goes on: what the rule says, else the page again or the shop. */
function button({ kind, next, path, shop }: MessageModel, words: Messages): Html {
  const address = webAddress(next)
  const link = (url: string, name: string) => html`<p><a class="primary" href="${url}" rel="noreferrer">${name}</a></p>`
  if (address !== null) return link(address, nextName(kind, words))
  const again: Readonly<Partial<Record<Kind, string>>> = {
    waiting: words.lookAgain,
    still_waiting: words.lookAgain,
    too_many: words.tryAgain,
    failed: words.tryAgain,
  }
  const name = again[kind]
  if (name !== undefined) return link(path, name)
  const back = webAddress(shop.returnUrl)
  return back === null ? NONE : link(back, words.backToShop({ shop: shop.name }))
}

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
