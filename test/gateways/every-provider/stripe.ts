// Stripe, for the tests that are the same for every provider.

import { openStripe, SECRET_KEY, WEBHOOK_SECRET } from '../doubles/stripe.ts'
import type { Intent } from '../doubles/stripe-books.ts'
import { type About, type Capture, type Messages, type Provider, payBy, standIn } from './provider.ts'

export async function openStripeProvider(now: () => Date): Promise<Provider & { stripe: typeof stripe }> {
  const stripe = await openStripe(now)
  const intentOf = (id: string) => stripe.intents.get(id) as Intent
  const refundsOf = (id: string) => stripe.refunds.filter(({ intent }) => intent === id)
  const intentTold = ({ key, id }: About) => ({
    id,
    object: 'payment_intent',
    metadata: stripe.intents.get(id)?.metadata ?? (key === null ? {} : { cartwright_attempt: key }),
  })
  let count = 0

  const messages: Messages = {
    moved: (about) => ['payment_intent.succeeded', intentTold(about)],
    failed: (about) => ['payment_intent.payment_failed', intentTold(about)],
    refunded: ({ key, id, refund }) => {
      const metadata = key === null ? {} : { cartwright_refund: key }
      return ['refund.updated', { id: refund, object: 'refund', payment_intent: id, metadata }]
    },
    disputed: ({ id }) => ['charge.dispute.updated', { id: 'dp_1', object: 'dispute', payment_intent: id }],
  }

  return {
    stripe,
    code: 'stripe',
    config: { publishable_key: 'pk_test_double', secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET },
    secret: { name: 'secret_key', revoked: `sk_${'test'}_revoked` },
    ...standIn(stripe),
    taking: /\/confirm$/,
    answeredAt: 'capture.charged',
    ready: async () => payBy('stripe', { payment_method_id: 'pm_card_visa' }),
    decline: async () => payBy('stripe', { payment_method_id: 'pm_card_chargeDeclinedExpiredCard' }),
    takesHeld: /\/capture$/,
    shows: { publishable_key: 'pk_test_double' },
    leave: async (capture: Capture) =>
      void (await capture(payBy('stripe', { payment_method_id: 'pm_card_threeDSecure2Required' }))),
    paymentOf: (key) => stripe.intentOf(key)?.id ?? '',
    takenOf: (key) =>
      [...stripe.intents.values()].filter(
        ({ metadata, received }) => metadata.cartwright_attempt === key && received > 0,
      ).length,
    givenBack: (id) => refundsOf(id).map(({ amount }) => amount),
    payLate: (key) => {
      const intent = stripe.intentOf(key) as Intent
      Object.assign(intent, { status: 'succeeded', received: intent.amount, chargeId: 'ch_late' })
      return intent.id
    },
    refundByHand: (id, amount) => stripe.refundByHand(id, amount).id,
    failRefunds: (id) => {
      for (const refund of refundsOf(id)) stripe.failRefund(refund.id)
      return refundsOf(id).at(-1)?.id ?? ''
    },
    dispute: (id) => {
      const dispute = { id: `dp_${++count}`, intent: id, amount: intentOf(id).amount, status: 'needs_response' }
      stripe.disputes.push(dispute)
      return { lose: () => void Object.assign(dispute, { status: 'lost' }) }
    },
    takeByHand: (id, amount) => stripe.takeByHand(id, amount),
    holds: (id) => intentOf(id).status === 'requires_capture',
    endHold: (id) => stripe.expireHold(id),
    isHoldTold: true,
    message: (told, about) => {
      const [type, object] = messages[told](about)
      const event = { id: `evt_${++count}Told`, object: 'event', type, livemode: false, data: { object } }
      return stripe.signedMessage({ body: JSON.stringify(event) })
    },
    secrets: /sk_test_|whsec_|_secret_3|pm_card_/,
  }
}
