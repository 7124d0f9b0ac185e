// Messages that only Razorpay has: signatures of payments, and messages without an id of their own. The rest: ../every-provider/adapter/telling.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isProven } from '../../../src/gateways/razorpay/payment.ts'
import { RAZORPAY_CONFIG, sign, signPayment, WEBHOOK_SECRET } from '../doubles/razorpay.ts'
import { readerOf } from '../every-provider/adapter/bench.ts'
import type { Message } from '../every-provider/provider.ts'
import { openRazorpayOrders } from './bench.ts'

const bench = await openRazorpayOrders()
const { razorpay, adapter, named, begun, request } = bench
const { history } = adapter()
const read = readerOf(bench)

describe('the signature of a payment', () => {
  // Computed with, and accepted by, npm `razorpay` 2.9.8 (validatePaymentVerification).
  const [ORDER, PAYMENT] = ['order_EKwxwAgItmmXdp', 'pay_29QQoUBi66xm2f']
  const SIGNATURE = 'e6298310e8ff3c646f4449c291452ba3b98843778920ab2c17a5c4f3a9a7952c'
  const sent = { paymentId: PAYMENT, orderId: ORDER, signature: SIGNATURE }

  // Those of other orders, payments and secrets: ./adapter.
  it('is the one that Razorpay makes, in either case, and none without a secret', () => {
    expect(signPayment(ORDER, PAYMENT)).toBe(SIGNATURE)
    expect(isProven(RAZORPAY_CONFIG, ORDER, sent)).toBe(true)
    expect(isProven(RAZORPAY_CONFIG, ORDER, { ...sent, signature: SIGNATURE.toUpperCase() })).toBe(true)
    for (const signature of [null, '', 'é'.repeat(64), SIGNATURE.slice(1), `${SIGNATURE}0`])
      expect(isProven(RAZORPAY_CONFIG, ORDER, { ...sent, signature })).toBe(false)
    expect(isProven({}, ORDER, { ...sent, signature: signPayment(ORDER, PAYMENT, '') })).toBe(false)
  })
})

describe('a message', () => {
  // Computed with, and accepted by, npm `razorpay` 2.9.8 (validateWebhookSignature).
  const TEXT =
    '{"entity":"event","account_id":"acc_1","event":"payment.captured","contains":["payment"],"payload":{"payment":{"entity":{"id":"pay_1","order_id":"order_1","amount":1099,"currency":"INR","status":"captured"}}},"created_at":1700000000}'
  const VECTOR: Message = {
    headers: {
      'x-razorpay-signature': 'e2aa4e29a7b5deb0764b3164cdf82b197de14567286f147379be10aaec0d7ddb',
      'x-razorpay-event-id': 'evt_1',
    },
    body: Buffer.from(TEXT),
  }

  const ID = createHash('sha256').update(TEXT).digest('hex')

  it('is accepted with the signature that Razorpay makes', async () => {
    expect(VECTOR.body).toHaveLength(233)
    expect(sign(VECTOR.body).headers).toEqual(VECTOR.headers)
    const event = { kind: 'event', id: ID, subject: { key: null, transactionId: 'pay_1', keyAt: 'order_1' } }
    expect(await read(VECTOR)).toEqual(event)
  })

  it('has the id of what is signed: whatever the header says, sent again it is the same, and never another', async () => {
    const idUnder = async (body: Buffer, eventId?: string) => {
      const { headers } = sign(body, WEBHOOK_SECRET, eventId)
      const { 'x-razorpay-event-id': _, ...bare } = headers
      return (await read({ headers: eventId === undefined ? bare : headers, body })) as { id: string }
    }
    for (const eventId of [undefined, 'evt_2', 'x'.repeat(100)])
      expect(await idUnder(VECTOR.body, eventId)).toMatchObject({ kind: 'event', id: ID })
    const other = Buffer.from(TEXT.replace('captured', 'failed'))
    expect((await idUnder(other, 'evt_1')).id).not.toBe(ID)
    expect((await idUnder(other, ID)).id).not.toBe(ID)
  })

  it('is about a payment of our order, by the key of the order', async () => {
    const { charge, orderId } = await begun()
    const payment = razorpay.pay({ orderId })
    const before = razorpay.requests.length
    for (const event of ['payment.authorized', 'payment.captured', 'payment.failed'])
      expect(await read(razorpay.message(event, { payment }))).toMatchObject({
        subject: { key: null, transactionId: payment.id, keyAt: orderId },
      })
    const order = razorpay.orders.get(orderId)
    expect(await read(razorpay.message('order.paid', { payment, order }))).toMatchObject({
      subject: { key: charge.key, transactionId: payment.id },
    })
    expect(razorpay.requests.length).toBe(before)
    // Asked for when the message is answered.
    expect(await history.keyOf?.(charge, orderId)).toBe(charge.key)
    expect(await history.keyOf?.(charge, 'order_elsewhere')).toBeNull()
  })

  it.each([
    ['settlement.processed', { settlement: { id: 'setl_1' } }],
    ['payment.captured', {}],
    ['payment.captured', { payment: 7 }],
    ['refund.created', { refund: null }],
    ['constructor', {}],
  ])('%j with %j does not concern us', async (event, entities) => {
    expect(await read(razorpay.message(event, entities))).toMatchObject({ kind: 'event', subject: null })
  })
})

it.each([
  ['created', 'pending'],
  ['failed', 'failed'],
] as const)('a payment that is %s stands as %s', async (status, charge) => {
  const { charge: call, payment } = named({ status })
  expect(await history.getPaymentState({ ...call, transactionId: payment.id })).toMatchObject({ charge, refunds: [] })
})

it('says of credentials that they may not do enough, and throws where Razorpay says something else', async () => {
  razorpay.refuse(/orders/, { status: 403, description: 'Access denied' })
  const poor = { isUsable: false, message: expect.stringMatching(/may not do/) }
  expect(await history.checkCredentials(request())).toEqual(poor)
  razorpay.refuse(/orders/, { status: 400, description: 'Something else' })
  await expect(history.checkCredentials(request())).rejects.toMatchObject({ name: 'GatewayUnavailable' })
})
