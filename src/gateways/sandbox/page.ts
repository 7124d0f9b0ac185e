// Page on which a sandbox shopper approves or declines a test payment. It serves the redirecting test gateway and simulated providers that
// redirect.
// Anybody who knows its URL may use it; only made-up payments have one. http/files/pages.ts serves it.

import { notFound } from '../../lib/errors.ts'
import { readMerchantNumber } from '../../lib/ids.ts'
import { priceOf } from '../../lib/money.ts'
import { escapeHtml } from '../../lib/text.ts'
import { GatewayUnavailable } from '../call.ts'
import type { GatewayPorts } from '../gateway.ts'
import { PAGE_DECLINE } from './books.ts'
import type { TestEntry } from './journal-store.ts'
import { pagePath } from './test-redirect.ts'

type PageRequest = { readonly params: Readonly<Record<string, string>> }
type PaymentAddress = { readonly merchant_id: number; readonly key: string }

/** Part of the entry that the page shows. */
type PagePayment = Pick<TestEntry, 'state' | 'amount' | 'currency' | 'details'>

const PATH = '/test-gateway/:merchant_id/:id'

/** The page and its two buttons. */
export const testGatewayPages = (ports: GatewayPorts) => [
  {
    method: 'GET' as const,
    path: PATH,
    answer: async (request: PageRequest) => {
      const address = addressOf(request)
      return htmlOf(await getPayment(ports, address), pagePath(address.merchant_id, address.key))
    },
  },
  { method: 'POST' as const, path: `${PATH}/approve`, answer: decideAs(ports, true) },
  { method: 'POST' as const, path: `${PATH}/decline`, answer: decideAs(ports, false) },
]

const decideAs = (ports: GatewayPorts, isApproved: boolean) => async (request: PageRequest) => {
  const address = addressOf(request)
  await decide(ports, address, isApproved)
  // Redirects to the page, so that a reload does not submit again.
  return { location: pagePath(address.merchant_id, address.key), status: 303 as const }
}

const KEY = /^\w{1,64}$/

/** An invalid key is not looked up. It gets the same answer as a missing payment. */
function addressOf({ params: { merchant_id: merchant = '', id: key = '' } }: PageRequest): PaymentAddress {
  const merchant_id = readMerchantNumber(merchant)
  if (merchant_id === null || !KEY.test(key)) throw notFound('payment')
  return { merchant_id, key }
}

async function getPayment({ journal }: GatewayPorts, { merchant_id, key }: PaymentAddress): Promise<PagePayment> {
  const entry = await journal.find(merchant_id, key)
  // Card payments have no page.
  if (typeof entry?.details.gateway !== 'string') throw notFound('payment')
  return entry
}

async function decide(ports: GatewayPorts, address: PaymentAddress, isApproved: boolean) {
  const { merchant_id, key } = address
  await getPayment(ports, address)
  const entry = await (isApproved
    ? ports.journal.move(merchant_id, key, 'waiting', 'charged')
    : ports.journal.move(merchant_id, key, 'waiting', 'declined', { outcome: PAGE_DECLINE }))
  // The shopper may never return to the shop. The order is created anyway.
  await ports.announce(merchant_id, key)
  if (entry === null) throw new GatewayUnavailable('The payment no longer exists.', { isNothingCharged: true })
}

const MESSAGES: Readonly<Record<string, string>> = {
  charged: 'You have approved this payment.',
  refunded: 'This payment was approved, and has been refunded.',
  declined: 'You have declined this payment.',
  cancelled: 'This payment was called off. Begin again in the shop.',
}

function htmlOf({ state, amount, currency, details }: PagePayment, path: string) {
  const sentence = MESSAGES[state]
  // One of our names for a provider, never user input.
  const providerNote = typeof details.provider === 'string' ? ` This page stands in for ${details.provider}'s.` : ''
  // One of our paths. Payments of an older release have none.
  const backLink =
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
<p>${priceOf(amount, currency).formatted_with_code}. No money moves.${providerNote}</p>
${sentence === undefined ? buttons : `<p>${sentence}</p>`}
${backLink}
</html>
`,
  }
}
