// A second witness: Razorpay's own client for Node goes through the same payments at the double. It would read Razorpay's answers as it reads
// the double's. Signatures that it has made are in history.test.ts.

import Razorpay from 'razorpay'
import { expect, it } from 'vitest'
import { RAZORPAY_CONFIG } from '../doubles/razorpay.ts'
import { openRazorpayOrders } from './bench.ts'

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
