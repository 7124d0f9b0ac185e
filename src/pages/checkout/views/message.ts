// One sentence and what can be done, as HTML.

import { type Html, html, NONE } from '../../../lib/html/html.ts'
import { sentenceOf } from '../../../lib/words/refusals.ts'
import type { MessageModel } from '../model.ts'

const TITLES: Readonly<Partial<Record<MessageModel['kind'], string>>> = {
  waiting: 'Your payment is being checked',
  not_paid: 'Not paid yet',
  too_late: 'The payment came too late',
}

export const messagePage = ({ language, shop, kind, said, next, refreshSeconds }: MessageModel): Html =>
  html`<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshSeconds === null ? NONE : html`<meta http-equiv="refresh" content="${refreshSeconds}${next === null ? '' : `;url=${next}`}">`}
<title>${shop.name}</title>
<main class="${kind}">
<h1>${TITLES[kind] ?? kind}</h1>
${kind === 'not_paid' ? html`<p>You have not been charged.</p>` : NONE}
<p>${said === null ? kind : sentenceOf(said)}</p>
${typeof said?.params.request_id === 'string' ? html`<p>${said.params.request_id}</p>` : NONE}
${next === null ? NONE : html`<p><a href="${next}" rel="noreferrer">${next}</a></p>`}
</main>
</html>
`
