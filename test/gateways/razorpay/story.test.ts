// What Razorpay tells by itself and when it is asked later: signatures over the raw bytes, what a message is about, how a payment, its refunds
// and its disputes stand, and what is said of credentials.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ProviderMessage } from '../../../src/gateways/provider/story.ts'
import { isProven } from '../../../src/gateways/razorpay/payment.ts'
import { RAZORPAY_CONFIG, sign, signPayment, WEBHOOK_SECRET } from '../doubles/razorpay.ts'
import { MANUAL, openRazorpayTest, payWith } from './support.ts'

const { clock, razorpay, adapter, named, begun } = await openRazorpayTest()
const { story } = adapter()

type Sent = { headers: Record<string, string>; body: Buffer }

const read = ({ headers, body }: Sent, more: Partial<ProviderMessage> = {}) =>
  story.readMessage({
    merchantId: 1,
    config: RAZORPAY_CONFIG,
    isSandbox: true,
    headers,
    body,
    url: 'https://shop.example/gateway-webhooks/1/gway_1',
    now: clock.now(),
    signal: AbortSignal.timeout(60_000),
    ...more,
  })

const REFUSED = { kind: 'refused', reason: expect.stringMatching(/signature/) }

describe('the signature of a payment', () => {
  // Computed with, and accepted by, npm `razorpay` 2.9.8 (validatePaymentVerification).
  const [ORDER, PAYMENT] = ['order_EKwxwAgItmmXdp', 'pay_29QQoUBi66xm2f']
  const SIGNATURE = 'e6298310e8ff3c646f4449c291452ba3b98843778920ab2c17a5c4f3a9a7952c'
  const sent = { paymentId: PAYMENT, orderId: ORDER, signature: SIGNATURE }

  it('is the one that Razorpay makes', () => {
    expect(signPayment(ORDER, PAYMENT)).toBe(SIGNATURE)
    expect(isProven(RAZORPAY_CONFIG, ORDER, sent)).toBe(true)
    expect(isProven(RAZORPAY_CONFIG, ORDER, { ...sent, signature: SIGNATURE.toUpperCase() })).toBe(true)
  })

  it('is no other, and none without a secret', () => {
    expect(isProven(RAZORPAY_CONFIG, 'order_other', sent)).toBe(false)
    expect(isProven(RAZORPAY_CONFIG, ORDER, { ...sent, paymentId: 'pay_other' })).toBe(false)
    for (const signature of [
      null,
      '',
      'é'.repeat(64),
      SIGNATURE.slice(1),
      `${SIGNATURE}0`,
      SIGNATURE.replace('e', 'f'),
    ])
      expect(isProven(RAZORPAY_CONFIG, ORDER, { ...sent, signature })).toBe(false)
    expect(isProven({}, ORDER, { ...sent, signature: signPayment(ORDER, PAYMENT, '') })).toBe(false)
  })
})

describe('a message', () => {
  // Computed with, and accepted by, npm `razorpay` 2.9.8 (validateWebhookSignature).
  const TEXT =
    '{"entity":"event","account_id":"acc_1","event":"payment.captured","contains":["payment"],"payload":{"payment":{"entity":{"id":"pay_1","order_id":"order_1","amount":1099,"currency":"INR","status":"captured"}}},"created_at":1700000000}'
  const VECTOR: Sent = {
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
    expect(await read(VECTOR)).toEqual({
      kind: 'event',
      id: ID,
      subject: { key: null, transactionId: 'pay_1', keyAt: 'order_1' },
    })
  })

  it('is refused with another signature, secret or body, and without a signature, before anything is asked', async () => {
    const before = razorpay.requests.length
    const { headers, body } = VECTOR
    expect(await read({ headers, body: Buffer.from(`${TEXT} `) })).toEqual(REFUSED)
    expect(await read({ headers, body: Buffer.from(JSON.stringify(JSON.parse(TEXT), null, 1)) })).toEqual(REFUSED)
    expect(await read(sign(body, 'another'))).toEqual(REFUSED)
    // The API's secret is another one.
    expect(await read(sign(body, RAZORPAY_CONFIG.key_secret))).toEqual(REFUSED)
    for (const signature of ['', 'x', 'é'.repeat(64), '0'.repeat(64)])
      expect(await read({ headers: { 'x-razorpay-signature': signature }, body })).toEqual(REFUSED)
    expect(await read({ headers: {}, body })).toEqual(REFUSED)
    expect(razorpay.requests.length).toBe(before)
  })

  it('is verified by the bytes, whatever they are in another writing', async () => {
    const body = Buffer.from(
      '{ "event" : "payment.failed", "payload": {"payment": {"entity": {"id": "pay_\\u0031"}}} }',
    )
    expect(await read(sign(body))).toMatchObject({ kind: 'event', subject: { transactionId: 'pay_1' } })
  })

  it('needs a secret; while one replaces another both are accepted', async () => {
    const { key_id, key_secret } = RAZORPAY_CONFIG
    expect(await read(VECTOR, { config: { key_id, key_secret } })).toEqual(REFUSED)
    expect(await read(VECTOR, { config: { key_id, key_secret, webhook_secret: ' ' } })).toEqual(REFUSED)
    expect(await read(sign(VECTOR.body, ''), { config: { key_id, key_secret } })).toEqual(REFUSED)
    for (const webhook_secret of [`${WEBHOOK_SECRET} next`, `next\n${WEBHOOK_SECRET}`, `next, ${WEBHOOK_SECRET}`])
      expect(await read(VECTOR, { config: { ...RAZORPAY_CONFIG, webhook_secret } })).toMatchObject({ id: ID })
  })

  it('that is signed and is no event is refused', async () => {
    for (const body of ['', '[]', 'null', '{"event": ""}', '{"payload": {}}'])
      expect(await read(sign(Buffer.from(body)))).toEqual({ kind: 'refused', reason: 'It is no event.' })
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
    expect(await story.keyOf?.(charge, orderId)).toBe(charge.key)
    expect(await story.keyOf?.(charge, 'order_elsewhere')).toBeNull()
  })

  it('is about a payment without an order by its id alone', async () => {
    const { payment } = named()
    expect(await read(razorpay.message('payment.captured', { payment }))).toMatchObject({
      subject: { key: null, transactionId: payment.id },
    })
  })

  it('is about the payment of a refund, with our key where the refund is ours', async () => {
    const paid = await pay()
    await adapter().refund({ ...paid, key: `${paid.key}_refund`, amount: 100 })
    razorpay.refundByHand(paid.transactionId, 100)
    const [ours, byHand] = [...razorpay.refunds.values()].slice(-2)
    const { transactionId } = paid
    for (const event of ['refund.created', 'refund.processed', 'refund.failed'])
      expect(await read(razorpay.message(event, { refund: ours }))).toMatchObject({
        subject: { key: `${paid.key}_refund`, transactionId },
      })
    expect(await read(razorpay.message('refund.created', { refund: byHand }))).toMatchObject({
      subject: { key: null, transactionId },
    })
  })

  it('is about the payment of a dispute', async () => {
    const { transactionId } = await pay()
    const dispute = razorpay.dispute(transactionId, 'open')
    for (const entities of [{ dispute }, { payment: { id: transactionId }, dispute }])
      expect(await read(razorpay.message('payment.dispute.created', entities))).toMatchObject({
        subject: { key: null, transactionId },
      })
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

async function pay(config: Record<string, string> = RAZORPAY_CONFIG) {
  const { charge, payment } = named({}, { config })
  await adapter().charge(charge)
  return { ...charge, transactionId: payment.id }
}

describe('the standing of a payment', () => {
  const NONE = { refunds: [], disputes: [] }
  const USD = { amount: 1_234, currency: 'USD' }

  it('is what has become of the charge', async () => {
    expect(await story.standingOf(await pay())).toEqual({ charge: 'complete', ...USD, ...NONE })
    const held = await pay(MANUAL)
    expect(await story.standingOf(held)).toEqual({ charge: 'held', ...USD, ...NONE })
    // Never taken, and given back by Razorpay.
    razorpay.set(held.transactionId, { status: 'refunded', amount_refunded: 1_234, refund_status: 'full' })
    expect(await story.standingOf(held)).toEqual({ charge: 'released', ...USD, ...NONE })
    for (const [status, charge] of [
      ['created', 'pending'],
      ['failed', 'failed'],
    ] as const) {
      const { charge: call, payment } = named({ status })
      expect(await story.standingOf({ ...call, transactionId: payment.id })).toEqual({ charge, ...USD, ...NONE })
    }
  })

  it('has every refund, with our key where it is ours; taken money stays told', async () => {
    const paid = await pay()
    razorpay.refundStatus = 'pending'
    await adapter().refund({ ...paid, key: `${paid.key}_refund`, amount: 200 })
    const byHand = razorpay.refundByHand(paid.transactionId, 1_034)
    expect(await story.standingOf(paid)).toEqual({
      charge: 'complete',
      ...USD,
      refunds: [
        { id: byHand.id, key: null, amount: 1_034, status: 'accepted' },
        { id: expect.stringMatching(/^rfnd_/), key: `${paid.key}_refund`, amount: 200, status: 'accepted' },
      ],
      disputes: [],
    })
    razorpay.settleRefund(byHand.id, 'failed')
    expect((await story.standingOf(paid)).refunds[0]).toMatchObject({ id: byHand.id, status: 'failed' })
  })

  it.each([
    ['open', 'open'],
    ['under_review', 'open'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['closed', 'closed'],
  ])('has a dispute that is %s as %s, and none of another payment', async (status, ours) => {
    const [paid, other] = [await pay(), await pay()]
    const { id } = razorpay.dispute(paid.transactionId, status)
    expect((await story.standingOf(paid)).disputes).toEqual([
      { id, amount: 1_234, reason: 'goods_not_received', status: ours },
    ])
    expect((await story.standingOf(other)).disputes).toEqual([])
  })

  it('is told without disputes where the key may not read them', async () => {
    const paid = await pay()
    razorpay.refuse(/disputes/, { status: 403, description: 'Access denied' })
    expect(await story.standingOf(paid)).toMatchObject({ charge: 'complete', disputes: [] })
  })

  it('is not told where Razorpay does not answer', async () => {
    const paid = await pay()
    for (const on of [/^GET \/v1\/payments\/\w+$/, /refunds$/, /disputes$/]) {
      razorpay.trouble('broken_before', { on })
      await expect(story.standingOf(paid)).rejects.toMatchObject({ isNothingCharged: false })
    }
    await expect(story.standingOf({ ...paid, transactionId: 'pay_unknown' })).rejects.toMatchObject({
      isNothingCharged: false,
    })
  })
})

describe('the check of credentials', () => {
  const check = (config: Record<string, string>, isSandbox = true) =>
    story.checkCredentials({ merchantId: 1, isSandbox, config, signal: AbortSignal.timeout(60_000) })

  it('says that they work', async () => {
    expect(await check(RAZORPAY_CONFIG)).toEqual({
      isUsable: true,
      message: 'Razorpay knows the key, of its test mode.',
    })
  })

  it('says which mode the key is of, without asking', async () => {
    const before = razorpay.requests.length
    expect(await check(RAZORPAY_CONFIG, false)).toEqual({
      isUsable: false,
      message: expect.stringMatching(/rzp_live_/),
    })
    const live = { ...RAZORPAY_CONFIG, key_id: 'rzp_live_1DP5mmOlF5G5ag' }
    expect(await check(live)).toEqual({ isUsable: false, message: expect.stringMatching(/rzp_test_/) })
    expect(razorpay.requests.length).toBe(before)
  })

  it('says that Razorpay does not know them, or that they may not do enough, and names no secret', async () => {
    const unknown = await check({ ...RAZORPAY_CONFIG, key_secret: 'wrong_secret' })
    expect(unknown).toEqual({ isUsable: false, message: expect.stringMatching(/does not know the key_id/) })
    expect(unknown.message).not.toContain('wrong_secret')
    razorpay.refuse(/orders/, { status: 403, description: 'Access denied' })
    expect(await check(RAZORPAY_CONFIG)).toEqual({ isUsable: false, message: expect.stringMatching(/may not do/) })
  })

  it('throws where Razorpay cannot be asked', async () => {
    razorpay.trouble('broken_before')
    await expect(check(RAZORPAY_CONFIG)).rejects.toMatchObject({ isOutage: true })
    razorpay.refuse(/orders/, { status: 400, description: 'Something else' })
    await expect(check(RAZORPAY_CONFIG)).rejects.toMatchObject({ name: 'GatewayUnavailable' })
  })
})

it('no error names a credential', async () => {
  const { charge } = named({}, { config: { ...RAZORPAY_CONFIG, key_secret: 'very_hidden' } })
  const errors: unknown[] = []
  await adapter()
    .charge(charge)
    .catch((error: unknown) => errors.push(error))
  await adapter()
    .lookUp(charge)
    .catch((error: unknown) => errors.push(error))
  await adapter()
    .confirm({ ...charge, payment: payWith({ payment_id: 'pay_1', order_id: 'order_1', signature: 'sig_hidden' }) })
    .catch((error: unknown) => errors.push(error))
  expect(errors).toHaveLength(2)
  for (const error of errors) expect(JSON.stringify([error, (error as Error).message])).not.toMatch(/hidden|rzp_test/)
})
