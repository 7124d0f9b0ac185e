// Razorpay's messages at the address of a shop: refused or read once, in any order, and only a reason to ask. A shopper who has paid and closed
// the browser gets the order; money that comes after its time goes back.

import { expect, it } from 'vitest'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { openRazorpay, RAZORPAY_CONFIG } from '../doubles/razorpay.ts'
import { runJobsOf } from '../every-provider/shop.ts'
import { openProviderApp, openProviderShop } from '../provider-shop.ts'

const { app, double: razorpay, complete } = await openProviderApp(openRazorpay)
const shop = await openProviderShop(app, { code: 'razorpay', config: RAZORPAY_CONFIG })

type Message = { headers: Record<string, string>; body: Buffer }

const send = async ({ headers, body }: Message): Promise<number> => {
  const url = shop.gateway.webhook_path ?? ''
  const sent = { 'content-type': 'application/json', ...headers }
  return (await app.server.inject({ method: 'POST', url, headers: sent, payload: body })).statusCode
}
/** Whoever is made to look by a message has looked. */
const settle = async () => {
  await runJobsOf(app, shop.id)
  await complete(1)
}
const receiptOf = async (bought: { id: string }) => (await shop.receipt(bought)).status

/** A checkout that waits for its shopper, and its order at Razorpay. */
async function begin() {
  const bought = await shop.token()
  const answer = await shop.capture(bought, digitalBody({ payment: { gateway: 'razorpay' } }))
  const { param } = (answer.body as { error: { param: string } }).error
  return { bought, orderId: param }
}

it('a message that a payment is authorized makes the order, long before its time is over (F18, F32, F33)', async () => {
  const { bought, orderId } = await begin()
  const payment = razorpay.pay({ orderId })
  expect(await complete(1)).toBe(0)
  const asked = razorpay.requests.length
  expect(await send(razorpay.message('payment.authorized', { payment }))).toBe(200)
  // It decides nothing by itself, and is answered before Razorpay is asked for anything.
  expect([await receiptOf(bought), razorpay.payments.get(payment.id)?.status]).toEqual([404, 'authorized'])
  expect(razorpay.requests).toHaveLength(asked)
  await settle()
  expect([await receiptOf(bought), razorpay.payments.get(payment.id)?.status]).toEqual([200, 'captured'])
})

it('a message that lies of a payment makes no order: Razorpay is asked (F20)', async () => {
  const { bought, orderId } = await begin()
  const payment = razorpay.pay({ orderId, status: 'failed' })
  const told = { ...payment, status: 'captured', captured: true }
  expect(await send(razorpay.message('payment.captured', { payment: told }))).toBe(200)
  await settle()
  expect(await receiptOf(bought)).toBe(404)
  await complete(901)
})

it('a message that somebody sends again under the id of one to come does not keep that one away', async () => {
  const { bought, orderId } = await begin()
  const payment = razorpay.pay({ orderId })
  const old = razorpay.message('settlement.processed', { settlement: { id: 'setl_2' } })
  const awaited = razorpay.message('payment.authorized', { payment })
  const eventId = awaited.headers['x-razorpay-event-id'] ?? ''
  expect(await send({ ...old, headers: { ...old.headers, 'x-razorpay-event-id': eventId } })).toBe(200)
  expect(await send(awaited)).toBe(200)
  await settle()
  expect(await receiptOf(bought)).toBe(200)
})

it('what a message is about is asked for again where Razorpay is out', async () => {
  const { bought, orderId } = await begin()
  const payment = razorpay.pay({ orderId })
  const message = razorpay.message('payment.authorized', { payment })
  razorpay.trouble('broken_before', { on: /^GET .*orders/ })
  expect(await send(message)).toBe(200)
  await settle()
  expect(await receiptOf(bought)).toBe(200)
})

it('what is paid after its time is not taken; what was taken all the same is given back, once (F17, F48)', async () => {
  const { bought, orderId } = await begin()
  await complete(901)
  const payment = razorpay.pay({ orderId })
  expect(await send(razorpay.message('payment.authorized', { payment }))).toBe(200)
  const worker = app.startJobs()
  try {
    // By somebody in the dashboard.
    const captured = razorpay.captureByHand(payment.id)
    for (const event of ['payment.captured', 'order.paid'])
      expect(await send(razorpay.message(event, { payment: captured }))).toBe(200)
    await expect.poll(() => razorpay.payments.get(payment.id)?.status).toBe('refunded')
  } finally {
    await worker.stop()
  }
  expect([...razorpay.refunds.values()].filter(({ payment_id }) => payment_id === payment.id)).toHaveLength(1)
  expect(await receiptOf(bought)).toBe(404)
})
