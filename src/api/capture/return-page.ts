// Where a shopper who was sent to a provider comes back to: the payment is finished there, and the page says in plain words what has come of
// it, with or without scripting. Who knows the address of a token may see it; it shows no more than the amount and the number of the order.

import type { Page, PageAnswer } from '../../http/files/pages.ts'
import { notFound } from '../../lib/errors.ts'
import { isId, readMerchantNumber } from '../../lib/ids.ts'
import { priceOf } from '../../lib/money.ts'
import { escapeHtml } from '../../lib/text.ts'
import { giveBackIfPaid, isPaid } from './late.ts'
import { type CaptureServices, type Settlement, settlementOf } from './settle.ts'
import { type AttemptRow, findAttempt } from './store.ts'
import { settleAttempt } from './unsettled.ts'

const PATH = '/checkout/:merchant_id/pay/:id/back'

/** Of this very attempt: an earlier one of the token has an end of its own. */
export const returnPath = ({
  merchant_id,
  checkout_id,
  id,
}: Pick<AttemptRow, 'merchant_id' | 'checkout_id' | 'id'>): string =>
  `/checkout/${merchant_id}/pay/${checkout_id}/back?payment=${id}`

export const returnPages = (services: CaptureServices): readonly Page[] => [
  {
    method: 'GET',
    path: PATH,
    isMetered: true,
    async answer({ url, params: { merchant_id: merchant = '', id: checkoutId = '' } }) {
      const merchantId = readMerchantNumber(merchant)
      const id = new URL(url, 'http://back').searchParams.get('payment') ?? ''
      const attempt =
        merchantId === null || !isId('paymentAttempt', id)
          ? null
          : await findAttempt(services.db, { merchant_id: merchantId, id })
      if (attempt?.checkout_id !== checkoutId) throw notFound('payment')
      return pageOf(attempt, await endOf(services, attempt))
    },
  },
]

/** Null: nobody knows yet. */
async function endOf(services: CaptureServices, attempt: AttemptRow): Promise<Settlement | null> {
  try {
    await settleAttempt(services, attempt)
    const settlement = await settlementOf(services, attempt)
    // Its time was over, but at some providers it could still be paid.
    const isLate = settlement.kind === 'expired' && isPaid(await giveBackIfPaid(services, attempt))
    return isLate ? { kind: 'too_late' } : settlement
  } catch {
    // The provider has not answered, or another process is at it: the completer sees it through, and the page can be loaded again.
    return null
  }
}

/** `mark`: how it has ended, by a colour beside the words. */
type Outcome = {
  readonly title: string
  readonly text: string
  readonly mark: 'good' | 'open' | 'bad'
  readonly link?: Link
  readonly isOpen?: true
}
type Link = { readonly url: string; readonly name: string }

const NOT_CHARGED = 'You have not been charged.'

function outcomeOf(settlement: Settlement | null): Outcome {
  switch (settlement?.kind) {
    case 'order': {
      const { customer_reference: number, redirect, status_payment: payment } = settlement.order
      return {
        title: 'Thank you for your order',
        text:
          payment === 'not_paid'
            ? `Your order ${number} has been placed. Your payment is still being looked into, which may take some days. You need not pay again.`
            : `Your order ${number} has been placed. You can close this page.`,
        mark: 'good',
        ...(typeof redirect === 'string' ? { link: { url: redirect, name: 'Continue' } } : {}),
      }
    }
    case 'redirect':
      return {
        title: 'Not paid yet',
        text: `${NOT_CHARGED} You can go on with the payment, or go back to the shop and pay in another way.`,
        mark: 'open',
        link: { url: settlement.url, name: 'Go on with the payment' },
      }
    case 'requires_verification':
      return { title: 'Not paid yet', text: `${NOT_CHARGED} Go back to the shop to finish the payment.`, mark: 'open' }
    case 'declined':
      return {
        title: 'The payment was declined',
        text: `${settlement.message} ${NOT_CHARGED}`,
        mark: 'bad',
      }
    case 'failed':
    case 'expired':
      return { title: 'Not paid', text: `${NOT_CHARGED} Go back to the shop to try again.`, mark: 'bad' }
    case 'too_late':
      return {
        title: 'The payment came too late',
        text: 'Its time was over, and there is no order. The money is being given back to you. Go back to the shop to order again.',
        mark: 'bad',
      }
    default:
      return {
        title: 'Your payment is being checked',
        text: 'This takes a moment. The page looks again by itself; you need not pay again.',
        mark: 'open',
        isOpen: true,
      }
  }
}

function pageOf({ amount, currency }: AttemptRow, settlement: Settlement | null): PageAnswer {
  const { title, text, mark, link, isOpen } = outcomeOf(settlement)
  return {
    policy: "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'",
    type: 'text/html; charset=utf-8',
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${isOpen ? '<meta http-equiv="refresh" content="3">' : ''}
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<main class="${mark}">
<h1>${escapeHtml(title)}</h1>
<p class="sum">Total: ${escapeHtml(priceOf(amount, currency).formatted_with_symbol)}</p>
<p>${escapeHtml(text)}</p>
${link ? `<p><a href="${escapeHtml(link.url)}" rel="noreferrer">${escapeHtml(link.name)}</a></p>` : ''}
</main>
</html>
`,
  }
}

// The colours are told apart, and read with enough contrast, on white and on black alike.
const STYLE = `:root{color-scheme:light dark}
body{font:1.1rem/1.5 system-ui,sans-serif;margin:0;padding:1rem;overflow-wrap:anywhere}
main{max-width:30rem;margin:12vh auto 0;padding:.25rem 0 .25rem 1.1rem;border-left:.35rem solid}
.good{border-color:#1a9150}.open{border-color:#c07a00}.bad{border-color:#d93a3a}
h1{font-size:1.5rem;line-height:1.2;margin:0 0 .5rem;text-wrap:balance}
.sum{font-size:1.25rem;font-variant-numeric:tabular-nums;margin:0 0 1rem}
p:last-child{margin-bottom:0}
a{display:inline-block;padding:.75rem 1.3rem;border-radius:.4rem;background:#1f5fd6;color:#fff;text-decoration:none;font-weight:600}
a:focus-visible{outline:3px solid;outline-offset:3px}`
