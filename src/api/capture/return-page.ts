// Where a shopper who was sent to a provider comes back to: the payment is finished there, and the page says in plain words what has come of
// it, with or without scripting. Who knows the address of a token may see it; it shows no more than the amount and the number of the order.

import type { Page, PageAnswer } from '../../http/files/pages.ts'
import { notFound } from '../../lib/errors.ts'
import { isId, readMerchantNumber } from '../../lib/ids.ts'
import { priceOf } from '../../lib/money.ts'
import { escapeHtml } from '../../lib/text.ts'
import { type CaptureServices, type Settlement, settleAttempt, settlementOf } from './settle.ts'
import { type AttemptRow, findAttempt } from './store.ts'

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
    return await settlementOf(services, attempt)
  } catch {
    // The provider has not answered, or another process is at it: the completer sees it through, and the page can be loaded again.
    return null
  }
}

type Outcome = { readonly title: string; readonly text: string; readonly link?: Link; readonly isOpen?: true }
type Link = { readonly url: string; readonly name: string }

function outcomeOf(settlement: Settlement | null): Outcome {
  switch (settlement?.kind) {
    case 'order': {
      const { customer_reference: number, redirect } = settlement.order
      return {
        title: 'Thank you for your order',
        text: `Your order ${number} has been placed. A receipt is on its way to you by e-mail.`,
        ...(typeof redirect === 'string' ? { link: { url: redirect, name: 'Go on' } } : {}),
      }
    }
    case 'redirect':
      return {
        title: 'Not paid yet',
        text: 'You have not been charged. You can go on with the payment, or go back to the shop and pay in another way.',
        link: { url: settlement.url, name: 'Go on with the payment' },
      }
    case 'requires_verification':
      return { title: 'Not paid yet', text: 'You have not been charged. Go back to the shop to finish the payment.' }
    case 'declined':
      return { title: 'The payment was declined', text: `${settlement.message} Go back to the shop to try again.` }
    case 'failed':
    case 'expired':
      return { title: 'Not paid', text: 'You have not been charged. Go back to the shop to try again.' }
    case 'too_late':
      return { title: 'Too late', text: 'Your payment came after its time was over, and is being given back to you.' }
    default:
      return {
        title: 'Your payment is being checked',
        text: 'This takes a moment. The page looks again by itself; you need not pay again.',
        isOpen: true,
      }
  }
}

function pageOf({ amount, currency }: AttemptRow, settlement: Settlement | null): PageAnswer {
  const { title, text, link, isOpen } = outcomeOf(settlement)
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
<main>
<h1>${escapeHtml(title)}</h1>
<p class="sum">${escapeHtml(priceOf(amount, currency).formatted_with_symbol)}</p>
<p>${escapeHtml(text)}</p>
${link ? `<p><a href="${escapeHtml(link.url)}" rel="noreferrer">${escapeHtml(link.name)}</a></p>` : ''}
</main>
</html>
`,
  }
}

const STYLE = `:root{color-scheme:light dark}
body{font:1.1rem/1.5 system-ui,sans-serif;margin:0;padding:1rem}
main{max-width:32rem;margin:15vh auto 0}
h1{font-size:1.5rem;line-height:1.2;margin:0 0 .5rem}
.sum{font-size:1.25rem;font-variant-numeric:tabular-nums;margin:0 0 1rem}
a{display:inline-block;padding:.7rem 1.2rem;border:1px solid;border-radius:.4rem;text-decoration:none;font-weight:600}
a:focus-visible{outline:3px solid;outline-offset:2px}`
