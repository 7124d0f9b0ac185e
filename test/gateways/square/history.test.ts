// Messages that only Square has: signatures over the registered address, and accounts with locations. The rest: ../every-provider/adapter/telling.

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MESSAGE_URL, SIGNATURE_KEY, sign } from '../doubles/square.ts'
import { leavesOpen, payOn, readerOf } from '../every-provider/adapter/bench.ts'
import type { Message } from '../every-provider/provider.ts'
import { openSquareBench, payWith } from './bench.ts'

const bench = await openSquareBench()
const { square, adapter, request } = bench
const { history } = adapter()
const read = readerOf(bench)

const REFUSED = { kind: 'refused', reason: expect.stringMatching(/signature/) }

describe('a message', () => {
  // Computed with, and accepted by, npm `square` 46.0.0 (WebhooksHelper.verifySignature).
  const VECTOR: Message = {
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

  it('is refused with another address (F22)', async () => {
    const { body } = VECTOR
    expect(await read(sign(body, { url: `${MESSAGE_URL}/` }))).toEqual(REFUSED)
    expect(await read(VECTOR, { url: 'http://localhost/gateway-webhooks/gway_1' })).toEqual(REFUSED)
  })

  it('is refused where this service does not know its own address, and says what to set', async () => {
    const reason = expect.stringMatching(/^PUBLIC_URL is not set/)
    expect(await read(VECTOR, { url: new URL(MESSAGE_URL).pathname })).toEqual({ kind: 'refused', reason })
  })

  it('is not accepted by the older signature of SHA-1', async () => {
    const { body } = VECTOR
    const older = createHmac('sha1', SIGNATURE_KEY).update(MESSAGE_URL).update(body).digest('base64')
    expect(await read({ headers: { 'x-square-signature': older }, body })).toEqual(REFUSED)
    expect(await read({ headers: { 'x-square-hmacsha256-signature': older }, body })).toEqual(REFUSED)
  })

  it('is about the payment of a dispute, wherever the dispute stands in it', async () => {
    const { transactionId } = await payOn(bench)
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
  ])('%j with %j does not concern us (F24)', async (type, object) => {
    expect(await read(square.message(type, object))).toMatchObject({ kind: 'event', subject: null })
  })
})

describe('the standing of a payment', () => {
  it('of a card that was declined is failed; a refund that was rejected has failed', async () => {
    const failed = request({ payment: payWith('cnon:card-nonce-declined') })
    await adapter().charge(failed)
    const transactionId = square.of(failed.key)[0]?.id ?? ''
    const standing = await history.getPaymentState({ ...failed, transactionId })
    expect(standing).toMatchObject({ charge: 'failed', amount: 1_234 })
    const paid = await payOn(bench)
    const { id } = square.refundByHand(paid.transactionId, 34)
    for (const [status, ours] of [
      ['COMPLETED', 'accepted'],
      ['REJECTED', 'failed'],
    ] as const) {
      square.settleRefund(id, status)
      expect((await history.getPaymentState(paid)).refunds).toMatchObject([{ id, status: ours }])
    }
  })

  it('has its disputes from all pages, and is thrown where these cannot be had (F47)', async () => {
    const [paid, other] = [await payOn(bench), await payOn(bench)]
    square.settings.pageSize = 2
    for (let count = 0; count < 5; count++) square.dispute(other.transactionId, 'WON')
    const { id } = square.dispute(paid.transactionId, 'PROCESSING')
    expect((await history.getPaymentState(paid)).disputes).toMatchObject([{ id }])
    square.refuse(/disputes/, { status: 400, code: 'BAD_REQUEST' })
    await leavesOpen(history.getPaymentState(paid))
  })
})

it('says of credentials what they lack, and learns the currency of the location', async () => {
  const check = () => history.checkCredentials(request())
  expect(await check()).toMatchObject({ isUsable: true, learned: { location_currency: 'USD' } })
  const lacks = (sentence: RegExp) => ({ isUsable: false, message: expect.stringMatching(sentence) })
  const category = 'AUTHENTICATION_ERROR'
  square.refuse(/locations/, { status: 401, code: 'ACCESS_TOKEN_REVOKED', category })
  expect(await check()).toEqual(lacks(/^The access token was revoked at Square\. Copy the new one\.$/))
  square.refuse(/locations/, { status: 403, code: 'INSUFFICIENT_SCOPES', category })
  expect(await check()).toEqual(lacks(/may not do/))
  Object.assign(square.location, { capabilities: ['AUTOMATIC_TRANSFERS'] })
  expect(await check()).toEqual(lacks(/cannot take cards/))
  Object.assign(square.location, { status: 'INACTIVE' })
  expect(await check()).toEqual(lacks(/^The location "Main" is not active at Square\.$/))
})
