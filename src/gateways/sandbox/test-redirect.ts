// Sends the shopper to a page of our own to approve or decline, in the sandbox: for storefronts that are to work with gateways that
// redirect. Its page is served by http/test-gateway-page.ts.

import { type Charging, type Gateway, type GatewayPorts, GatewayUnavailable } from '../gateway.ts'
import { declinedOnPage, keptBooks, outcomeOf } from './books.ts'
import type { TestEntry } from './journal-store.ts'

const CODE = 'test_redirect'

export const testRedirect: Gateway = {
  code: CODE,
  name: 'Test Redirect',
  type: 'third_party',
  isSandboxOnly: true,
  isOptIn: true,
  isRepeatable: false,
  config: {},
  publicSettings: () => ({}),
  charging: (ports): Charging => ({
    ...keptBooks(ports),
    problemsOf: () => ({}),
    async charge({ merchantId, key, amount, currency }) {
      const url = `/test-gateway/${merchantId}/${key}`
      const entry = await ports.journal.enter(merchantId, key, {
        state: 'waiting',
        amount,
        currency,
        details: {
          gateway: CODE,
          reference: null,
          source: { type: 'redirect', brand: null, country: null, zip: null },
          outcome: { kind: 'redirect', payKey: key, url, confirmation: key },
        },
      })
      return outcomeOf(key, entry)
    },
    confirmationOf: ({ details }) => confirmationIn(details[CODE]),
  }),
}

/** Storefronts name what the redirect gave them `paykey`, or `payment_id`, as they do for other gateways that redirect. */
const confirmationIn = (sent: unknown): string | null => {
  const { paykey, payment_id: paymentId } = (sent ?? {}) as Record<string, unknown>
  const found = paykey ?? paymentId
  return typeof found === 'string' ? found : null
}

/** What the shopper sees on the page. */
export type PagePayment = Pick<TestEntry, 'state' | 'amount' | 'currency'>

/** The two things that the page does. Null: there is no such payment. */
export const redirectPage = ({ journal, announce }: GatewayPorts) => {
  const find = async (merchantId: number, key: string): Promise<PagePayment | null> => {
    const entry = await journal.find(merchantId, key)
    return entry?.details.gateway === CODE ? entry : null
  }
  return {
    find,
    async decide(merchantId: number, key: string, isApproved: boolean): Promise<PagePayment | null> {
      if ((await find(merchantId, key)) === null) return null
      const entry = await (isApproved
        ? journal.move(merchantId, key, 'waiting', 'charged')
        : journal.move(merchantId, key, 'waiting', 'declined', { outcome: declinedOnPage }))
      // The shopper may never come back to the shop; the order is made all the same.
      await announce(merchantId, key)
      if (entry === null) throw new GatewayUnavailable('The payment is gone.', { isNothingCharged: true })
      return entry
    },
  }
}
