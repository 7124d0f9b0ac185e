// The page of the redirecting test gateway, and of simulated providers that redirect, where a shopper of the sandbox approves or declines.
// Who knows its address may use it; only payments that are made up have one. http/files/pages.ts serves it.

import { notFound } from '../../lib/errors.ts'
import { readMerchantNumber } from '../../lib/ids.ts'
import { priceOf } from '../../lib/money.ts'
import { escapeHtml } from '../../lib/text.ts'
import { GatewayUnavailable } from '../call.ts'
import type { GatewayPorts } from '../gateway.ts'
import { declinedOnPage } from './books.ts'
import type { TestEntry } from './journal-store.ts'
import { pagePath } from './test-redirect.ts'

type PageRequest = { readonly params: Readonly<Record<string, string>> }
type PaymentAddress = { readonly merchantId: number; readonly key: string }

/** What the shopper sees. */
type PagePayment = Pick<TestEntry, 'state' | 'amount' | 'currency' | 'details'>

const PATH = '/test-gateway/:merchant_id/:id'

/** What the page says, and the two things that its buttons do. */
export const testGatewayPages = (ports: GatewayPorts) => [
  {
    method: 'GET' as const,
    path: PATH,
    answer: async (request: PageRequest) => {
      const address = addressOf(request)
      return htmlOf(await getPayment(ports, address), pagePath(address.merchantId, address.key))
    },
  },
  { method: 'POST' as const, path: `${PATH}/approve`, answer: decideAs(ports, true) },
  { method: 'POST' as const, path: `${PATH}/decline`, answer: decideAs(ports, false) },
]

const decideAs = (ports: GatewayPorts, isApproved: boolean) => async (request: PageRequest) => {
  const address = addressOf(request)
  await decide(ports, address, isApproved)
  // To the page itself: loading it again then asks nothing a second time.
  return { location: pagePath(address.merchantId, address.key), status: 303 as const }
}

const KEY = /^\w{1,64}$/

/** What cannot be a key is not looked up, and answered like one that does not exist. */
function addressOf({ params: { merchant_id: merchant = '', id: key = '' } }: PageRequest): PaymentAddress {
  const merchantId = readMerchantNumber(merchant)
  if (merchantId === null || !KEY.test(key)) throw notFound('payment')
  return { merchantId, key }
}

async function getPayment({ journal }: GatewayPorts, { merchantId, key }: PaymentAddress): Promise<PagePayment> {
  const entry = await journal.find(merchantId, key)
  // A card's has none.
  if (typeof entry?.details.gateway !== 'string') throw notFound('payment')
  return entry
}

async function decide(ports: GatewayPorts, address: PaymentAddress, isApproved: boolean) {
  const { merchantId, key } = address
  await getPayment(ports, address)
  const entry = await (isApproved
    ? ports.journal.move(merchantId, key, 'waiting', 'charged')
    : ports.journal.move(merchantId, key, 'waiting', 'declined', { outcome: declinedOnPage }))
  // The shopper may never come back to the shop; the order is made all the same.
  await ports.announce(merchantId, key)
  if (entry === null) throw new GatewayUnavailable('The payment is gone.', { isNothingCharged: true })
}

const DECIDED: Readonly<Record<string, string>> = {
  charged: 'You have approved this payment.',
  refunded: 'This payment was approved, and has been refunded.',
  declined: 'You have declined this payment.',
  cancelled: 'This payment was called off. Begin again in the shop.',
}

function htmlOf({ state, amount, currency, details }: PagePayment, path: string) {
  const sentence = DECIDED[state]
  // A name of ours, from a gateway's own file.
  const standsFor = typeof details.provider === 'string' ? ` This page stands in for ${details.provider}'s.` : ''
  // A path of ours. Payments of an older release have none.
  const back =
    typeof details.back === 'string' ? `<p><a href="${escapeHtml(details.back)}">Go back to the shop</a></p>` : ''
  const buttons = `<form method="post" action="${path}/approve"><button>Approve</button></form>
<form method="post" action="${path}/decline"><button>Decline</button></form>`
  return {
    policy: "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    type: 'text/html; charset=utf-8',
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Test payment</title>
<style>body{font:1.1rem/1.5 system-ui;max-width:26rem;margin:4rem auto;padding:0 1rem}form{display:inline}button{font:inherit;padding:.4rem 1.2rem;margin-right:.6rem}</style>
<h1>Test payment</h1>
<p>${priceOf(amount, currency).formatted_with_code}. No money moves.${standsFor}</p>
${sentence === undefined ? buttons : `<p>${sentence}</p>`}
${back}
</html>
`,
  }
}
