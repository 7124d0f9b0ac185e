// Sandbox gateway that redirects the shopper to our own page (page.ts). It tests storefronts with redirecting gateways, and replaces a
// simulated provider's page.

import type { ChargeOutcome, ChargeRequest, GatewayAdapter, GatewayDefinition, GatewayPorts } from '../gateway.ts'
import { redirectedPaymentIn } from '../provider/payment.ts'
import { journalOperations, outcomeOfEntry } from './books.ts'

const TEST_REDIRECT = 'test_redirect'

/** Path of the page on which the shopper decides about the payment with this key. */
export const pagePath = (merchant_id: number, key: string): string => `/test-gateway/${merchant_id}/${key}`

export const testRedirect: GatewayDefinition = {
  code: TEST_REDIRECT,
  name: 'Test Redirect',
  description: 'Sends the shopper to a page that approves or declines, to try a way to pay that leaves the shop.',
  type: 'third_party',
  isSandboxOnly: true,
  isOptIn: true,
  isRepeatable: false,
  config: {},
  page: { kind: 'redirect' },
  publicSettings: () => ({}),
  createAdapter: (ports): GatewayAdapter => ({
    ...journalOperations(ports),
    problemsOf: () => ({}),
    charge: (request) => chargeOnPage(ports, request, { gateway: TEST_REDIRECT, type: 'redirect' }),
    confirmationOf: ({ details }) => redirectedPaymentIn(details[TEST_REDIRECT]),
  }),
}

/** Gateway of the payment on the page. `provider` is the name of a simulated provider. */
type PageOwner = { readonly gateway: string; readonly provider?: string; readonly type: string }

/** Entries with a `gateway` in their details have a page. */
export async function chargeOnPage(
  { journal }: GatewayPorts,
  { merchant_id, key, amount, currency, returnUrl }: ChargeRequest,
  { type, ...owner }: PageOwner,
): Promise<ChargeOutcome> {
  const url = pagePath(merchant_id, key)
  const entry = await journal.enter(merchant_id, key, {
    state: 'waiting',
    amount,
    currency,
    details: {
      ...owner,
      back: backPath(returnUrl),
      reference: null,
      source: { type, brand: null, country: null, zip: null },
      outcome: { kind: 'redirect', payKey: key, url, confirmation: key },
    },
  })
  return outcomeOfEntry(key, entry)
}

/** Path only: our host name may change before the shopper returns. */
function backPath(returnUrl: string): string {
  const { pathname, search } = new URL(returnUrl)
  return pathname + search
}
