// Sends the shopper to a page of our own to approve or decline, in the sandbox: for storefronts that are to work with gateways that
// redirect, and in place of a simulated provider's page. The page: page.ts.

import type { ChargeOutcome, ChargeRequest, Gateway, GatewayAdapter, GatewayPorts } from '../gateway.ts'
import { redirectedPaymentIn } from '../provider/payment.ts'
import { keptBooks, outcomeOf } from './books.ts'

const TEST_REDIRECT = 'test_redirect'

/** Where a shopper of the merchant decides about the payment of this key. */
export const pagePath = (merchantId: number, key: string): string => `/test-gateway/${merchantId}/${key}`

export const testRedirect: Gateway = {
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
  charging: (ports): GatewayAdapter => ({
    ...keptBooks(ports),
    problemsOf: () => ({}),
    charge: (request) => chargeOnPage(ports, request, { gateway: TEST_REDIRECT, type: 'redirect' }),
    confirmationOf: ({ details }) => redirectedPaymentIn(details[TEST_REDIRECT]),
  }),
}

/** Whose payment the page shows; `provider` is the name of one that it stands in for. */
type PageOwner = { readonly gateway: string; readonly provider?: string; readonly type: string }

/** Entries with a `gateway` in their details have a page. */
export async function chargeOnPage(
  { journal }: GatewayPorts,
  { merchantId, key, amount, currency, returnUrl }: ChargeRequest,
  { type, ...owner }: PageOwner,
): Promise<ChargeOutcome> {
  const url = pagePath(merchantId, key)
  const entry = await journal.enter(merchantId, key, {
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
  return outcomeOf(key, entry)
}

/** The page lies with us, as does where its shopper comes back to: by which name that is reached may be another by then. */
function backPath(returnUrl: string): string {
  const { pathname, search } = new URL(returnUrl)
  return pathname + search
}
