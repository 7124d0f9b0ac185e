// Stripe's adapter beside the server in Stripe's place. A card is charged by one call of ours.

import { afterEach, expect } from 'vitest'
import type { ChargeRequest, PaymentInput } from '../../../src/gateways/gateway.ts'
import { stripe as gateway } from '../../../src/gateways/stripe/stripe.ts'
import { POOR_KEY, REVOKED_KEY } from '../doubles/stripe.ts'
import { type Bench, NO_CARD, openBench } from '../every-provider/adapter/bench.ts'
import { openStripeProvider } from '../every-provider/stripe.ts'

export const payment = (
  fields: Record<string, unknown>,
  card: Partial<NonNullable<PaymentInput['card']>> | null = null,
): PaymentInput => ({ gateway: 'stripe', card: card && { ...NO_CARD, ...card }, details: { stripe: fields } })

export const by = (method: string) => payment({ payment_method_id: method })

/** Stripe.js, as far as we are concerned: a method that can be used. */
export const VISA = by('pm_card_visa')
export const VERIFY = by('pm_card_threeDSecure2Required')

export const CREATE = /^POST \/v1\/payment_intents$/
export const CONFIRM = /\/confirm$/

export async function openStripeBench() {
  const opened = await openBench(openStripeProvider, (ports) => gateway.createAdapter?.(ports) as never)
  const { stripe } = opened.provider
  afterEach(() => {
    Object.assign(stripe.settings, { isKeyInUse: false, lockedUntilCalm: false, hasSearch: true, storedFailure: null })
    stripe.settings.showsDisputes = true
  })
  const request = (more: Partial<ChargeRequest> = {}) => opened.request({ payment: VISA, ...more })
  const bench: Bench = {
    ...opened,
    name: 'Stripe',
    request,
    ready: async (more) => request(more),
    pay: (charge) => opened.adapter().charge(charge),
    cancellable: async () => request(),
    paid: {
      reference: '4242',
      transactionId: expect.stringMatching(/^pi_/),
      source: { type: 'card', brand: 'Visa', country: 'US', zip: '94107' },
    },
    steps: {
      begin: [{ on: CREATE, done: 'unknown', undone: 'unknown' }],
      pay: [{ on: CONFIRM, done: 'charged', undone: 'unknown', isNothingChargedByLimit: true }],
      cancel: [/\/cancel$/],
      refund: [/^POST \/v1\/refunds$/],
      take: [/\/capture$/],
      release: /\/cancel$/,
    },
    booked: (key) => stripe.intentOf(key)?.amount,
    unknownId: 'pi_nobody',
    forgetKeys: stripe.forgetKeys,
    telling: {
      signing: { field: 'webhook_secret', sign: (body) => stripe.signedMessage({ body: body.toString() }) },
      dispute: (id, status) => {
        opened.provider.dispute(id)
        const dispute = Object.assign(stripe.disputes.at(-1) as { id: string }, { status })
        return { id: dispute.id, reason: 'fraudulent' }
      },
      disputes: [
        ['needs_response', 'open'],
        ['warning_under_review', 'open'],
        ['won', 'won'],
        ['lost', 'lost'],
        ['warning_closed', 'closed'],
        ['prevented', 'closed'],
      ],
      hideDisputes: () => {
        stripe.settings.showsDisputes = false
      },
      checks: [
        [{}, true, true, /^Stripe accepts the secret key, of its test mode\.$/],
        [{ secret_key: 'sk_test_wrong' }, true, false, /does not accept the secret key/],
        [{ secret_key: POOR_KEY }, true, false, /may not do enough/],
        [{ secret_key: REVOKED_KEY }, true, false, /was revoked at Stripe, or has expired/],
        [{}, false, false, /of its test mode, and this is a live shop/],
        [{ secret_key: 'sk_live_1' }, true, false, /of its live mode, and this is the sandbox/],
        [{ publishable_key: 'pk_live_1' }, true, false, /publishable key is of Stripe's live mode/],
      ],
    },
    says: {
      tooMuchTaken: /^The amount is more than is held\.$/,
      notHeld: /not held/,
      refunded: /^The payment was already refunded at Stripe\.$/,
      disputed: /disputes the payment/,
      credentials: /^Stripe has refused the secret key that is set up for it \(401\)/,
    },
  }
  return {
    ...bench,
    stripe,
    /** A charge whose shopper the bank asks. */
    waiting: async (sent: PaymentInput = VERIFY) => {
      const call = request({ payment: sent })
      const outcome = await opened.adapter().charge(call)
      if (outcome.kind !== 'requires_verification') throw new Error('The bank asks.')
      return { call: { ...call, confirmation: outcome.confirmation }, outcome }
    },
    /** The requests since the last question, by method and last parts of the path. */
    asked: () =>
      stripe.requests
        .splice(0)
        .map(({ method, path }) => `${method} ${path.replace(/pi_\w+/, 'pi').replace('/v1/', '')}`),
  }
}
