// The hosts of the providers, as a browser meets them: their scripts and frames come from the files beside this one, and what their scripts ask for
// is answered by the doubles that our server talks to as well. Every other host is one that nobody may be asked at: `strays` names them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Route } from 'playwright-core'
import type { openMollie } from '../../../gateways/doubles/mollie.ts'
import type { openPayPal } from '../../../gateways/doubles/paypal.ts'
import type { openRazorpay } from '../../../gateways/doubles/razorpay.ts'
import type { openSquare } from '../../../gateways/doubles/square.ts'
import type { openStripe } from '../../../gateways/doubles/stripe.ts'

export type Doubles = {
  readonly stripe?: Awaited<ReturnType<typeof openStripe>>
  readonly razorpay?: Awaited<ReturnType<typeof openRazorpay>>
  readonly square?: Awaited<ReturnType<typeof openSquare>>
  readonly paypal?: Awaited<ReturnType<typeof openPayPal>>
  readonly mollie?: Awaited<ReturnType<typeof openMollie>>
}

const script = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

const page = (body: string) => ({
  contentType: 'text/html; charset=utf-8',
  body: `<!doctype html><html lang="en"><title>-</title>${body}`,
})
const json = (value: unknown) => ({
  contentType: 'application/json',
  headers: { 'access-control-allow-origin': '*' },
  body: JSON.stringify(value),
})
const code = (name: string) => ({ contentType: 'text/javascript', body: script(name) })

const CARD_FIELDS = page(`<label>Card number <input id="number" inputmode="numeric" autocomplete="cc-number"></label>
<label>Expiration date <input></label> <label>Security code <input></label>
<script>number.oninput = () => parent.postMessage({ card: number.value.replace(/\\D/g, '') }, '*')</script>`)

const CHALLENGE = page(`<p>Your bank wants to see you.</p>
<button onclick="parent.postMessage('pass', '*')">Complete</button> <button onclick="parent.postMessage('fail', '*')">Fail</button>`)

const WINDOW =
  page(`<button id="pay">Pay now</button> <button id="fail">Pay with a bad card</button> <button id="close">Close</button>
<script>
const order_id = new URL(location).searchParams.get('order_id')
const paid = async () => (await fetch('/v1/payments/create/ajax?order_id=' + order_id)).json()
pay.onclick = async () => parent.postMessage({ paid: await paid() }, '*')
fail.onclick = () => parent.postMessage({ failed: 'Your payment was declined by the bank.' }, '*')
document.querySelector('#close').onclick = () => parent.postMessage({ closed: true }, '*')
</script>`)

/** By the last four digits, as docs.stripe.com/testing lists them: the names that the double knows. */
const STRIPE_CARDS: Readonly<Record<string, string>> = {
  '4242': 'pm_card_visa',
  '0002': 'pm_card_visa_chargeDeclined',
  '3220': 'pm_card_threeDSecure2Required',
}
const SQUARE_CARDS: Readonly<Record<string, string>> = { '0002': 'cnon:card-nonce-declined' }

/** What of Stripe's API its script asks. */
function stripeAnswer({ stripe }: Doubles, path: string, form: URLSearchParams) {
  if (path === '/v1/payment_methods') {
    const id = STRIPE_CARDS[(form.get('card[number]') ?? '').slice(-4)]
    if (id !== undefined) return { paymentMethod: { id, type: 'card' } }
    return { error: { type: 'card_error', code: 'incorrect_number', message: 'Your card number is incorrect.' } }
  }
  const id = (form.get('client_secret') ?? '').replace(/_secret_.*$/, '')
  if (form.get('passed') === 'true') {
    stripe?.shopper.passes(id)
    return { paymentIntent: { id, status: 'requires_confirmation' } }
  }
  stripe?.shopper.fails(id)
  return {
    error: {
      type: 'invalid_request_error',
      code: 'payment_intent_authentication_failure',
      message: 'We are unable to authenticate your payment method.',
    },
  }
}

function razorpayPaid({ razorpay }: Doubles, orderId: string) {
  const payment = razorpay?.pay({ orderId, status: 'authorized' })
  const given = payment && razorpay?.given(payment)
  return {
    razorpay_payment_id: given?.payment_id,
    razorpay_order_id: given?.order_id,
    razorpay_signature: given?.signature,
  }
}

// Pages that shoppers are sent to, and leave again by themselves once they have decided: as links, which work without scripting.

const decisions = (path: string, names: Readonly<Record<string, string>>) =>
  page(
    `<main><h1>Pay here</h1>${Object.entries(names)
      .map(([name, query]) => `<p><a href="${path}?${query}">${name}</a></p>`)
      .join('')}</main>`,
  )
const backTo = (url: string) =>
  page(`<meta http-equiv="refresh" content="0;url=${url.replaceAll('&', '&amp;')}"><p>One moment …</p>`)

/** PayPal names its order in the addresses that it sends shoppers back to. */
function paypalPage({ paypal }: Doubles, { pathname, searchParams }: URL) {
  const id = searchParams.get('token') ?? ''
  if (pathname === '/checkoutnow')
    return decisions('/checkoutnow/done', {
      'Complete purchase': `token=${id}&approved=1`,
      'Cancel and return': `token=${id}`,
    })
  const custom = paypal?.books.orderOf(id).custom_id ?? ''
  const sent = paypal?.requests.filter(({ method, text }) => method === 'POST' && text.includes(custom)) ?? []
  const [, back = ''] = /"return_url":"([^"]+)"/.exec(sent.map(({ text }) => text).join('')) ?? []
  if (!searchParams.has('approved')) return backTo(`${back}&token=${id}`)
  paypal?.approve(id)
  return backTo(`${back}&token=${id}&PayerID=3PXKJV8MZGTQ2`)
}

function molliePage({ mollie }: Doubles, { pathname, searchParams }: URL) {
  const id = `tr_${pathname.split('/').at(-1)}`
  const status = searchParams.get('status')
  if (status === null)
    return decisions(pathname, { Paid: 'status=paid', Failed: 'status=failed', Cancel: 'status=canceled' })
  return backTo(mollie?.become(id, status).redirectUrl ?? '')
}

function answerOf(doubles: Doubles, url: URL, sent: string) {
  const { host, pathname, searchParams } = url
  switch (host) {
    case 'js.stripe.com':
      return pathname === '/v3/' ? code('stripe.js') : CARD_FIELDS
    case 'hooks.stripe.com':
    case 'acs.bank.example':
      return CHALLENGE
    case 'api.stripe.com':
      return json(stripeAnswer(doubles, pathname, new URLSearchParams(sent)))
    case 'sandbox.web.squarecdn.com':
      if (pathname === '/v1/square.js') return code('square.js')
      return pathname.endsWith('.css') ? { contentType: 'text/css', body: '' } : CARD_FIELDS
    case 'pci-connect.squareupsandbox.com': {
      const { number } = (JSON.parse(sent) as { card_data: { number: string } }).card_data
      return json({ card_nonce: SQUARE_CARDS[number.slice(-4)] ?? 'cnon:card-nonce-ok' })
    }
    case 'checkout.razorpay.com':
      return code('razorpay.js')
    case 'api.razorpay.com':
      return pathname === '/v1/checkout/public'
        ? WINDOW
        : json(razorpayPaid(doubles, searchParams.get('order_id') ?? ''))
    case 'www.sandbox.paypal.com':
      return paypalPage(doubles, url)
    case 'www.mollie.com':
      return molliePage(doubles, url)
    default:
      return null
  }
}

/**
 * Has the providers' hosts answered in this context. `down`: hosts that do not answer while they are in it. `strays`: what was asked of others,
 * or of nobody.
 */
export async function standInFor(context: BrowserContext, origin: string, doubles: Doubles = {}) {
  const strays: string[] = []
  const down = new Set<string>()
  await context.route(
    (url) => url.origin !== origin && /^https?:$/.test(url.protocol),
    async (route: Route) => {
      const request = route.request()
      const url = new URL(request.url())
      const answer = answerOf(doubles, url, request.postData() ?? '')
      if (answer === null) strays.push(request.url())
      if (answer === null || down.has(url.host)) return route.abort()
      return route.fulfill(answer)
    },
  )
  return { strays, down }
}
