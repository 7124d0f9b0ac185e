// A second witness: Razorpay's own client for Node goes through the same payments at the double, and its verifiers check what the double signs
// and what our own accept. What it can read of the double's answers, it would read of Razorpay's.

import Razorpay from 'razorpay'
import { validatePaymentVerification, validateWebhookSignature } from 'razorpay/dist/utils/razorpay-utils.js'
import { expect, it } from 'vitest'
import { RAZORPAY_CONFIG, WEBHOOK_SECRET } from '../doubles/razorpay.ts'
import { openRazorpayOrders, payWith } from './bench.ts'

const { razorpay, adapter, begun } = await openRazorpayOrders()
const { key_id, key_secret } = RAZORPAY_CONFIG
const sdk = new Razorpay({ key_id, key_secret })
// The client has no setting for its host; its requests are made by this one.
const { api } = sdk as unknown as { api: { rq: { defaults: { baseURL: string } } } }
api.rq.defaults.baseURL = razorpay.url

it('sees what our adapter has made, and our adapter what it has taken', async () => {
  const { charge, orderId } = await begun()
  expect(await sdk.orders.fetch(orderId)).toMatchObject({ receipt: charge.key, amount: 1_234, currency: 'USD' })
  const payment = razorpay.pay({ orderId })
  await sdk.payments.capture(payment.id, 1_234, 'USD')
  expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged', transactionId: payment.id })
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
