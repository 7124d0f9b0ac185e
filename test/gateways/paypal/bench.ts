// PayPal's adapter beside the server in PayPal's place, and the steps that shop and shopper take.

import { expect } from 'vitest'
import type { ChargeRequest, PaymentInput } from '../../../src/gateways/gateway.ts'
import { paypalAdapter } from '../../../src/gateways/paypal/adapter.ts'
import { NO_PAYMENT } from '../../support/gateways.ts'
import { LIVE_CONFIG } from '../doubles/paypal.ts'
import type { OrderBook } from '../doubles/paypal-books.ts'
import { openBench, payOn } from '../every-provider/adapter/bench.ts'
import { openPayPalProvider } from '../every-provider/paypal.ts'

/** A payment as storefronts send it under `paypal`. */
export const sent = (paypal: object): PaymentInput => ({ ...NO_PAYMENT, gateway: 'paypal', details: { paypal } })

export async function openPayPalBench() {
  const opened = await openBench(openPayPalProvider, paypalAdapter)
  const { paypal } = opened.provider
  // One for all calls: it keeps the access token.
  const adapter = opened.adapter()

  /** A charge that waits for its shopper. */
  async function begun(more: Partial<ChargeRequest> = {}) {
    const asked = opened.request(more)
    const outcome = await adapter.charge(asked)
    if (outcome.kind !== 'redirect') throw new Error(`It is ${outcome.kind}.`)
    const call = { ...asked, confirmation: outcome.confirmation }
    return { call, id: outcome.confirmation, order: paypal.books.orderOf(outcome.confirmation) }
  }

  /** One that the shopper has approved. */
  async function approved(more: Partial<ChargeRequest> = {}) {
    const charge = await begun(more)
    paypal.approve(charge.id)
    return charge
  }

  const bench = {
    ...opened,
    name: 'PayPal',
    adapter: () => adapter,
    ready: async (more?: Partial<ChargeRequest>) => (await approved(more)).call,
    pay: (charge: ChargeRequest) => adapter.confirm({ ...charge, payment: null }),
    cancellable: async () => (await approved()).call,
    paid: {
      reference: null,
      transactionId: expect.any(String),
      source: { type: 'paypal', brand: null, country: 'US', zip: null },
    },
    tellsUnsent: true,
    steps: {
      begin: [
        { on: /^POST \/v2\/checkout\/orders$/, done: 'unknown', undone: 'unknown' },
        { on: /oauth2/, done: 'unknown', undone: 'unknown' },
      ],
      pay: [{ on: /\/capture$/, done: 'charged', undone: 'approved' }],
      cancel: [/^GET/, /^PATCH/],
      refund: [/\/refund$/],
      take: [/authorizations\/\w+\/capture$/],
      release: /\/void$/,
    },
    forgetTokens: paypal.endTokens,
    booked: (key: string) => paypal.orderOfKey(key)?.amount.value,
    unknownId: 'NOBODY',
    forgetKeys: paypal.forgetRequests,
    telling: {
      signing: { field: 'webhook_id', sign: (body: Buffer) => paypal.signer.sign(body) },
      dispute: (id: string, state: string) => {
        const [status = '', outcome] = state.split(' ')
        const more = outcome === undefined ? { status } : { status, outcome_code: outcome }
        return { id: paypal.dispute(id, more).dispute_id, reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED' }
      },
      disputes: [
        ['OPEN', 'open'],
        ['UNDER_REVIEW', 'open'],
        ['RESOLVED RESOLVED_BUYER_FAVOUR', 'lost'],
        ['RESOLVED ACCEPTED', 'lost'],
        ['RESOLVED RESOLVED_SELLER_FAVOUR', 'won'],
        ['RESOLVED RESOLVED_WITH_PAYOUT', 'won'],
        ['RESOLVED CANCELED_BY_BUYER', 'closed'],
        ['RESOLVED', 'closed'],
      ],
      hideDisputes: paypal.hideDisputes,
      checks: [
        [{}, true, true, /^PayPal knows these credentials \(sandbox\)\.$/],
        [LIVE_CONFIG, false, true, /\(live\)/],
        [LIVE_CONFIG, true, false, /^These are live credentials, and PayPal does not know them for sandbox/],
        [{ client_secret: 'x' }, true, false, /^PayPal does not know these credentials, or the secret was replaced/],
      ],
    },
    says: {
      tooMuchTaken: /^The amount is more than PayPal holds\.$/,
      notHeld: /^PayPal does not hold the money any more/,
      refunded: /^PayPal says that the payment has been refunded already\.$/,
      credentials: /^PayPal does not accept the credentials of the gateway paypal \(sandbox\)\. Enter them again\.$/,
    },
  } as const
  return {
    ...bench,
    paypal,
    begun,
    approved,
    paid: async (more: Partial<ChargeRequest> = {}) => {
      const { transactionId, ...call } = await payOn(bench, more)
      return { call, transactionId, order: paypal.orderOfKey(call.key) as OrderBook }
    },
    bench,
  }
}
