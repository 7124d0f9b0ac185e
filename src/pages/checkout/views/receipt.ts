// The receipt as HTML.

import { type Html, html, NONE } from '../../../lib/html/html.ts'
import type { ReceiptModel } from '../model.ts'

export const receiptPage = ({ language, shop, order, howToPay }: ReceiptModel): Html =>
  html`<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${shop.name}</title>
<main>
<h1>${order.customer_reference}</h1>
<p>${order.order_value.formatted_with_symbol}</p>
${howToPay === null ? NONE : html`<p class="how">${howToPay}</p>`}
${typeof order.redirect === 'string' ? html`<p><a href="${order.redirect}" rel="noreferrer">Continue</a></p>` : NONE}
</main>
</html>
`
