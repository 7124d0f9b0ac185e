// The page after the payment: line items, state, downloads, and payment instructions if the order is unpaid. It can be printed.

import type { Order } from '../../../api/orders/schema.ts'
import { EMPTY_HTML, type Html, html } from '../../../lib/html/html.ts'
import { webAddress, writeDocument } from '../../frame.ts'
import { addressLines } from '../address/lines.ts'
import { type Messages, messagesIn } from '../languages/index.ts'
import type { Language, ReceiptModel } from '../model.ts'
import { type SumRow, sumList, summaryLine, summaryRows, taxNote } from './summary.ts'
import { formatDay, type SumFormatter, sumFormatterFor } from './sums.ts'

type State = keyof Messages['states']

export function receiptPage(model: ReceiptModel): Html {
  const { order, language, shop } = model
  const words = messagesIn(language)
  const sums = sumFormatterFor(language, order.currency.code)
  const state = stateOf(order)
  const title = titleOf(state, words)
  const back = [typeof order.redirect === 'string' ? order.redirect : null, shop.returnUrl].find(
    (url) => webAddress(url) !== null,
  )
  return writeDocument(model, {
    words,
    title: `${title} (${order.customer_reference})`,
    kind: 'receipt',
    hasScript: true,
    content: html`<main data-paid="${order.checkout_token_id}">
<section class="sheet say ${TONES[state]}"><span class="sign" aria-hidden="true"></span>
<h1>${title}</h1>
<p>${words.states[state]({ email: order.customer.email })}</p>
<dl class="facts"><div><dt>${words.orderNumber}</dt><dd>${order.customer_reference}</dd></div><div><dt>${words.orderedOn}</dt><dd>${formatDay(language, order.created)}</dd></div></dl>
${back === undefined || back === null ? EMPTY_HTML : html`<p class="no-print"><a class="primary" href="${back}" rel="noreferrer">${words.backToShop({ shop: shop.name })}</a></p>`}</section>
${howToPay(model, words)}${downloads(order, state, words, language)}
<section class="sheet"><h2>${words.items}</h2>
<ul class="lines">${order.order.line_items.map((line) => summaryLine(line, html`<p class="line-options">${words.quantity}: ${line.quantity}</p>`, sums))}</ul>
${sumList(orderRows(order, words, sums))}
${taxNote({ words }, order.order, sums)}${payments(model, words, sums)}</section>
${details(order, words, language)}
</main>`,
  })
}

const TONES: Readonly<Record<State, 'good' | 'open' | 'calm'>> = {
  paid: 'good',
  free: 'good',
  authorized: 'good',
  not_paid: 'open',
  being_checked: 'open',
  partially_paid: 'open',
  partially_refunded: 'calm',
  refunded: 'calm',
  cancelled: 'calm',
}

function stateOf({ status, status_payment: payment, transactions, is }: Order): State {
  if (status === 'cancelled') return 'cancelled'
  // If the result of a payment is unknown, do not tell the shopper to pay again.
  if (payment === 'not_paid' && transactions.some(isBeingChecked)) return 'being_checked'
  return payment === 'paid' && is.free ? 'free' : payment
}

/** True also if the provider has the payment and is still checking it. */
const isBeingChecked = (transaction: Order['transactions'][number]): boolean =>
  transaction.status === 'pending' &&
  (transaction.status_reason === 'gateway_failure' || transaction.gateway_transaction_id !== null)

const titleOf = (state: State, words: Messages): string =>
  state === 'cancelled' ? words.cancelledTitle : state === 'refunded' ? words.refundedTitle : words.thanks

function howToPay({ order, howToPay: instructions }: ReceiptModel, words: Messages): Html {
  const isOpen = order.status === 'open' && ['not_paid', 'partially_paid'].includes(order.status_payment)
  if (instructions === null || instructions.trim() === '' || !isOpen) return EMPTY_HTML
  return html`<section class="sheet"><h2>${words.howToPay}</h2><p class="written">${instructions}</p>
<dl class="facts"><div><dt>${words.payReference}</dt><dd>${order.customer_reference}</dd></div></dl></section>`
}

/** Downloads open after the payment. A partial refund does not close them. */
function downloads(order: Order, state: State, words: Messages, language: Language): Html {
  const purchases = order.fulfillment.digital.downloads
  if (purchases.length === 0 || state === 'cancelled' || state === 'refunded') return EMPTY_HTML
  const isOpen = ['paid', 'free', 'partially_refunded'].includes(state)
  return html`<section class="sheet"><h2>${words.downloads}</h2>${
    isOpen
      ? html`<ul class="downloads">${purchases.flatMap((download) => download.packages.map((file) => downloadOf(download, file, words, language)))}</ul>`
      : html`<p>${words.downloadsWhenPaid}</p>`
  }</section>`
}

type Download = Order['fulfillment']['digital']['downloads'][number]

function downloadOf(download: Download, file: Download['packages'][number], words: Messages, language: Language): Html {
  const name = file.name || download.product_name
  const url = webAddress(file.access_link)
  const expires = file.access_expires ?? download.lifespan.expiry_date
  const notes = [
    file.ext,
    file.size,
    ...(expires === null ? [] : [words.downloadUntil({ date: formatDay(language, expires) })]),
    ...(file.remaining_downloads === null ? [] : [words.downloadsLeft({ count: file.remaining_downloads })]),
  ].filter((note) => note !== '')
  if (url === null || download.is_expired || file.is_access_revoked || file.remaining_downloads === 0)
    return html`<li><span>${name}</span><span class="hint">${words.downloadOver}</span></li>`
  return html`<li><a href="${url}" rel="noreferrer" download>${words.download({ name })}</a><span class="hint">${notes.join(' · ')}</span></li>`
}

function orderRows({ order, adjustments }: Order, words: Messages, sums: SumFormatter): SumRow[] {
  const { discount, giftcard, shipping } = order
  const isShipped = shipping.id !== null || shipping.price.raw !== 0
  return summaryRows(
    { words },
    {
      ...order,
      discount: 'code' in discount ? discount : null,
      adjustments,
      giftCard: 'code' in giftcard ? giftcard : null,
      shipping: isShipped
        ? {
            label: [words.shipping, shipping.description ?? ''].filter((part) => part !== '').join(': '),
            value: shipping.price.raw === 0 ? words.free : sums.sum(shipping.price),
          }
        : null,
    },
    sums,
  )
}

/** Past and expected payments. */
function payments(
  { order: { transactions, order }, wayName }: ReceiptModel,
  words: Messages,
  { sum, minus }: SumFormatter,
): Html {
  const charges = transactions
    .filter(({ type, status }) => type === 'charge' && (status === 'complete' || status === 'pending'))
    .map((charge) => ({ label: paymentLabel(charge, wayName, words), value: sum(charge.amount) }))
  const refunds = order.total_refunded.raw === 0 ? [] : [{ label: words.givenBack, value: minus(order.total_refunded) }]
  const rows = [...charges, ...refunds]
  return rows.length === 0 ? EMPTY_HTML : html`<h3>${words.payment}</h3>${sumList(rows)}`
}

function paymentLabel(charge: Order['transactions'][number], wayName: string | null, words: Messages): string {
  const { payment_source: source, payment_source_type: type, gateway_name: name, gateway_reference: end } = charge
  // Each manual payment method has its own name.
  const brand = source.brand ?? (charge.status === 'pending' ? wayName : null) ?? name
  // Show the last four digits of a card. Other references are internal to the gateway.
  const method =
    type === 'card' && end !== null && /^\d{4}$/.test(end) ? words.cardEnding({ brand, ending: end }) : brand
  if (charge.status === 'complete' || charge.status_reason === 'awaiting_gateway') return method
  return isBeingChecked(charge) ? words.beingChecked({ method }) : words.notPaidYet({ method })
}

function details({ shipping, billing, extra_fields: answers }: Order, words: Messages, language: Language): Html {
  const columns = [
    { title: words.shippingAddress, lines: addressLines(language, shipping) },
    { title: words.billingAddress, lines: addressLines(language, billing) },
  ].filter(({ lines }) => lines.length > 0)
  if (columns.length === 0 && answers.length === 0) return EMPTY_HTML
  return html`<section class="sheet"><div class="columns">${columns.map(
    ({ title, lines }) =>
      html`<div><h2>${title}</h2><address>${lines.map((line) => html`<span>${line}</span>`)}</address></div>`,
  )}${
    answers.length === 0
      ? EMPTY_HTML
      : html`<div><h2>${words.furtherDetails}</h2>${sumList(answers.map(({ name, value }) => ({ label: name, value })))}</div>`
  }</div></section>`
}
