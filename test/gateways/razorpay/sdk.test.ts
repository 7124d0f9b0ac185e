// A second witness: Razorpay's own client for Node goes through the same payments at the double, and its verifiers check what the double signs
// and what our own accept. What it can read of the double's answers, it would read of Razorpay's.

import Razorpay from 'razorpay'
import { validatePaymentVerification, validateWebhookSignature } from 'razorpay/dist/utils/razorpay-utils.js'
import { expect, it } from 'vitest'
import { RAZORPAY_CONFIG, WEBHOOK_SECRET } from '../doubles/razorpay.ts'
import { openRazorpayOrders, payWith } from './bench.ts'

const { razorpay, adapter, begun, named } = await openRazorpayOrders()
const { key_id, key_secret } = RAZORPAY_CONFIG
const sdk = new Razorpay({ key_id, key_secret })
// The client has no setting for its host; its requests are made by this one.
const { api } = sdk as unknown as { api: { rq: { defaults: { baseURL: string } } } }
api.rq.defaults.baseURL = razorpay.url

it('makes an order, finds it by its receipt, and takes its payment', async () => {
  const made = await sdk.orders.create({
    amount: 1_234,
    currency: 'INR',
    receipt: 'receipt_1',
    notes: { one: 'two' },
    payment: { capture: 'manual' } as never,
  })
  expect(made).toMatchObject({ entity: 'order', status: 'created', amount_due: 1_234 })
  const { items } = await sdk.orders.all({ receipt: 'receipt_1' })
  expect(items.map(({ id }) => id)).toEqual([made.id])
  const { id } = razorpay.pay({ orderId: made.id })
  const payments = await sdk.orders.fetchPayments(made.id)
  expect(payments.items).toMatchObject([{ id, status: 'authorized', captured: false }])
  // Not with its card: the client writes `expand[expand]` where the documents say `expand[]`.
  expect(await sdk.payments.fetch(id)).toMatchObject({ status: 'authorized', card_id: expect.stringMatching(/^card_/) })
  expect(await sdk.payments.capture(id, 1_234, 'INR')).toMatchObject({ status: 'captured', captured: true })
  expect(await sdk.orders.fetch(made.id)).toMatchObject({ status: 'paid', amount_paid: 1_234 })
  await expect(sdk.payments.capture(id, 1_234, 'INR')).rejects.toMatchObject({
    statusCode: 400,
    error: { code: 'BAD_REQUEST_ERROR' },
  })
})

it('sees what our adapter has made, and our adapter what it has taken', async () => {
  const { charge, orderId } = await begun()
  expect(await sdk.orders.fetch(orderId)).toMatchObject({ receipt: charge.key, amount: 1_234, currency: 'USD' })
  const payment = razorpay.pay({ orderId })
  await sdk.payments.capture(payment.id, 1_234, 'USD')
  expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged', transactionId: payment.id })
})

it('gives back, and lists refunds and disputes', async () => {
  const { charge, payment } = named()
  await adapter().charge(charge)
  const refund = await sdk.payments.refund(payment.id, { amount: 234, speed: 'normal', receipt: 'receipt_2' })
  expect(refund).toMatchObject({ entity: 'refund', amount: 234, payment_id: payment.id, status: 'processed' })
  const refunds = await sdk.payments.fetchMultipleRefund(payment.id, { count: 5 })
  expect(refunds.items.map(({ id }) => id)).toEqual([refund.id])
  const { id } = razorpay.dispute(payment.id, 'open')
  const disputes = await sdk.disputes.all({ count: 100 })
  expect(disputes.items.map((dispute) => dispute.id)).toContain(id)
})

it('verifies the payments and the messages that the double signs, as our adapter does', async () => {
  const { charge, orderId } = await begun()
  const payment = razorpay.pay({ orderId })
  const given = razorpay.given(payment)
  const { payment_id, signature } = given
  expect(validatePaymentVerification({ order_id: orderId, payment_id }, signature, key_secret)).toBe(true)
  expect(validatePaymentVerification({ order_id: 'order_other', payment_id }, signature, key_secret)).toBe(false)
  expect(await adapter().confirm({ ...charge, payment: payWith(given) })).toMatchObject({ kind: 'charged' })
  const { body, headers } = razorpay.message('payment.captured', { payment })
  const signed = headers['x-razorpay-signature'] ?? ''
  expect(validateWebhookSignature(body.toString(), signed, WEBHOOK_SECRET)).toBe(true)
  expect(validateWebhookSignature(`${body} `, signed, WEBHOOK_SECRET)).toBe(false)
})
