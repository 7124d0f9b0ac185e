// @sampled: processes that die, and one of two ways to hear of late money, are proofs.
// Captures by Razorpay beyond ../every-provider/capture: signatures of payments, payments that belong to something else,
// and money that comes after its time.

import { describe, expect, it } from 'vitest'
import { schedulePoll } from '../../../src/api/capture/attempt.ts'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { isProof } from '../../support/proof.ts'
import { openRazorpay, type Paying, RAZORPAY_CONFIG, signPayment } from '../doubles/razorpay.ts'
import { runJobsOf } from '../every-provider/shop.ts'
import { errorOf, openProviderApp, openProviderShop, SETTLE_SECONDS } from '../provider-shop.ts'

const { app, double: razorpay, complete } = await openProviderApp(openRazorpay)
const shop = await openProviderShop(app, { code: 'razorpay', config: RAZORPAY_CONFIG })
const { gateway, token, available: availableNow, receipt: receiptOf } = shop
type Token = { id: string }

/** What existing stores send names a payment; what newer ones send first names nothing. */
const body = (details?: object) =>
  digitalBody({ payment: { gateway: 'razorpay', ...(details === undefined ? {} : { razorpay: details }) } })
/** The shopper has paid in a window that was opened without an order. */
const pay = (paying: Paying = {}) => razorpay.pay({ amount: 1_000, currency: 'USD', ...paying })
const byId = ({ id }: { id: string }) => body({ payment_id: id })

const statusOf = ({ id }: { id: string }) => razorpay.payments.get(id)?.status
const capturesOf = ({ id }: { id: string }) =>
  razorpay.requests.filter(({ path }) => path === `/v1/payments/${id}/capture`).length

/** The first capture of a newer store: the order that its window is opened with. */
async function begin(bought: Token): Promise<string> {
  const answer = await shop.capture(bought, body())
  const { type, param } = errorOf(answer)
  expect([answer.status, type, param]).toEqual([402, 'requires_verification', expect.stringMatching(/^order_/)])
  return param ?? ''
}

/** As a shopper in it. */
function payOrder(orderId: string, paying: Paying = {}) {
  const payment = razorpay.pay({ orderId, ...paying })
  return { payment, confirmed: body(razorpay.given(payment)) }
}

describe('a capture by an order', () => {
  it('with a wrong signature is 422 and takes nothing; it waits on, and the right one pays it (F31)', async () => {
    const before = await availableNow()
    const bought = await token()
    const orderId = await begin(bought)
    const { payment, confirmed } = payOrder(orderId)
    const forged = { ...razorpay.given(payment), signature: signPayment(orderId, payment.id, 'guessed') }
    for (const _ of [1, 2])
      expect(await shop.errors(bought, body(forged))).toEqual({
        'payment.razorpay.signature': [expect.stringMatching(/does not prove/)],
      })
    expect([statusOf(payment), await availableNow()]).toEqual(['authorized', before - 1])
    expect((await shop.order(bought, confirmed)).status_payment).toBe('paid')
    expect([capturesOf(payment), await availableNow()]).toEqual([1, before - 1])
  })

  it('is not paid by the payment of another checkout, though it is rightly signed (F8)', async () => {
    const [bought, other] = [await token(), await token()]
    await begin(bought)
    const foreign = payOrder(await begin(other))
    expect(Object.keys(await shop.errors(bought, foreign.confirmed))).toEqual(['payment.razorpay.order_id'])
    expect(Object.keys(await shop.errors(bought, body({ payment_id: foreign.payment.id, order_id: 'x' })))).toEqual([
      'payment.razorpay.signature',
    ])
    const alone = await shop.capture(bought, byId(foreign.payment))
    expect([alone.status, errorOf(alone).message]).toEqual([402, expect.stringMatching(/made for something else/)])
    expect(statusOf(foreign.payment)).toBe('authorized')
    expect((await shop.order(other, foreign.confirmed)).status_payment).toBe('paid')
  })

  it('that nobody pays is called off after its time; who comes later is told to pay anew, and nothing is taken (F6)', async () => {
    const before = await availableNow()
    const bought = await token()
    const orderId = await begin(bought)
    expect(await availableNow()).toBe(before - 1)
    await complete(901)
    expect(await availableNow()).toBe(before)
    const { payment, confirmed } = payOrder(orderId)
    expect(await shop.errors(bought, confirmed)).toEqual({
      'payment.razorpay.order_id': [expect.stringMatching(/it has expired/)],
    })
    expect(statusOf(payment)).toBe('authorized')
  })

  it.each(['without a message', 'though a message of before has made us look'].slice(0, isProof ? 2 : 1))(
    'that is called off can be paid still: what an account with direct settlement takes then goes back, %s',
    async (how) => {
      const before = await availableNow()
      const bought = await token()
      const orderId = await begin(bought)
      await complete(901)
      expect(await availableNow()).toBe(before)
      if (how !== 'without a message') {
        const seen = razorpay.requests.length
        const attempt = { merchant_id: shop.id, id: razorpay.orders.get(orderId)?.receipt ?? '' }
        await schedulePoll(app.db, { ...attempt, gateway: 'razorpay', is_simulated: false }, app.clock.now())
        const worker = app.startJobs()
        await expect
          .poll(() => razorpay.requests.length)
          .toBeGreaterThan(seen)
          .finally(worker.stop)
      }
      const payment = razorpay.captureByHand(payOrder(orderId).payment.id)
      const given = () => [...razorpay.refunds.values()].filter(({ payment_id }) => payment_id === payment.id)
      app.clock.advance(24 * 3_600 + 1)
      const worker = app.startJobs()
      await expect
        .poll(() => given().map(({ amount }) => amount))
        .toEqual([1_000])
        .finally(worker.stop)
      expect([(await receiptOf(bought)).status, await availableNow()]).toEqual([404, before])
    },
  )
})

describe('a message about a payment of an order', () => {
  const send = async (event: string, entities: Record<string, unknown>) => {
    const { headers, body } = razorpay.message(event, entities)
    const sent = { 'content-type': 'application/json', ...headers }
    const url = gateway.webhook_path ?? ''
    expect((await app.server.inject({ method: 'POST', url, headers: sent, payload: body })).statusCode).toBe(200)
  }
  /** Whoever is made to look by a message has looked. */
  const settle = async () => {
    await runJobsOf(app, shop.id)
    await complete(1)
  }

  it('that is authorized makes the order, long before its time is over, and though Razorpay is out at first (F18, F32, F33)', async () => {
    const bought = await token()
    const { payment } = payOrder(await begin(bought))
    expect(await complete(1)).toBe(0)
    const asked = razorpay.requests.length
    razorpay.trouble('broken_before', { on: /^GET .*orders/ })
    await send('payment.authorized', { payment })
    // It decides nothing by itself, and is answered before Razorpay is asked for anything.
    expect([(await receiptOf(bought)).status, statusOf(payment)]).toEqual([404, 'authorized'])
    expect(razorpay.requests).toHaveLength(asked)
    await settle()
    expect([(await receiptOf(bought)).status, statusOf(payment)]).toEqual([200, 'captured'])
  })
})

describe('a capture by the id of a payment', () => {
  it('pays for one order only, also when two come at the same moment (F29)', async () => {
    const payment = pay()
    const [one, two] = [await token(), await token()]
    const answers = await Promise.all([shop.capture(one, byId(payment)), shop.capture(two, byId(payment))])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(Object.keys(await shop.errors(await token(), byId(payment)))).toEqual(['payment.gateway'])
    expect(capturesOf(payment)).toBe(1)
  })

  it('that was not completed in the window is paid when it is (F36)', async () => {
    const bought = await token()
    const payment = pay({ status: 'created', method: 'upi' })
    expect((await shop.capture(bought, byId(payment))).status).toBe(402)
    razorpay.set(payment.id, { status: 'authorized' })
    expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
  })
})

describe('a payment of our order that is sent without its signature', () => {
  it('pays the token that the order was made for, once, and is told again as that order', async () => {
    const [bought, before] = [await token(), await availableNow()]
    const { payment } = payOrder(await begin(bought))
    const order = await shop.order(bought, byId(payment))
    const charge = { gateway: 'razorpay', gateway_transaction_id: payment.id, status: 'complete' }
    expect(order).toMatchObject({ status_payment: 'paid', transactions: [charge] })
    expect((await shop.order(bought, byId(payment))).id).toBe(order.id)
    await complete(SETTLE_SECONDS + 1)
    expect([capturesOf(payment), statusOf(payment), await availableNow()]).toEqual([1, 'captured', before - 1])
    expect([...razorpay.refunds.values()].filter(({ payment_id }) => payment_id === payment.id)).toEqual([])
  })

  it('pays for no other token, whether that waits or not, and for no other shop', async () => {
    const bought = await token()
    const { payment } = payOrder(await begin(bought))
    const other = await openProviderShop(app, { code: 'razorpay', config: RAZORPAY_CONFIG })
    const waiting = await token()
    await begin(waiting)
    for (const [from, to] of [
      [shop, waiting],
      [shop, await token()],
      [other, await other.token()],
    ] as const) {
      const answer = await from.capture(to, byId(payment))
      expect([answer.status, errorOf(answer).message]).toEqual([402, expect.stringMatching(/made for something else/)])
    }
    expect(statusOf(payment)).toBe('authorized')
    expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
    // Also when it has paid for its order.
    expect((await shop.capture(await token(), byId(payment))).status).toBe(402)
    expect(capturesOf(payment)).toBe(1)
  })

  it('is refused when the time of its order is over, and nothing is taken', async () => {
    const bought = await token()
    const { payment } = payOrder(await begin(bought), { status: 'created' })
    await complete(3_700)
    razorpay.set(payment.id, { status: 'authorized' })
    expect((await shop.capture(bought, byId(payment))).status).toBe(402)
    expect(capturesOf(payment)).toBe(0)
  })

  describe.runIf(isProof)('beside something else', () => {
    it('is 504 while Razorpay does not say what it was made for: nothing is called off, and it pays later', async () => {
      const bought = await token()
      const { payment } = payOrder(await begin(bought))
      razorpay.trouble('broken_before', { on: /^GET \/v1\/payments\/\w+$/ })
      expect((await shop.capture(bought, byId(payment))).status).toBe(504)
      expect((await shop.order(bought, byId(payment))).status_payment).toBe('paid')
      expect(capturesOf(payment)).toBe(1)
    })

    it('of a window without an order still pays a token that has one', async () => {
      const bought = await token()
      await begin(bought)
      const payment = pay()
      expect((await shop.order(bought, byId(payment))).transactions).toMatchObject([
        { gateway_transaction_id: payment.id },
      ])
      expect(capturesOf(payment)).toBe(1)
    })
  })
})
