// A second witness: Square's own client for Node goes through the same payments at the double, and its verifier checks what the double signs and
// our own accepts. What it can read of the double's answers, it would read of Square's. Release 39 is the last that comes alone: those after it
// bring it along beside a second client, in sixteen thousand files.

import { ApiError, Client, Environment, WebhooksHelper } from 'square'
import { expect, it } from 'vitest'
import { MESSAGE_URL, SIGNATURE_KEY, SQUARE_CONFIG } from '../doubles/square.ts'
import { MANUAL, OK, openSquareBench, PAID, payWith } from './bench.ts'

const { clock, square, adapter, request } = await openSquareBench()
const { paymentsApi, refundsApi, locationsApi } = new Client({
  environment: Environment.Custom,
  customUrl: square.url,
  squareVersion: '2025-08-20',
  bearerAuthCredentials: { accessToken: SQUARE_CONFIG.access_token },
})

const MONEY = { amount: 1_234n, currency: 'USD' }
const paying = (idempotencyKey: string, more: object = {}) => ({
  sourceId: OK,
  idempotencyKey,
  amountMoney: MONEY,
  autocomplete: false,
  locationId: SQUARE_CONFIG.location_id,
  referenceId: idempotencyKey,
  ...more,
})

it('pays in two steps, once under a key, and gives a part back', async () => {
  const { payment } = (await paymentsApi.createPayment(paying('sdk_1'))).result
  expect(payment).toMatchObject({ status: 'APPROVED', amountMoney: MONEY, cardDetails: { card: { last4: '1111' } } })
  const id = payment?.id ?? ''
  expect((await paymentsApi.createPayment(paying('sdk_1'))).result.payment?.id).toBe(id)
  expect((await paymentsApi.completePayment(id, {})).result.payment).toMatchObject({ status: 'COMPLETED' })
  const part = { idempotencyKey: 'sdk_1_back', paymentId: id, amountMoney: { amount: 234n, currency: 'USD' } }
  const { refund } = (await refundsApi.refundPayment(part)).result
  expect(refund).toMatchObject({ status: 'PENDING', paymentId: id, amountMoney: part.amountMoney })
  expect((await refundsApi.getPaymentRefund(refund?.id ?? '')).result.refund?.id).toBe(refund?.id)
  expect((await paymentsApi.getPayment(id)).result.payment).toMatchObject({ refundIds: [refund?.id] })
})

it('is told of a card that is declined, as our adapter is', async () => {
  const sourceId = 'cnon:card-nonce-declined'
  const error: unknown = await paymentsApi.createPayment(paying('sdk_2', { sourceId })).catch((reason) => reason)
  expect(error).toBeInstanceOf(ApiError)
  expect((error as ApiError).errors).toMatchObject([{ category: 'PAYMENT_METHOD_ERROR', code: 'GENERIC_DECLINE' }])
  expect(await adapter().charge(request({ payment: payWith(sourceId) }))).toMatchObject({ reason: 'card_declined' })
})

it('sees what our adapter has made, and our adapter what it has taken and called off', async () => {
  const [taken, held] = [request({ config: MANUAL }), request({ config: MANUAL })]
  const ids = []
  for (const charge of [taken, held]) {
    const { transactionId } = (await adapter().charge(charge)) as { transactionId: string }
    expect((await paymentsApi.getPayment(transactionId)).result.payment).toMatchObject({
      status: 'APPROVED',
      referenceId: charge.key,
      totalMoney: MONEY,
    })
    ids.push(transactionId)
  }
  await paymentsApi.completePayment(ids[0] ?? '', {})
  await paymentsApi.cancelPayment(ids[1] ?? '')
  expect(await adapter().lookUp(taken)).toEqual(PAID)
  expect(await adapter().lookUp(held)).toMatchObject({ kind: 'declined', reason: 'cancelled' })
  const { location } = (await locationsApi.retrieveLocation(SQUARE_CONFIG.location_id)).result
  expect(location).toMatchObject({ currency: 'USD', status: 'ACTIVE' })
})

it('verifies the messages that the double signs, as our adapter does', async () => {
  const { headers, body } = square.message('payment.updated', { payment: { id: 'P1' } })
  const signature = headers['x-square-hmacsha256-signature'] ?? ''
  const message = { ...request(), url: MESSAGE_URL, now: clock.now() }
  const isValid = (text: string, url: string) =>
    WebhooksHelper.isValidWebhookEventSignature(text, signature, SIGNATURE_KEY, url)
  expect(isValid(body.toString(), MESSAGE_URL)).toBe(true)
  expect(await adapter().story.readMessage({ ...message, headers, body })).toMatchObject({ kind: 'event' })
  expect([isValid(`${body} `, MESSAGE_URL), isValid(body.toString(), `${MESSAGE_URL}/`)]).toEqual([false, false])
})
