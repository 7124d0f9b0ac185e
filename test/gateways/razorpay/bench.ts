// Razorpay's adapter beside the server in Razorpay's place: by an order of ours that the shopper pays in the window, or by the id of a payment
// that the shopper has made before.

import { afterEach, expect } from 'vitest'
import type { ChargeOutcome, ChargeRequest, PaymentInput } from '../../../src/gateways/gateway.ts'
import { razorpayAdapter } from '../../../src/gateways/razorpay/adapter.ts'
import { NO_PAYMENT } from '../../support/gateways.ts'
import { type Paying, sign } from '../doubles/razorpay.ts'
import { type Bench, openBench, type Telling } from '../every-provider/adapter/bench.ts'
import { openRazorpayByPayment, openRazorpayProvider } from '../every-provider/razorpay.ts'

/** The payment of a storefront, with fields under `payment.razorpay`. */
export const payWith = (fields: object = {}): PaymentInput => ({
  ...NO_PAYMENT,
  gateway: 'razorpay',
  details: { razorpay: fields },
})

const LIST_ORDERS = /^GET \/v1\/orders$/
const CREATE_ORDER = /^POST \/v1\/orders$/
const LIST_PAYMENTS = /^GET \/v1\/orders\/\w+\/payments$/
const FIND = /^GET \/v1\/payments\/\w+$/
const CAPTURE = /capture$/

const CARD = { reference: '1111', source: { type: 'card', brand: 'Visa', country: null, zip: null } }
const TAKEN = { on: CAPTURE, done: 'charged', undone: 'approved' } as const

async function openRazorpayBench(open: typeof openRazorpayProvider) {
  const opened = await openBench(open, razorpayAdapter)
  const { razorpay } = opened.provider
  afterEach(() => {
    razorpay.settings.refundStatus = 'processed'
  })
  const { adapter } = opened
  const request = (more: Partial<ChargeRequest> = {}) => opened.request({ payment: payWith(), ...more })
  const named = (paying: Paying = {}, more: Partial<ChargeRequest> = {}) => {
    const payment = razorpay.pay(paying)
    const { id } = payment
    return { payment, charge: request({ payment: payWith({ payment_id: id }), reference: id, ...more }) }
  }
  const begun = async (more: Partial<ChargeRequest> = {}) => {
    const charge = request(more)
    const orderId = orderIn(await adapter().charge(charge))
    return { orderId, charge: { ...charge, confirmation: orderId } }
  }
  return {
    ...opened,
    razorpay,
    request,
    /** A charge by a payment that a shopper has made without an order, as the machine asks for it. */
    named,
    /** A charge that waits for its shopper, and its order. */
    begun,
    statusOf: (id: string) => razorpay.payments.get(id)?.status,
    cancellable: async () => (await begun()).charge,
    paid: { ...CARD, transactionId: expect.stringMatching(/^pay_/) },
    booked: (key: string) => razorpay.payments.get(opened.provider.paymentOf(key))?.amount,
    unknownId: 'pay_unknown',
    forgetKeys: razorpay.forgetKeys,
    telling: {
      signing: { field: 'webhook_secret', sign: (body: Buffer) => sign(body) },
      dispute: (id: string, status: string) => ({ id: razorpay.dispute(id, status).id, reason: 'goods_not_received' }),
      disputes: [
        ['open', 'open'],
        ['under_review', 'open'],
        ['won', 'won'],
        ['lost', 'lost'],
        ['closed', 'closed'],
      ],
      hideDisputes: () => razorpay.refuse(/disputes/, { status: 403, description: 'Access denied' }),
      checks: [
        [{}, true, true, /^Razorpay knows the key, of its test mode\.$/],
        [{}, false, false, /rzp_live_/],
        [{ key_id: 'rzp_live_1DP5mmOlF5G5ag' }, true, false, /rzp_test_/],
        [{ key_secret: 'wrong_secret' }, true, false, /does not know the key_id/],
      ],
    } satisfies Telling,
    says: {
      tooMuchTaken: /^Razorpay can only take the whole amount that was set aside\.$/,
      notHeld: /it has expired/,
      refunded: /already refunded at Razorpay/,
      disputed: /^The payment is disputed/,
      credentials: /^Razorpay does not accept the key that is set up for it: 401 BAD_REQUEST_ERROR/,
    },
  }
}

export async function openRazorpayOrders() {
  const opened = await openRazorpayBench(openRazorpayProvider)
  const { razorpay, adapter, begun } = opened
  return {
    ...opened,
    name: 'Razorpay, by an order',
    ready: async (more: Partial<ChargeRequest> = {}) => {
      const { charge, orderId } = await begun(more)
      return { ...charge, payment: payWith(razorpay.given(razorpay.pay({ orderId }))) }
    },
    pay: (charge: ChargeRequest) => adapter().confirm(charge),
    steps: {
      begin: [
        { on: LIST_ORDERS, done: 'unknown', undone: 'unknown' },
        { on: CREATE_ORDER, done: 'requires_verification', undone: 'unknown' },
      ],
      pay: [
        { on: LIST_PAYMENTS, done: 'approved', undone: 'approved' },
        { on: FIND, done: 'approved', undone: 'approved' },
        TAKEN,
      ],
      cancel: [LIST_PAYMENTS],
      refund: [/^POST .*refund$/],
      take: [CAPTURE],
      release: null,
    },
  } satisfies Bench
}

export async function openRazorpayPayments() {
  const opened = await openRazorpayBench(openRazorpayByPayment)
  return {
    ...opened,
    name: 'Razorpay, by a payment',
    ready: async ({ amount = 1_234, currency = 'USD', ...more }: Partial<ChargeRequest> = {}) =>
      opened.named({ amount, currency }, { amount, currency, ...more }).charge,
    pay: (charge: ChargeRequest) => opened.adapter().charge(charge),
    steps: {
      begin: [],
      pay: [{ on: FIND, done: 'approved', undone: 'approved', isNothingChargedByLimit: true }, TAKEN],
      cancel: [],
      refund: [/^POST .*refund$/],
      take: [CAPTURE],
      release: null,
    },
  } satisfies Bench
}

export function orderIn(outcome: ChargeOutcome): string {
  expect(outcome).toEqual({
    kind: 'requires_verification',
    param: expect.stringMatching(/^order_/),
    confirmation: expect.any(String),
  })
  const { param, confirmation } = outcome as { param: string; confirmation: string }
  expect(confirmation).toBe(param)
  return param
}
