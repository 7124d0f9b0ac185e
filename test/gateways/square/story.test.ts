// What Square tells by itself and when it is asked later: signatures over the registered address and the raw bytes, what a message is about,
// how a payment, its refunds and its disputes stand, and what is said of credentials.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ProviderMessage } from '../../../src/gateways/provider/story.ts'
import { MESSAGE_URL, SIGNATURE_KEY, SQUARE_CONFIG, sign } from '../doubles/square.ts'
import { MANUAL, openSquareTest, payWith } from './support.ts'

const { clock, square, adapter, request } = await openSquareTest()
const { story } = adapter()

type Sent = { headers: Record<string, string>; body: Buffer }

const read = ({ headers, body }: Sent, more: Partial<ProviderMessage> = {}) =>
  story.readMessage({
    merchantId: 1,
    config: SQUARE_CONFIG,
    isSandbox: true,
    headers,
    body,
    url: MESSAGE_URL,
    now: clock.now(),
    signal: AbortSignal.timeout(60_000),
    ...more,
  })

const REFUSED = { kind: 'refused', reason: expect.stringMatching(/signature/) }

describe('a message', () => {
  // Computed with, and accepted by, npm `square` 46.0.0 (WebhooksHelper.verifySignature).
  const VECTOR: Sent = {
    headers: { 'x-square-hmacsha256-signature': 'eWvWP8eJ9NQtlqfyFK1q1tRsMsFHHr9hikCC2Ou6+cw=' },
    body: Buffer.from(
      '{"merchant_id":"M1","type":"payment.updated","event_id":"6a8f5f28","data":{"type":"payment","id":"P1"}}',
    ),
  }

  it('is accepted with the signature that Square makes', async () => {
    expect(VECTOR.body).toHaveLength(103)
    expect(sign(VECTOR.body).headers).toEqual(VECTOR.headers)
    expect(await read(VECTOR)).toEqual({ kind: 'event', id: '6a8f5f28', subject: null })
  })

  it('is refused with another signature, key, address or body, and without a signature', async () => {
    const { headers, body } = VECTOR
    const text = body.toString()
    expect(await read({ headers, body: Buffer.from(`${text} `) })).toEqual(REFUSED)
    expect(await read({ headers, body: Buffer.from(JSON.stringify(JSON.parse(text), null, 1)) })).toEqual(REFUSED)
    expect(await read(sign(body, { key: 'another' }))).toEqual(REFUSED)
    expect(await read(sign(body, { url: `${MESSAGE_URL}/` }))).toEqual(REFUSED)
    expect(await read(VECTOR, { url: 'http://localhost/gateway-webhooks/gway_1' })).toEqual(REFUSED)
    for (const signature of ['', 'x', 'eWvWP8eJ9NQtlqfyFK1q1tRsMsFHHr9hikCC2Ou6+cx='])
      expect(await read({ headers: { 'x-square-hmacsha256-signature': signature }, body })).toEqual(REFUSED)
    expect(await read({ headers: {}, body })).toEqual(REFUSED)
  })

  it('is refused where this service does not know its own address, and says what to set', async () => {
    const reason = expect.stringMatching(/^PUBLIC_URL is not set/)
    expect(await read(VECTOR, { url: new URL(MESSAGE_URL).pathname })).toEqual({ kind: 'refused', reason })
    expect(await read(sign(VECTOR.body, { key: 'another' }))).toEqual(REFUSED)
  })

  it('is not accepted by the older signature of SHA-1', async () => {
    const { body } = VECTOR
    const older = createHmac('sha1', SIGNATURE_KEY).update(MESSAGE_URL).update(body).digest('base64')
    expect(await read({ headers: { 'x-square-signature': older }, body })).toEqual(REFUSED)
    expect(await read({ headers: { 'x-square-hmacsha256-signature': older }, body })).toEqual(REFUSED)
  })

  it('is verified by the bytes, whatever they are in another writing', async () => {
    const body = Buffer.from(
      '{ "event_id" : "e1", "type": "payment.updated", "data": {"object": {"note": "\\u00e9é"}} }',
    )
    expect(await read(sign(body))).toMatchObject({ kind: 'event', id: 'e1' })
  })

  it('needs a key; while one replaces another both are accepted', async () => {
    const { access_token, location_id, application_id } = SQUARE_CONFIG
    const without = { access_token, location_id, application_id }
    expect(await read(VECTOR, { config: without })).toEqual(REFUSED)
    expect(await read(VECTOR, { config: { ...without, webhook_signature_key: ' ' } })).toEqual(REFUSED)
    for (const keys of [`${SIGNATURE_KEY} next`, `next\n${SIGNATURE_KEY}`, `next,${SIGNATURE_KEY}`])
      expect(await read(VECTOR, { config: { ...without, webhook_signature_key: keys } })).toMatchObject({
        id: '6a8f5f28',
      })
  })

  it('that is signed and cannot be read, or has no id, is refused', async () => {
    for (const body of ['', '[]', 'null', '{"type": "payment.updated"}', '{"event_id": ""}'])
      expect(await read(sign(Buffer.from(body)))).toEqual({ kind: 'refused', reason: 'There is no event_id.' })
  })

  it('is about a payment, by our key and by its id', async () => {
    const charge = request()
    await adapter().charge(charge)
    const [payment] = square.of(charge.key)
    for (const type of ['payment.created', 'payment.updated'])
      expect(await read(square.message(type, { payment }))).toEqual({
        kind: 'event',
        id: expect.stringMatching(/^event\d+$/),
        subject: { key: charge.key, transactionId: payment?.id },
      })
  })

  it('is about the payment of a refund, with our key where the refund is ours', async () => {
    const paid = await pay()
    await adapter().refund({ ...paid, key: 'rfnd_1', amount: 100 })
    square.refundByHand(paid.transactionId, 100)
    const [ours, byHand] = [...square.refunds.values()].slice(-2)
    const { transactionId } = paid
    expect(await read(square.message('refund.updated', { refund: ours }))).toMatchObject({
      subject: { key: 'rfnd_1', transactionId },
    })
    expect(await read(square.message('refund.created', { refund: byHand }))).toMatchObject({
      subject: { key: null, transactionId },
    })
  })

  it('is about the payment of a dispute, wherever the dispute stands in it', async () => {
    const { transactionId } = await pay()
    const dispute = square.dispute(transactionId, 'EVIDENCE_REQUIRED')
    for (const object of [{ dispute }, { object: dispute }])
      expect(await read(square.message('dispute.state.updated', object))).toMatchObject({
        subject: { key: null, transactionId },
      })
  })

  it.each([
    ['catalog.version.updated', {}],
    ['payment.updated', {}],
    ['payment.updated', null],
    ['refund.created', { refund: 7 }],
    ['constructor', {}],
    ['', {}],
  ])('%j with %j does not concern us', async (type, object) => {
    expect(await read(square.message(type, object))).toMatchObject({ kind: 'event', subject: null })
  })

  it('that comes again has the same id', async () => {
    const message = square.message('payment.updated', { payment: { id: 'P1' } })
    expect(await read(message)).toEqual(await read(message))
  })
})

async function pay(config: Record<string, string> = SQUARE_CONFIG) {
  const charge = request({ config })
  const { transactionId } = (await adapter().charge(charge)) as { transactionId: string }
  return { ...charge, transactionId }
}

describe('the standing of a payment', () => {
  const NONE = { refunds: [], disputes: [] }
  const USD = { amount: 1_234, currency: 'USD' }

  it('is what has become of the charge', async () => {
    const paid = await pay()
    expect(await story.standingOf(paid)).toEqual({ charge: 'complete', ...USD, ...NONE })
    const held = await pay(MANUAL)
    expect(await story.standingOf(held)).toEqual({ charge: 'held', ...USD, ...NONE })
    await adapter().release(held)
    expect(await story.standingOf(held)).toEqual({ charge: 'released', ...USD, ...NONE })
    const failed = request({ payment: payWith('cnon:card-nonce-declined') })
    await adapter().charge(failed)
    const transactionId = square.of(failed.key)[0]?.id ?? ''
    expect(await story.standingOf({ ...failed, transactionId })).toEqual({ charge: 'failed', ...USD, ...NONE })
  })

  it('of a hold whose time is over is released; of one taken in part, what was taken', async () => {
    const [held, part] = [await pay(MANUAL), await pay(MANUAL)]
    await adapter().take({ ...part, amount: 1_000 })
    clock.advance(7 * 86_400)
    expect(await story.standingOf(held)).toMatchObject({ charge: 'released' })
    expect(await story.standingOf(part)).toMatchObject({ charge: 'complete', amount: 1_000 })
  })

  it('has every refund, ours by their keys and those of the dashboard, and tells which have failed later', async () => {
    const paid = await pay()
    const refunded = (await adapter().refund({ ...paid, key: 'rfnd_a', amount: 1_000 })) as { transactionId: string }
    const byHand = square.refundByHand(paid.transactionId, 34)
    const ours = { id: refunded.transactionId, key: 'rfnd_a', amount: 1_000 }
    const theirs = { id: byHand.id, key: null, amount: 34, status: 'accepted' }
    expect(await story.standingOf(paid)).toEqual({
      charge: 'complete',
      ...USD,
      refunds: [{ ...ours, status: 'accepted' }, theirs],
      disputes: [],
    })
    for (const [status, ourStatus] of [
      ['COMPLETED', 'accepted'],
      ['REJECTED', 'failed'],
      ['FAILED', 'failed'],
    ] as const) {
      square.settleRefund(refunded.transactionId, status)
      expect((await story.standingOf(paid)).refunds).toEqual([{ ...ours, status: ourStatus }, theirs])
    }
  })

  it('has its own disputes, by their states, from all pages', async () => {
    const [paid, other] = [await pay(), await pay()]
    const STATES = {
      INQUIRY_EVIDENCE_REQUIRED: 'open',
      INQUIRY_PROCESSING: 'open',
      INQUIRY_CLOSED: 'closed',
      EVIDENCE_REQUIRED: 'open',
      PROCESSING: 'open',
      WON: 'won',
      LOST: 'lost',
      ACCEPTED: 'lost',
    } as const
    square.pageSize = 2
    for (let count = 0; count < 5; count++) square.dispute(other.transactionId, 'WON')
    const dispute = square.dispute(paid.transactionId, 'PROCESSING')
    for (const [state, status] of Object.entries(STATES)) {
      dispute.state = state
      expect((await story.standingOf(paid)).disputes).toEqual([
        { id: dispute.id, amount: 1_234, reason: 'no_knowledge', status },
      ])
    }
  })

  it('comes without disputes where the access token may not read them', async () => {
    const paid = await pay()
    square.refuse(/disputes/, { status: 403, code: 'INSUFFICIENT_SCOPES', category: 'AUTHENTICATION_ERROR' })
    expect(await story.standingOf(paid)).toMatchObject({ charge: 'complete', disputes: [] })
  })

  it('is thrown where it cannot be had', async () => {
    const paid = await pay()
    const fails = (work: Promise<unknown>) => expect(work).rejects.toMatchObject({ isNothingCharged: false })
    await fails(story.standingOf({ ...paid, transactionId: 'P0' }))
    await fails(story.standingOf({ ...paid, config: { ...SQUARE_CONFIG, access_token: 'revoked' } }))
    square.refuse(/disputes/, { status: 400, code: 'BAD_REQUEST' })
    await fails(story.standingOf(paid))
    for (const on of [/payments/, /disputes/]) {
      square.trouble('html', { on })
      await fails(story.standingOf(paid))
    }
  })
})

describe('credentials', () => {
  const check = (config: Record<string, string> = {}, isSandbox = true) =>
    story.checkCredentials({
      merchantId: 1,
      isSandbox,
      config: { ...SQUARE_CONFIG, ...config },
      signal: AbortSignal.timeout(60_000),
    })

  it('that Square knows are told with the location and its currency', async () => {
    expect(await check()).toEqual({
      isUsable: true,
      message: 'Square knows the access token (sandbox). The location "Main" takes cards in USD.',
      learned: { location_currency: 'USD' },
    })
  })

  it('of the other mode are told apart', async () => {
    expect(await check({}, false)).toEqual({
      isUsable: false,
      message:
        'application_id is of the sandbox, and this gateway takes real payments: copy the one below "Production" (sq0idp-…).',
    })
    expect(await check({ application_id: 'sq0idp-1' })).toMatchObject({
      isUsable: false,
      message: expect.stringMatching(/^application_id is of production/),
    })
    expect(await check({ application_id: 'sq0idp-1' }, false)).toEqual({
      isUsable: false,
      message:
        'Square does not know the access token for live payments. Copy it anew; the sandbox and production have one each.',
    })
  })

  it('that Square does not know, or that may not do enough, are told so', async () => {
    expect(await check({ access_token: 'wrong' })).toMatchObject({
      isUsable: false,
      message: expect.stringMatching(/^Square does not know the access token for sandbox payments/),
    })
    square.refuse(/locations/, { status: 401, code: 'ACCESS_TOKEN_REVOKED', category: 'AUTHENTICATION_ERROR' })
    expect(await check()).toEqual({
      isUsable: false,
      message: 'The access token was revoked at Square. Copy the new one.',
    })
    square.refuse(/locations/, { status: 403, code: 'INSUFFICIENT_SCOPES', category: 'AUTHENTICATION_ERROR' })
    expect(await check()).toMatchObject({ isUsable: false, message: expect.stringMatching(/may not do/) })
  })

  it('with a location that is not there, is closed, or cannot take cards are told so', async () => {
    expect(await check({ location_id: 'L2' })).toEqual({
      isUsable: false,
      message: 'The account of the access token has no location with that location_id.',
    })
    Object.assign(square.location, { capabilities: ['AUTOMATIC_TRANSFERS'] })
    expect(await check()).toMatchObject({ isUsable: false, message: expect.stringMatching(/cannot take cards/) })
    Object.assign(square.location, { status: 'INACTIVE' })
    expect(await check()).toMatchObject({ isUsable: false, message: 'The location "Main" is not active at Square.' })
  })

  it('cannot be checked while Square is down', async () => {
    square.trouble('broken_before', { on: /locations/ })
    await expect(check()).rejects.toMatchObject({ name: 'GatewayUnavailable' })
  })
})
