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
<h1>Thank you for your order</h1>
<h1>${order.customer_reference}</h1>
<p>${order.order_value.formatted_with_symbol}</p>
${order.status_payment === 'not_paid' && howToPay === null ? html`<p>Your payment is being checked.</p>` : NONE}
${howToPay === null ? NONE : html`<p class="how">${howToPay}</p>`}
${typeof order.redirect === 'string' ? html`<p><a href="${order.redirect}" rel="noreferrer">Continue</a></p>` : NONE}
</main>
</html>
`
