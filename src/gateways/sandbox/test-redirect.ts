// Sends the shopper to a page of our own to approve or decline, in the sandbox: for storefronts that are to work with gateways that
// redirect. The page: page.ts.

import type { Gateway, GatewayAdapter } from '../gateway.ts'
import { keptBooks, outcomeOf } from './books.ts'

export const TEST_REDIRECT = 'test_redirect'

/** Where a shopper of the merchant decides about the payment of this key. */
export const pagePath = (merchantId: number, key: string): string => `/test-gateway/${merchantId}/${key}`

export const testRedirect: Gateway = {
  code: TEST_REDIRECT,
  name: 'Test Redirect',
  type: 'third_party',
  isSandboxOnly: true,
  isOptIn: true,
  isRepeatable: false,
  config: {},
  publicSettings: () => ({}),
  charging: (ports): GatewayAdapter => ({
    ...keptBooks(ports),
    problemsOf: () => ({}),
    async charge({ merchantId, key, amount, currency }) {
      const url = pagePath(merchantId, key)
      const entry = await ports.journal.enter(merchantId, key, {
        state: 'waiting',
        amount,
        currency,
        details: {
          gateway: TEST_REDIRECT,
          reference: null,
          source: { type: 'redirect', brand: null, country: null, zip: null },
          outcome: { kind: 'redirect', payKey: key, url, confirmation: key },
        },
      })
      return outcomeOf(key, entry)
    },
    confirmationOf: ({ details }) => confirmationIn(details[TEST_REDIRECT]),
  }),
}

/** Storefronts name what the redirect gave them `paykey`, or `payment_id`, as they do for other gateways that redirect. */
const confirmationIn = (sent: unknown): string | null => {
  const { paykey, payment_id: paymentId } = (sent ?? {}) as Record<string, unknown>
  const found = paykey ?? paymentId
  return typeof found === 'string' ? found : null
}
