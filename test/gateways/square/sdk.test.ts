// A second witness: Square's own client for Node goes through the same payments at the double, and its verifier checks what the double signs and
// our own accepts. What it can read of the double's answers, it would read of Square's. Release 39 is the last that comes alone: those after it
// bring it along beside a second client, in sixteen thousand files.

import { Client, Environment, WebhooksHelper } from 'square'
import { expect, it } from 'vitest'
import { MESSAGE_URL, SIGNATURE_KEY, SQUARE_CONFIG } from '../doubles/square.ts'
import { MANUAL, openSquareBench, PAID } from './bench.ts'

const { clock, square, adapter, request } = await openSquareBench()
const { paymentsApi, locationsApi } = new Client({
  environment: Environment.Custom,
  customUrl: square.url,
  squareVersion: '2025-08-20',
  bearerAuthCredentials: { accessToken: SQUARE_CONFIG.access_token },
})

it('sees what our adapter has made, and our adapter what it has taken and called off', async () => {
  const [taken, held] = [request({ config: MANUAL }), request({ config: MANUAL })]
  const ids = []
  for (const charge of [taken, held]) {
    const { transactionId } = (await adapter().charge(charge)) as { transactionId: string }
    expect((await paymentsApi.getPayment(transactionId)).result.payment).toMatchObject({
      status: 'APPROVED',
      referenceId: charge.key,
      totalMoney: { amount: 1_234n, currency: 'USD' },
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
