// Razorpay, for the tests that are the same for every provider. It is paid by an order of ours.

import type { Body } from '../../support/shop.ts'
import { openRazorpay, type Payment, RAZORPAY_CONFIG } from '../doubles/razorpay.ts'
import { type About, type Capture, type Messages, type Provider, paramOf, payBy, standIn } from './provider.ts'

export async function openRazorpayProvider(now: () => Date): Promise<Provider & { razorpay: typeof razorpay }> {
  const razorpay = await openRazorpay(now)
  const orderOf = (key: string) => [...razorpay.orders.values()].find(({ receipt }) => receipt === key)
  const paymentsOf = (key: string) =>
    [...razorpay.payments.values()].filter(({ order_id }) => order_id !== null && order_id === orderOf(key)?.id)
  const refundsOf = (id: string) => [...razorpay.refunds.values()].filter(({ payment_id }) => payment_id === id)
  const begin = async (capture: Capture) => paramOf(await capture(payBy('razorpay')))
  // A payment has the notes that the window was opened with: our key is found through its order.
  const entity = ({ id }: About, changes: Partial<Payment> = {}) => ({
    ...(razorpay.payments.get(id) ?? { id, order_id: null }),
    ...changes,
  })

  const messages: Messages<Record<string, unknown>> = {
    moved: (about) => ['payment.captured', { payment: entity(about) }],
    failed: (about) => ['payment.failed', { payment: entity(about, { status: 'failed' }) }],
    refunded: ({ key, id, refund }) => {
      const notes = key === null ? [] : { cartwright_refund: key }
      return ['refund.processed', { refund: { id: refund, payment_id: id, notes } }]
    },
    disputed: ({ id }) => ['payment.dispute.created', { dispute: { payment_id: id } }],
  }

  return {
    razorpay,
    code: 'razorpay',
    config: RAZORPAY_CONFIG,
    secret: { name: 'key_secret', revoked: 'hidden-revoked-secret' },
    ...standIn(razorpay),
    taking: /capture$/,
    answeredAt: 'capture.confirmed',
    ready: async (capture) => payBy('razorpay', razorpay.given(razorpay.pay({ orderId: await begin(capture) }))),
    decline: async (capture) =>
      payBy('razorpay', razorpay.given(razorpay.pay({ orderId: await begin(capture), status: 'failed' }))),
    takesHeld: /capture$/,
    shows: { key_id: RAZORPAY_CONFIG.key_id },
    leave: async (capture) => void (await begin(capture)),
    paymentOf: (key) => paymentsOf(key).at(-1)?.id ?? '',
    takenOf: (key) => paymentsOf(key).filter(({ captured }) => captured).length,
    givenBack: (id) => refundsOf(id).map(({ amount }) => amount),
    payLate: (key) => razorpay.captureByHand(razorpay.pay({ orderId: orderOf(key)?.id ?? '' }).id).id,
    refundByHand: (id, amount) => razorpay.refundByHand(id, amount).id,
    failRefunds: (id) => {
      for (const refund of refundsOf(id)) razorpay.settleRefund(refund.id, 'failed')
      return refundsOf(id).at(-1)?.id ?? ''
    },
    dispute: (id) => {
      const dispute = razorpay.dispute(id, 'open')
      return { lose: () => void Object.assign(dispute, { status: 'lost' }) }
    },
    takeByHand: (id) => void razorpay.captureByHand(id),
    endHold: (id) => razorpay.set(id, { status: 'refunded', amount_refunded: 1_000 }),
    isHoldTold: false,
    message: (told, about) => razorpay.message(...messages[told](about)),
    secrets: /rzp_key_secret|rzp_webhook_secret|hidden-revoked/,
  }
}

/** As stores do that open the window without an order of ours: the payment is known by its id alone. */
export const openRazorpayByPayment: typeof openRazorpayProvider = async (now) => {
  const provider = await openRazorpayProvider(now)
  const { razorpay } = provider
  const last = () => [...razorpay.payments.values()].at(-1)
  const pay = (status?: 'failed'): Body =>
    payBy('razorpay', {
      payment_id: razorpay.pay({ amount: 1_000, currency: 'USD', ...(status === undefined ? {} : { status }) }).id,
    })
  return {
    ...provider,
    answeredAt: 'capture.charged',
    ready: async () => pay(),
    decline: async () => pay('failed'),
    paymentOf: () => last()?.id ?? '',
    takenOf: () => (last()?.captured ? 1 : 0),
  }
}
